// Conversion of staged vertices to items of a queue. (A warp's stage collects vertices in shared memory; see
// `stage.cuh`.) A vertex that is to send (or to gather) yields one item per SEGMENT_EDGES edges of its rows.
#pragma once

namespace wp {

/// Largest number of items that one lane writes for a vertex. If a vertex has more items, the whole warp writes them.
constexpr u32 MANY_ITEMS = 8;

/// Number of items of a warp's staged vertices: of this lane's own vertices (`own`), of the vertices of all lanes up to
/// this one (`inclusive`), and of the vertices of all lanes (`all`).
struct Staged {
    u32 own;
    u32 inclusive;
    u32 all;
    u64 edges;   // edges of all lanes' vertices, if edges are counted
    bool whole;  // one empty item per vertex: the next step pulls, and needs only the frontier's vertices
};

template <int ROWS, bool always>
WP_FN Staged count_staged(const DeviceRun& run, const u32* vertices, u32 staged, bool whole) {
    Staged counts = {0, 0, 0, 0, whole};
    for (u32 i = lane(); i < staged; i += 32) {
        u32 items = items_of<ROWS, always>(run, vertices[i]);
        counts.own += whole && items > 0 ? 1 : items;
        if constexpr (WP_DIRECTION) counts.edges += edges_of<ROWS>(run, vertices[i]);
    }
    counts.inclusive = inclusive_sum(counts.own);
    counts.all = __shfl_sync(ALL_LANES, counts.inclusive, 31);
    if constexpr (WP_DIRECTION) counts.edges = sum_of_lanes(counts.edges);
    return counts;
}

/// Writes a warp's staged vertices as items, starting at `base`.
template <int ROWS, bool always, typename Q>
WP_CALL void write_staged(const u32* vertices, u32 staged, const Staged& counts, const Q queue,
                          u32 base) {
    const DeviceRun& run = run_of_block();
    Item* to = items_in(run, queue);
    if ((u64)base + counts.all > capacity_of(run, queue)) {
        if constexpr (Q::overflows) {
            mark_staged<ROWS>(run, vertices, staged, queue.array);
            leave_empty(run, queue.array, base);
        } else if (lane() == 0) {
            // This happens only if a program wrongly declares `uniform`. Nothing is written past the queue's end.
            report(run.control, 1, PLACE_QUEUE, 0, 0);
        }
        return;
    }
    u32 at = base + counts.inclusive - counts.own;
#pragma unroll 1
    for (u32 i = lane(); i - lane() < staged; i += 32) {
        bool has = i < staged;
        u32 v = has ? vertices[i] : 0;
        u32 items = has ? items_of<ROWS, always>(run, v) : 0;
        bool together = !counts.whole && items > MANY_ITEMS;
        if (counts.whole && items > 0) {
            to[at] = Item{v, 0, 0};
            items = 1;
        } else if (Q::is_frontier && items > HUB_ITEMS) {
            if constexpr (Q::is_frontier) list_hub(run, queue, v, items, at);
            together = false;
        } else if (!together) {
            write_items<ROWS>(run, to + at, v, 0, items, 1);
        }
        for (u32 many = __ballot_sync(ALL_LANES, together); many; many &= many - 1) {
            u32 from = __ffs(many) - 1;
            u32 its_items = __shfl_sync(ALL_LANES, items, from);
            Item* its_place = to + __shfl_sync(ALL_LANES, at, from);
            write_items<ROWS>(run, its_place, __shfl_sync(ALL_LANES, v, from), lane(), its_items, 32);
        }
        at += items;
    }
}

/// Request of all warps of a block for space in a queue. Between uses it is empty except for two fields, which warps
/// may set in the meantime: `edgeless`, if vertices without edges were improved, and the edges that `count_edges_first`
/// counts.
struct Order {
    u64 edges;
    u32 items;
    u32 base;
    u32 edgeless;
};

WP_FN Order& order_of_block() {
    __shared__ Order order;
    return order;
}

/// Initializes the block's order. A barrier follows before any warp uses it.
WP_FN void begin_orders() {
    if (threadIdx.x == 0) order_of_block() = Order{};
}

/// Posts those of a warp's staged vertices that belong to other devices. Returns how many are left. All lanes must call this.
template <typename Q>
WP_FN u32 keep_own(u32* vertices, u32 staged, const Q& queue) {
#if WP_SEVERAL
    if constexpr (Q::posts) return post_staged(vertices, staged, Q::is_frontier ? queue.array ^ 1 : queue.place);
#endif
    return staged;
}

/// Appends a warp's staged vertices to `queue`. The block calls `place_in_queue` later in the same step.
template <int ROWS, bool always, typename Q>
WP_CALL void append(u32* vertices, u32 staged, const Q queue) {
    const DeviceRun& run = run_of_block();
    staged = keep_own(vertices, staged, queue);
    if (WP_SEVERAL && staged == 0) return;
    Staged counts = count_staged<ROWS, always>(run, vertices, staged, surely_pulls(run, queue));
    if (counts.all == 0) {
        // A frontier of vertices without edges has an empty queue, but it still counts as a step. The block records
        // such vertices once; otherwise all leaves of a star would write the same word of global memory.
        if (lane() == 0) *(volatile u32*)&order_of_block().edgeless = 1;
        return;
    }
    u32 base = 0;
    delay();
    if (lane() == 0) {
        if constexpr (Q::tells) tell_gate(counts.all, counts.edges);
        base = (u32)atomicAdd(&counter_of(run, queue).counted, counted(counts.all, counts.edges));
    }
    base = __shfl_sync(ALL_LANES, base, 0);
    write_staged<ROWS, always>(vertices, staged, counts, queue, base);
}

/// Converts all staged vertices to items at the end of `queue`. All lanes must call this.
template <int ROWS, bool always, typename Q>
WP_FN void flush(const DeviceRun& run, Stage& stage, const Q& queue) {
    if (stage.count == 0) return;
    append<ROWS, always>(stage.vertices, stage.count, queue);
    stage.count = 0;
    __syncwarp();
}

/// Returns the index in the queue for a warp's `items`. At the end of a step every warp has items, and a counter takes
/// only about one addition per nanosecond. A block therefore makes one addition to the queue's counter for all of its
/// warps, and tells it at the next gate if TELLS. `edgeless` is true if the warp improved any vertex, even one without
/// edges. All threads must call this, with the same arguments in all lanes of a warp.
template <bool TELLS = false>
WP_FN u32 place_in_queue(u32 items, u64 edges, bool edgeless, Counter& counter) {
    Order& order = order_of_block();
    u32 at = 0;
    delay();
    if (lane() == 0) {
        if (items > 0) at = atomicAdd(&order.items, items);
        if (WP_DIRECTION && edges > 0) atomicAdd(&order.edges, edges);
        if (edgeless) order.edgeless = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if constexpr (TELLS) tell_gate(order.items, order.edges);
        if (order.items > 0) order.base = (u32)atomicAdd(&counter.counted, counted(order.items, order.edges));
        else if (order.edgeless) store_relaxed(&counter.edgeless, 1u);
#if WP_SEVERAL
        if (TELLS && order.items == 0 && order.edgeless) tell_flag(TELLS_EDGELESS);
#endif
        order.items = order.edgeless = 0;
        order.edges = 0;
    }
    __syncthreads();
    return order.base + __shfl_sync(ALL_LANES, at, 0);
}

/// Adds a block's edges to the counter before its items, if there are many edges. Only a block that knows the other blocks'
/// edges can determine that the next step pulls, and all blocks reach the end of a step at about the same time. A block with
/// very many edges therefore assumes that the others have as many, and decides. Returns `true` if the next step pulls, so that
/// items need not be written. If a block has few edges, `place_in_queue` counts them instead. All threads must call this,
/// with the same arguments in all lanes of a warp.
WP_FN bool count_edges_first(const DeviceRun& run, u64 edges, Counter& counter, bool tells) {
    __shared__ bool whole;
    u64* all = &order_of_block().edges;
    if (lane() == 0 && edges > 0) atomicAdd(all, edges);
    __syncthreads();
    if (threadIdx.x == 0) {
        whole = false;
        if (*all >= ANNOUNCED_EDGES) {
            u64 own = counted(0, *all), before = atomicAdd(&counter.counted, own);
            if (tells) tell_gate(0, *all);
            whole = (before & IS_WHOLE) || surely_pulls(run, (u64)pages_of(before) + pages_of(own));
#if WP_SEVERAL
            // Vertices of other devices count, too.
            u32 pages = told_by_block().pages;
#else
            u32 pages = pages_of(own);
#endif
            if (!whole && tells && expects_to_pull(run, pages)) {
                atomicOr(&counter.counted, IS_WHOLE);
                atomicOr(&told_by_block().more, 1u);
#if WP_SEVERAL
                tell_flag(TELLS_WHOLE);
#endif
                whole = true;
            }
            *all = 0;
        }
    }
    __syncthreads();
    return whole;
}

/// Appends the vertices that all warps of a block have staged. All threads must call this.
template <int ROWS, bool always, typename Q>
WP_CALL void append_block(u32* vertices, u32 staged, const Q queue) {
    const DeviceRun& run = run_of_block();
    staged = keep_own(vertices, staged, queue);
    Staged counts = count_staged<ROWS, always>(run, vertices, staged, surely_pulls(run, queue));
    if (MAY_BE_WHOLE && Q::is_frontier) {
        bool whole = count_edges_first(run, counts.edges, counter_of(run, queue), Q::tells);
        if (whole && !counts.whole) counts = count_staged<ROWS, always>(run, vertices, staged, true);
        counts.edges = 0;  // already counted for the whole block
    }
    u32 base = place_in_queue<Q::tells>(counts.all, counts.edges, staged > 0, counter_of(run, queue));
    if (counts.all > 0) write_staged<ROWS, always>(vertices, staged, counts, queue, base);
}

/// Does the same as `append_block`, and empties the stages of the block. All threads must call this.
template <int ROWS = SEND_ROWS, bool always = false, typename Q>
WP_FN void flush_block(const DeviceRun& run, Stage& stage, const Q& queue) {
    append_block<ROWS, always>(stage.vertices, stage.count, queue);
    stage.count = 0;
}

/// Stages vertices, and flushes the stage when it is full. All lanes must call this.
template <int ROWS, bool always, typename Q>
WP_FN void put_items(const DeviceRun& run, Stage& stage, bool has, u32 vertex, const Q& queue) {
    put(stage, has, vertex);
    if (stage.count >= STAGE_VERTICES) flush<ROWS, always>(run, stage, queue);
}

/// Writes the staged vertices themselves to `list`, starting at `base`. All lanes must call this.
WP_FN void write_vertices(Stage& stage, u32* list, u32 base) {
    for (u32 i = lane(); i < stage.count; i += 32) list[base + i] = stage.vertices[i];
    stage.count = 0;
    __syncwarp();
}

/// Appends the staged vertices to `list`, which has space for every vertex once. All lanes must call this.
WP_FN void flush_vertices(Stage& stage, u32* list, Counter& counter) {
    u32 base = 0;
    if (lane() == 0 && stage.count > 0) base = (u32)atomicAdd(&counter.counted, (u64)stage.count);
    write_vertices(stage, list, __shfl_sync(ALL_LANES, base, 0));
}

/// Does the same as `flush_vertices` for all warps of a block, with one addition to the counter. All threads must call
/// this.
WP_FN void flush_vertices_of_block(Stage& stage, u32* list, Counter& counter) {
    write_vertices(stage, list, place_in_queue(stage.count, 0, false, counter));
}

}  // namespace wp
