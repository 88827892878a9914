// Thin steps, in graphs that are known to have thin layers (WP_LOCAL_ROUNDS): the frontier is so small that every warp
// gets only a few of its rows. The time of such a step is latency only, so this code overlaps latencies. A message goes
// straight to the atomic, and the receiver's row is fetched at the same time. The edges that a warp visits next, called
// hops, are kept in shared memory, one per lane.
//
// As long as a warp has at most one hop per lane, it visits its hops itself before it waits at the device-wide barrier.
// On a road graph a step then costs one or two round trips to L2 instead of a barrier. Because values may be seen
// early, this can cost extra work but never correctness: a vertex that was reached on a detour is improved again later,
// and sends again.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX && WP_LOCAL_ROUNDS

/// An edge that a warp is to visit: its position, its sender, and the word that the sender had when the hop was
/// created.
struct __align__(sizeof(ValueWord) == 4 && sizeof(Offset) == 4 ? 16 : 8) Hop {
    Offset position;
    ValueWord word;  // in the middle, where 8 bytes need no padding
    u32 sender;
    u32 reverse;     // the edge is in the in-rows
};

static_assert(sizeof(Hop) == WP_SIZE_HOP, "host and device disagree on the size of a hop");
static_assert((HOP_ROOM & (HOP_ROOM - 1)) == 0, "the size of a ring must be a power of two");
static_assert(LANE_ROW <= 8 && THIN_ITEMS * LANE_ROW <= HOP_ROOM, "a length fits in four bits, and the ring holds every short item");

/// A warp's hops: a FIFO ring buffer in shared memory. `head` and `count` are the same in every lane.
struct Hops {
    u32 room;  // address of the ring in shared memory
    u32 head;
    u32 count;
    bool improved;  // this lane improved a vertex, which may have no edges to visit
};

/// Returns this warp's hops, initially empty.
WP_FN Hops make_hops() {
    u32 room = requested_shared_memory() + warp_in_block() * HOP_ROOM * (u32)sizeof(Hop);
    return Hops{room, 0, 0, false};
}

WP_FN void write_hop(u32 address, const Hop& hop) {
    Words<Hop> words;
    memcpy(&words, &hop, sizeof(Hop));
    if constexpr (sizeof(Hop) == 16) {
        store_four(address, words.word);
    } else {
#pragma unroll
        for (u32 i = 0; i < sizeof(Hop) / 4; i += 2) store_two(address + 4 * i, words.word + i);
    }
}

WP_FN Hop read_hop(u32 address) {
    Words<Hop> words;
    if constexpr (sizeof(Hop) == 16) {
        load_four(address, words.word);
    } else {
#pragma unroll
        for (u32 i = 0; i < sizeof(Hop) / 4; i += 2) load_two(address + 4 * i, words.word + i);
    }
    Hop hop;
    memcpy(&hop, &words, sizeof(Hop));
    return hop;
}

/// Returns the address of the `i`th hop from the head.
WP_FN u32 hop_at(const Hops& hops, u32 i) {
    return hops.room + ((hops.head + i) & (HOP_ROOM - 1)) * (u32)sizeof(Hop);
}

/// Destinations of a step's improved vertices: the queue of the next step, and the vertices that wait for later
/// buckets.
struct Next {
    Frontier queue;
    u32 step;
    Waits waits;
};

/// Returns `true` if a vertex that was improved to `word` sends in the next step; otherwise postpones the vertex to a
/// later bucket.
WP_FN bool is_near(const DeviceRun& run, const ControlCopy& state, Waits& waits, u32 v, ValueWord word) {
    if (is_within(state, word)) return true;
    postpone(run, waits, v, word);
    return false;
}

/// Appends the edges of one row per lane: `length` edges starting with `first`. If the edges of all lanes together do
/// not fit, appends nothing and returns `false`. All lanes must call this.
WP_FN bool add_rows(Hops& hops, u32 length, Hop first) {
    u32 before = 0, all = 0;
    u32 lower = (1u << lane()) - 1;
#pragma unroll
    for (u32 bit = 0; bit < 4; ++bit) {
        u32 having = __ballot_sync(ALL_LANES, length >> bit & 1);
        before += __popc(having & lower) << bit;
        all += __popc(having) << bit;
    }
    if (hops.count + all > HOP_ROOM) return false;
    before += hops.count;
#pragma unroll 1
    for (u32 i = 0; i < length; ++i) {
        write_hop(hop_at(hops, before + i), first);
        ++first.position;
    }
    hops.count += all;
    return true;
}

/// Appends a row of each lane's vertex to the hops. Returns `true` if the vertex must be queued instead, because there
/// is no space for more hops or the row is too long for one warp.
WP_FN bool keep_row(Hops& hops, bool has, u32 v, Row row, bool reverse, ValueWord word) {
    bool is_short = row.length <= LANE_ROW;
    u32 length = has && is_short ? (u32)row.length : 0;
    bool added = add_rows(hops, length, Hop{(Offset)row.first, word, v, reverse});
    return has && (!is_short || (!added && length > 0));
}

/// Visits the edges of the lanes' items, and then, round after round, the edges of the vertices that improved, as long
/// as there is at most one such edge per lane. Leaves the edges of the next step in `hops`. Returns the number of edges
/// that this lane visited.
WP_FN u32 walk(const DeviceRun& run, const Params& params, Stage& stage, Hops& hops, const ControlCopy& state, Next& next,
               Item item) {
    u32 looked_at = 0;
    u32 length = item.length & ITEM_LENGTH;
    bool in_reverse = WP_SEND_IN && (!WP_SEND_OUT || (item.length & ITEM_REVERSE));
    Hop own = {(Offset)item.first, {}, item.vertex, in_reverse};
    if (length > 0) own.word = load_fresh((const ValueWord*)run.values + item.vertex);
    add_rows(hops, length <= LANE_ROW ? length : 0, own);
    // All lanes visit the longer items together, one item at a time.
    u32 longs = __ballot_sync(ALL_LANES, length > LANE_ROW);
    __syncwarp();
    // Edges found in a round are visited in the next round.
    for (u32 round = 1, left = hops.count;;) {
        Hop hop;
        bool has;
        u32 receiver = 0;
        if (longs) {
            u32 from = __ffs(longs) - 1;
            longs &= longs - 1;
            Item along = shuffle(item, from);
            bool along_in_rows = WP_SEND_IN && (!WP_SEND_OUT || (along.length & ITEM_REVERSE));
            hop = Hop{(Offset)along.first + lane(), shuffle(own.word, from), along.vertex, along_in_rows};
            has = lane() < (along.length & ITEM_LENGTH);
            receiver = end_in_item(run, along);
        } else {
            if (left == 0) {
                left = hops.count;
                if (left == 0 || left > 32 || round == LOCAL_ROUNDS) return looked_at;
                ++round;
            }
            u32 taken = left < 32 ? left : 32;
            has = lane() < taken;
            hop = read_hop(hop_at(hops, lane()));
            __syncwarp();
            hops.head += taken;
            hops.count -= taken;
            left -= taken;
            if (has) receiver = end_at(run, WP_SEND_IN && (!WP_SEND_OUT || hop.reverse), hop.sender, hop.position);
        }
        bool reverse = WP_SEND_IN && (!WP_SEND_OUT || hop.reverse);
        ValueWord now = {}, word = {};
        bool sends = false, is_away = false;
        Row out = {0, 0}, in = {0, 0};
        if (has) now = load_fresh((const ValueWord*)run.values + hop.sender);
        // If the sender has been improved since, skips the edge: the thread that improved the sender visits its row
        // too.
        if (has && !improves(now, hop.word)) {
            ++looked_at;
            // Prefetches the receiver's rows. If the receiver's value is improved, this saves a round trip; otherwise
            // the rows are unused.
            if constexpr (WP_SEND_OUT) out = row_of(run.out_offsets, receiver);
            if constexpr (WP_SEND_IN) in = row_of(run.in_offsets, receiver);
            auto edge = edge_view(run, from_word<Value>(now), hop.sender, receiver, hop.position, reverse);
            Option<Message> message = message_along(run, params, edge, hop.sender, receiver);
            if (message.some && !is_dropped(message.value)) {
                word = to_word(message.value);
                ValueWord before = combine_atomically((ValueWord*)run.values + receiver, word);
                sends = improves(word, before) || sets_identity(run, receiver, word);
                // Computes the receiver's new value from the old one.
                if constexpr (WP_COMBINE == WP_OR) word |= before;
                if constexpr (WP_COMBINE == WP_AND) word &= before;
                sends = sends && is_near(run, state, next.waits, receiver, word);
                is_away = sends && !is_own(run, receiver);
                hops.improved |= sends;
            }
        }
        __syncwarp();
        if (__any_sync(ALL_LANES, sends)) {
            // If either row does not fit, the vertex is queued once, because queueing a vertex queues both of its rows.
            bool spills = is_away, stays = sends && !is_away;
            if constexpr (WP_SEND_OUT) spills |= keep_row(hops, stays, receiver, out, false, word);
            if constexpr (WP_SEND_IN) spills |= keep_row(hops, stays, receiver, in, true, word);
            if (__any_sync(ALL_LANES, spills)) {
                bool queued = is_away || (spills && claim(run, receiver, next.step));
                put_items<SEND_ROWS, false>(run, stage, queued, receiver, next.queue);
            }
            __syncwarp();
        }
    }
}

/// Queues the remaining hops and the staged vertices of the block's warps, with one addition to the queue's counter for
/// the whole block. All threads must call this.
WP_FN void leave(const DeviceRun& run, Stage& stage, const Hops& hops, const Next& next) {
    u32 mine = 0;
    for (u32 i = lane(), bit = 1; i < hops.count; i += 32, bit *= 2) {
        Hop hop = read_hop(hop_at(hops, i));
        ValueWord now = load_fresh((const ValueWord*)run.values + hop.sender);
        if (!improves(now, hop.word)) mine |= bit;
    }
    u32 inclusive = inclusive_sum(__popc(mine));
    u32 held = __shfl_sync(ALL_LANES, inclusive, 31);
    Staged counts = {};
    stage.count = keep_own(stage.vertices, stage.count, next.queue);
    if (stage.count > 0) counts = count_staged<SEND_ROWS, false>(run, stage.vertices, stage.count, false);
    bool improved = __any_sync(ALL_LANES, hops.improved) || stage.count > 0;
    u32 base = place_in_queue<true>(held + counts.all, held + counts.edges, improved, counter_of(run, next.queue));
    bool fits = (u64)base + held + counts.all <= run.queue_items;
    if constexpr (!WP_OVERFLOWS) {
        // The sum exceeds the capacity only if a program wrongly declares `uniform`.
        if (!fits && lane() == 0) report(run.control, 1, PLACE_QUEUE, 0, 0);
    }
    u32 at = base + inclusive - __popc(mine);
    Item* queue = items_in(run, next.queue);
    for (u32 i = lane(); (fits || WP_OVERFLOWS) && mine; mine >>= 1, i += 32) {
        if (!(mine & 1)) continue;
        Hop hop = read_hop(hop_at(hops, i));
        if (!fits) {
            // The vertex sends along all its edges, of which some have been visited already.
            mark_overflow(run, next.queue.array, hop.sender);
            continue;
        }
        u32 reverse = WP_SEND_OUT && hop.reverse ? ITEM_REVERSE : 0;
        queue[at++] = Item{hop.sender, 1 | reverse, hop.position};
    }
    __syncwarp();
    if (fits && counts.all > 0)
        write_staged<SEND_ROWS, false>(stage.vertices, stage.count, counts, next.queue, base + held);
    if (WP_OVERFLOWS && !fits) {
        mark_staged<SEND_ROWS>(run, stage.vertices, stage.count, next.queue.array);
        leave_empty(run, next.queue.array, base);
    }
    stage.count = 0;
}

/// Takes one thin step. Returns the number of edges that this lane visited.
WP_FN u64 local_step(const DeviceRun& run, const Params& params, Stage& stage, const ControlCopy& state, u32 count,
                     u64 step) {
    Hops hops = make_hops();
    Next next = {frontier_of(step + 1), (u32)step, no_waits()};
    // Adjacent items go to different multiprocessors.
    Item item = {0, 0, 0};
    u32 at = warp() + lane() * warps();
    if (lane() < THIN_ITEMS && at < count) item = run.queues[step & 1][at];
    u64 looked_at = 0;
    if (__any_sync(ALL_LANES, item.length != 0)) looked_at = walk(run, params, stage, hops, state, next, item);
    tell_block(next.waits);
    leave(run, stage, hops, next);
    tell_device(run.control, state.epoch);
    return looked_at;
}

#endif

}  // namespace wp
