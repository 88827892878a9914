// Combined edge lists (Zhu et al., "WolfPath", 2017): the edges in layered order, divided into groups. Consecutive thin
// layers are combined until a group has at least as many edges as the device has threads; a large layer is a group by
// itself. The host determines the groups (`cuda/groups.rs`).
//
// A group is dirty while it may contain an edge whose source was improved since the group was swept. Threads announce
// dirty groups as numbers, and the largest number announced during a step determines the group that the next step
// sweeps. The barrier broadcasts this number like the length of a queue. 0 means that no group is dirty. The groups
// form a ring: the nearer a dirty group follows the group of this step, the larger its number. The largest numbers mean
// that the group of this step must be swept again.
//
// Several devices (WP_SEVERAL) sweep the same group at the same time, each the edges of its own vertices. A device that
// improves a vertex of another one posts it, and marks the vertex's group as its owner would: a group is dirty if any device
// has marked it.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_SWEEP

static_assert(!(WP_SEND_OUT && WP_SEND_IN), "only the rows of one direction are in layered order");

/// A group of edges, and the vertices whose rows contain these edges.
struct Group {
    u32 number;
    Offset first_edge;
    Offset last_edge;  // one past the last
    u32 first_vertex;
    u32 last_vertex;  // one past the last
    u32 next_vertex;  // one past the last vertex of the next group
};

WP_FN Group group_at(const DeviceRun& run, u32 number) {
    Bound begin = run.groups[number], end = run.groups[number + 1];
    u32 next = number + 2 <= run.group_count ? (u32)run.groups[number + 2].vertex : (u32)end.vertex;
    return Group{number, (Offset)begin.edge, (Offset)end.edge, (u32)begin.vertex, (u32)end.vertex, next};
}

/// Returns the group that contains a vertex's edges.
WP_FN u32 group_of(const DeviceRun& run, u32 v) {
    u32 low = 0, high = run.group_count - 1;
    while (low < high) {
        u32 middle = (low + high + 1) / 2;
        if (run.groups[middle].vertex <= v) low = middle;
        else high = middle - 1;
    }
    return low;
}

/// Returns the number to announce for a dirty group: 1 to `group_count`; the nearer the group follows `from` in the
/// ring, the larger.
WP_FN u32 nearness(const DeviceRun& run, u32 from, u32 group) {
    return group > from ? run.group_count + 1 - (group - from) : from - group + 1;
}

/// Returns the group that the announced number stands for.
WP_FN u32 group_ahead(const DeviceRun& run, u32 from, u32 announced) {
    u32 distance = run.group_count + 1 - announced;
    u32 left = run.group_count - from;
    return distance < left ? from + distance : distance - left;
}

/// Returns the number to announce if the group of this step must be swept again, because of an improvement in `round`.
WP_FN u32 once_more(const DeviceRun& run, u32 round) { return run.group_count + 1 + round; }

constexpr u32 NO_GROUP = ~0u;

/// Summary of the dirty groups that a block has found in this step.
struct BlockMarks {
    u32 most;    // the largest number to announce
    u32 marked;  // the group that the block marked last
};

WP_FN BlockMarks& block_marks() {
    __shared__ BlockMarks marks;
    return marks;
}

/// Initializes the block's marks. A barrier follows.
WP_FN void begin_groups() {
    if (threadIdx.x == 0) block_marks() = BlockMarks{0, NO_GROUP};
}

/// Notes a number to announce at the end of the step.
WP_FN void note_number(u32 number) {
    u32* most = &block_marks().most;
    if (*(volatile u32*)most < number) atomicMax(most, number);
}

/// Marks a group as dirty in a step that sweeps the group `from`. One thread of a block does so for all its threads:
/// when improvements reach a large layer, all threads find the next group at about the same time, and atomics on one
/// word are serialized.
WP_FN void mark_dirty(const DeviceRun& run, u32 from, u32 group) {
    u32* marked = &block_marks().marked;
    // If another thread has marked the group, returns at once: that thread sets the bit before this block reaches the
    // barrier.
    if (*(volatile u32*)marked == group || atomicExch(marked, group) == group) return;
    atomicOr(&run.dirty[group >> 5], 1u << (group & 31));
    note_number(nearness(run, from, group));
}

/// Marks the group of a vertex with a first value. Before the first step, the last group counts as the one that was
/// just swept, so the search for a dirty group begins with the first group.
WP_FN void mark_first(const DeviceRun& run, u32 v) { mark_dirty(run, run.group_count - 1, group_of(run, v)); }

/// Announces a number for `step`, on all devices. Called by one lane.
WP_FN void announce_number(const DeviceRun& run, u64 step, u32 number) {
#if WP_SEVERAL
    for_each_device([&](const Peer& peer) { atomicMax_system(&peer.control->frontiers[step % 3].counted, (u64)number); });
#else
    atomicMax(&run.control->frontiers[step % 3].counted, (u64)number);
#endif
}

/// Announces the block's marks for `step`, and clears them. All threads must call this right before the barrier that ends the
/// step before it.
WP_FN void announce(const DeviceRun& run, u64 step) {
    __syncthreads();
    BlockMarks& marks = block_marks();
    if (threadIdx.x != 0) return;
    if (marks.most > 0) announce_number(run, step, marks.most);
    marks = BlockMarks{0, NO_GROUP};
}

/// Announces for `step` the nearest dirty group that was marked in earlier steps, and resets the bit of `group`, which is
/// being swept. Called by one warp.
WP_FN void announce_marked(const DeviceRun& run, u32 group, u64 step) {
    u32 words = (run.group_count + 31) / 32, best = 0;
    for (u32 word = lane(); word < words; word += 32) {
        u32 marked = load_fresh(&run.dirty[word]);
        u32 others = marked, behind = marked;
        if (word == group >> 5) {
            u32 bit = 1u << (group & 31);
            // No thread sets this bit while the group is swept.
            if (marked & bit) atomicAnd(&run.dirty[word], ~bit);
            others &= ~bit;
            behind &= ~(bit | (bit - 1));
        }
        if (others == 0) continue;
        u32 nearest = nearness(run, group, word * 32 + __ffs(behind ? behind : others) - 1);
        best = nearest > best ? nearest : best;
    }
    best = max_of_lanes(best);
    if (lane() == 0 && best > 0) announce_number(run, step, best);
}

/// Returns the vertex whose row contains the edge at `position`: the last vertex whose row begins at or before this
/// position.
WP_FN u32 vertex_of(const Offset* offsets, u32 vertices, u64 position) {
    u32 low = 0, high = vertices - 1;
    while (low < high) {
        u32 middle = low + (high - low + 1) / 2;
        if (offsets[middle] <= position) low = middle;
        else high = middle - 1;
    }
    return low;
}

/// Computes the sources of all edges of this device, if this has not yet been done. Adjacent threads process adjacent
/// edges, so they read the same offsets, even near vertices of very high degree and vertices without edges.
WP_FN void derive_sources(const DeviceRun& run) {
    const Offset* offsets = WP_SEND_IN ? run.in_offsets : run.out_offsets;
    for (u64 edge = thread(); edge < edges_of_rows(run, WP_SEND_IN); edge += threads())
        run.edge_sources[edge] = vertex_of(offsets, run.vertices, edge);
}

/// Marks every group clean, for the first step.
WP_FN void reset_groups(const DeviceRun& run) {
    for (u32 word = thread(); word < (run.group_count + 31) / 32; word += threads()) run.dirty[word] = 0;
    if (run.derives) derive_sources(run);
}

#endif

}  // namespace wp
