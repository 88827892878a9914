// Queues and their counters: how many items and edges a frontier has, and whether the next step pulls from it.
#pragma once

namespace wp {

/// The array of rows to gather.
constexpr u32 ROWS_TO_GATHER = 2;

/// A queue that is being filled, by the numbers of its array and its counter: two small numbers cost a thread fewer
/// registers than two addresses. A type for each use, so that no thread has to remember which it is.
template <bool FRONTIER>
struct Queue {
    static constexpr bool is_frontier = FRONTIER;
    u32 array;  // of `DeviceRun::queues`, or ROWS_TO_GATHER
    u32 place;  // among the frontiers' counters, or else among those of recipients
};

/// The frontier of a step to come: its hubs are listed, and written before that step.
typedef Queue<true> Frontier;

/// A list that is used as it is.
typedef Queue<false> List;

WP_FN Item* items_in(const DeviceRun& run, const Frontier& queue) { return run.queues[queue.array]; }
WP_FN Item* items_in(const DeviceRun& run, const List& list) {
    return list.array == ROWS_TO_GATHER ? run.gather : run.queues[list.array];
}

WP_FN Counter& counter_of(const DeviceRun& run, const Frontier& queue) { return run.control->frontiers[queue.place]; }
WP_FN Counter& counter_of(const DeviceRun& run, const List& list) { return run.control->received[list.place]; }

/// The frontier of `step`, which the step before it fills.
WP_FN Frontier frontier_of(u64 step) { return Frontier{(u32)step & 1, (u32)(step % 3)}; }

/// A list in the place of the frontier of `step`.
WP_FN List list_of(u64 step) { return List{(u32)step & 1, (u32)step & 1}; }

/// The rows to gather in `step`.
WP_FN List rows_to_gather(u64 step) { return List{ROWS_TO_GATHER, (u32)step & 1}; }

/// Empties a counter, by one thread.
WP_FN void clear(Counter& counter) { counter = Counter{}; }

/// The addend for a counter: items, and above 32 bits pages of their edges.
WP_FN u64 counted(u32 items, u64 edges) { return items | (edges + PAGE_EDGES - 1) / PAGE_EDGES << 32; }

/// The bit of a frontier's counter that is set while items of hubs are still to be written.
constexpr u64 HAS_HUBS = 1ull << 63;

/// Pages of edges in a counter.
WP_FN u32 pages_of(u64 counted) { return (u32)((counted & ~HAS_HUBS) >> 32); }

/// Returns `true` if pulling costs less than pushing `pages` of the `left` that have not been sent along before.
WP_FN bool pulling_is_cheaper(const DeviceRun& run, u64 pages, u64 sent, u64 margin) {
    u64 all = run.edges / PAGE_EDGES + 1;
    u64 left = sent < all ? (all - sent) * PAGE_EDGES : 0;
    return pages * PAGE_EDGES > left / PULL_SHARE + run.vertices + margin;
}

/// Frontiers that are pulled from are queued as vertices in place; step by step they are found as items.
constexpr bool MAY_BE_WHOLE = WP_DIRECTION && WP_IN_PLACE;

/// Returns `true` if the next step pulls even if more joins a frontier of so many pages: counts only rise, and what is left to be sent
/// only falls.
WP_FN bool surely_pulls(const DeviceRun& run, u64 pages) { return pulling_is_cheaper(run, pages, 0, TURN_EDGES); }

/// The same of a queue, for a warp: one lane looks, since the counter may rise between two looks. Lists are pushed from.
/// All lanes call.
template <typename Q>
WP_FN bool surely_pulls(const DeviceRun& run, const Q& queue) {
    if constexpr (!MAY_BE_WHOLE || !Q::is_frontier) return false;
    u32 pages = lane() == 0 ? pages_of(load_fresh(&counter_of(run, queue).counted)) : 0;
    return surely_pulls(run, (u64)__shfl_sync(ALL_LANES, pages, 0));
}

}  // namespace wp
