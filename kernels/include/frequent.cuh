// Gathering for the combiner MostFrequent: every receiver counts equal messages in its whole row. Each row is counted in
// the fastest memory that holds its messages:
//
//   up to LANE_MESSAGES    one lane, in registers
//   up to 32               one warp, in registers: every lane compares its message with those of all lanes
//   up to WARP_MESSAGES    one warp, sorted in shared memory
//   longer                 one block, in a hash table in shared memory
//
// A row with more edges than the table should hold is divided by a hash of its messages into parts, which different
// blocks count. Equal messages are in the same part, so the parts' results need only be compared, like those of the items
// of any row: the result of a part takes the place of that of one of the row's items, and the other items have none. No
// memory beyond that of the items is needed, and the result does not depend on the grid.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_PULL && WP_COMBINE == WP_MOST_FREQUENT

/// Largest number of messages that one lane counts.
constexpr u32 LANE_MESSAGES = 8;

/// Largest number of messages that one warp counts.
constexpr u32 WARP_MESSAGES = 32 * COUNTING_BYTES / sizeof(Message);

/// Largest number of slots of the table of a block.
constexpr u32 SLOTS = BLOCK_THREADS * COUNTING_BYTES / (sizeof(Message) == 4 ? 8 : 16);

/// Largest number of edges of a part, unless a row would then have more parts than items.
constexpr u32 PART_EDGES = SLOTS / 2;

/// Slots that an insertion tries. In a table that is half full it needs fewer.
constexpr u32 MOST_PROBES = SLOTS < 128 ? SLOTS : 128;

/// Key of an empty slot. Messages with this value are counted beside the table.
constexpr Message EMPTY = ~(Message)0;

/// The edges over which a vertex gathers.
struct WholeRow {
    Row out;
    Row in;
    u64 length;
};

WP_FN WholeRow whole_row(const DeviceRun& run, u32 v) {
    WholeRow row = {};
    if constexpr (GATHER_ROWS & ROWS_OUT) row.out = row_of(run.out_offsets, v);
    if constexpr (GATHER_ROWS & ROWS_IN) row.in = row_of(run.in_offsets, v);
    row.length = row.out.length + row.in.length;
    return row;
}

/// Returns the message along the edge at `at` of a row, if its sender sends one.
WP_FN Option<Message> message_at(const DeviceRun& run, const Params& params, const WholeRow& row, u64 at, u32 v, u64 step) {
    bool reverse = (GATHER_ROWS & ROWS_IN) && at >= row.out.length;
    u64 position = reverse ? row.in.first + (at - row.out.length) : row.out.first + at;
    u32 sender = end_at(run, reverse, v, position);
#if WP_MESSAGES_MADE_ONCE
    return received(((const SentMessage*)run.sent)[sender]);
#else
    if (!sends(run, sender, step)) return None<Message>();
    Value value = {};
    if constexpr (WP_READS_EDGE_VALUE) value = ((const Value*)run.values)[sender];
    return message_along(run, params, edge_view(run, value, sender, v, position, reverse), sender, v);
#endif
}

/// Counts the messages of a row of at most LANE_MESSAGES edges. Called by one lane.
WP_FN Partial count_in_lane(const DeviceRun& run, const Params& params, const WholeRow& row, u32 v, u64 step) {
    Option<Message> messages[LANE_MESSAGES];
#pragma unroll
    for (u32 i = 0; i < LANE_MESSAGES; ++i) {
        messages[i] = None<Message>();
        if (i < row.length) messages[i] = message_at(run, params, row, i, v, step);
    }
    Partial best = None<Accumulator>();
#pragma unroll
    for (u32 i = 0; i < LANE_MESSAGES; ++i) {
        u32 count = 0;
#pragma unroll
        for (u32 j = 0; j < LANE_MESSAGES; ++j) count += messages[j].some && messages[j].value == messages[i].value;
        if (messages[i].some) accumulate(run, params, best, Accumulator{messages[i].value, count}, v);
    }
    return best;
}

/// Counts the messages of a row of at most 32 edges. All lanes must call this; lane 0 gets the result.
WP_FN Partial count_in_warp(const DeviceRun& run, const Params& params, const WholeRow& row, u32 v, u64 step) {
    Option<Message> mine = None<Message>();
    if (lane() < row.length) mine = message_at(run, params, row, lane(), v, step);
    __syncwarp();
    u32 senders = __ballot_sync(ALL_LANES, mine.some), count = 0;
    for (u32 left = senders; left; left &= left - 1)
        count += __shfl_sync(ALL_LANES, mine.value, __ffs(left) - 1) == mine.value;
    Partial best = None<Accumulator>();
    if (mine.some) best = Some(Accumulator{mine.value, count});
    return combine_lanes(run, params, best, v);
}

/// Sorts `size` messages, a power of two, by a bitonic network. All lanes must call this.
WP_FN void sort_messages(Message* messages, u32 size) {
    for (u32 width = 2; width <= size; width *= 2) {
        for (u32 distance = width / 2; distance > 0; distance /= 2) {
            for (u32 i = lane(); i < size / 2; i += 32) {
                u32 low = 2 * i - (i & (distance - 1));
                bool ascending = (low & width) == 0;
                Message a = messages[low], b = messages[low + distance];
                if (ascending ? b < a : a < b) {
                    messages[low] = b;
                    messages[low + distance] = a;
                }
            }
            __syncwarp();
        }
    }
}

/// Returns how often the sorted messages contain the one at `at`, which is the last of those equal to it.
WP_FN u32 count_up_to(const Message* messages, u32 at) {
    u32 low = 0, high = at;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (messages[middle] < messages[at]) low = middle + 1;
        else high = middle;
    }
    return at - low + 1;
}

/// Counts the messages of a row of at most WARP_MESSAGES edges by sorting them. All lanes must call this; lane 0 gets the
/// result.
WP_FN Partial count_by_sorting(const DeviceRun& run, const Params& params, const WholeRow& row, u32 v, u64 step) {
    Message* messages = (Message*)requested_room() + warp_in_block() * WARP_MESSAGES;
    u32 length = (u32)row.length, count = 0, size = 64;
    for (u32 begin = 0; begin < length; begin += 32) {
        Option<Message> message = None<Message>();
        if (begin + lane() < length) message = message_at(run, params, row, begin + lane(), v, step);
        __syncwarp();
        u32 senders = __ballot_sync(ALL_LANES, message.some);
        if (message.some) messages[count + __popc(senders & ((1u << lane()) - 1))] = message.value;
        count += __popc(senders);
    }
    // The messages that fill the array up are behind all others, and equal to some of them at most.
    while (size < count) size *= 2;
    for (u32 i = count + lane(); i < size; i += 32) messages[i] = EMPTY;
    __syncwarp();
    sort_messages(messages, size);
    Partial best = None<Accumulator>();
    for (u32 i = lane(); i < count; i += 32) {
        bool is_last = i + 1 == count || messages[i + 1] != messages[i];
        if (is_last) accumulate(run, params, best, Accumulator{messages[i], count_up_to(messages, i)}, v);
    }
    __syncwarp();
    return combine_lanes(run, params, best, v);
}

/// Counts the rows of at most WARP_MESSAGES edges in the gather queue. Returns the number of edges in the items that this
/// lane looked at, including those of longer rows.
WP_FN u64 count_short_rows(const DeviceRun& run, const Params& params, u32 count, u64 step) {
    u64 looked_at = 0;
    Partial* partials = (Partial*)run.partials;
    for (u32 begin = warp() * 32; begin < count;) {
        // Requests the next items now; they are needed after the current items.
        u64 taken = 0;
        if (TAKES_ITEMS && lane() == 0) taken = atomicAdd(&run.control->received[1].counted, 1ull);
        bool has = begin + lane() < count;
        Item item = has ? run.gather[begin + lane()] : Item{0, 0, 0};
        if (!is_vertex_in_round(item.vertex)) {
            has = false;
            item = Item{0, 0, 0};
        }
        WholeRow row = {};
        if (has) row = whole_row(run, item.vertex);
        bool first = item.length & ITEM_FIRST, is_short = has && row.length <= WARP_MESSAGES;
        Partial partial = None<Accumulator>();
        if (first && row.length <= LANE_MESSAGES) partial = count_in_lane(run, params, row, item.vertex, step);
        __syncwarp();
        u32 for_warp = __ballot_sync(ALL_LANES, first && is_short && row.length > LANE_MESSAGES);
        for (; for_warp; for_warp &= for_warp - 1) {
            u32 from = __ffs(for_warp) - 1;
            WholeRow its_row = shuffle(row, from);
            u32 v = __shfl_sync(ALL_LANES, item.vertex, from);
            Partial all = its_row.length <= 32 ? count_in_warp(run, params, its_row, v, step)
                                               : count_by_sorting(run, params, its_row, v, step);
            all = shuffle(all, 0);
            if (lane() == from) partial = all;
        }
        if (is_short) partials[begin + lane()] = partial;
        looked_at += item.length & ITEM_LENGTH;
        begin = TAKES_ITEMS ? (warps() + __shfl_sync(ALL_LANES, (u32)taken, 0)) * 32 : begin + warps() * 32;
    }
    return looked_at;
}

/// The hash table of a block, in shared memory.
struct Table {
    Message* keys;
    u32* counts;
    u32 slots;  // a power of two
};

/// Returns a table for this number of messages. A small one takes less time to clear.
WP_FN Table table_of_block(u64 messages) {
    Message* keys = (Message*)requested_room();
    u32 slots = SLOTS;
    while (slots / 4 >= messages) slots /= 2;
    return Table{keys, (u32*)(keys + slots), slots};
}

/// Counts of a block in addition to its table.
struct BesideTable {
    u32 empties;     // messages that are equal to EMPTY
    u32 overflowed;  // nonzero if a message found no slot
};

WP_FN BesideTable& beside_table() {
    __shared__ BesideTable beside;
    return beside;
}

WP_FN u32 mix(u32 x) {
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

/// Returns a hash of a message. Hashes with different salts are independent.
WP_FN u32 hash(u32 message, u32 salt) { return mix(message + salt * 0x9e3779b9u); }
WP_FN u32 hash(u64 message, u32 salt) { return mix((u32)message + hash((u32)(message >> 32), salt)); }

/// Returns the one of `parts` parts that a message with this hash belongs to.
WP_FN u32 part_of_hash(u32 hash, u32 parts) { return (u32)((u64)hash * parts >> 32); }

/// Counts a message in the block's table.
WP_FN void count_message(const Table& table, Message message) {
    BesideTable& beside = beside_table();
    if (message == EMPTY) {
        atomicAdd(&beside.empties, 1u);
        return;
    }
    u32 slot = hash(message, 0) & (table.slots - 1);
    for (u32 probe = 0; probe < MOST_PROBES; ++probe) {
        Message held = *(volatile Message*)&table.keys[slot];
        if (held == EMPTY) held = atomicCAS(&table.keys[slot], EMPTY, message);
        if (held == EMPTY || held == message) {
            atomicAdd(&table.counts[slot], 1u);
            return;
        }
        slot = (slot + 1) & (table.slots - 1);
    }
    *(volatile u32*)&beside.overflowed = 1;
}

/// A part of a long row: the messages whose hash belongs to it.
struct Part {
    u32 number;
    u32 parts;
    bool is_counted;  // false if the item stands for no part
};

/// Returns the part of the row whose result takes the place of an item's.
WP_FN Part part_of_item(const WholeRow& row, const Item& item) {
    u32 outs = segments(row.out.length), items = outs + segments(row.in.length);
    bool reverse = item.length & ITEM_REVERSE;
    u32 at = reverse ? outs + (u32)((item.first - row.in.first) / SEGMENT_EDGES)
                     : (u32)((item.first - row.out.first) / SEGMENT_EDGES);
    u64 wanted = (row.length + PART_EDGES - 1) / PART_EDGES;
    u32 parts = wanted < items ? (u32)wanted : items;
    // The items of a row are spread over the blocks, so its parts are spread over its items.
    u32 stride = items / parts;
    return Part{at / stride, parts, at % stride == 0 && at / stride < parts};
}

/// Combines the results of all threads of a block. Thread 0 gets the result. All threads must call this.
WP_FN Partial combine_block(const DeviceRun& run, const Params& params, Partial mine, u32 v) {
    __shared__ Partial of_warp[32];
    mine = combine_lanes(run, params, mine, v);
    if (lane() == 0) of_warp[warp_in_block()] = mine;
    __syncthreads();
    if (warp_in_block() == 0) {
        mine = None<Accumulator>();
        if (lane() < BLOCK_THREADS / 32) mine = of_warp[lane()];
        __syncwarp();
        mine = combine_lanes(run, params, mine, v);
    }
    __syncthreads();
    return mine;
}

/// Counts one share of a part in the block's table. Thread 0 gets the result. All threads must call this.
WP_FN Partial count_share(const DeviceRun& run, const Params& params, const WholeRow& row, const Part& part, u32 share,
                          u32 shares, u32 v, u64 step) {
    Table table = table_of_block(row.length);
    BesideTable& beside = beside_table();
    for (u32 slot = threadIdx.x; slot < table.slots; slot += BLOCK_THREADS) {
        table.keys[slot] = EMPTY;
        table.counts[slot] = 0;
    }
    if (threadIdx.x == 0) beside = BesideTable{0, 0};
    __syncthreads();
    for (u64 i = threadIdx.x; i < row.length; i += BLOCK_THREADS) {
        Option<Message> message = message_at(run, params, row, i, v, step);
        if (!message.some) continue;
        if (part.parts > 1 && part_of_hash(hash(message.value, 1), part.parts) != part.number) continue;
        if (shares > 1 && part_of_hash(hash(message.value, shares), shares) != share) continue;
        count_message(table, message.value);
    }
    __syncthreads();
    Partial best = None<Accumulator>();
    for (u32 slot = threadIdx.x; slot < table.slots; slot += BLOCK_THREADS) {
        u32 count = table.counts[slot];
        if (count > 0) accumulate(run, params, best, Accumulator{table.keys[slot], count}, v);
    }
    if (threadIdx.x == 0 && beside.empties > 0) accumulate(run, params, best, Accumulator{EMPTY, beside.empties}, v);
    __syncwarp();
    return combine_block(run, params, best, v);
}

/// Counts the part of a long row that an item stands for. If it has more messages than the table holds, it is counted in
/// several shares. All threads must call this.
WP_CALL void count_part(u32 at, u64 step) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    Item item = run.gather[at];
    WholeRow row = whole_row(run, item.vertex);
    Part part = part_of_item(row, item);
    bool overflowed = true;
    Partial best = None<Accumulator>();
    for (u32 shares = 1; overflowed; shares *= 2) {
        best = None<Accumulator>();
        overflowed = false;
        for (u32 share = 0; share < shares && !overflowed; ++share) {
            Partial more = count_share(run, params, row, part, share, shares, item.vertex, step);
            overflowed = beside_table().overflowed != 0;
            if (more.some) accumulate(run, params, best, more.value, item.vertex);
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) ((Partial*)run.partials)[at] = best;
}

/// Counts the rows of more than WARP_MESSAGES edges in the gather queue. All threads must call this.
WP_FN void count_long_rows(const DeviceRun& run, const Params& params, u32 count, u64 step) {
    __shared__ u32 parts[BLOCK_THREADS];
    __shared__ u32 found;
    // 32 consecutive items are in one block, and the next 32 in the next one, so that long rows are spread over all.
    for (u64 begin = 0; begin < count; begin += threads()) {
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        u64 at = begin + ((u64)warp_in_block() * gridDim.x + blockIdx.x) * 32 + lane();
        if (at < count) {
            Item item = run.gather[at];
            WholeRow row = whole_row(run, item.vertex);
            if (row.length > WARP_MESSAGES && is_vertex_in_round(item.vertex)) {
                if (part_of_item(row, item).is_counted) parts[atomicAdd(&found, 1u)] = (u32)at;
                else ((Partial*)run.partials)[at] = None<Accumulator>();
            }
        }
        __syncthreads();
        for (u32 i = 0; i < found; ++i) count_part(parts[i], step);
        __syncthreads();
    }
}

WP_CALL u64 gather_step(u32 count, u64 step) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    u64 looked_at = 0;
    // Messages are counted in complete rows, in both directions.
    for_each_round<VertexRounds<GATHER_ROWS>>(run, [&] {
        looked_at += count_short_rows(run, params, count, step);
        // The block's table takes the place of the rows that its warps sort.
        __syncthreads();
        count_long_rows(run, params, count, step);
    });
    return looked_at;
}

#endif

}  // namespace wp
