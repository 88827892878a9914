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
WP_CALL bool sets_first(const Run& run, u32 receiver) {
    if (is_present(run, receiver)) return false;
    const ValueWord* held = (const ValueWord*)run.values + receiver;
    return load_fresh(held) == IDENTITY<ValueWord> && make_present(run, receiver);
}

/// The same of any word: few look like none.
WP_FN bool sets_identity(const Run& run, u32 receiver, ValueWord word) {
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

/// A word on its way into a receiver's value. Nobody has waited for the atomic yet.
struct Sent {
    bool first;  // it set the first value, by a word that looks like none
    ValueWord word;
    ValueWord before;  // what the atomic found; the word itself where there was none
};

WP_FN Sent nothing_sent() { return Sent{false, IDENTITY<ValueWord>, IDENTITY<ValueWord>}; }

/// Combines a word into the receiver's value, which was `held` not long ago. What was read may be a little old, that is
/// worse than what stands there; the atomic then finds out.
WP_FN Sent send_word(const Run& run, bool has, u32 receiver, ValueWord word, ValueWord held) {
    Sent sent = {false, word, word};
    bool tries = has && improves(word, held);
    if (tries && !was_sent(receiver, word)) sent.before = combine_atomically((ValueWord*)run.values + receiver, word);
    if (has && !tries) sent.first = sets_identity(run, receiver, word);
    return sent;
}

/// Whether that improved the value.
WP_FN bool has_improved(const Sent& sent) { return sent.first || improves(sent.word, sent.before); }

#endif

#if WP_SCHEDULE == WP_RELAX

/// What of the loop's state is neither queue nor value. Every thread holds the same.
struct Way {
    ValueWord bound;  // words that improve on it belong to the bucket
    f64 width;
    u64 epoch;
    u64 sent;
    bool pulling;
};

WP_FN Way begin_way(const Run& run) {
    const Control* control = run.control;
    Way way;
    way.bound = (ValueWord)load_fresh(&control->bound);
    way.width = load_fresh(&control->width);
    way.epoch = load_fresh(&control->epoch);
    way.sent = load_fresh(&control->sent);
    way.pulling = load_fresh(&control->pulling);
    return way;
}

/// Keeps it for the next launch, by one thread.
WP_FN void keep_way(Control* control, const Way& way) {
    control->bound = way.bound;
    control->width = way.width;
    control->epoch = way.epoch;
    control->sent = way.sent;
    control->pulling = way.pulling;
}

/// Whether a word belongs to the bucket that is being taken.
WP_FN bool is_within(const Way& way, ValueWord word) { return !WP_BUCKETS || improves(word, way.bound); }

/// A vertex that was improved to `word` sends in a later bucket; `pending` is its word of the bitmap. An old bit that is
/// still set is taken with the bucket to which the newer value belongs.
WP_FN void postpone(const Run& run, Waits& waits, u32 v, ValueWord word, u32 pending) {
    note(waits, word);
    u32 bit = 1u << (v & 31);
    if (!(pending & bit)) atomicOr(&run.pending[v >> 5], bit);
}

WP_FN void postpone(const Run& run, Waits& waits, u32 v, ValueWord word) {
    postpone(run, waits, v, word, load_fresh(&run.pending[v >> 5]));
}

/// All messages of a step of a uniform program are equal: where every step is taken by the whole device, an atomic has one
/// winner ever.
constexpr bool WINS_ONCE = WP_UNIFORM && !WP_LOCAL_ROUNDS;

/// What an edge of a fat frontier carries, and what its receiver held.
struct Carried {
    bool some;
    ValueWord word;
    ValueWord held;
};

/// Takes what a lane's edges carry. Each waits for its atomic, and who improved somebody then for the mark that says who
/// is queued already (or waits): all edges' atomics are on their way before the first is waited for, and so are the marks,
/// which are looked at before anybody knows whether that is for anything.
template <u32 AHEAD>
WP_FN void take_carried(const Run& run, const Way& way, Stage& stage, Waits& waits, const u32 (&receivers)[AHEAD],
                        const Carried (&carried)[AHEAD], u32 edges, u64 step) {
    Frontier queue = frontier_of(step + 1);
    Sent sent[AHEAD];
    u32 marks[AHEAD];
    bool sends[AHEAD];
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        bool has = j < edges && carried[j].some;
        sent[j] = send_word(run, has, receivers[j], carried[j].word, carried[j].held);
        marks[j] = 0;
        if (!has || !improves(carried[j].word, carried[j].held)) continue;
        if (!is_within(way, carried[j].word)) marks[j] = load_fresh(&run.pending[receivers[j] >> 5]);
        else if constexpr (!WINS_ONCE) marks[j] = load_stale(&run.marks[receivers[j]]);
    }
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        sends[j] = has_improved(sent[j]);
        if (!sends[j]) continue;
        if (!is_within(way, sent[j].word)) {
            postpone(run, waits, receivers[j], sent[j].word, marks[j]);
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
WP_FN u64 push_step(const Run& run, const Params& params, Stage& stage, const Way& way, u32 count, u64 step) {
    Waits waits = no_waits();
    auto load = [&](u32 v) { return from_word<Value>(load_stale((const ValueWord*)run.values + v)); };
    auto look = [&](const Passing& e) {
        Carried carried = {};
        if (!e.has) return carried;
        carried.held = load_stale((const ValueWord*)run.values + e.receiver);
        auto edge = edge_view(run, e.value, e.sender, e.receiver, e.position, e.reverse);
        Option<Message> message = message_along(run, params, edge, e.sender, e.receiver);
        carried.some = message.some && !is_dropped(message.value);
        carried.word = to_word(message.value);
        return carried;
    };
    auto use = [&](const u32 (&receivers)[EDGES_AHEAD], const Carried (&carried)[EDGES_AHEAD], u32 edges) {
        take_carried(run, way, stage, waits, receivers, carried, edges, step);
    };
    u64 looked_at = for_each_edge<EDGES_AHEAD>(run, run.queues[step & 1], count, load, look, use);
    tell_block(waits);
    flush_block(run, stage, frontier_of(step + 1));
    tell_device(run.control, way.epoch);
    return looked_at;
}

#endif

}  // namespace wp
