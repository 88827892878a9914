// Queues of items (an item is a part of one vertex's row) and their counters, which count the items and edges of a
// frontier. These counts determine whether the next step pulls from the frontier.
#pragma once

namespace wp {

/// Kinds of queues.
enum QueueKind {
    // The frontier of a later step. Its hubs (vertices with very many items) are only listed; their items are written
    // before that step.
    IS_FRONTIER,
    // A list that replaces a frontier. It contains no hubs; all its items are written at once.
    IS_LIST,
    // The rows to gather, which are written like a list.
    IS_GATHERED,
    // A frontier to which one of several devices adds what has arrived in its inbox. That was told when it was posted.
    IS_MERGED,
};

/// A queue that is being filled, represented by the indices of its array and its counter, since two small integers take
/// fewer registers than two addresses. The type states the kind, so that no thread has to store it.
template <QueueKind KIND>
struct Queue {
    static constexpr bool is_frontier = KIND == IS_FRONTIER || KIND == IS_MERGED;
    static constexpr bool tells = KIND == IS_FRONTIER;
    // It may be given vertices of other devices.
    static constexpr bool posts =
        WP_SEVERAL && (KIND == IS_GATHERED || (WP_IN_PLACE && WP_SCHEDULE != WP_WALK && KIND == IS_FRONTIER));
    static constexpr bool overflows = WP_OVERFLOWS && KIND != IS_GATHERED;
    u32 array;  // index in `DeviceRun::queues`; unused for rows to gather
    u32 place;  // index in `Control::frontiers`, or in `Control::received` for others
};

typedef Queue<IS_FRONTIER> Frontier;
typedef Queue<IS_LIST> List;
typedef Queue<IS_GATHERED> Gathered;
typedef Queue<IS_MERGED> Merged;

template <QueueKind KIND>
WP_FN Item* items_in(const DeviceRun& run, const Queue<KIND>& queue) {
    return KIND == IS_GATHERED ? run.gather : run.queues[queue.array];
}

/// Returns the capacity of a queue.
template <QueueKind KIND>
WP_FN u32 capacity_of(const DeviceRun& run, const Queue<KIND>&) {
    return KIND == IS_GATHERED ? run.gather_items : run.queue_items;
}

template <QueueKind KIND>
WP_FN Counter& counter_of(const DeviceRun& run, const Queue<KIND>& queue) {
    return Queue<KIND>::is_frontier ? run.control->frontiers[queue.place] : run.control->received[queue.place];
}

/// Returns the frontier of `step`, which the step before it fills.
WP_FN Frontier frontier_of(u64 step) { return Frontier{(u32)step & 1, (u32)(step % 3)}; }

/// Returns the same frontier, for what has arrived in the inbox.
WP_FN Merged merged_frontier_of(u64 step) { return Merged{(u32)step & 1, (u32)(step % 3)}; }

/// Returns the list that replaces the frontier of `step` and contains no hubs.
WP_FN List list_of(u64 step) { return List{(u32)step & 1, (u32)step & 1}; }

/// Returns the rows to gather in `step`.
WP_FN Gathered rows_to_gather(u64 step) { return Gathered{0, (u32)step & 1}; }

/// Clears a counter. Called by one thread.
WP_FN void clear(Counter& counter) { counter = Counter{}; }

/// Returns the addend for a counter: the number of items in the lower 32 bits, and the pages of their edges in the
/// upper bits. A page is PAGE_EDGES edges.
WP_FN u64 counted(u32 items, u64 edges) { return items | (edges + PAGE_EDGES - 1) / PAGE_EDGES << 32; }

/// Bit of a frontier's counter that is set while items of hubs are still to be written.
constexpr u64 HAS_HUBS = 1ull << 63;

/// Bit of a frontier's counter that is set if the next step pulls even if the frontier has few edges, because a block that
/// expected it to pull has queued whole vertices.
constexpr u64 IS_WHOLE = 1ull << 62;

/// Returns the pages of edges in a counter.
WP_FN u32 pages_of(u64 counted) { return (u32)((counted & ~(HAS_HUBS | IS_WHOLE)) >> 32); }

/// Returns `true` if pulling costs less than pushing along `pages` pages of edges. `sent` is the number of pages in all
/// frontiers so far. The cost of pulling is estimated from the graph's remaining edges.
WP_FN bool pulling_is_cheaper(const DeviceRun& run, u64 pages, u64 sent, u64 margin) {
    u64 all = (WP_SEVERAL ? run.all_edges : run.edges) / PAGE_EDGES + 1;
    u64 left = sent < all ? (all - sent) * PAGE_EDGES : 0;
    return pages * PAGE_EDGES > left / PULL_SHARE + run.vertices + margin;
}

/// `true` if the frontier of a step that pulls may be queued as whole vertices. This applies in place; step-by-step
/// schedules queue items.
constexpr bool MAY_BE_WHOLE = WP_DIRECTION && WP_IN_PLACE;

/// Returns `true` if the next step pulls, even if more vertices join a frontier of `pages` pages. More vertices only
/// make pushing more expensive. For the estimate of pulling, assumes that no edge has been sent along yet, which is the
/// worst case.
WP_FN bool surely_pulls(const DeviceRun& run, u64 pages) { return pulling_is_cheaper(run, pages, 0, TURN_EDGES); }

/// Returns `true` if a block may assume that the next step pulls, given the pages of its own part of the frontier. All blocks
/// have had similar parts of the frontier before, so half of what they would have in all is a safe estimate.
WP_FN bool expects_to_pull(const DeviceRun& run, u32 own_pages) { return surely_pulls(run, (u64)own_pages * gridDim.x / 2); }

/// Returns `true` if the next step surely pulls from `queue`. One lane reads the counter for all, because it may rise
/// between two reads, and all lanes must get the same result. Returns `false` for a list, whose items are always
/// written in full. All lanes must call this.
template <typename Q>
WP_FN bool surely_pulls(const DeviceRun& run, const Q& queue) {
    if constexpr (!MAY_BE_WHOLE || !Q::is_frontier) return false;
    bool pulls = false;
    if (lane() == 0) {
        u64 counted = load_fresh(&counter_of(run, queue).counted);
        pulls = (counted & IS_WHOLE) || surely_pulls(run, (u64)pages_of(counted));
    }
    return __shfl_sync(ALL_LANES, (u32)pulls, 0);
}

}  // namespace wp
