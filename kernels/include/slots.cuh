// Slots of messages. If the messages of a step are computed in advance, and a few vertices have many of the edges, each
// vertex has a slot, in descending order of the edges along which it sends, and the messages are stored by slot. Messages
// that are read often are then near each other, and each block copies the first ones to shared memory. The ends of edges are
// replaced by slots, in a copy that is made once per resident graph. In this copy, rows that single lanes gather are in
// columns: 32 rows of one length form a slice, which contains their first ends, then their second ends, and so on. A warp
// reads adjacent words, and none of its lanes waits for a longer row. The items of long rows are padded to blocks of 32 ends,
// so that every read of a warp is aligned and complete.
//
// Neither the order of messages within a row nor the order in which they are added changes, so a sum is the same with and
// without slots, on every device, and wherever rows live.
//
// The approximate sort by degree and the columns are techniques of Zhong et al., "Optimizing Graph Processing on GPUs" (2017).
#pragma once

namespace wp {

#if WP_SLOTS

static_assert(WP_SCHEDULE == WP_PULL && WP_EVERYONE_SENDS && WP_MESSAGES_MADE_ONCE && !WP_PACKED && !WP_ROWS_ON_HOST &&
                  !WP_STREAMED && !WP_READS_VALUES_AT && WP_GATHER_OUT != WP_GATHER_IN,
              "all messages are made in advance, and rows of one direction are gathered from the device's memory");

/// In place of a vertex: a place in a slice that belongs to no row.
constexpr u32 NO_ROW = ~0u;

/// In place of a vertex's slot: the end of no edge. Its message is that of a vertex without a message or, if messages are
/// added, -0.0, which changes no sum.
constexpr u32 NO_SLOT = 0;

WP_FN const Offset* gathered_offsets(const DeviceRun& run) { return WP_GATHER_IN ? run.in_offsets : run.out_offsets; }

/// Returns the class of a degree: a degree below 2 * EACH_DEGREE has its own class, and larger ones share EACH_DEGREE classes
/// per octave. The host computes the same number (`degree_classes.rs`).
WP_FN u32 class_of(u64 degree) {
    if (degree < EACH_DEGREE) return (u32)degree;
    u32 shift = 63 - __clzll((long long)degree) - (__ffs(EACH_DEGREE) - 1);
    return EACH_DEGREE + shift * EACH_DEGREE + (u32)(degree >> shift) % EACH_DEGREE;
}

/// Calls `put(vertex, place)` for each vertex, with a place of its class. `class_at(vertex)` is a number below `classes`, or
/// `classes` for none. `next[c]` is the first free place of class c. A tile of vertices takes its places together.
/// All threads must call this. One of several devices gives places to its own vertices.
template <typename ClassAt, typename Put>
WP_FN void place_by_class(const DeviceRun& run, u32 classes, u32* next, ClassAt class_at, Put put) {
    u32* counts = (u32*)requested_room();
    u32* places = counts + classes;
    u64 all = own_vertices(run);
    for (u64 begin = (u64)blockIdx.x * BLOCK_THREADS; begin < all; begin += threads()) {
        for (u32 i = threadIdx.x; i < classes; i += BLOCK_THREADS) counts[i] = 0;
        __syncthreads();
        u64 at = begin + threadIdx.x;
        u32 v = at < all ? own_vertex(run, at) : run.vertices;
        u32 own = v < run.vertices ? class_at(v) : classes;
        u32 before = own < classes ? atomicAdd(&counts[own], 1u) : 0;
        __syncthreads();
        for (u32 i = threadIdx.x; i < classes; i += BLOCK_THREADS) {
            if (counts[i] > 0) places[i] = atomicAdd(&next[i], counts[i]);
        }
        __syncthreads();
        if (own < classes) put(v, places[own] + before);
        __syncthreads();
    }
}

/// Gives every vertex its slot, and every short row its place in a slice. Of each class of degrees, each of several devices
/// has its own range of slots, so that it can give the others its messages in order.
WP_FN void derive_slots(const DeviceRun& run) {
    const Offset* gathered = gathered_offsets(run);
    auto degree_class = [&](u32 v) { return class_of(out_degree(run, v)); };
    auto set_slot = [&](u32 v, u32 slot) {
#if WP_SEVERAL
        for_each_device([&](const Peer& peer) { peer.message_slots[v] = slot; });
#else
        run.message_slots[v] = slot;
#endif
    };
    place_by_class(run, DEGREE_CLASSES, run.next_slots, degree_class, set_slot);
    auto length_class = [&](u32 v) {
        u64 length = row_of(gathered, v).length;
        return length > 0 && length <= LONG_ITEM ? (u32)length : LONG_ITEM + 1;
    };
    place_by_class(run, LONG_ITEM + 1, run.next_rows, length_class, [&](u32 v, u32 place) { run.short_rows[place] = v; });
}

/// A slice: 32 rows of one length.
struct Slice {
    u64 first;   // position of its first end in the columns
    u32 length;  // of each row
};

/// The slices of rows of each length: lane l has those of length 32 - l, which come before those of shorter rows.
struct Slices {
    u64 ends;   // position of the first end in the columns
    u32 first;  // number of the first slice
    u32 next;   // number of the first slice of shorter rows
};

static_assert(LONG_ITEM == 32, "each lane has the slices of one length");

WP_FN Slices slices_by_lane(const DeviceRun& run) {
    Slices mine = {0, run.first_slices[lane()], run.first_slices[lane() + 1]};
    u64 before = (u64)(mine.next - mine.first) * 32 * (LONG_ITEM - lane());
    u64 sum = before;
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
        u64 other = __shfl_up_sync(ALL_LANES, sum, distance);
        if (lane() >= distance) sum += other;
    }
    mine.ends = sum - before;
    return mine;
}

/// Returns the slice with a number. All lanes must call this with the same number.
WP_FN Slice slice_of(const Slices& slices, u32 number) {
    u32 shorter = __popc(__ballot_sync(ALL_LANES, slices.next <= number));
    u32 length = LONG_ITEM - shorter;
    u64 ends = __shfl_sync(ALL_LANES, slices.ends, shorter & 31);
    u32 first = __shfl_sync(ALL_LANES, slices.first, shorter & 31);
    return Slice{length > 0 ? ends + (u64)(number - first) * 32 * length : 0, length};
}

/// Copies the ends of short rows to columns, as slots.
WP_FN void derive_columns(const DeviceRun& run) {
    const u32* ends = WP_GATHER_IN ? run.in_ends : run.out_ends;
    const Offset* offsets = gathered_offsets(run);
    Slices slices = slices_by_lane(run);
    for (u32 number = warp(); number < run.slice_count; number += warps()) {
        Slice slice = slice_of(slices, number);
        u32 v = run.short_rows[number * 32 + lane()];
        u64 first = v == NO_ROW ? 0 : offsets[v];
        for (u32 i = 0; i < slice.length; ++i) {
            run.columns[slice.first + i * 32 + lane()] = v == NO_ROW ? NO_SLOT : run.message_slots[ends[first + i]];
        }
    }
}

/// Derives what does not depend on the items of long rows. All threads must call this.
WP_CALL void derive_short_rows() {
    const DeviceRun& run = run_of_block();
    Control* control = run.control;
    for (u64 i = thread(); i < (u64)run.slice_count * 32; i += threads()) run.short_rows[i] = NO_ROW;
    grid_barrier(&control->ticket, &control->fault, &control->fault);
    derive_slots(run);
    grid_barrier(&control->ticket, &control->fault, &control->fault);
    derive_columns(run);
}

/// Copies the ends of the items of the gather queue, which are the parts of long rows, to blocks. A warp takes the places of
/// 32 items together, so that items that are gathered one after the other are near each other. All threads must call this.
WP_CALL void derive_blocks(u32 count) {
    const DeviceRun& run = run_of_block();
    const u32* ends = WP_GATHER_IN ? run.in_ends : run.out_ends;
    for (u32 begin = warp() * 32; begin < count; begin += warps() * 32) {
        Item own = begin + lane() < count ? run.gather[begin + lane()] : Item{0, 0, 0};
        u32 blocks = ((own.length & ITEM_LENGTH) + 31) / 32;
        u32 until = inclusive_sum(blocks), first = 0;
        if (lane() == 31) first = atomicAdd(run.next_block, until);
        first = __shfl_sync(ALL_LANES, first, 31) + until - blocks;
        if (begin + lane() < count) run.item_blocks[begin + lane()] = Blocks{first, blocks};
        for (u32 i = 0; i < 32; ++i) {
            Item item = shuffle(own, i);
            u32 length = item.length & ITEM_LENGTH;
            u32* to = run.item_ends + (u64)__shfl_sync(ALL_LANES, first, i) * 32;
            for (u32 at = lane(); at - lane() < length; at += 32)
                to[at] = at < length ? run.message_slots[ends[item.first + at]] : NO_SLOT;
        }
    }
}

#endif

}  // namespace wp
