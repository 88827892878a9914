// Many runs at once: each vertex holds one bit per run, so that one visit to an edge serves up to 64 runs (Then et al.,
// "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014).
//
// This requires an in-place program whose messages depend only on the sender's value. Runs that begin with the same
// value then send the same message in step s, so a run is determined by the vertices that it first reached in each
// step. Afterwards, the host derives each value from the step in which the vertex was reached. The number of that step
// is stored in binary: bit r of `digits[d][v]` is binary digit d of the step in which run r reached v. A step writes
// only the digits that are 1 in its number.
//
// A vertex with a value must never get a better value later. The kernel checks the sequence of messages, and gives up
// (DIRECTIVE_UNSTEADY) if one improves on the message before it.
#pragma once

namespace wp {

/// A set of runs, one bit for every run of the batch.
typedef u64 Runs;

/// Further reasons for this kernel to return, in addition to `Directive`.
enum BatchDirective : u32 {
    DIRECTIVE_UNSTEADY = 5,  // the message of the next step improves on an earlier message, or cannot be computed
    DIRECTIVE_DIGITS = 6,    // the number of the next step has more binary digits than there are arrays for digits
};

constexpr u32 MOST_DIGITS = 32;

/// The part of the loop's state that only batches have. wolfpath-runtime declares the same struct
/// (`cuda/many/bits.rs`).
struct BatchState {
    Runs alive[3];  // runs with a vertex in the frontier of step s, at s % 3
    u64 apart;      // edges of the vertices that each run reached, summed over the runs
    u64 word;       // word of the message that the next step sends; initially, of the value with which all runs begin
};

/// Arrays of a batch. `DeviceRun::bitmaps` mark the vertices with a nonzero word in `fronts`.
struct BitsBatch {
    Runs* seen;          // runs that have reached the vertex
    Runs* fronts[2];     // the frontier of step s, at s % 2: the runs that reached the vertex in step s - 1
    Runs* digits[MOST_DIGITS];
    const Runs* source_runs;
    BatchState* state;
    u32 digit_count;
    u32 reserved;
};

constexpr u32 STATE_ON_HOST[] = {WP_OFFSETS_BATCH_STATE};
constexpr u32 STATE_ON_DEVICE[] = {WP_AT(BatchState, alive), WP_AT(BatchState, apart), WP_AT(BatchState, word),
                                   (u32)sizeof(BatchState)};
static_assert(same_offsets(STATE_ON_HOST, STATE_ON_DEVICE), "`BatchState` has another layout on the host (bits.rs)");

constexpr u32 BATCH_ON_HOST[] = {WP_OFFSETS_BATCH};
constexpr u32 BATCH_ON_DEVICE[] = {WP_AT(BitsBatch, seen),        WP_AT(BitsBatch, fronts), WP_AT(BitsBatch, digits),
                                   WP_AT(BitsBatch, source_runs), WP_AT(BitsBatch, state),  WP_AT(BitsBatch, digit_count),
                                   (u32)sizeof(BitsBatch)};
static_assert(same_offsets(BATCH_ON_HOST, BATCH_ON_DEVICE), "`BitsBatch` has another layout on the host (bits.rs)");

WP_FN Runs or_of_lanes(Runs runs) {
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) runs |= __shfl_xor_sync(ALL_LANES, runs, distance);
    return runs;
}

/// Returns the number of bitmap words that a warp processes at a time. The number is small if the bitmap is short, so
/// that every warp gets some words.
WP_FN u32 handful_of(u32 words) {
    u32 fair = (words + warps() - 1) / warps();
    return fair < 32 ? (fair == 0 ? 1 : fair) : 32;
}

/// Calls `visit(has, v)` for every vertex whose bit is set. All lanes of a warp make each call together; `has` is true
/// in lanes with a vertex. WIPE also clears the bits. Only one lane accesses each word.
template <bool WIPE, typename Visit>
WP_FN void for_each_marked(const DeviceRun& run, u32* bitmap, Visit visit) {
    u32 words = (u32)(((u64)run.vertices + 31) / 32);
    u32 handful = handful_of(words);
    for (u32 begin = warp() * handful; begin < words; begin += warps() * handful) {
        u32 at = begin + lane();
        u32 word = lane() < handful && at < words ? bitmap[at] : 0;
        if (WIPE && word) bitmap[at] = 0;
        u32 filled = __ballot_sync(ALL_LANES, word);
        if (max_of_lanes(__popc(word)) < (u32)__popc(filled)) {
            // Few bits per word: each lane scans its own word.
            while (__any_sync(ALL_LANES, word)) {
                visit(word != 0, at * 32 + (word ? __ffs(word) - 1 : 0));
                word &= word - 1;
            }
        } else {
            // Many bits per word: the lanes share a word, and access adjacent vertices.
            for (; filled; filled &= filled - 1) {
                u32 from = __ffs(filled) - 1;
                bool has = __shfl_sync(ALL_LANES, word, from) >> lane() & 1;
                visit(has, (begin + from) * 32 + lane());
            }
        }
    }
}

/// Totals of one thread's part of a step.
struct StepTotals {
    Runs alive;
    u64 apart;
    u64 edges;
    u32 vertices;
};

/// Records the runs that first reached a vertex in `step`. Called by the only thread that processes the vertex.
WP_FN void settle(const DeviceRun& run, const BitsBatch& batch, StepTotals& totals, u32 v, Runs fresh, u64 step) {
    batch.seen[v] |= fresh;
    for (u32 rest = (u32)step; rest; rest &= rest - 1) batch.digits[__ffs(rest) - 1][v] |= fresh;
    u64 edges = edges_of<SEND_ROWS>(run, v);
    totals.alive |= fresh;
    totals.apart += edges * __popcll(fresh);
    totals.edges += edges;
    ++totals.vertices;
}

/// Adds all threads' totals to the state of the step after `step`, with one set of atomics per block. If `counts` is
/// true, this also counts the frontier; otherwise the frontier's queue counts its own items. All threads must call
/// this.
WP_FN void add_totals(const DeviceRun& run, const BitsBatch& batch, const StepTotals& totals, u64 step, bool counts) {
    __shared__ Runs block_alive;
    __shared__ u64 block_apart, block_edges, block_vertices;
    if (threadIdx.x == 0) block_alive = block_apart = block_edges = block_vertices = 0;
    __syncthreads();
    u64 vertices = sum_of_lanes(totals.vertices);
    if (vertices > 0) {
        Runs alive = or_of_lanes(totals.alive);
        u64 apart = sum_of_lanes(totals.apart), edges = sum_of_lanes(totals.edges);
        if (lane() == 0) {
            atomicOr(&block_alive, alive);
            atomicAdd(&block_apart, apart);
            atomicAdd(&block_edges, edges);
            atomicAdd(&block_vertices, vertices);
        }
    }
    __syncthreads();
    if (threadIdx.x != 0 || block_vertices == 0) return;
    atomicOr(&batch.state->alive[(step + 1) % 3], block_alive);
    atomicAdd(&batch.state->apart, block_apart);
    if (counts) atomicAdd(&run.control->frontiers[(step + 1) % 3].counted, counted((u32)block_vertices, block_edges));
}

/// Executes the first half of a step that pushes: sends along each edge those runs of the sender that have not yet
/// reached the receiver.
WP_FN u64 send_runs(const DeviceRun& run, const BitsBatch& batch, u32 count, u64 step) {
    const Runs* front = batch.fronts[step & 1];
    Runs* next = batch.fronts[(step + 1) & 1];
    u32* marks = run.bitmaps[(step + 1) & 1];
    auto load = [&](u32 v) { return front[v]; };
    auto look = [&](const PassingOf<Runs>& e) {
        Runs fresh = e.has ? e.value & ~batch.seen[e.receiver] : 0;
        // This read may miss bits that other threads set in this step; the atomic then sets them again.
        return fresh ? fresh & ~load_stale(&next[e.receiver]) : 0;
    };
    auto use = [&](const u32 (&receivers)[EDGES_AHEAD], const Runs (&fresh)[EDGES_AHEAD], u32 edges) {
        Runs before[EDGES_AHEAD];
#pragma unroll
        for (u32 j = 0; j < EDGES_AHEAD; ++j) {
            before[j] = ~(Runs)0;
            if (j < edges && fresh[j]) before[j] = atomicOr(&next[receivers[j]], fresh[j]);
        }
#pragma unroll
        for (u32 j = 0; j < EDGES_AHEAD; ++j) {
            if (before[j] == 0) atomicOr(&marks[receivers[j] >> 5], 1u << (receivers[j] & 31));
        }
    };
    return for_each_edge<EDGES_AHEAD, 1, true>(run, step & 1, count, load, look, use);
}

/// Executes the second half of a step that pushes: settles and queues the reached vertices, and clears the frontier of
/// this step.
WP_FN void settle_receivers(const DeviceRun& run, const BitsBatch& batch, Stage& stage, u64 step) {
    Runs* front = batch.fronts[step & 1];
    const Runs* next = batch.fronts[(step + 1) & 1];
    Frontier queue = frontier_of(step + 1);
    StepTotals totals = {};
    for_each_marked<false>(run, run.bitmaps[(step + 1) & 1], [&](bool has, u32 v) {
        if (has) settle(run, batch, totals, v, next[v], step);
        put_items<SEND_ROWS, false>(run, stage, has, v, queue);
    });
    for_each_marked<true>(run, run.bitmaps[step & 1], [&](bool has, u32 v) {
        if (has) front[v] = 0;
    });
    flush_block(run, stage, queue);
    add_totals(run, batch, totals, step, false);
}

/// Takes one step that pushes. Its two halves leave `fronts` and `bitmaps` of this step empty, so that the next step
/// can add to them.
WP_FN u64 push_runs(const DeviceRun& run, const BitsBatch& batch, Stage& stage, u32 count, u64 step) {
    u64 looked_at = send_runs(run, batch, count, step);
    grid_barrier(&run.control->ticket, &run.control->fault, &run.control->directive[step & 1]);
    settle_receivers(run, batch, stage, step);
    return looked_at;
}

#if WP_DIRECTION

/// Collects the runs of the senders in a vertex's row of one direction, until all wanted runs have been found.
template <bool REVERSE>
WP_FN void gather_runs(const DeviceRun& run, const Runs* front, Runs& gathered, u64& looked_at, Runs wanted, u32 v) {
    Row row = {0, 0};
    if (wanted & ~gathered) row = row_of(REVERSE ? run.in_offsets : run.out_offsets, v);
    u32 alone = row.length < LANE_LOOKS ? (u32)row.length : LANE_LOOKS, last = 0, senders[LOOKS_AHEAD];
    Ends ends = {};
    if (alone > 0) ends = ends_of(run, REVERSE, v, row, 0);
    for (u32 i = 0; i < alone && (wanted & ~gathered); i += LOOKS_AHEAD) {
        Runs came[LOOKS_AHEAD];
        ends_alone(run, ends, i, last, senders);
#pragma unroll
        for (u32 j = 0; j < LOOKS_AHEAD; ++j) came[j] = i + j < alone ? front[senders[j]] : 0;
#pragma unroll
        for (u32 j = 0; j < LOOKS_AHEAD; ++j) gathered |= came[j];
        looked_at += alone - i < LOOKS_AHEAD ? alone - i : LOOKS_AHEAD;
    }
    __syncwarp();
    u32 longs = __ballot_sync(ALL_LANES, row.length > alone && (wanted & ~gathered));
    for (; longs; longs &= longs - 1) {
        u32 from = __ffs(longs) - 1;
        Row together = shuffle(row, from);
        u32 receiver = __shfl_sync(ALL_LANES, v, from);
        Runs missing = shuffle(wanted & ~gathered, from), came = 0;
        for (u64 i = WARP_LOOKS; i < together.length && (missing & ~came); i += 32 * LOOKS_AHEAD) {
            ends_together(run, ends_of(run, REVERSE, receiver, together, i), i, senders);
#pragma unroll
            for (u32 j = 0; j < LOOKS_AHEAD; ++j) {
                u64 at = i + 32 * j + lane();
                if (at < LANE_LOOKS || at >= together.length) continue;
                came |= front[senders[j]];
                ++looked_at;
            }
            came = or_of_lanes(came);
        }
        if (lane() == from) gathered |= came;
    }
}

/// Takes one step in which every vertex searches its rows for the runs that are alive and have not reached it.
WP_FN u64 pull_runs(const DeviceRun& run, const BitsBatch& batch, u64 step) {
    __shared__ Runs all_alive;
    if (threadIdx.x == 0) all_alive = load_fresh(&batch.state->alive[step % 3]);
    __syncthreads();
    Runs alive = all_alive;
    const Runs* front = batch.fronts[step & 1];
    Runs* next = batch.fronts[(step + 1) & 1];
    u32* marks = run.bitmaps[(step + 1) & 1];
    u32 words = (u32)(((u64)run.vertices + 31) / 32);
    u64 looked_at = 0;
    StepTotals totals = {};
    for (u32 word = warp(); word < words; word += warps()) {
        u32 v = word * 32 + lane();
        Runs wanted = v < run.vertices ? alive & ~batch.seen[v] : 0;
        Runs fresh = 0;
        if (__any_sync(ALL_LANES, wanted != 0)) {
            if constexpr (WP_GATHER_OUT) gather_runs<false>(run, front, fresh, looked_at, wanted, v);
            if constexpr (WP_GATHER_IN) gather_runs<true>(run, front, fresh, looked_at, wanted, v);
            fresh &= wanted;
            if (fresh) settle(run, batch, totals, v, fresh, step);
        }
        if (v < run.vertices) next[v] = fresh;
        u32 reached = __ballot_sync(ALL_LANES, fresh != 0);
        if (lane() == 0) marks[word] = reached;
    }
    add_totals(run, batch, totals, step, true);
    return looked_at;
}

/// Converts the bitmap of `step` to a queue, after steps that pulled. Also zeroes the arrays to which this step will
/// add.
WP_CALL Decision list_runs(const BitsBatch& batch, u64 step) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Control* control = run.control;
    List list = list_of(step);
    Runs* next = batch.fronts[(step + 1) & 1];
    for (u64 v = thread(); v < run.vertices; v += threads()) next[v] = 0;
    for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads())
        run.bitmaps[(step + 1) & 1][word] = 0;
    for_each_marked<false>(run, run.bitmaps[step & 1], [&](bool has, u32 v) {
        put_items<SEND_ROWS, false>(run, stage, has, v, list);
    });
    flush_block(run, stage, list);
    return grid_barrier(&control->ticket, &counter_of(run, list).counted, &control->directive[step & 1]);
}

#endif

/// Chooses the direction of `step` and converts its frontier accordingly. Unlike `choose_direction`, this does not
/// count the edges already sent along, because other runs may send along the same edges later.
WP_FN Decision turn_runs(const DeviceRun& run, const BitsBatch& batch, ControlCopy& state, u64 step, Decision decision) {
#if WP_DIRECTION
    if (!goes_on(run, decision)) return decision;
    bool pull = pulls(run, state, decision);
    if (state.pulling && !pull) {
        decision = list_runs(batch, step);
        // In a launch that continues a paused launch, `control->directive` still holds the pause.
        decision.directive = DIRECTIVE_GO;
        if (decision.count == 0 && thread() == 0) run.control->frontiers[step % 3].edgeless = 1;
    }
    // A step that pulls has its frontier in `fronts`. All marks were made before the last barrier, and the next ones are made
    // after the next.
    if (pull && !state.pulling) drop_overflow(run, step & 1, decision.count);
    state.pulling = pull;
#endif
    if (!state.pulling) complete_queue(run, step, step % 3, decision);
    return decision;
}

/// Resets the arrays of a batch.
WP_CALL void reset_batch(const BitsBatch& batch) {
    const DeviceRun& run = run_of_block();
    for (u64 v = thread(); v < run.vertices; v += threads()) {
        batch.seen[v] = batch.fronts[0][v] = batch.fronts[1][v] = 0;
        for (u32 digit = 0; digit < batch.digit_count; ++digit) batch.digits[digit][v] = 0;
    }
    for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads())
        run.bitmaps[0][word] = run.bitmaps[1][word] = 0;
    clear_overflows(run);
}

/// Builds the frontier of the first step, which contains every source once, with the runs that begin there.
WP_FN void start_batch(const DeviceRun& run, const BitsBatch& batch, Stage& stage) {
    Frontier queue = frontier_of(1);
    StepTotals totals = {};
    for (u32 i = thread(); i - lane() < run.sources; i += threads()) {
        bool has = i < run.sources;
        u32 v = has ? run.source_vertices[i] : 0;
        if (has) {
            Runs runs = batch.source_runs[i];
            batch.fronts[1][v] = runs;
            atomicOr(&run.bitmaps[1][v >> 5], 1u << (v & 31));
            settle(run, batch, totals, v, runs, 0);
        }
        put_items<SEND_ROWS, false>(run, stage, has, v, queue);
    }
    flush_block(run, stage, queue);
    add_totals(run, batch, totals, 0, false);
}

/// Takes one step. Returns the number of edges that this lane visited.
WP_FN u64 take_runs(const DeviceRun& run, const BitsBatch& batch, Stage& stage, const ControlCopy& state, u32 count,
                    u64 step) {
#if WP_DIRECTION
    if (state.pulling) return pull_runs(run, batch, step);
#endif
    return push_runs(run, batch, stage, count, step);
}

/// Decides how the batch continues after `step`, given the `directive` decided so far, and sets `word` to the word of
/// the next step's message. Called by one thread.
WP_FN u32 look_ahead(const DeviceRun& run, const Params& params, const BitsBatch& batch, ValueWord& word, u64 step,
                     u32 directive) {
    if (directive != DIRECTIVE_GO && directive != DIRECTIVE_PAUSE) return directive;
    EdgeView edge = {};
    edge.value = from_word<Value>(word);
    Context context = begin_call(run);
    Option<Message> message = program::edge(params, edge, context);
    // The host then repeats the runs separately. That shows which run faults, and whether there is an edge to fault on
    // at all.
    if (context.fault) return DIRECTIVE_UNSTEADY;
    if (!message.some || is_dropped(message.value)) return DIRECTIVE_END;
    ValueWord sent = to_word(message.value);
    if (improves(sent, word)) return DIRECTIVE_UNSTEADY;
    word = sent;
    return (step + 1) >> batch.digit_count ? (u32)DIRECTIVE_DIGITS : directive;
}

/// Begins a step: does the work common to all kernels, resets the batch's own counters, and computes the next message.
WP_FN void open_runs(const DeviceRun& run, const Params& params, const BitsBatch& batch, Clock& clock,
                     const ControlCopy& state, ValueWord& word, u64 step, u32 active) {
    open_step(run, clock, step, active, state.pulling ? KIND_PULL : KIND_PUSH, 0);
    if (!decides()) return;
    Control* control = run.control;
    batch.state->alive[(step + 2) % 3] = 0;
    // If the next step pushes, `list_runs` counts its queue's entries here.
    if (state.pulling) control->received[(step + 1) & 1].counted = 0;
    u32* directive = &control->directive[(step + 1) & 1];
    *directive = look_ahead(run, params, batch, word, step, *directive);
}

/// Runs all steps, starting with `step`.
WP_FN void run_batch(const DeviceRun& run, const Params& params, const BitsBatch& batch, Stage& stage, Clock clock,
                     ValueWord word, u64 step, Decision decision) {
    Control* control = run.control;
    ControlCopy state = load_control(run);
    u64 looked_at = 0;
    decision = turn_runs(run, batch, state, step, decision);
    if (!goes_on(run, decision)) await_readers(run);
    while (goes_on(run, decision)) {
        open_runs(run, params, batch, clock, state, word, step, decision.count);
        tally(run, looked_at, take_runs(run, batch, stage, state, decision.count, step), step);
        ++step;
        decision = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, &control->directive[step & 1]);
        decision = turn_runs(run, batch, state, step, decision);
    }
    count_edges(control, looked_at);
    if (decides()) batch.state->word = word;
    if (thread() == 0) {
        end_launch(run, step, decision);
        store_control(control, state);
    }
}

}  // namespace wp

/// Launched like `wolfpath_run`. Continued after DIRECTIVE_PAUSE, and after DIRECTIVE_DIGITS with arrays for more
/// digits.
extern "C" __global__ void __launch_bounds__(wp::BLOCK_THREADS, 1)
    wolfpath_bits(const __grid_constant__ wp::DeviceRun run, const __grid_constant__ program::Params params,
                  const __grid_constant__ wp::BitsBatch batch) {
    using namespace wp;
    Control* control = run.control;
    Clock clock = {nanoseconds(), 0};
    u64 step = load_fresh(&control->step);
    ValueWord word = (ValueWord)load_fresh(&batch.state->word);
    bool fresh = step == 0;
    Stage stage = make_stage();
    begin_block(run, params);
    if (fresh) {
        step = 1;
        reset_loop(control);
        reset_batch(batch);
        grid_barrier(&control->ticket, &control->fault, &control->fault);
        start_batch(run, batch, stage);
        if (decides()) {
            begin_run(run, clock);
            control->directive[1] = look_ahead(run, params, batch, word, 0, control->directive[1]);
        }
    }
    Decision decision = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, &control->directive[step & 1]);
    if (!fresh) decision.directive = DIRECTIVE_GO;
    run_batch(run, params, batch, stage, clock, word, step, decision);
}
