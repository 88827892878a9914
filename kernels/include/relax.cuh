// Values in place: a message is combined straight into the receiver's value, which others may see at once. Only for
// programs whose values may be seen early (`min`, `max`, `or`, `and` with the default `apply` and `changed`).
//
// Whoever improves a value sees to it that the receiver sends: in the next step, or, when values are taken nearest first
// and the new one lies beyond the bucket's bound, in a later bucket. (Sweeps combine in the same way, and mark groups.)
#pragma once

namespace wp {

#if WP_IN_PLACE

/// Whether the first value of a vertex was set here, by a word that looks like none. Had a real one come before, the word
/// would not be the identity.
WP_CALL bool sets_first(const DeviceRun& run, u32 receiver) {
    if (is_present(run, receiver)) return false;
    const ValueWord* held = (const ValueWord*)run.values + receiver;
    return load_fresh(held) == IDENTITY<ValueWord> && make_present(run, receiver);
}

/// The same of any word: few look like none.
WP_FN bool sets_identity(const DeviceRun& run, u32 receiver, ValueWord word) {
    return word == IDENTITY<ValueWord> && sets_first(run, receiver);
}

/// Whether a block remembers words that it has sent, and for whom: each in the slot that the receiver's number gives.
constexpr bool REMEMBERS_SENT = WP_SHARED_WINDOW && sizeof(ValueWord) == 4;
/// Programs with loops of their own also keep a turn for every thread, and devices of compute capability 7.5 have 64 KB.
constexpr u32 SENT_SLOTS = WP_HAS_LOOPS ? 512 : 1024;

/// Receiver and word, which one atomic exchanges.
WP_FN u64 sent_word(u32 receiver, ValueWord word) { return (u64)receiver << 32 | (u32)word; }

WP_FN u64* sent_by_block() {
    __shared__ u64 sent[REMEMBERS_SENT ? SENT_SLOTS : 1];
    return sent;
}

/// Nothing was sent so far. A barrier follows before anything is.
WP_FN void begin_sent() {
    if constexpr (REMEMBERS_SENT) {
        for (u32 i = threadIdx.x; i < SENT_SLOTS; i += BLOCK_THREADS)
            sent_by_block()[i] = sent_word(0, IDENTITY<ValueWord>);
    }
}

/// Whether the block has sent the receiver a word that is as good; else this one counts as sent. A hub hears from many
/// senders in one step, all of which saw its old value, and atomics on one address come one after the other: a block
/// does a few of them instead of one for every sender.
WP_FN bool was_sent(u32 receiver, ValueWord word) {
    if constexpr (REMEMBERS_SENT) {
        u64* slot = sent_by_block() + receiver % SENT_SLOTS;
        u64 last = atomicExch(slot, sent_word(receiver, word));
        ValueWord last_word = (ValueWord)last;
        if ((u32)(last >> 32) != receiver || improves(word, last_word)) return false;
        // Whatever stands in the slot meanwhile is true, if less telling.
        if (last_word != word) atomicExch(slot, last);
        return true;
    } else {
        return false;
    }
}

/// A word that is combined into a receiver's value. The atomic need not have completed yet.
struct Relaxation {
    bool first;  // it set the first value, by a word that looks like none
    ValueWord word;
    ValueWord before;  // what the atomic found; the word itself where there was none
};

WP_FN Relaxation no_relaxation() { return Relaxation{false, IDENTITY<ValueWord>, IDENTITY<ValueWord>}; }

/// Combines a word into the receiver's value, which was `held` not long ago. What was read may be a little old, that is
/// worse than what stands there; the atomic then finds out.
WP_FN Relaxation relax_word(const DeviceRun& run, bool has, u32 receiver, ValueWord word, ValueWord held) {
    Relaxation relaxed = {false, word, word};
    bool tries = has && improves(word, held);
    if (tries && !was_sent(receiver, word)) relaxed.before = combine_atomically((ValueWord*)run.values + receiver, word);
    if (has && !tries) relaxed.first = sets_identity(run, receiver, word);
    return relaxed;
}

/// Whether that improved the value.
WP_FN bool has_improved(const Relaxation& relaxed) { return relaxed.first || improves(relaxed.word, relaxed.before); }

#endif

#if WP_SCHEDULE == WP_RELAX

/// Each thread's copy of the fields of `Control` by which steps choose a bucket and a direction. All copies are equal.
struct ControlCopy {
    ValueWord bound;  // words that improve on it belong to the bucket
    f64 width;
    u64 epoch;
    u64 sent;
    bool pulling;
};

WP_FN ControlCopy load_control(const DeviceRun& run) {
    const Control* control = run.control;
    ControlCopy state;
    state.bound = (ValueWord)load_fresh(&control->bound);
    state.width = load_fresh(&control->width);
    state.epoch = load_fresh(&control->epoch);
    state.sent = load_fresh(&control->sent);
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

/// Whether a word belongs to the bucket that is being taken.
WP_FN bool is_within(const ControlCopy& state, ValueWord word) { return !WP_BUCKETS || improves(word, state.bound); }

/// A vertex that was improved to `word` sends in a later bucket; `pending` is its word of the bitmap. An old bit that is
/// still set is taken with the bucket to which the newer value belongs.
WP_FN void postpone(const DeviceRun& run, Waits& waits, u32 v, ValueWord word, u32 pending) {
    note(waits, word);
    u32 bit = 1u << (v & 31);
    if (!(pending & bit)) atomicOr(&run.pending[v >> 5], bit);
}

WP_FN void postpone(const DeviceRun& run, Waits& waits, u32 v, ValueWord word) {
    postpone(run, waits, v, word, load_fresh(&run.pending[v >> 5]));
}

/// All messages of a step of a uniform program are equal: where every step is taken by the whole device, an atomic has one
/// winner ever.
constexpr bool WINS_ONCE = WP_UNIFORM && !WP_LOCAL_ROUNDS;

/// A word that an edge of a fat frontier offers its receiver, and the word that the receiver held.
struct Candidate {
    bool some;
    ValueWord word;
    ValueWord held;
};

/// Relaxes the candidates of a lane's edges. An edge waits for its atomic and, if it improved a value, for the mark that
/// says whether the receiver is queued already (or waits). All atomics are issued before the first is waited for. So are
/// the loads of the marks, before it is known which of them will be needed.
template <u32 AHEAD>
WP_FN void relax_candidates(const DeviceRun& run, const ControlCopy& state, Stage& stage, Waits& waits,
                            const u32 (&receivers)[AHEAD], const Candidate (&candidates)[AHEAD], u32 edges, u64 step) {
    Frontier queue = frontier_of(step + 1);
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

/// One step of the whole device over its frontier, every edge at the same cost.
WP_FN u64 push_step(const DeviceRun& run, const Params& params, Stage& stage, const ControlCopy& state, u32 count,
                    u64 step) {
    Waits waits = no_waits();
    auto load = [&](u32 v) { return from_word<Value>(load_stale((const ValueWord*)run.values + v)); };
    auto look = [&](const Passing& e) {
        Candidate candidate = {};
        if (!e.has) return candidate;
        candidate.held = load_stale((const ValueWord*)run.values + e.receiver);
        auto edge = edge_view(run, e.value, e.sender, e.receiver, e.position, e.reverse);
        Option<Message> message = message_along(run, params, edge, e.sender, e.receiver);
        candidate.some = message.some && !is_dropped(message.value);
        candidate.word = to_word(message.value);
        return candidate;
    };
    auto use = [&](const u32 (&receivers)[EDGES_AHEAD], const Candidate (&candidates)[EDGES_AHEAD], u32 edges) {
        relax_candidates(run, state, stage, waits, receivers, candidates, edges, step);
    };
    u64 looked_at = for_each_edge<EDGES_AHEAD>(run, run.queues[step & 1], count, load, look, use);
    tell_block(waits);
    flush_block(run, stage, frontier_of(step + 1));
    tell_device(run.control, state.epoch);
    return looked_at;
}

#endif

}  // namespace wp
