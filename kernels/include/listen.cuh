// Listening: vertices search their own rows for senders in the frontier, which is a bitmap. Steps that pull do this,
// both in place and step by step.
#pragma once

namespace wp {

#if WP_DIRECTION

/// Number of edges of a row that a lane examines alone before its warp helps.
constexpr u32 LANE_LOOKS = 16;
/// Index of the edge at which the warp begins. A warp unpacks whole blocks, and skips the edges examined before.
constexpr u32 WARP_LOOKS = WP_PACKED ? 0 : LANE_LOOKS;
/// Number of edges that a lane examines at a time.
constexpr u32 LOOKS_AHEAD = 4;

/// `true` if the first message that a vertex finds suffices: all messages are equal, or any message will do.
constexpr bool FIRST_IS_ENOUGH = WP_UNIFORM || WP_COMBINE == WP_ANY;

/// `true` if a lane examines the first edge of its row in an array on the device, before it reads the row. In layered order,
/// the first end is the neighbour nearest to the root, and the likeliest one to send.
constexpr bool LOOKS_AT_FIRST = FIRST_IS_ENOUGH && WP_FIRST_ENDS;

/// Combination of the messages that a lane has found for a vertex.
template <typename W>
struct Heard {
    bool some;
    W word;
    u32 looked_at;
};

WP_FN bool has_bit(const u32* bitmap, u32 v) { return bitmap[v >> 5] >> (v & 31) & 1; }

template <typename W>
WP_FN bool is_content(const Heard<W>& heard) { return FIRST_IS_ENOUGH && heard.some; }

/// Combines two messages.
template <typename W>
WP_FN W combine_words(W a, W b) {
    if constexpr (WP_COMBINE == WP_SUM) return a + b;
    else if constexpr (WP_COMBINE == WP_OR) return a | b;
    else if constexpr (WP_COMBINE == WP_AND) return a & b;
    else return improves(b, a) ? b : a;
}

template <typename W>
WP_FN void add_heard(Heard<W>& heard, W word) {
    heard.word = heard.some ? (FIRST_IS_ENOUGH ? heard.word : combine_words(heard.word, word)) : word;
    heard.some = true;
}

/// Examines the edges at `i`, `i + stride`, and so on of a row, whose senders are known. Skips those that are not between
/// `from` and `to`. Calls `hear(heard, sender, i)` for each edge whose sender is in the frontier.
template <typename W, typename Hear>
WP_FN void look_at_few(const u32 (&senders)[LOOKS_AHEAD], const u32* frontier, Heard<W>& heard, u64 i, u64 from, u64 to,
                       u32 stride, Hear hear) {
    u32 sending = 0;
#pragma unroll
    for (u32 j = 0; j < LOOKS_AHEAD; ++j) {
        bool is_there = i + j * stride >= from && i + j * stride < to;
        heard.looked_at += is_there;
        sending |= (u32)(is_there && has_bit(frontier, senders[j])) << j;
    }
    for (; sending && !is_content(heard); sending &= sending - 1) {
        u32 which = __ffs(sending) - 1, sender = senders[0];
#pragma unroll
        for (u32 j = 1; j < LOOKS_AHEAD; ++j) sender = which == j ? senders[j] : sender;
        hear(heard, sender, i + which * stride);
    }
}

/// Combines the messages that all lanes found. Every lane gets the result.
template <typename W>
WP_FN Heard<W> heard_by_warp(Heard<W> mine) {
    u32 some = __ballot_sync(ALL_LANES, mine.some);
    if (some == 0) return mine;
    if constexpr (!FIRST_IS_ENOUGH) {
#pragma unroll
        for (u32 distance = 16; distance > 0; distance /= 2) {
            W word = shuffle_down(mine.word, distance);
            u32 has = __shfl_down_sync(ALL_LANES, (u32)mine.some, distance);
            if (has && lane() + distance < 32) add_heard(mine, word);
        }
        some = 1;
    }
    mine.word = shuffle(mine.word, __ffs(some) - 1);
    mine.some = true;
    return mine;
}

/// Searches the rows of a warp's vertices in one direction. Each lane first examines the beginning of its own row
/// alone; then all lanes examine the long rows together. `listens` is true in lanes whose vertex needs messages. All
/// lanes must call this.
template <bool REVERSE, typename W, typename Hear>
WP_FN void listen_along(const DeviceRun& run, const u32* frontier, Heard<W>& heard, bool listens, u32 v, Hear hear) {
    Row row = {0, 0};
    if (listens && !is_content(heard)) row = row_of(REVERSE ? run.in_offsets : run.out_offsets, v);
    if constexpr (LOOKS_AT_FIRST) {
        if (row.length > 0) {
            u32 sender = first_end(run, REVERSE, v, row);
            ++heard.looked_at;
            if (has_bit(frontier, sender)) hear(heard, sender, v, row.first, REVERSE);
            if (is_content(heard)) row.length = 0;
        }
    }
    u32 alone = row.length < LANE_LOOKS ? (u32)row.length : LANE_LOOKS, last = 0, senders[LOOKS_AHEAD];
    Ends ends = {};
    if (alone > 0) ends = ends_of(run, REVERSE, v, row, 0);
    for (u32 i = 0; i < alone && !is_content(heard); i += LOOKS_AHEAD) {
        ends_alone(run, ends, i, last, senders);
        look_at_few(senders, frontier, heard, i, LOOKS_AT_FIRST, alone, 1,
                    [&](Heard<W>& to, u32 sender, u64 at) { hear(to, sender, v, row.first + at, REVERSE); });
    }
    __syncwarp();
    for (u32 longs = __ballot_sync(ALL_LANES, row.length > alone && !is_content(heard)); longs; longs &= longs - 1) {
        u32 from = __ffs(longs) - 1;
        Row together = shuffle(row, from);
        u32 receiver = __shfl_sync(ALL_LANES, v, from);
        Heard<W> mine = {};
        for (u64 i = WARP_LOOKS; i < together.length; i += 32 * LOOKS_AHEAD) {
            ends_together(run, ends_of(run, REVERSE, receiver, together, i), i, senders);
            look_at_few(senders, frontier, mine, i + lane(), WP_PACKED ? LANE_LOOKS : 0, together.length, 32,
                        [&](Heard<W>& to, u32 sender, u64 at) {
                            hear(to, sender, receiver, together.first + at, REVERSE);
                        });
            if (FIRST_IS_ENOUGH && __any_sync(ALL_LANES, mine.some)) break;
        }
        heard.looked_at += mine.looked_at;
        Heard<W> all = heard_by_warp(mine);
        if (lane() == from && all.some) add_heard(heard, all.word);
    }
}

/// Searches all rows along which messages reach a warp's vertices.
template <typename W, typename Hear>
WP_FN Heard<W> listen(const DeviceRun& run, const u32* frontier, bool listens, u32 v, Hear hear) {
    Heard<W> heard = {};
    if constexpr (WP_GATHER_OUT) listen_along<false>(run, frontier, heard, listens, v, hear);
    if constexpr (WP_GATHER_IN) listen_along<true>(run, frontier, heard, listens, v, hear);
    return heard;
}

#if WP_SEVERAL

/// Tells all devices the word of a vertex in the frontier of a step. Called by one thread.
WP_FN void tell_word(ValueWord word, u64 step) {
    for_each_device([&](const Peer& peer) { store_relaxed((ValueWord*)&peer.control->sent_word[step & 1], word); });
}

#endif

/// Converts the queue of `step` to a bitmap. The bitmap must be zero before.
WP_CALL void mark_frontier(u32 count, u64 step) {
    const DeviceRun& run = run_of_block();
    u32* frontier = run.bitmaps[step & 1];
    u32 items = items_queued(run, count);
    for (u32 i = thread(); i < items; i += threads()) {
        Item item = run.queues[step & 1][i];
        u32 v = item.vertex;
        // A vertex may have many items. The first of them, which may be empty, marks it.
        bool marks = v != NOBODY && (item.length == 0 || (item.length & ITEM_FIRST));
        if (marks) atomicOr(&frontier[v >> 5], 1u << (v & 31));
#if WP_SEVERAL
        // One vertex of each device tells what all of them send.
        if (i == 0 && v != NOBODY) tell_word(((const ValueWord*)run.values)[v], step);
#endif
    }
    for_each_word_of_overflow(run, step & 1, count, [&](u32 word, u32 bits) {
        if (bits) atomicOr(&frontier[word], bits);
        run.overflows[step & 1][word] = 0;
    });
}

/// Zeroes the bitmap of a finished step.
WP_CALL void forget_frontier(u64 step) {
    const DeviceRun& run = run_of_block();
    for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads()) run.bitmaps[step & 1][word] = 0;
}

/// Returns `true` if listening is cheaper than sending, which is the case if the frontier has many of the edges.
/// Listening examines all edges sequentially and writes one word per receiver, whereas sending costs an atomic for each
/// of the frontier's edges.
WP_FN bool is_listened_to(const DeviceRun& run, const Decision& decision) {
    return (u64)decision.pages * PAGE_EDGES * LISTEN_SHARE > run.edges;
}

#if WP_IN_PLACE

/// Returns the message of a sender in the frontier as a word, if the sender sends a message along this edge. The
/// sender's value may have been written in the current step. This function is not inlined: inlining would enlarge every
/// loop, and a vertex receives a message only once per run.
WP_CALL Option<ValueWord> word_from(u32 sender, u32 v, u64 position, bool reverse, u64 step) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    Value value = {};
#if WP_SEVERAL
    // The replica of a sender may be old. All senders of the step have the same value.
    if constexpr (WP_READS_EDGE_VALUE)
        value = from_word<Value>(load_fresh((const ValueWord*)&run.control->sent_word[step & 1]));
#else
    if constexpr (WP_READS_EDGE_VALUE) value = from_word<Value>(((const ValueWord*)run.values)[sender]);
#endif
    auto edge = edge_view(run, value, sender, v, position, reverse);
    Option<Message> message = message_along(run, params, edge, sender, v);
    if (!message.some || is_dropped(message.value)) return None<ValueWord>();
    return Some((ValueWord)to_word(message.value));
}

#endif

#endif

}  // namespace wp
