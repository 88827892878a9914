// Overflow: if rows live outside of the device, a queue has room for only a part of a large frontier (WP_OVERFLOWS). The
// vertices that find no room in it are marked in a bitmap. A step visits the items of the queue first. Then it visits the
// rows of the marked vertices in ascending order, so that warps read nearby rows at about the same time. A device
// reads host memory faster in this order: it can address only about half a gigabyte of it quickly, and adjacent rows
// share requests. A bitmap also takes much less memory than a queue of all items.
#pragma once

namespace wp {

/// Vertex of an item that is empty because the vertices that would have had it are marked instead.
constexpr u32 NOBODY = ~0u;

#if WP_OVERFLOWS

WP_FN bool may_have_items(const DeviceRun&, u32) { return true; }

/// Returns the number of items in a queue, given the number of items that the frontier has.
WP_FN u32 items_queued(const DeviceRun& run, u32 count) { return count < run.queue_items ? count : run.queue_items; }

/// Marks a vertex in the overflow of the queue with index `array`.
WP_FN void mark_overflow(const DeviceRun& run, u32 array, u32 v) {
    atomicOr(&run.overflows[array][v >> 5], 1u << (v & 31));
}

/// Empties the items from `base` on, which were counted but are not written.
WP_FN void leave_empty(const DeviceRun& run, u32 array, u32 base) {
    for (u64 i = (u64)base + lane(); i < run.queue_items; i += 32) run.queues[array][i] = Item{NOBODY, 0, 0};
}

/// Clears the overflows of both queues before a run. All threads must call this.
WP_FN void clear_overflows(const DeviceRun& run) {
    for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads())
        run.overflows[0][word] = run.overflows[1][word] = 0;
}

/// Clears the overflow of a frontier of `count` items, if there can be one. No thread reads or marks it until the next
/// barrier. All threads must call this.
WP_FN void drop_overflow(const DeviceRun& run, u32 array, u32 count) {
    if (count <= run.queue_items) return;
    for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads()) run.overflows[array][word] = 0;
}

/// Clears the overflow of a frontier that was visited. All threads must call this.
WP_FN void forget_overflow(const DeviceRun& run, u32 array, u32 count) {
    if (count <= run.queue_items) return;
    // All warps have read the marks.
    await_device(run.control, &run.control->fault);
    drop_overflow(run, array, count);
}

/// Returns the vertex whose row contains the edge at `position`. All lanes must call this with the same arguments.
WP_FN u32 vertex_at(const DeviceRun& run, const Offset* offsets, u64 position) {
    u32 first = 0, count = run.vertices;
    while (count > 1) {
        u32 apart = (count + 31) / 32, index = lane() * apart;
        bool is_before = index < count && offsets[first + index] <= position;
        u32 last = (__popc(__ballot_sync(ALL_LANES, is_before)) - 1) * apart;
        first += last;
        count = count - last < apart ? count - last : apart;
    }
    return first;
}

/// Calls `visit(word, bits)` for each word of an overflow, if there can be one. All threads must call this.
template <typename Visit>
WP_FN void for_each_word_of_overflow(const DeviceRun& run, u32 array, u32 count, Visit visit) {
    if (count <= run.queue_items) return;
    for (u64 word = thread(); word < ((u64)run.vertices + 31) / 32; word += threads())
        visit((u32)word, load_fresh(&run.overflows[array][word]));
}

#else

/// Returns `true` if a frontier may have `count` items. A count beyond the queue's capacity means that a thread could not
/// add its items, and reported a fault.
WP_FN bool may_have_items(const DeviceRun& run, u32 count) { return count <= run.queue_items; }

/// One of several devices may learn of such a fault late.
WP_FN u32 items_queued(const DeviceRun& run, u32 count) {
    return WP_SEVERAL && count > run.queue_items ? run.queue_items : count;
}
WP_FN void mark_overflow(const DeviceRun&, u32, u32) {}
WP_FN void leave_empty(const DeviceRun&, u32, u32) {}
WP_FN void clear_overflows(const DeviceRun&) {}
WP_FN void drop_overflow(const DeviceRun&, u32, u32) {}
WP_FN void forget_overflow(const DeviceRun&, u32, u32) {}

template <typename Visit>
WP_FN void for_each_word_of_overflow(const DeviceRun&, u32, u32, Visit) {}

#endif

/// Marks those of a warp's staged vertices that have edges.
template <int ROWS>
WP_FN void mark_staged(const DeviceRun& run, const u32* vertices, u32 staged, u32 array) {
    for (u32 i = lane(); i < staged; i += 32) {
        if (edges_of<ROWS>(run, vertices[i]) > 0) mark_overflow(run, array, vertices[i]);
    }
}

}  // namespace wp
