// Thin steps: a frontier so small that every warp takes a few of its rows. Nothing is looked up twice and nothing waits
// for what it need not: a message goes straight to the atomic, the receiver's row is fetched at the same time, and what
// a warp finds it keeps in shared memory.
//
// Where the graph is known to be thin (WP_LOCAL_ROUNDS) a warp then walks what it found itself, as long as that fits its
// lanes, before the device waits for all: a road costs a round trip or two to L2 a step instead of a barrier. Values may
// be seen early, so all that this can cost is work: a vertex reached on a detour is improved, and sends, again.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX

/// Rows that a warp found and has not walked, with the words that their vertices got. `count` is the same in all lanes.
struct Finds {
    Item* items;
    ValueWord* words;
    u32 count;
};

WP_FN Finds make_finds() {
    extern __shared__ __align__(16) u8 find_room[];
    Item* items = (Item*)find_room;
    ValueWord* words = (ValueWord*)(items + BLOCK_THREADS / 32 * FIND_ROOM);
    return Finds{items + warp_in_block() * FIND_ROOM, words + warp_in_block() * FIND_ROOM, 0};
}

/// Where a step leaves who sends in the next.
struct Next {
    Item* queue;
    u64* counter;
    u32 step;
};

/// Keeps a row for the warp itself, or queues its vertex when there is no room, or too much in it for one warp. All
/// lanes call.
WP_FN void keep(const Run& run, Stage& stage, Finds& finds, const Next& next, bool has, Item item, ValueWord word) {
    bool mine = has && item.length <= SEGMENT_EDGES;
    u32 having = __ballot_sync(ALL_LANES, mine);
    u32 at = finds.count + __popc(having & ((1u << lane()) - 1));
    bool fits = mine && at < FIND_ROOM;
    if (fits) {
        finds.items[at] = item;
        finds.words[at] = word;
    }
    u32 all = finds.count + __popc(having);
    finds.count = all < FIND_ROOM ? all : FIND_ROOM;
    bool spills = has && !fits;
    if (__any_sync(ALL_LANES, spills)) {
        bool queued = spills && queues(run, item.vertex, next.step);
        put_items<SEND_ROWS, false>(run, stage, queued, item.vertex, next.queue, next.counter);
    }
    __syncwarp();
}

/// The rows along which a vertex sends.
struct SendRows {
    Row out;
    Row in;
};

WP_FN SendRows send_rows(const Run& run, u32 v) {
    SendRows rows = {};
    if constexpr (WP_SEND_OUT) rows.out = row_of(run.out_offsets, v);
    if constexpr (WP_SEND_IN) rows.in = row_of(run.in_offsets, v);
    return rows;
}

WP_FN Item whole_row(u32 v, Row row, bool reverse) {
    u32 length = row.length > SEGMENT_EDGES ? SEGMENT_EDGES + 1 : (u32)row.length;
    return Item{v, length | (length <= SEGMENT_EDGES && reverse ? ITEM_REVERSE : 0), row.first};
}

/// What came of one edge.
struct Arrival {
    bool improved;
    ValueWord word;
    SendRows rows;
};

/// Begins everything that one edge needs; `has` says whether there is one.
WP_FN Arrival arrive(const Run& run, const Params& params, bool has, u32 sender, Value value, u32 receiver,
                     u64 position, bool reverse) {
    Arrival arrival = {};
    if (!has) return arrival;
    // The row is fetched for nothing when the value is not improved; it saves a round trip when it is.
    arrival.rows = send_rows(run, receiver);
    auto edge = edge_view(run, value, sender, receiver, position, reverse);
    Option<Message> message = message_along(run, params, edge, sender, receiver);
    if (!message.some || is_dropped(message.value)) return arrival;
    arrival.word = to_word(message.value);
    ValueWord before = combine_atomically((ValueWord*)run.values + receiver, arrival.word);
    arrival.improved = improves(arrival.word, before) || sets_identity(run, receiver, arrival.word);
    return arrival;
}

/// Rows longer than this go through `walk` again and again, so its text stands once.
struct Walk {
    u32 sender;
    u32 stride;
    u64 at;
    u64 end;
    bool reverse;
    ValueWord word;
};

/// Walks the lanes' rows side by side. With `again`, a lane whose vertex has been improved since it was found leaves the
/// row to whoever improved it. Returns the edges that this lane looked at.
WP_FN u64 walk(const Run& run, const Params& params, Stage& stage, Finds& finds, const Way& way, const Next& next,
               Item item, ValueWord found, bool again) {
    u64 looked_at = 0;
    u32 length = item.length & ITEM_LENGTH;
    ValueWord now = found;
    if (length > 0) now = load_shared_by_all((const ValueWord*)run.values + item.vertex);
    bool reverse = WP_SEND_IN && (!WP_SEND_OUT || (item.length & ITEM_REVERSE));
    u32 longs = __ballot_sync(ALL_LANES, length > LANE_ROW);
    Walk lane_walk = {item.vertex, 1, item.first, item.first + (length > LANE_ROW ? 0 : length), reverse, now};
    for (;;) {
        while (__any_sync(ALL_LANES, lane_walk.at < lane_walk.end)) {
            Arrival arrivals[LOCAL_AHEAD];
            u32 receivers[LOCAL_AHEAD];
#pragma unroll
            for (u32 j = 0; j < LOCAL_AHEAD; ++j) {
                u64 position = lane_walk.at + j * lane_walk.stride;
                receivers[j] = position < lane_walk.end ? (lane_walk.reverse ? run.in_ends : run.out_ends)[position] : 0;
            }
            bool stale = again && longs == 0 && improves(now, found);
            Value value = from_word<Value>(lane_walk.word);
#pragma unroll
            for (u32 j = 0; j < LOCAL_AHEAD; ++j) {
                u64 position = lane_walk.at + j * lane_walk.stride;
                bool has = position < lane_walk.end && !stale;
                looked_at += has;
                arrivals[j] = arrive(run, params, has, lane_walk.sender, value, receivers[j], position, lane_walk.reverse);
            }
#pragma unroll
            for (u32 j = 0; j < LOCAL_AHEAD; ++j) {
                const Arrival& arrival = arrivals[j];
                bool sends = arrival.improved && is_near(run, way, receivers[j], arrival.word);
                if (!__any_sync(ALL_LANES, sends)) continue;
                if constexpr (WP_SEND_OUT) {
                    bool has = sends && arrival.rows.out.length > 0;
                    keep(run, stage, finds, next, has, whole_row(receivers[j], arrival.rows.out, false), arrival.word);
                }
                if constexpr (WP_SEND_IN) {
                    bool has = sends && arrival.rows.in.length > 0;
                    keep(run, stage, finds, next, has, whole_row(receivers[j], arrival.rows.in, true), arrival.word);
                }
            }
            lane_walk.at += LOCAL_AHEAD * lane_walk.stride;
        }
        if (!longs) return looked_at;
        u32 from = __ffs(longs) - 1;
        longs &= longs - 1;
        u64 first = shuffle(item.first, from);
        lane_walk.sender = __shfl_sync(ALL_LANES, item.vertex, from);
        lane_walk.word = shuffle(now, from);
        lane_walk.reverse = shuffle(reverse, from);
        lane_walk.stride = 32;
        lane_walk.at = first + lane();
        lane_walk.end = first + __shfl_sync(ALL_LANES, length, from);
    }
}

/// Queues what the block's warps still hold, with one addition for all of them. All threads call.
WP_FN void leave(const Run& run, Stage& stage, Finds& finds, const Next& next) {
    if constexpr (WP_SEND_OUT && WP_SEND_IN) {
        // A vertex has two rows here, and may be claimed once: the stage makes items of both.
        for (u32 i = 0; i < finds.count; i += 32) {
            bool has = i + lane() < finds.count;
            u32 v = has ? finds.items[i + lane()].vertex : 0;
            put_items<SEND_ROWS, false>(run, stage, has && claim(run, v, next.step), v, next.queue, next.counter);
        }
    } else {
        __shared__ u64 held_by_block;
        __shared__ u32 block_base;
        if (threadIdx.x == 0) held_by_block = 0;
        u32 mine = 0, edges = 0;
        for (u32 i = lane(), bit = 1; i < finds.count; i += 32, bit *= 2) {
            if (!queues(run, finds.items[i].vertex, next.step)) continue;
            mine |= bit;
            edges += finds.items[i].length & ITEM_LENGTH;
        }
        u32 inclusive = inclusive_sum(__popc(mine));
        u32 all = __shfl_sync(ALL_LANES, inclusive, 31);
        u64 all_edges = WP_DIRECTION ? sum_of_lanes(edges) : 0;
        __syncthreads();
        u32 at = 0;
        // A block's edges stay below 2^32: 32 warps of FIND_ROOM rows of SEGMENT_EDGES.
        if (lane() == 31 && all > 0) at = (u32)atomicAdd(&held_by_block, all | all_edges << 32);
        at = __shfl_sync(ALL_LANES, at, 31) + inclusive - __popc(mine);
        __syncthreads();
        if (threadIdx.x == 0 && held_by_block > 0)
            block_base = (u32)atomicAdd(next.counter, counted((u32)held_by_block, held_by_block >> 32));
        __syncthreads();
        u32 items = (u32)held_by_block;
        if (items > 0 && block_base + items > run.queue_items) {
            if (threadIdx.x == 0) report(run.control, 1, PLACE_QUEUE, 0, 0);
            mine = 0;
        }
        for (u32 i = lane(); mine; mine >>= 1, i += 32) {
            if (mine & 1) next.queue[block_base + at++] = finds.items[i];
        }
    }
    finds.count = 0;
    flush<SEND_ROWS, false>(run, stage, next.queue, next.counter);
}

/// One thin step.
WP_FN u64 local_step(const Run& run, const Params& params, Stage& stage, const Way& way, u32 count, u64 step) {
    Finds finds = make_finds();
    Next next = {run.queues[(step + 1) & 1], &run.control->frontier[(step + 1) % 3], (u32)step};
    u64 looked_at = 0;
    u32 share = (count + warps() - 1) / warps();
    Item item = {0, 0, 0};
    ValueWord word = {};
    // Neighbouring items go to different multiprocessors.
    u32 at = warp() + lane() * warps();
    if (lane() < share && at < count) item = run.queues[step & 1][at];
    bool works = __any_sync(ALL_LANES, item.length != 0);
    for (u32 round = 0; works; ++round) {
        looked_at += walk(run, params, stage, finds, way, next, item, word, round > 0);
        works = finds.count > 0 && finds.count <= 32 && round + 1 < LOCAL_ROUNDS;
        if (!works) break;
        item.length = 0;
        if (lane() < finds.count) {
            item = finds.items[lane()];
            word = finds.words[lane()];
        }
        finds.count = 0;
        __syncwarp();
    }
    leave(run, stage, finds, next);
    return looked_at;
}

#endif

}  // namespace wp
