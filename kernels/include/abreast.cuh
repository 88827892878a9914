// Several runs abreast: each vertex stores the values of RUNS runs contiguously, so that one visit to an edge serves
// every run whose value has changed at the edge's sender. This requires an in-place program whose values fit in one
// word each.
//
// A vertex is in the frontier once, with one bit for each run for which it sends. A team of TEAM lanes processes an
// edge together; each lane handles 16 bytes of the sender's and of the receiver's words. An edge then costs one or two
// sectors of 32 bytes at its receiver, whereas separate runs cost one sector each.
//
// If values are ordered, vertices send in buckets (ranges of values), the best values of all runs first. The buckets
// are four times as wide as those of one run. A simulation of these steps counted how many times, on average, each edge
// of the graph is visited by 16 shortest-path runs:
//
// - R-MAT 17 (weights 1..64): a bucket contains all vertices that are reached. The batch visits the edges 3.2 times;
//   separate runs visit them 25 times. With narrower buckets, the runs share fewer visits: the batch visits the edges
//   4.8 times with buckets as wide as those of one run, and 8.0 times with a quarter of that width.
// - Grid of 300 x 300 (weights 1..100): the batch visits the edges 39 times in 663 steps; without buckets, 132 times in
//   536 steps. Separate runs visit the edges only 22 times, but in 9,637 steps. A step with so few edges costs the same
//   however many runs share it.
#pragma once

namespace wp {

/// Number of runs of a batch.
constexpr u32 RUNS = WP_RUNS;

/// Number of runs whose words one lane holds; the lane loads them at once.
constexpr u32 LANE_RUNS = 16 / sizeof(ValueWord);

/// Number of lanes that process an edge together: a team.
constexpr u32 TEAM = RUNS / LANE_RUNS;

static_assert(RUNS <= 32 && RUNS % LANE_RUNS == 0 && (TEAM & (TEAM - 1)) == 0 && TEAM <= 32, "a team must be part of a warp");

/// Arrays of a batch. `DeviceRun::values` holds RUNS words per vertex. wolfpath-runtime declares the same struct
/// (`cuda/many/abreast.rs`).
struct AbreastBatch {
    u64* sending[2];   // one word per vertex, for step s at s % 2: s in the upper 32 bits, the runs that send in the lower
    u32* waiting;      // bits: the runs that wait for a later bucket; `DeviceRun::pending` marks vertices with any such run
    u32* identities;   // bits: the runs that have a value here although its word equals the identity
    const u32* source_runs;
    u64* apart;        // visited edges, each counted once per run that sent along it
};

constexpr u32 BATCH_ON_HOST[] = {WP_OFFSETS_BATCH};
constexpr u32 BATCH_ON_DEVICE[] = {WP_AT(AbreastBatch, sending),    WP_AT(AbreastBatch, waiting),
                                   WP_AT(AbreastBatch, identities), WP_AT(AbreastBatch, source_runs),
                                   WP_AT(AbreastBatch, apart),      (u32)sizeof(AbreastBatch)};
static_assert(same_offsets(BATCH_ON_HOST, BATCH_ON_DEVICE), "`AbreastBatch` has another layout on the host (abreast.rs)");

/// The words of a lane's runs.
struct __align__(16) Portion {
    ValueWord word[LANE_RUNS];
};

/// Returns the number of the first run that belongs to this lane.
WP_FN u32 first_run() { return lane() % TEAM * LANE_RUNS; }

WP_FN ValueWord* word_of(const DeviceRun& run, u32 v, u32 r) { return (ValueWord*)run.values + (u64)v * RUNS + r; }

/// Returns those bits of a mask of runs that belong to this lane, shifted to bit 0.
WP_FN u32 own_part(u32 runs) { return runs >> first_run() & ((1u << LANE_RUNS) - 1); }

/// Adds `runs` to the set of runs for which `v` sends in `step`. Returns `true` only in the first thread that does so.
/// A word of an earlier step is replaced, so the array needs no clearing between steps.
WP_FN bool join(u64* sending, u32 v, u32 runs, u64 step) {
    u64 seen = load_fresh(&sending[v]);
    bool is_of_step = (u32)(seen >> 32) == (u32)step;
    if (!is_of_step && atomicCAS(&sending[v], seen, (u64)(u32)step << 32 | runs) == seen) return true;
    // If another thread got there first, adds to the word that it stored.
    if (!is_of_step || (runs & ~(u32)seen)) atomicOr(&sending[v], (u64)runs);
    return false;
}

/// Postpones runs at `v` to a later bucket. `word` is the word of one of these runs; the caller has noted the words of
/// the others.
WP_FN void postpone_runs(const DeviceRun& run, const AbreastBatch& batch, Waits& waits, u32 v, u32 runs, ValueWord word) {
    if (runs & ~load_fresh(&batch.waiting[v])) atomicOr(&batch.waiting[v], runs);
    postpone(run, waits, v, word);
}

/// Combines a word into the receiver's value of one run. `held` is the value that the lane read earlier; it may be out
/// of date. Returns `true` if the word improved the value.
WP_FN bool relax_run(const DeviceRun& run, const AbreastBatch& batch, u32 v, u32 r, ValueWord word, ValueWord held) {
    ValueWord* at = word_of(run, v, r);
    if (improves(word, held)) return improves(word, combine_atomically(at, word));
    u32 bit = 1u << r;
    if (word != IDENTITY<ValueWord> || (load_stale(&batch.identities[v]) & bit)) return false;
    return load_fresh(at) == IDENTITY<ValueWord> && !(atomicOr(&batch.identities[v], bit) & bit);
}

/// An edge, as seen by one lane of its team.
struct LaneEdge {
    u32 sender;
    u32 runs;  // the runs of this lane that send
    Weight weight;
    Portion held;
};

/// Sends the messages of the lane's runs along an edge. Returns the runs that were improved.
WP_FN u32 deliver_edge(const DeviceRun& run, const Params& params, const AbreastBatch& batch, const ControlCopy& state,
                       Waits& waits, u32 receiver, const LaneEdge& lane_edge) {
    u32 near = 0, far = 0;
    ValueWord far_word = {};
    // Adjacent teams usually share a sender, so this load hits L1.
    Portion sent = load_stale((const Portion*)word_of(run, lane_edge.sender, first_run()));
#pragma unroll
    for (u32 r = 0; r < LANE_RUNS; ++r) {
        if (!(lane_edge.runs >> r & 1)) continue;
        auto edge = weighed_edge(run, from_word<Value>(sent.word[r]), lane_edge.sender, receiver, lane_edge.weight);
        Option<Message> message = message_along(run, params, edge, lane_edge.sender, receiver);
        if (!message.some || is_dropped(message.value)) continue;
        ValueWord word = to_word(message.value);
        if (!relax_run(run, batch, receiver, first_run() + r, word, lane_edge.held.word[r])) continue;
        u32 bit = 1u << (first_run() + r);
        if (!WP_BUCKETS || improves(word, state.bound)) {
            near |= bit;
            continue;
        }
        far |= bit;
        far_word = word;
        note(waits, word);
    }
    if (far) postpone_runs(run, batch, waits, receiver, far, far_word);
    return near;
}

/// Takes one step over the frontier. Returns the number of edges that this lane visited. Adds to `apart` the edges
/// visited, each counted once for each run that sent along it.
WP_FN u64 push_abreast(const DeviceRun& run, const Params& params, const AbreastBatch& batch, Stage& stage,
                       const ControlCopy& state, u32 count, u64 step, u64& apart) {
    const u64* sending = batch.sending[step & 1];
    Frontier queue = frontier_of(step + 1);
    auto load = [&](u32 v) { return (u32)sending[v]; };
    auto look = [&](const PassingOf<u32>& e) {
        LaneEdge lane_edge = {};
        lane_edge.runs = e.has ? own_part(e.value) : 0;
        if (lane_edge.runs == 0) return lane_edge;
        lane_edge.sender = e.sender;
        lane_edge.weight = weight_at(run, e.position, e.reverse);
        lane_edge.held = load_stale((const Portion*)word_of(run, e.receiver, first_run()));
        return lane_edge;
    };
    Waits waits = no_waits();
    auto use = [&](const u32 (&receivers)[PORTIONS_AHEAD], const LaneEdge (&lane_edges)[PORTIONS_AHEAD], u32 edges) {
#pragma unroll
        for (u32 j = 0; j < PORTIONS_AHEAD; ++j) {
            if (j >= edges) break;
            apart += __popc(lane_edges[j].runs);
            u32 near = lane_edges[j].runs ? deliver_edge(run, params, batch, state, waits, receivers[j], lane_edges[j]) : 0;
            bool sends = near && join(batch.sending[(step + 1) & 1], receivers[j], near, step + 1);
            put_items<SEND_ROWS, false>(run, stage, sends, receivers[j], queue);
        }
    };
    u64 looked_at = for_each_edge<PORTIONS_AHEAD, TEAM, true>(run, step & 1, count, load, look, use);
    tell_block(waits);
    flush_block(run, stage, queue);
    tell_device(run.control, state.epoch);
    return looked_at;
}

#if WP_BUCKETS

/// Selects the `take_pending` for a batch, in which several runs may wait at a pending vertex.
struct PendingRuns {
    static constexpr bool IS_ONE_RUN = false;
    AbreastBatch batch;
};

/// Reads what `take_pending` needs to know of a waiting vertex: the runs that wait there.
WP_FN u32 load_pending(const DeviceRun&, const PendingRuns& pending, u32 v) { return load_fresh(&pending.batch.waiting[v]); }

/// Releases those of the runs waiting at `v` (`waiting`) whose words are within the bound, or every waiting run if `all` is
/// set. Records that the other runs continue to wait. Called by one lane.
WP_FN Taken take_pending(const DeviceRun& run, const ControlCopy& state, const PendingRuns& pending, Waits& waits,
                         ValueWord last, bool all, u32 v, bool, u32 waiting, u64 step) {
    const AbreastBatch& batch = pending.batch;
    u32 left = 0, sends = 0;
    for (u32 runs = waiting; runs; runs &= runs - 1) {
        u32 bit = runs & (0 - runs);
        ValueWord word = load_fresh(word_of(run, v, __ffs(runs) - 1));
        if (!all && !improves(word, state.bound)) {
            left |= bit;
            note(waits, word);
        } else if (state.epoch == 1 || !improves(word, last)) {
            // Excludes runs whose value was improved into an earlier bucket: they have already sent with it.
            sends |= bit;
        }
    }
    batch.waiting[v] = left;
    return Taken{left == 0, sends && join(batch.sending[step & 1], v, sends, step)};
}

#endif

/// Prepares the frontier of `step`. If it is empty, begins the next bucket.
WP_FN Decision prepare_abreast(const DeviceRun& run, const AbreastBatch& batch, ControlCopy& state, u64 step,
                               Decision decision) {
#if WP_BUCKETS
    decision = next_bucket(run, state, PendingRuns{batch}, step, decision);
#endif
    complete_queue(run, step, (u32)(step % 3), decision);
    return decision;
}

/// Resets the arrays of a batch.
WP_CALL void reset_abreast(const AbreastBatch& batch) {
    const DeviceRun& run = run_of_block();
    clear_overflows(run);
    u64 words = (u64)run.vertices * RUNS;
    for (u64 i = thread(); i < words; i += threads()) ((ValueWord*)run.values)[i] = IDENTITY<ValueWord>;
    for (u64 v = thread(); v < run.vertices; v += threads()) {
        batch.sending[0][v] = batch.sending[1][v] = 0;
        batch.identities[v] = 0;
        if constexpr (WP_BUCKETS) batch.waiting[v] = 0;
    }
    if constexpr (WP_BUCKETS) {
        for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads()) run.pending[word] = 0;
    }
}

/// Sets the first values of all runs, and builds the frontier of the first step. Each pair of a vertex and a run occurs
/// at most once among the sources.
WP_CALL void start_abreast(const AbreastBatch& batch) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Waits waits = no_waits();
    Frontier queue = frontier_of(1);
    for (u64 i = thread(); i - lane() < run.sources; i += threads()) {
        bool sends = false;
        u32 v = 0;
        if (i < run.sources) {
            v = run.source_vertices[i];
            u32 r = batch.source_runs[i], bit = 1u << r;
            ValueWord word = to_word(((const Value*)run.source_values)[i]);
            *word_of(run, v, r) = word;
            if (word == IDENTITY<ValueWord>) atomicOr(&batch.identities[v], bit);
            if constexpr (WP_BUCKETS) postpone_runs(run, batch, waits, v, bit, word);
            else sends = join(batch.sending[1], v, bit, 1);
        }
        put_items<SEND_ROWS, false>(run, stage, sends, v, queue);
    }
    tell_block(waits);
    flush_block(run, stage, queue);
    tell_device(run.control, 0);
}

/// Runs all steps, starting with `step`.
WP_FN void run_abreast(const DeviceRun& run, const Params& params, const AbreastBatch& batch, Stage& stage, Clock clock,
                       u64 step, Decision decision) {
    Control* control = run.control;
    ControlCopy state = load_control(run);
    u64 looked_at = 0, apart = 0;
    begin_gates();
    decision = prepare_abreast(run, batch, state, step, decision);
    if (!goes_on(run, decision)) await_readers(run);
    while (goes_on(run, decision)) {
        open_step(run, clock, step, decision.count, KIND_PUSH, WP_BUCKETS ? state.epoch : 0);
        tally(run, looked_at, push_abreast(run, params, batch, stage, state, decision.count, step, apart), step);
        ++step;
        decision = gate(control, control->frontiers[step % 3], &control->directive[step & 1], 0);
        decision = prepare_abreast(run, batch, state, step, decision);
    }
    count_edges(control, looked_at);
    apart = sum_of_lanes(apart);
    if (lane() == 0 && apart > 0) atomicAdd(batch.apart, apart);
    if (thread() == 0) {
        end_launch(run, step, decision);
        store_control(control, state);
    }
}

}  // namespace wp

/// Launched like `wolfpath_run`, and continued after DIRECTIVE_PAUSE.
extern "C" __global__ void __launch_bounds__(wp::BLOCK_THREADS, 1)
    wolfpath_abreast(const __grid_constant__ wp::DeviceRun run, const __grid_constant__ program::Params params,
                     const __grid_constant__ wp::AbreastBatch batch) {
    using namespace wp;
    Control* control = run.control;
    Clock clock = {nanoseconds(), 0};
    u64 step = load_fresh(&control->step);
    bool fresh = step == 0;
    Stage stage = make_stage();
    begin_block(run, params);
    if (fresh) {
        step = 1;
        reset_loop(control);
        reset_abreast(batch);
        grid_barrier(&control->ticket, &control->fault, &control->fault);
        start_abreast(batch);
        if (decides()) begin_run(run, clock);
    }
    Decision decision = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, &control->directive[step & 1]);
    if (!fresh) decision.directive = DIRECTIVE_GO;
    run_abreast(run, params, batch, stage, clock, step, decision);
}
