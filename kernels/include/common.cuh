// Counts what the ends of each edge have in common, once per resident graph and device. This file forms a separate
// translation unit with types.cuh. It counts like `wolfpath-core/src/graph/common.rs`: one row is entered in a bitmap, and the rows of its
// vertex's neighbours are looked up in the bitmap. A block has its own bitmap, of one bit per vertex: 128 KiB for a
// million vertices, which fits in L1. Its warps look up one row each.
#pragma once

namespace wp {

/// Start of a row. It has 4 bytes instead of 8 if there are fewer than 2^32 edges.
#if WP_WIDE_OFFSETS
typedef u64 Offset;
#else
typedef u32 Offset;
#endif

/// Rows of vertices, each ascending.
struct Rows {
    const Offset* offsets;
    const u32* ends;
};

/// Arguments of the kernel. wolfpath-runtime declares the same struct (`cuda/common.rs`).
struct CommonTask {
    Rows marked;    // the row of a vertex in these rows is entered in the bitmap
    Rows edges;     // each edge of the vertex in these rows gets a count:
    Rows searched;  // the number of ends of its end in these rows that are in the bitmap
    const Offset* first_counts;  // where the counts of the edges of each vertex begin
    u32* here;      // the counts of all edges; may be null
    u32* there;     // the counts of all reversed edges, if `lower`; may be null
    u32* bitmaps;   // one per block, zeroes
    u32* next;      // the next vertex, initially 0
    const u8* owners;  // of each unit of vertices, the device that has the counts of their edges; null if one device has all
    u32 vertices;
    u32 stride;     // distance between two counts, in words
    u32 lower;      // nonzero to count only edges to ends that have fewer neighbours, or equally many and a smaller index
    u32 device;     // this device (`owners`)
    u32 unit_shift; // a unit has two to the power of this number of vertices (`owners`)
    u32 reserved;
};

WP_FN u32 length_of(const Rows& rows, u32 v) { return (u32)(rows.offsets[v + 1] - rows.offsets[v]); }

/// Returns `true` if this device has the counts of the edges of `v`. Each of several devices has all rows while it counts. It
/// counts for the edges of its own vertices, so that an edge between vertices of two devices is counted by both.
WP_FN bool has_counts(const CommonTask& task, u32 v) {
    return !task.owners || task.owners[v >> task.unit_shift] == task.device;
}

/// Returns the place of `end` in the row of `v`, which contains it.
WP_FN u64 place_of(const Rows& rows, u32 v, u32 end) {
    u64 first = rows.offsets[v], low = first, high = rows.offsets[v + 1];
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (rows.ends[middle] < end) low = middle + 1;
        else high = middle;
    }
    return low - first;
}

/// Counts the ends in the row of `v` that are in the bitmap. All lanes of a warp must call this; each gets the count.
WP_FN u32 count_marked(const Rows& rows, u32 v, const u32* bitmap) {
    u32 count = 0;
    u64 end_of_row = rows.offsets[v + 1];
    for (u64 at = rows.offsets[v] + (threadIdx.x & 31); at < end_of_row; at += 32) {
        u32 end = rows.ends[at];
        count += bitmap[end >> 5] >> (end & 31) & 1;
    }
    for (u32 distance = 16; distance > 0; distance /= 2) count += __shfl_xor_sync(ALL_LANES, count, distance);
    return count;
}

/// Counts all edges of `v`, whose row is in the bitmap. The warps of the block share them. If the row is empty, all
/// counts are 0.
WP_FN void count_edges_of(const CommonTask& task, u32 v, const u32* bitmap) {
    u32 own = length_of(task.edges, v);
    u64 first = task.edges.offsets[v];
    bool is_empty = length_of(task.marked, v) == 0;
    u32* here = has_counts(task, v) ? task.here : nullptr;
    for (u32 i = threadIdx.x / 32; i < own; i += blockDim.x / 32) {
        u32 end = task.edges.ends[first + i];
        if (task.lower) {
            u32 others = length_of(task.edges, end);
            if (others > own || (others == own && end > v)) continue;
        }
        u32* there = task.lower && has_counts(task, end) ? task.there : nullptr;
        if (!here && !there) continue;
        u32 count = is_empty ? 0 : count_marked(task.searched, end, bitmap);
        if ((threadIdx.x & 31) != 0) continue;
        if (here) here[(task.first_counts[v] + i) * task.stride] = count;
        if (there) there[(task.first_counts[end] + place_of(task.edges, end, v)) * task.stride] = count;
    }
}

}  // namespace wp

extern "C" __global__ void __launch_bounds__(WP_BLOCK_THREADS, 1)
    wolfpath_common(const __grid_constant__ wp::CommonTask task) {
    using namespace wp;
    __shared__ u32 taken;
    u32* bitmap = task.bitmaps + (u64)blockIdx.x * ((task.vertices + 31) / 32);
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(task.next, 1u);
        __syncthreads();
        u32 v = taken;
        if (v >= task.vertices) break;
        u64 first = task.marked.offsets[v], end = task.marked.offsets[v + 1];
        if (length_of(task.edges, v) > 0 && (task.lower || has_counts(task, v))) {
            for (u64 at = first + threadIdx.x; at < end; at += blockDim.x) {
                u32 marked = task.marked.ends[at];
                atomicOr(&bitmap[marked >> 5], 1u << (marked & 31));
            }
            __syncthreads();
            count_edges_of(task, v, bitmap);
            __syncthreads();
            // Several threads may clear the same word, so they write it as volatile.
            for (u64 at = first + threadIdx.x; at < end; at += blockDim.x)
                *(volatile u32*)&bitmap[task.marked.ends[at] >> 5] = 0;
        }
        // No thread may take the next vertex while another one reads `taken`, or mark before all bits are cleared.
        __syncthreads();
    }
}
