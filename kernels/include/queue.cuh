// Queues of work items, and the shared-memory stage through which warps fill them.
//
// A vertex that is to send (or to gather) becomes items of at most SEGMENT_EDGES edges. Warps stage vertices and turn
// them into items many at a time, so that the queue's counter, one address for the whole device, is rarely touched.
#pragma once

namespace wp {

/// Vertices a stage can hold: one round of 32 may come on top of STAGE_VERTICES - 1.
constexpr u32 STAGE_ROOM = STAGE_VERTICES + 32;

/// One warp's stage. `count` is the same in every lane.
struct Stage {
    u32* vertices;
    u32 count;
};

/// The stage of this warp.
WP_FN Stage make_stage() {
    __shared__ u32 room[BLOCK_THREADS / 32 * STAGE_ROOM];
    return Stage{room + warp_in_block() * STAGE_ROOM, 0};
}

/// Adds the vertices of the lanes that have one. All lanes call.
WP_FN void put(Stage& stage, bool has, u32 vertex) {
    u32 having = __ballot_sync(ALL_LANES, has);
    if (has) stage.vertices[stage.count + __popc(having & ((1u << lane()) - 1))] = vertex;
    stage.count += __popc(having);
    __syncwarp();
}

/// Which rows of a vertex become items.
enum Rows { ROWS_OUT = 1, ROWS_IN = 2 };

constexpr int SEND_ROWS = (WP_SEND_OUT ? ROWS_OUT : 0) | (WP_SEND_IN ? ROWS_IN : 0);
constexpr int GATHER_ROWS = (WP_GATHER_OUT ? ROWS_OUT : 0) | (WP_GATHER_IN ? ROWS_IN : 0);

WP_FN u32 segments(u64 edges) { return (u32)((edges + SEGMENT_EDGES - 1) / SEGMENT_EDGES); }

/// A vertex's row: where it starts and how long it is.
struct Row {
    u64 first;
    u64 length;
};

WP_FN Row row_of(const Offset* offsets, u32 v) {
    u64 first = offsets[v];
    return Row{first, offsets[v + 1] - first};
}

/// Edges that a vertex's rows hold.
template <int ROWS>
WP_FN u64 edges_of(const Run& run, u32 v) {
    u64 edges = 0;
    if constexpr (ROWS & ROWS_OUT) edges += row_of(run.out_offsets, v).length;
    if constexpr (ROWS & ROWS_IN) edges += row_of(run.in_offsets, v).length;
    return edges;
}

/// How many items a vertex's rows make. With `always` a vertex without edges makes an empty one.
template <int ROWS, bool always>
WP_FN u32 items_of(const Run& run, u32 v) {
    u32 items = 0;
    if constexpr (ROWS & ROWS_OUT) items += segments(row_of(run.out_offsets, v).length);
    if constexpr (ROWS & ROWS_IN) items += segments(row_of(run.in_offsets, v).length);
    return always && items == 0 ? 1 : items;
}

/// Writes items [from, to) by `stride` of those that a vertex's rows make.
template <int ROWS>
WP_FN void write_items(const Run& run, Item* at, u32 v, u32 from, u32 to, u32 stride) {
    Row out = {0, 0}, in = {0, 0};
    if constexpr (ROWS & ROWS_OUT) out = row_of(run.out_offsets, v);
    if constexpr (ROWS & ROWS_IN) in = row_of(run.in_offsets, v);
    u32 outs = segments(out.length);
#pragma unroll 1
    for (u32 i = from; i < to; i += stride) {
        bool reverse = i >= outs && (ROWS & ROWS_IN) != 0;
        Row row = reverse ? in : out;
        u64 begin = (u64)(reverse ? i - outs : i) * SEGMENT_EDGES;
        u64 left = row.length - begin;
        Item item;
        item.vertex = v;
        item.first = row.first + begin;
        item.length = (u32)(left < SEGMENT_EDGES ? left : SEGMENT_EDGES) | (reverse ? ITEM_REVERSE : 0) |
                      (i == 0 ? ITEM_FIRST : 0);
        at[i] = item;
    }
}

/// Vertices with more items than this have the whole warp write them.
constexpr u32 MANY_ITEMS = 8;

/// Whether a counter is that of a frontier.
WP_FN bool is_frontier(const Control* control, const u64* counter) { return (u64)(counter - control->frontier) < 6; }

/// Forgets a frontier, by one thread.
WP_FN void clear_frontier(Control* control, u32 place) {
    control->frontier[place] = 0;
    control->edgeless[place] = control->hubs[place] = 0;
}

/// Notes that somebody is in the frontier whose counter this is, though without an edge.
WP_FN void note_edgeless(Control* control, const u64* counter) {
    if (is_frontier(control, counter)) control->edgeless[counter - control->frontier] = 1;
}

/// What a counter of items rises by: items, and above 32 bits pages of their edges.
WP_FN u64 counted(u32 items, u64 edges) { return items | (edges + PAGE_EDGES - 1) / PAGE_EDGES << 32; }

/// The bit of a frontier's counter that says: some of its items are not written yet.
constexpr u64 HAS_HUBS = 1ull << 63;

WP_FN u32 pages_of(u64 counter) { return (u32)((counter & ~HAS_HUBS) >> 32); }

/// Whether pulling costs less than pushing `pages` of the `left` that have not been sent along before.
WP_FN bool pulling_is_cheaper(const Run& run, u64 pages, u64 sent, u64 margin) {
    u64 all = run.edges / PAGE_EDGES + 1;
    u64 left = sent < all ? (all - sent) * PAGE_EDGES : 0;
    return pages * PAGE_EDGES > left / PULL_SHARE + run.vertices + margin;
}

/// Whether frontiers that are pulled from are queued as vertices: in place. Step by step they are found as items.
constexpr bool MAY_BE_WHOLE = WP_DIRECTION && WP_IN_PLACE;

/// Whether the next step pulls, whatever joins a frontier of so many pages: counts only rise, and what is left to be sent
/// only falls.
WP_FN bool surely_pulls(const Run& run, u64 pages) { return pulling_is_cheaper(run, pages, 0, TURN_EDGES); }

/// The same of a counter's frontier, for a warp: one lane looks, since the counter may rise between two looks. A list of
/// the frontier that begins now is pushed from. All lanes call.
WP_FN bool surely_pulls(const Run& run, const u64* counter) {
    if constexpr (!MAY_BE_WHOLE) return false;
    if (!is_frontier(run.control, counter)) return false;
    u32 pages = lane() == 0 ? pages_of(load_shared_by_all(counter)) : 0;
    return surely_pulls(run, (u64)__shfl_sync(ALL_LANES, pages, 0));
}

/// What a warp's staged vertices make: items, and in this lane those of the lane's own vertices and of the lanes before.
struct Staged {
    u32 own;
    u32 inclusive;
    u32 all;
    u64 edges;   // of all lanes, where anybody counts them
    bool whole;  // one item a vertex: the next step pulls, and only wants to know whose frontier it is
};

template <int ROWS, bool always>
WP_FN Staged count_staged(const Run& run, const u32* vertices, u32 staged, bool whole) {
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

/// Lists a hub behind the queue, to have its items written, from `base` on, before the step that walks them. By one lane.
WP_FN void list_hub(const Run& run, Item* queue, u32 v, u32 items, u32 base, u64* counter) {
    u32 at = atomicAdd(&run.control->hubs[counter - run.control->frontier], 1);
    if (at >= run.hub_room) return report(run.control, 1, PLACE_QUEUE, 0, 0);
    queue[run.queue_items + at] = Item{v, items, base};
    atomicOr(counter, HAS_HUBS);
}

/// Writes a warp's staged vertices as items from `base` on.
template <int ROWS, bool always>
WP_CALL void write_staged(const Run& run, const u32* vertices, u32 staged, const Staged& counts, Item* queue, u32 base,
                        u64* counter) {
    if (base + counts.all > run.queue_items || base + counts.all < base) {
        // Only a program that breaks its own law (`uniform`) comes here; nothing is written past the end.
        if (lane() == 0) report(run.control, 1, PLACE_QUEUE, 0, 0);
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
            queue[at] = Item{v, 0, 0};
            items = 1;
        } else if (items > HUB_ITEMS && is_frontier(run.control, counter)) {
            list_hub(run, queue, v, items, at, counter);
            together = false;
        } else if (!together) {
            write_items<ROWS>(run, queue + at, v, 0, items, 1);
        }
        for (u32 many = __ballot_sync(ALL_LANES, together); many; many &= many - 1) {
            u32 from = __ffs(many) - 1;
            u32 its_items = __shfl_sync(ALL_LANES, items, from);
            Item* its_place = queue + __shfl_sync(ALL_LANES, at, from);
            write_items<ROWS>(run, its_place, __shfl_sync(ALL_LANES, v, from), lane(), its_items, 32);
        }
        at += items;
    }
}

/// What the warps of a block ask of a queue together. Nothing between its uses, but for what warps note on the way: that
/// vertices without edges were improved, and the edges that `count_edges_first` counts.
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

/// Nothing is asked for so far. A barrier follows before anybody asks.
WP_FN void begin_orders() {
    if (threadIdx.x == 0) order_of_block() = Order{};
}

/// Appends a warp's staged vertices to `queue`; `place_in_queue` follows before the step ends.
template <int ROWS, bool always>
WP_CALL void append(const Run& run, const u32* vertices, u32 staged, Item* queue, u64* counter) {
    Staged counts = count_staged<ROWS, always>(run, vertices, staged, surely_pulls(run, counter));
    if (counts.all == 0) {
        // A frontier of vertices without edges is an empty queue, but a step all the same. The block says so once: a star's
        // leaves would all write one word.
        if (lane() == 0) *(volatile u32*)&order_of_block().edgeless = 1;
        return;
    }
    u32 base = lane() == 0 ? (u32)atomicAdd(counter, counted(counts.all, counts.edges)) : 0;
    base = __shfl_sync(ALL_LANES, base, 0);
    write_staged<ROWS, always>(run, vertices, staged, counts, queue, base, counter);
}

/// Turns everything staged into items at the end of `queue`. All lanes call.
template <int ROWS, bool always>
WP_FN void flush(const Run& run, Stage& stage, Item* queue, u64* counter) {
    if (stage.count == 0) return;
    append<ROWS, always>(run, stage.vertices, stage.count, queue, counter);
    stage.count = 0;
    __syncwarp();
}

/// Where a warp's `items` go in the queue, with one addition to the queue's counter for the whole block: at the end of a
/// step every warp has something, and a counter takes about one addition a nanosecond. `edgeless` says that the warp has
/// improved somebody, though nobody with an edge. All threads call, each lane of a warp with the same.
WP_FN u32 place_in_queue(const Run& run, u32 items, u64 edges, bool edgeless, u64* counter) {
    Order& order = order_of_block();
    u32 at = 0;
    if (lane() == 0) {
        if (items > 0) at = atomicAdd(&order.items, items);
        if (WP_DIRECTION && edges > 0) atomicAdd(&order.edges, edges);
        if (edgeless) order.edgeless = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (order.items > 0) order.base = (u32)atomicAdd(counter, counted(order.items, order.edges));
        else if (order.edgeless) note_edgeless(run.control, counter);
        order.items = order.edgeless = 0;
        order.edges = 0;
    }
    __syncthreads();
    return order.base + __shfl_sync(ALL_LANES, at, 0);
}

/// Counts the edges of a block's frontier before its items, where they are many: all blocks come to the end of a step at
/// about the same time, and only who knows of the others' edges knows that nobody need write items. Whether that is so.
/// All threads call, each lane of a warp with the same; `place_in_queue` counts the edges of blocks that have few.
WP_FN bool count_edges_first(const Run& run, u64 edges, u64* counter) {
    __shared__ bool whole;
    u64* all = &order_of_block().edges;
    if (lane() == 0 && edges > 0) atomicAdd(all, edges);
    __syncthreads();
    if (threadIdx.x == 0) {
        whole = false;
        if (*all >= ANNOUNCED_EDGES) {
            u64 own = counted(0, *all);
            whole = surely_pulls(run, (u64)pages_of(atomicAdd(counter, own)) + pages_of(own));
            *all = 0;
        }
    }
    __syncthreads();
    return whole;
}

/// Appends what the warps of a block have staged. All threads call.
template <int ROWS, bool always>
WP_CALL void append_block(const Run& run, const u32* vertices, u32 staged, Item* queue, u64* counter) {
    Staged counts = count_staged<ROWS, always>(run, vertices, staged, surely_pulls(run, counter));
    if (MAY_BE_WHOLE && is_frontier(run.control, counter)) {
        bool whole = count_edges_first(run, counts.edges, counter);
        if (whole && !counts.whole) counts = count_staged<ROWS, always>(run, vertices, staged, true);
        counts.edges = 0;  // of all that was counted
    }
    u32 base = place_in_queue(run, counts.all, counts.edges, staged > 0, counter);
    if (counts.all > 0) write_staged<ROWS, always>(run, vertices, staged, counts, queue, base, counter);
}

/// The same, after which the stages of the block are empty. All threads call.
template <int ROWS = SEND_ROWS, bool always = false>
WP_FN void flush_block(const Run& run, Stage& stage, Item* queue, u64* counter) {
    append_block<ROWS, always>(run, stage.vertices, stage.count, queue, counter);
    stage.count = 0;
}

/// Writes the items of the hubs in a queue: one warp would need half a millisecond for a star of ten million leaves. Few
/// hubs are written by the whole device one after another, many by a block each, which reads where they lie side by side.
WP_CALL void write_hubs(const Run& run, Item* queue, u32 hubs) {
    bool many = hubs >= gridDim.x;
    u32 first = many ? blockIdx.x : 0, apart = many ? gridDim.x : 1;
    u32 own = many ? threadIdx.x : thread(), all = many ? BLOCK_THREADS : threads();
    for (u32 i = first; i < hubs; i += apart) {
        Item hub = queue[run.queue_items + i];
        write_items<SEND_ROWS>(run, queue + hub.first, hub.vertex, own, hub.length, all);
    }
}

/// Makes the queue of `step` complete, whose frontier is counted at `place`.
WP_FN void complete_queue(const Run& run, u64 step, u32 place, const Decision& decision) {
    if (!decision.hubs || decision.directive != DIRECTIVE_GO || decision.count > run.queue_items) return;
    u32 hubs = load_shared_by_all(&run.control->hubs[place]);
    // Those for which there was no room were reported: the run ends with this step.
    write_hubs(run, run.queues[step & 1], hubs < run.hub_room ? hubs : run.hub_room);
    grid_barrier(&run.control->ticket, &run.control->fault, &run.control->fault);
}

/// Adds vertices, and flushes when the stage is full. All lanes call.
template <int ROWS, bool always>
WP_FN void put_items(const Run& run, Stage& stage, bool has, u32 vertex, Item* queue, u64* counter) {
    put(stage, has, vertex);
    if (stage.count >= STAGE_VERTICES) flush<ROWS, always>(run, stage, queue, counter);
}

/// Writes the staged vertices themselves to `list` from `base` on. All lanes call.
WP_FN void write_vertices(Stage& stage, u32* list, u32 base) {
    for (u32 i = lane(); i < stage.count; i += 32) list[base + i] = stage.vertices[i];
    stage.count = 0;
    __syncwarp();
}

/// Writes them to its end; it has room for every vertex once. All lanes call.
WP_FN void flush_vertices(Stage& stage, u32* list, u64* counter) {
    u32 base = 0;
    if (lane() == 0 && stage.count > 0) base = (u32)atomicAdd(counter, (u64)stage.count);
    write_vertices(stage, list, __shfl_sync(ALL_LANES, base, 0));
}

/// The same for the warps of a block. All threads call.
WP_FN void flush_vertices_of_block(const Run& run, Stage& stage, u32* list, u64* counter) {
    write_vertices(stage, list, place_in_queue(run, stage.count, 0, false, counter));
}

}  // namespace wp
