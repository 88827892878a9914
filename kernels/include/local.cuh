// Thin steps: a frontier so small that every warp takes a few of its rows. Such a step is nothing but waiting, so nothing
// waits for what it need not: a message goes straight to the atomic, the receiver's row is fetched at the same time, and
// the edges that a warp is to walk next stand in shared memory, one a lane.
//
// Where the graph is known to be thin (WP_LOCAL_ROUNDS) a warp then walks them itself, as long as they fit its lanes,
// before the device waits for all: a road costs a round trip or two to L2 a step instead of a barrier. Values may be seen
// early, so all that this can cost is work: a vertex reached on a detour is improved, and sends, again.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX

/// An edge that a warp is to walk: where it lies, whose it is, and with which word its sender was found.
struct Hop {
    u64 position;  // and HOP_REVERSE
    u32 sender;
    ValueWord word;
};

/// The edge lies in the in-rows.
constexpr u64 HOP_REVERSE = 1ull << 63;

/// One warp's hops, first in first out. `head` and `count` are the same in every lane.
struct Hops {
    u64* positions;
    u32* senders;
    ValueWord* words;
    u32 head;
    u32 count;
};

/// The hops of this warp, none so far.
WP_FN Hops make_hops() {
    extern __shared__ __align__(16) u8 hop_room[];
    constexpr u32 all = BLOCK_THREADS / 32 * HOP_ROOM;
    u64* positions = (u64*)hop_room;
    ValueWord* words = (ValueWord*)(positions + all);
    u32* senders = (u32*)(words + all);
    u32 first = warp_in_block() * HOP_ROOM;
    return Hops{positions + first, senders + first, words + first, 0, 0};
}

static_assert((HOP_ROOM & (HOP_ROOM - 1)) == 0, "a ring's size is a power of two");
static_assert(LANE_ROW < 16 && THIN_ITEMS * LANE_ROW <= HOP_ROOM, "lengths of four bits, room for every short item");

/// Where a step leaves who sends in the next.
struct Next {
    Item* queue;
    u64* counter;
    u32 step;
};

/// Adds the edges of one row a lane, each of at most LANE_ROW edges, behind the others. Without room for all it adds none
/// and says so. All lanes call.
WP_FN bool add_rows(Hops& hops, u32 length, u64 first, u32 sender, ValueWord word) {
    u32 before = 0, all = 0;
    u32 lower = (1u << lane()) - 1;
#pragma unroll
    for (u32 bit = 0; bit < 4; ++bit) {
        u32 having = __ballot_sync(ALL_LANES, length >> bit & 1);
        before += __popc(having & lower) << bit;
        all += __popc(having) << bit;
    }
    if (hops.count + all > HOP_ROOM) return false;
    u32 at = hops.head + hops.count + before;
    for (u32 i = 0; i < length; ++i) {
        u32 slot = (at + i) & (HOP_ROOM - 1);
        hops.positions[slot] = first + i;
        hops.senders[slot] = sender;
        hops.words[slot] = word;
    }
    hops.count += all;
    return true;
}

/// Adds a row of each lane's vertex, or queues the vertex where there is no room, or too much in it for one warp.
WP_FN void keep_row(const Run& run, Stage& stage, Hops& hops, const Next& next, bool has, u32 v, Row row, bool reverse,
                    ValueWord word) {
    bool is_short = row.length <= LANE_ROW;
    u32 length = has && is_short ? (u32)row.length : 0;
    bool added = add_rows(hops, length, row.first | (reverse ? HOP_REVERSE : 0), v, word);
    bool spills = has && (!is_short || (!added && length > 0));
    if (__any_sync(ALL_LANES, spills)) {
        bool queued = spills && queues(run, v, next.step);
        put_items<SEND_ROWS, false>(run, stage, queued, v, next.queue, next.counter);
    }
}

/// A row too long for one lane, walked by the whole warp.
struct LongRow {
    u64 at;
    u64 end;
    u32 sender;
    ValueWord word;
    bool reverse;
};

/// Walks the lanes' items, then what they lead to as long as that fits the lanes. Leaves in `hops` what is for the next
/// step. Returns the edges that this lane looked at.
WP_FN u64 walk(const Run& run, const Params& params, Stage& stage, Hops& hops, const Way& way, const Next& next,
               Item item) {
    u64 looked_at = 0;
    u32 length = item.length & ITEM_LENGTH;
    bool reverse_item = WP_SEND_IN && (!WP_SEND_OUT || (item.length & ITEM_REVERSE));
    // Nothing is better than IDENTITY's opposite: whatever the sender holds now is what it sends.
    ValueWord own = {};
    if (length > 0) own = load_shared_by_all((const ValueWord*)run.values + item.vertex);
    u32 short_length = length <= LANE_ROW ? length : 0;
    add_rows(hops, short_length, item.first | (reverse_item ? HOP_REVERSE : 0), item.vertex, own);
    u32 longs = __ballot_sync(ALL_LANES, length > LANE_ROW);
    LongRow row = {0, 0, 0, own, false};
    __syncwarp();
    for (u32 rounds = 0;;) {
        Hop hop = {};
        bool has;
        if (row.at < row.end || longs) {
            if (row.at >= row.end) {
                u32 from = __ffs(longs) - 1;
                longs &= longs - 1;
                row.at = shuffle(item.first, from);
                row.end = row.at + __shfl_sync(ALL_LANES, length, from);
                row.sender = __shfl_sync(ALL_LANES, item.vertex, from);
                row.word = shuffle(own, from);
                row.reverse = shuffle(reverse_item, from);
            }
            hop = Hop{(row.at + lane()) | (row.reverse ? HOP_REVERSE : 0), row.sender, row.word};
            has = row.at + lane() < row.end;
            row.at += 32;
        } else {
            if (hops.count == 0 || (rounds > 0 && (hops.count > 32 || rounds >= LOCAL_ROUNDS))) return looked_at;
            u32 taken = hops.count < 32 ? hops.count : 32;
            has = lane() < taken;
            if (has) {
                u32 slot = (hops.head + lane()) & (HOP_ROOM - 1);
                hop = Hop{hops.positions[slot], hops.senders[slot], hops.words[slot]};
            }
            __syncwarp();
            hops.head += taken;
            hops.count -= taken;
            // What the items gave is one round, whatever it takes.
            if (hops.count == 0 || rounds > 0) ++rounds;
        }
        bool reverse = WP_SEND_IN && (!WP_SEND_OUT || (hop.position & HOP_REVERSE));
        u64 position = hop.position & ~HOP_REVERSE;
        u32 receiver = 0;
        ValueWord now = hop.word, word = {};
        bool sends = false;
        Row out = {0, 0}, in = {0, 0};
        if (has) {
            receiver = (reverse ? run.in_ends : run.out_ends)[position];
            now = load_shared_by_all((const ValueWord*)run.values + hop.sender);
        }
        // Whoever improved the sender since walks its row, too.
        if (has && !improves(now, hop.word)) {
            ++looked_at;
            // The rows are fetched for nothing when the value is not improved; that saves a round trip when it is.
            if constexpr (WP_SEND_OUT) out = row_of(run.out_offsets, receiver);
            if constexpr (WP_SEND_IN) in = row_of(run.in_offsets, receiver);
            auto edge = edge_view(run, from_word<Value>(now), hop.sender, receiver, position, reverse);
            Option<Message> message = message_along(run, params, edge, hop.sender, receiver);
            if (message.some && !is_dropped(message.value)) {
                word = to_word(message.value);
                ValueWord before = combine_atomically((ValueWord*)run.values + receiver, word);
                sends = improves(word, before) || sets_identity(run, receiver, word);
                // Bits join those that were there.
                if constexpr (WP_COMBINE == WP_OR) word |= before;
                if constexpr (WP_COMBINE == WP_AND) word &= before;
                sends = sends && is_near(run, way, receiver, word);
            }
        }
        __syncwarp();
        if (__any_sync(ALL_LANES, sends)) {
            if constexpr (WP_SEND_OUT) keep_row(run, stage, hops, next, sends, receiver, out, false, word);
            if constexpr (WP_SEND_IN) keep_row(run, stage, hops, next, sends, receiver, in, true, word);
            __syncwarp();
        }
    }
}

/// Queues what the block's warps still hold, with one addition for all of them. All threads call.
WP_FN void leave(const Run& run, Stage& stage, Hops& hops, const Next& next) {
    __shared__ u32 held_by_block;
    __shared__ u32 block_base;
    if (threadIdx.x == 0) held_by_block = 0;
    u32 mine = 0;
    for (u32 i = lane(), bit = 1; i < hops.count; i += 32, bit *= 2) {
        u32 slot = (hops.head + i) & (HOP_ROOM - 1);
        ValueWord now = load_shared_by_all((const ValueWord*)run.values + hops.senders[slot]);
        if (!improves(now, hops.words[slot])) mine |= bit;
    }
    u32 inclusive = inclusive_sum(__popc(mine));
    u32 all = __shfl_sync(ALL_LANES, inclusive, 31);
    __syncthreads();
    u32 at = 0;
    if (lane() == 31 && all > 0) at = atomicAdd(&held_by_block, all);
    at = __shfl_sync(ALL_LANES, at, 31) + inclusive - __popc(mine);
    __syncthreads();
    if (threadIdx.x == 0 && held_by_block > 0)
        block_base = (u32)atomicAdd(next.counter, counted(held_by_block, WP_DIRECTION ? held_by_block : 0));
    __syncthreads();
    if (held_by_block > 0 && block_base + held_by_block > run.queue_items) {
        if (threadIdx.x == 0) report(run.control, 1, PLACE_QUEUE, 0, 0);
        mine = 0;
    }
    for (u32 i = lane(); mine; mine >>= 1, i += 32) {
        if (!(mine & 1)) continue;
        u32 slot = (hops.head + i) & (HOP_ROOM - 1);
        u64 position = hops.positions[slot];
        u32 reverse = WP_SEND_OUT && (position & HOP_REVERSE) ? ITEM_REVERSE : 0;
        next.queue[block_base + at++] = Item{hops.senders[slot], 1 | reverse, position & ~HOP_REVERSE};
    }
    flush<SEND_ROWS, false>(run, stage, next.queue, next.counter);
}

/// One thin step.
WP_FN u64 local_step(const Run& run, const Params& params, Stage& stage, const Way& way, u32 count, u64 step) {
    Hops hops = make_hops();
    Next next = {run.queues[(step + 1) & 1], &run.control->frontier[(step + 1) % 3], (u32)step};
    // Neighbouring items go to different multiprocessors.
    Item item = {0, 0, 0};
    u32 at = warp() + lane() * warps();
    if (lane() < THIN_ITEMS && at < count) item = run.queues[step & 1][at];
    u64 looked_at = 0;
    if (__any_sync(ALL_LANES, item.length != 0)) looked_at = walk(run, params, stage, hops, way, next, item);
    leave(run, stage, hops, next);
    return looked_at;
}

#endif

}  // namespace wp
