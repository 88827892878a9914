// Schedule: union-find, for programs whose messages are the senders' values and travel in both directions of every
// edge. Every vertex of a component gets the component's best first value, so it is enough to find the components.
//
// The method is Afforest (M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via
// subgraph sampling", IPDPS 2018). The first pass links every vertex to its smallest neighbour. In layered order this
// joins nearly every component. A sample then determines the largest tree, and only the vertices outside of it link
// their remaining edges, which are divided into items like those of a frontier. Paths are halved while they are
// followed (the intermediate pointer jumping of J. Jaiganesh and M. Burtscher, "A high-performance connected components
// implementation for GPUs", HPDC 2018).
//
// No parent is greater than its child, so following parents always ends at a root, a vertex that is its own parent.
// Trees are joined by changing a root's parent by compare-and-swap. The parent of any other vertex is replaced only by
// a higher ancestor, which is smaller.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_UNION

/// Passes of a run. A step is one pass.
enum Pass : u32 {
    PASS_LINK_SMALLEST = 1,
    PASS_COMPRESS = 2,
    PASS_SAMPLE = 3,   // determines the largest tree
    PASS_QUEUE = 4,    // puts the rows of the vertices outside of the largest tree into the queue of the next step
    PASS_LINK = 5,     // links the queue's edges
    PASS_COMPRESS_AGAIN = 6,
    PASS_OFFER = 7,    // combines the first values into those of the roots
    PASS_WRITE = 8,    // gives every vertex the value of its root
    PASSES = 8,
};

WP_FN u32 parent_of(const DeviceRun& run, u32 v) { return load_fresh(&run.parents[v]); }

/// Returns the root of a vertex's tree, and halves the path to it. If other threads join trees meanwhile, the result
/// may no longer be a root, but it is an ancestor.
WP_FN u32 root_of(const DeviceRun& run, u32 v) {
    u32 at = v, parent = parent_of(run, v);
    while (at != parent) {
        u32 above = parent_of(run, parent);
        // Another thread may have found a higher ancestor meanwhile, which a plain write would replace by this one.
        if (above != parent) atomicMin(&run.parents[at], above);
        at = parent;
        parent = above;
    }
    return at;
}

/// Joins the trees of two vertices. With TELLS, the other devices learn of it.
template <bool TELLS>
WP_FN void join_trees(const DeviceRun& run, u32 a, u32 b) {
    a = root_of(run, a);
    b = root_of(run, b);
    while (a != b) {
        u32 low = a < b ? a : b, high = a < b ? b : a;
        u32 before = atomicCAS(&run.parents[high], high, low);
        if (before == high) {
#if WP_SEVERAL
            if constexpr (TELLS) mark_to_post(run, high);
#endif
            return;
        }
        a = root_of(run, low);
        b = root_of(run, before);
    }
}

WP_FN void join(const DeviceRun& run, u32 a, u32 b) { join_trees<true>(run, a, b); }
WP_FN void join_quietly(const DeviceRun& run, u32 a, u32 b) { join_trees<false>(run, a, b); }

/// Returns the smaller of `parent` and the first end of a row, which is the smallest one, if this round visits it. Counts
/// the edge.
WP_FN u32 smaller_end(const DeviceRun& run, bool reverse, u32 v, u32 parent, u64& looked_at) {
    Row row = row_of(reverse ? run.in_offsets : run.out_offsets, v);
    if (row.length == 0 || !is_in_round(run, reverse, row.first)) return parent;
    ++looked_at;
    u32 end = first_end(run, reverse, v, row);
    return end < parent ? end : parent;
}

#if WP_SEVERAL && WP_FIRST_ENDS

/// Number of vertices whose first ends a thread reads before it waits for any of them.
constexpr u32 ENDS_AHEAD = 4;

/// Makes the smallest neighbour of each vertex its parent, if it is smaller than the vertex. Each of several devices knows the
/// first ends of all rows, so none has to tell the others. Returns the number of this device's edges that this thread visited.
WP_FN u64 link_smallest(const DeviceRun& run) {
    u64 looked_at = 0;
    for (u64 first = thread(); first < run.vertices; first += (u64)ENDS_AHEAD * threads()) {
        u32 out[ENDS_AHEAD], in[ENDS_AHEAD];
#pragma unroll
        for (u32 j = 0; j < ENDS_AHEAD; ++j) {
            u64 v = first + (u64)j * threads();
            bool has = v < run.vertices;
            out[j] = has && (SEND_ROWS & ROWS_OUT) ? run.out_first_ends[v] : NO_END;
            in[j] = has && (SEND_ROWS & ROWS_IN) ? run.in_first_ends[v] : NO_END;
        }
#pragma unroll
        for (u32 j = 0; j < ENDS_AHEAD; ++j) {
            u64 at = first + (u64)j * threads();
            if (at >= run.vertices) break;
            u32 v = (u32)at, end = out[j] < in[j] ? out[j] : in[j];
            run.parents[v] = end < v ? end : v;
            if (is_own(run, v)) looked_at += (out[j] != NO_END) + (in[j] != NO_END);
        }
    }
    return looked_at;
}

#else

/// Makes the smallest neighbour of each vertex its parent, if it is smaller than the vertex. Returns the number of edges
/// that this thread visited.
WP_FN u64 link_smallest(const DeviceRun& run) {
    u64 looked_at = 0;
    for (u64 i = thread(); WP_STREAMED && i < own_vertices(run); i += threads()) {
        u32 v = own_vertex(run, i);
        if (WP_SEVERAL && v >= run.vertices) continue;
        run.parents[v] = v;
        if constexpr (SEND_ROWS & ROWS_OUT) need_edges(run, false, run.out_offsets[v], edges_of<ROWS_OUT>(run, v) > 0);
        if constexpr (SEND_ROWS & ROWS_IN) need_edges(run, true, run.in_offsets[v], edges_of<ROWS_IN>(run, v) > 0);
    }
    for_each_round<ChunkRounds>(run, [&] {
        for (u64 i = thread(); i < own_vertices(run); i += threads()) {
            u32 v = own_vertex(run, i);
            if (WP_SEVERAL && v >= run.vertices) continue;
            u32 parent = WP_STREAMED ? run.parents[v] : v;
            if constexpr (SEND_ROWS & ROWS_OUT) parent = smaller_end(run, false, v, parent, looked_at);
            if constexpr (SEND_ROWS & ROWS_IN) parent = smaller_end(run, true, v, parent, looked_at);
            run.parents[v] = parent;
#if WP_SEVERAL
            // No edge leads to a vertex without edges.
            if (edges_of<SEND_ROWS>(run, v) > 0)
                for_each_other([&](const Peer& peer) { peer.parents[v] = parent; });
#endif
        }
    });
    return looked_at;
}

#endif

/// Makes the root of each tree the parent of all its vertices.
WP_FN void compress(const DeviceRun& run) {
    for (u64 i = thread(); i < own_vertices(run); i += threads()) {
        u32 v = own_vertex(run, i);
        if (WP_SEVERAL && v >= run.vertices) continue;
        u32 parent = parent_of(run, v), root = root_of(run, parent);
        if (root != parent) store_relaxed(&run.parents[v], root);
    }
}

/// Stores the root that is most frequent in a sample, in which each thread of the first block has one vertex. Vertices
/// are taken at equal distances with a varying offset. All threads must call this.
WP_FN void sample_trees(const DeviceRun& run) {
    if (blockIdx.x != 0 || !is_leader()) return;
    __shared__ u32 roots[BLOCK_THREADS];
    __shared__ u64 most;
    // The leader has the parents of its own vertices, and of others that have edges.
    u64 count = own_vertices(run);
    u32 v = own_vertex(run, (count * threadIdx.x + threadIdx.x * 2654435761u % count) / BLOCK_THREADS);
    u32 root = v < run.vertices ? parent_of(run, v) : 0;
    roots[threadIdx.x] = root;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    u64 equal = 0;
    for (u32 i = 0; i < BLOCK_THREADS; ++i) equal += roots[i] == root;
    atomicMax(&most, equal << 32 | root);
    __syncthreads();
    if (threadIdx.x == 0) {
#if WP_SEVERAL
        for_each_device([&](const Peer& peer) { store_relaxed(&peer.control->largest, (u32)most); });
#else
        run.control->largest = (u32)most;
#endif
    }
}

/// Queues the rows of all vertices outside of the largest tree.
WP_FN void queue_outside(const DeviceRun& run, Stage& stage) {
    u32 largest = load_fresh(&run.control->largest);
    Frontier queue = frontier_of(PASS_LINK);
    for (u64 i = thread(); i - lane() < own_vertices(run); i += threads()) {
        u32 v = i < own_vertices(run) ? own_vertex(run, i) : run.vertices;
        bool is_outside = v < run.vertices && parent_of(run, v) != largest;
        put_items<SEND_ROWS, false>(run, stage, is_outside, v, queue);
    }
    flush_block(run, stage, queue);
}

/// Links the edges of the queue's items, one lane per edge. Returns the number of edges that this lane visited.
WP_FN u64 link_items(const DeviceRun& run, u32 items) {
    u64 looked_at = 0;
    const Item* queue = run.queues[PASS_LINK & 1];
    need_items<SEND_ROWS>(run, queue, items);
    for_each_round<ChunkRounds>(run, [&] {
        for (u32 i = warp(); i < items; i += warps()) {
            Item item = queue[i];
            if (!has_item<SEND_ROWS>(run, item)) continue;
            u32 end = end_in_item(run, item);
            if (lane() >= (item.length & ITEM_LENGTH)) continue;
            join(run, item.vertex, end);
            ++looked_at;
        }
    });
    return looked_at;
}

/// Combines a word into that of a root. Most words of a large tree do not improve it, so its word is read first.
WP_FN void offer(const DeviceRun& run, u32 root, ValueWord word) {
    ValueWord* held = (ValueWord*)run.values + root;
    if (!improves(word, load_fresh(held))) return;
    combine_atomically(held, word);
#if WP_SEVERAL
    mark_to_post(run, root);
#endif
}

#if WP_SEVERAL

/// Marks an own vertex that is a root and may have vertices of other devices below it, if it has a value.
WP_FN void mark_root(const DeviceRun& run, u32 v) {
    bool has_value = load_fresh((const ValueWord*)run.values + v) != IDENTITY<ValueWord> || is_present(run, v);
    if (has_value && edges_of<SEND_ROWS>(run, v) > 0) mark_to_post(run, v);
}

/// Tells the other devices which trees this one has joined.
WP_FN void exchange_links(const DeviceRun& run) {
    device_barrier(run.control);
    auto parent = [&](u32 v) { return (MailWord)parent_of(run, v); };
    exchange_marked(run, parent, [&](u32 v, MailWord above) { join_quietly(run, v, (u32)above); });
}

/// Tells the other devices the values of roots.
WP_FN void exchange_roots(const DeviceRun& run) {
    device_barrier(run.control);
    auto value = [&](u32 v) { return load_fresh((const ValueWord*)run.values + v); };
    exchange_marked(run, value, [&](u32 v, MailWord word) {
        if (word == IDENTITY<ValueWord>) make_present(run, v);
        else combine_atomically((ValueWord*)run.values + v, word);
    });
}

#endif

/// Combines the first values of all vertices into those of their roots. If all vertices of a warp are in one tree, the
/// warp combines their values first.
WP_FN void offer_first_values(const DeviceRun& run) {
    for (u64 i = thread(); i - lane() < own_vertices(run); i += threads()) {
        u32 v = i < own_vertices(run) ? own_vertex(run, i) : run.vertices;
        bool has = v < run.vertices;
        u32 root = has ? parent_of(run, v) : 0;
        ValueWord word = IDENTITY<ValueWord>;
        if (has && root != v) {
            word = ((const ValueWord*)run.values)[v];
            if (word == IDENTITY<ValueWord> && is_present(run, v) && !is_present(run, root)) {
                make_present(run, root);
#if WP_SEVERAL
                mark_to_post(run, root);
#endif
            }
        }
#if WP_SEVERAL
        if (has && root == v) mark_root(run, v);
#endif
        u32 first = __shfl_sync(ALL_LANES, root, 0);
        if (__any_sync(ALL_LANES, has && root != first)) {
            if (word != IDENTITY<ValueWord>) offer(run, root, word);
            continue;
        }
#pragma unroll
        for (u32 distance = 16; distance > 0; distance /= 2) {
            ValueWord other = shuffle_down(word, distance);
            if (improves(other, word)) word = other;
        }
        if (lane() == 0 && word != IDENTITY<ValueWord>) offer(run, first, word);
    }
}

/// Gives every vertex the value of its root.
WP_FN void write_values(const DeviceRun& run) {
    ValueWord* values = (ValueWord*)run.values;
    for (u64 i = thread(); i < own_vertices(run); i += threads()) {
        u32 v = own_vertex(run, i);
        if (WP_SEVERAL && v >= run.vertices) continue;
        u32 root = parent_of(run, v);
        if (root == v) continue;
        values[v] = values[root];
        if (is_present(run, root) && !is_present(run, v)) make_present(run, v);
    }
}

/// Takes one pass. `items` is the number of items in the queue. Returns the number of edges that this thread visited.
/// All threads must call this.
WP_FN u64 take_pass(const DeviceRun& run, Stage& stage, u64 pass, u32 items) {
    switch (pass) {
        case PASS_LINK_SMALLEST: return link_smallest(run);
        case PASS_SAMPLE: sample_trees(run); return 0;
        case PASS_QUEUE: queue_outside(run, stage); return 0;
        case PASS_LINK: {
            u64 looked_at = link_items(run, items);
#if WP_SEVERAL
            exchange_links(run);
#endif
            return looked_at;
        }
        case PASS_OFFER:
            offer_first_values(run);
#if WP_SEVERAL
            exchange_roots(run);
#endif
            return 0;
        case PASS_WRITE: write_values(run); return 0;
        default: compress(run); return 0;
    }
}

WP_FN void run_steps(const DeviceRun& run, const Params&, Stage& stage, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 pass = load_fresh(&control->step);
    u64 looked_at = 0;
    if (decision.directive != DIRECTIVE_GO) await_readers(run);
    while (pass <= PASSES && decision.directive == DIRECTIVE_GO) {
        if (pass == PASS_LINK) complete_queue(run, pass, pass % 3, decision);
        // If nothing is queued, all paths are still compressed.
        if (pass == PASS_LINK && all_items(decision) == 0) pass = PASS_OFFER;
        open_step(run, clock, pass, run.vertices, KIND_PUSH, 0);
        tally(run, looked_at, take_pass(run, stage, pass, decision.count), pass);
        ++pass;
        decision =
            grid_barrier(&control->ticket, &control->frontiers[pass % 3].counted, &control->directive[pass & 1]);
    }
    count_edges(control, looked_at);
    // A count of 0 means that the run is over.
    set_all_items(decision, pass <= PASSES);
    if (thread() == 0) end_launch(run, pass, decision);
}

#endif

}  // namespace wp
