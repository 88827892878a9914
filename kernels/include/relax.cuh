// Values in place: a message is combined directly into the receiver's value, and other threads may see the result at
// once. Only for programs whose values may be seen early (`min`, `max`, `or`, `and` with the default `apply` and
// `changed`).
//
// A thread that improves a value schedules the receiver to send in the next step. If vertices send bucket by bucket and
// the new value is beyond the bucket's bound, the receiver sends with a later bucket instead. (Sweeps combine in the
// same way, but mark groups of edges.)
#pragma once

namespace wp {

#if WP_IN_PLACE

/// Gives a vertex its first value, which must be one whose word equals the identity. Does nothing if the vertex already
/// has a value. Returns `true` only in the thread that set the value.
WP_CALL bool sets_first(u32 receiver) {
    const DeviceRun& run = run_of_block();
    if (is_present(run, receiver)) return false;
    const ValueWord* held = (const ValueWord*)run.values + receiver;
    return load_fresh(held) == IDENTITY<ValueWord> && make_present(run, receiver);
}

/// Calls `sets_first` if `word` equals the identity, which is rare; otherwise returns `false`.
WP_FN bool sets_identity(const DeviceRun& run, u32 receiver, ValueWord word) {
    return word == IDENTITY<ValueWord> && sets_first(receiver);
}

/// `true` if a block has a window: a table in shared memory of the words that it has sent, and their receivers. A
/// receiver's slot in the table is its index modulo SENT_SLOTS.
constexpr bool REMEMBERS_SENT = WP_SHARED_WINDOW && sizeof(ValueWord) == 4;
/// Number of slots of a window. There are fewer in programs with loops, because these also store an iteration count per
/// thread, and devices of compute capability 7.5 have only 64 KB of shared memory.
constexpr u32 SENT_SLOTS = WP_HAS_LOOPS ? 512 : 1024;

/// Packs the receiver and the word into one value, so that one atomic exchanges both.
WP_FN u64 sent_word(u32 receiver, ValueWord word) { return (u64)receiver << 32 | (u32)word; }

WP_FN u64* sent_by_block() {
    __shared__ u64 sent[REMEMBERS_SENT ? SENT_SLOTS : 1];
    return sent;
}

/// Clears the block's window. A barrier follows before anything is sent.
WP_FN void begin_sent() {
    if constexpr (REMEMBERS_SENT) {
        for (u32 i = threadIdx.x; i < SENT_SLOTS; i += BLOCK_THREADS)
            sent_by_block()[i] = sent_word(0, IDENTITY<ValueWord>);
    }
}

/// Returns `true` if the block has sent the receiver a word that is at least as good; otherwise records this word as
/// sent. A vertex of high degree receives from many senders in one step, which all read its old value, and atomics on
/// one address are serialized. With the window, a block issues a few atomics instead of one per sender.
WP_FN bool was_sent(u32 receiver, ValueWord word) {
    if constexpr (REMEMBERS_SENT) {
        u64* slot = sent_by_block() + receiver % SENT_SLOTS;
        u64 last = atomicExch(slot, sent_word(receiver, word));
        ValueWord last_word = (ValueWord)last;
        if ((u32)(last >> 32) != receiver || improves(word, last_word)) return false;
        // Another thread may have written the slot in between. Restoring `last` is still correct, because that word was
        // sent.
        if (last_word != word) atomicExch(slot, last);
        return true;
    } else {
        return false;
    }
}

/// A word combined into a receiver's value. The atomic may still be in flight.
struct Relaxation {
    bool first;  // the word equals the identity, and is the receiver's first value
    ValueWord word;
    ValueWord before;  // the receiver's word before the atomic; `word` itself if there was no atomic
};

WP_FN Relaxation no_relaxation() { return Relaxation{false, IDENTITY<ValueWord>, IDENTITY<ValueWord>}; }

/// Combines a word into the receiver's value. `held` is the value as it was read. It may be old, that is, worse than
/// the current value; the atomic then returns the current value.
WP_FN Relaxation relax_word(const DeviceRun& run, bool has, u32 receiver, ValueWord word, ValueWord held) {
    Relaxation relaxed = {false, word, word};
    bool tries = has && improves(word, held);
    if (tries && !was_sent(receiver, word)) relaxed.before = combine_atomically((ValueWord*)run.values + receiver, word);
    if (has && !tries) relaxed.first = sets_identity(run, receiver, word);
    return relaxed;
}

/// Returns `true` if the relaxation improved the value.
WP_FN bool has_improved(const Relaxation& relaxed) { return relaxed.first || improves(relaxed.word, relaxed.before); }

/// A word that an edge offers to its receiver, and the receiver's word as it was read.
struct Candidate {
    bool some;
    ValueWord word;
    ValueWord held;
};

/// Returns the word that an edge offers.
WP_FN Candidate candidate_along(const DeviceRun& run, const Params& params, const Passing& e) {
    Candidate candidate = {};
    if (!e.has) return candidate;
    candidate.held = load_stale((const ValueWord*)run.values + e.receiver);
    auto edge = edge_view(run, e.value, e.sender, e.receiver, e.position, e.reverse);
    Option<Message> message = message_along(run, params, edge, e.sender, e.receiver);
    candidate.some = message.some && !is_dropped(message.value);
    candidate.word = to_word(message.value);
    return candidate;
}

#endif

#if WP_SCHEDULE == WP_RELAX

/// Per-thread copy of the fields of `Control` that select buckets and directions. All copies are equal.
struct ControlCopy {
    ValueWord bound;  // words that improve on the bound belong to the bucket
    f64 width;
    u64 epoch;
    u64 sent;
    u32 active;    // number of items of the last step
    bool waits;    // a vertex waits for a later bucket
    bool pulling;
};

WP_FN ControlCopy load_control(const DeviceRun& run) {
    const Control* control = run.control;
    ControlCopy state;
    state.bound = (ValueWord)load_fresh(&control->bound);
    state.width = load_fresh(&control->width);
    state.epoch = load_fresh(&control->epoch);
    state.sent = load_fresh(&control->sent);
    state.active = 0;
    state.waits = load_fresh(&control->waiting[state.epoch % 3]);
    state.pulling = load_fresh(&control->pulling);
    return state;
}

/// Stores the copy for the next launch. Called by one thread.
WP_FN void store_control(Control* control, const ControlCopy& state) {
    control->bound = state.bound;
    control->width = state.width;
    control->epoch = state.epoch;
    control->sent = state.sent;
    control->pulling = state.pulling;
}

#if WP_DIRECTION

/// Returns `true` if the next step should pull from its frontier.
WP_FN bool pulls(const DeviceRun& run, const ControlCopy& state, Decision decision) {
    if (decision.whole) return true;
    return state.pulling ? pulling_is_cheaper(run, 2 * (u64)decision.pages, state.sent, 0)
                       : pulling_is_cheaper(run, decision.pages, state.sent, TURN_EDGES);
}

#endif

/// Returns `true` if a word belongs to the current bucket.
WP_FN bool is_within(const ControlCopy& state, ValueWord word) { return !WP_BUCKETS || improves(word, state.bound); }

/// Postpones a vertex that was improved to `word` to a later bucket. `pending` is the word of the bitmap that contains
/// the vertex's bit. If the bit is already set, it stays valid: the vertex will send with the bucket of its newer
/// value.
WP_FN void postpone(const DeviceRun& run, Waits& waits, u32 v, ValueWord word, u32 pending) {
    note(waits, word);
    delay();
    u32 bit = 1u << (v & 31);
    if (!(pending & bit)) atomicOr(&run.pending[v >> 5], bit);
}

WP_FN void postpone(const DeviceRun& run, Waits& waits, u32 v, ValueWord word) {
    postpone(run, waits, v, word, load_fresh(&run.pending[v >> 5]));
}

/// `true` if only one atomic per run can improve each vertex: the program is uniform, so all messages of a step are
/// equal, and there are no local rounds, so all warps are in the same step.
constexpr bool WINS_ONCE = WP_UNIFORM && !WP_LOCAL_ROUNDS;

/// Relaxes the candidates of a lane's edges. Each edge needs the result of its atomic. If the atomic improved the
/// value, the edge also needs the receiver's mark, which tells whether the receiver is already queued (or waits). The
/// lane issues all atomics before it waits for the first one, and it loads all marks equally early, before it is known
/// which of them are needed.
///
/// Vertices of other devices are not marked: they are posted every time. If their word is beyond the bucket, they are
/// posted when the next bucket begins.
template <u32 AHEAD, typename Q>
WP_FN void relax_candidates(const DeviceRun& run, const ControlCopy& state, Stage& stage, Waits& waits, const Q& queue,
                            const u32 (&receivers)[AHEAD], const Candidate (&candidates)[AHEAD], u32 edges, u64 step) {
    Relaxation relaxed[AHEAD];
    u32 marks[AHEAD];
    bool sends[AHEAD];
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        bool has = j < edges && candidates[j].some;
        relaxed[j] = relax_word(run, has, receivers[j], candidates[j].word, candidates[j].held);
        marks[j] = 0;
        if (!has || !improves(candidates[j].word, candidates[j].held)) continue;
        if (!is_within(state, candidates[j].word)) marks[j] = load_fresh(&run.pending[receivers[j] >> 5]);
        else if constexpr (!WINS_ONCE) marks[j] = load_stale(&run.marks[receivers[j]]);
    }
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        sends[j] = has_improved(relaxed[j]);
        if (!sends[j]) continue;
        if (!is_within(state, relaxed[j].word)) {
            postpone(run, waits, receivers[j], relaxed[j].word, marks[j]);
            sends[j] = false;
        } else if (WP_SEVERAL && !is_own(run, receivers[j])) {
            marks[j] = ~(u32)step;
            // Bitmaps have told that the vertex has its final value (`note_frontier`), if not which one.
            if constexpr (WP_DIRECTION) sends[j] = relaxed[j].first || !is_present(run, receivers[j]);
        } else if constexpr (!WINS_ONCE) {
            marks[j] = marks[j] == (u32)step ? (u32)step : atomicExch(&run.marks[receivers[j]], (u32)step);
        }
    }
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        if (j >= edges) break;
        put_items<SEND_ROWS, false>(run, stage, sends[j] && (WINS_ONCE || marks[j] != (u32)step), receivers[j], queue);
    }
}

/// Takes one step of the whole device over its frontier, at the same cost for every edge. Returns the number of edges
/// that this lane visited.
WP_FN u64 push_step(const DeviceRun& run, const Params& params, Stage& stage, const ControlCopy& state, u32 count,
                    u64 step) {
    Waits waits = no_waits();
    auto load = [&](u32 v) { return from_word<Value>(load_stale((const ValueWord*)run.values + v)); };
    auto look = [&](const Passing& e) { return candidate_along(run, params, e); };
    auto use = [&](const u32 (&receivers)[EDGES_AHEAD], const Candidate (&candidates)[EDGES_AHEAD], u32 edges) {
        relax_candidates(run, state, stage, waits, frontier_of(step + 1), receivers, candidates, edges, step);
    };
    u64 looked_at = for_each_edge<EDGES_AHEAD>(run, step & 1, count, load, look, use);
    tell_block(waits);
    flush_block(run, stage, frontier_of(step + 1));
    tell_device(run.control, state.epoch);
    return looked_at;
}

#if WP_SEVERAL

/// Combines the words that arrived on a side of the inbox into this device's values, and adds their vertices to the frontier
/// of the step after `step`.
WP_CALL void merge_mail(const ControlCopy state, u64 step, u32 side) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Waits waits = no_waits();
    Merged queue = merged_frontier_of(step + 1);
    for_each_parcel(run, side, [&](bool has, const Parcel& parcel) {
        const u32 receivers[1] = {parcel.vertex};
        Candidate candidates[1] = {{has, parcel.word, IDENTITY<ValueWord>}};
        if (has) candidates[0].held = load_stale((const ValueWord*)run.values + parcel.vertex);
        relax_candidates(run, state, stage, waits, queue, receivers, candidates, 1, step);
    });
    tell_block(waits);
    flush_block(run, stage, queue);
    tell_device(run.control, state.epoch);
}

/// Merges what has arrived on a side of the inbox, and counts this device's own frontier.
WP_FN void take_side(const DeviceRun& run, const ControlCopy& state, u64 step, u32 side, Decision& decision) {
    if (!has_mail(decision, side)) return;
    Control* control = run.control;
#if WP_DIRECTION
    // If the next step pulls, its frontier needs no items.
    if (thread() == 0 && pulls(run, state, decision))
        atomicOr(&control->frontiers[(step + 1) % 3].counted, IS_WHOLE);
#endif
    merge_mail(state, step, side);
    recount(decision, device_barrier(control, &control->frontiers[(step + 1) % 3].counted));
    if (thread() == 0) empty_inbox(control, side);
}

/// Ends `step`, or the beginning of a bucket after it: merges what other devices have posted. Returns the decision with this
/// device's own frontier.
WP_FN Decision take_mail(const DeviceRun& run, const ControlCopy& state, u64 step, Decision decision) {
    auto take = [&](u32 side) { take_side(run, state, step, side, decision); };
    take_sides(run, step, decision, take);
    return decision;
}

#endif

#endif

}  // namespace wp
