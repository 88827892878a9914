// Sending: distributes the edges of a frontier evenly over warps, regardless of the vertices' degrees.
//
// A warp takes up to 32 items (an item is a part of one vertex's row), one per lane, and visits all their edges
// together, 32 at a time. A prefix sum over the lengths of the items tells where each item begins; the lanes then know
// to which item their edges belong from a bitmap of these beginnings. An edge costs the same whether its sender has many
// edges or one.
#pragma once

namespace wp {

/// One edge along which its sender sends.
template <typename T>
struct PassingOf {
    bool has;  // false in lanes past the end
    bool reverse;
    u32 sender;
    u32 receiver;
    u64 position;
    T value;  // the sender's value
};

typedef PassingOf<Value> Passing;

/// Up to 32 items that a warp processes together, one per lane, and the position of each item's edges among all edges
/// of the handful.
struct Handful {
    Item item;
    u32 inclusive;  // edges of the items of this lane and of all lower lanes
    u32 total;      // edges of all items
    u32 lanes;      // the lanes with an item
    Offset base;    // edge `e` is at position `base + e`, with the `base` of the lane that owns the edge
#if WP_PACKED
    ItemEnds ends;  // where the ends of the lane's item are
#endif
#if WP_COPIED
    const u32* copied;  // the warp's copy of these ends; null if there is none
#endif
};

/// Returns a handful of the lanes' items.
WP_FN Handful handful_of(const Item& item) {
    Handful handful = {};
    handful.item = item;
    u32 length = item.length & ITEM_LENGTH;
    handful.inclusive = inclusive_sum(length);
    handful.total = __shfl_sync(ALL_LANES, handful.inclusive, 31);
    handful.lanes = __ballot_sync(ALL_LANES, length > 0);
    handful.base = (Offset)item.first - (Offset)(handful.inclusive - length);
    return handful;
}

/// Distribution of a queue's items over warps. The items of one vertex are adjacent, and all but the last have the
/// maximum length. If the queue is so short that every warp takes all its items at once, adjacent items go to different
/// multiprocessors. From a long queue, a warp repeatedly takes 32 adjacent items; the load evens out over time.
struct Deal {
    u32 first;  // first item of this warp
    u32 apart;  // distance between the items of adjacent lanes
};

WP_FN Deal deal_of(u32 count) { return count <= warps() * 32 ? Deal{warp(), warps()} : Deal{warp() * 32, 1}; }

#if WP_OVERFLOWS

/// Position of a warp in a queue's overflow: a part of the rows of one direction, and up to 32 of the marked vertices whose
/// rows it contains. Parts have the same number of edges, although rows differ in length. Parts of out-rows come first.
struct Marked {
    u32 part;    // the part that is taken next
    u64 begin;   // position of the first edge of the part that was taken
    bool reverse;
    u32 first;   // the first of its vertices whose marks were not read yet
    u32 last;    // the last of its vertices
    u32 word;    // the first word of those that were read, of which each lane has one
    u32 bits;    // the lane's word
    u32 before;  // number of the vertices marked in these words before those below
    u32 vertex;  // the lane's vertex
    u32 skipped; // number of its items before the part
    u32 own;     // number of its items in the part
    u32 items;   // number of items of this lane and of all lower lanes
    u32 passed;  // number of these items that were visited
};

/// Makes the range of vertices empty.
WP_FN void forget_vertices(Marked& marked) {
    marked.first = 1;
    marked.last = 0;
}

/// Returns the number of parts of the rows of one direction.
WP_FN u32 parts(const DeviceRun& run, bool reverse) {
    return (u32)((edges_of_rows(run, reverse) + TAKEN_EDGES - 1) / TAKEN_EDGES);
}

/// Returns the number of the next part. Warps take the parts in turn. A round has some of them only; its parts are dealt to
/// the warps. All lanes must call this.
WP_FN u32 next_part(const DeviceRun& run, u32 array, const Marked& marked) {
    if (WP_STREAMED) return marked.part + warps();
    u32 part = lane() == 0 ? (u32)atomicAdd(&run.control->taken[array], (u64)1) : 0;
    return __shfl_sync(ALL_LANES, part, 0);
}

/// Takes the next part of the rows. Returns `false` after the last part. All lanes must call this.
WP_FN bool take_part(const DeviceRun& run, u32 array, Marked& marked) {
    u32 outs = WP_SEND_OUT ? parts(run, false) : 0, all = outs + (WP_SEND_IN ? parts(run, true) : 0);
    if (marked.part >= last_part_in_round(run, outs, all)) return false;
    marked.reverse = marked.part >= outs;
    marked.begin = (u64)(marked.part - (marked.reverse ? outs : 0)) * TAKEN_EDGES;
    u64 end = marked.begin + TAKEN_EDGES, all_edges = edges_of_rows(run, marked.reverse);
    if (end > all_edges) end = all_edges;
    const Offset* offsets = marked.reverse ? run.in_offsets : run.out_offsets;
    marked.first = vertex_at(run, offsets, marked.begin);
    marked.last = vertex_at(run, offsets, end - 1);
    marked.part = next_part(run, array, marked);
    return true;
}

/// Reads the next marks of the part's vertices. Returns `false` if all were read. All lanes must call this.
WP_FN bool take_words(const DeviceRun& run, u32 array, Marked& marked) {
    if (marked.first > marked.last) return false;
    marked.word = marked.first / 32;
    u32 word = marked.word + lane();
    marked.bits = word <= marked.last / 32 ? load_fresh(&run.overflows[array][word]) : 0;
    if (lane() == 0) marked.bits &= ~0u << (marked.first & 31);
    if (word == marked.last / 32) marked.bits &= ~0u >> (31 - (marked.last & 31));
    marked.before = 0;
    if (marked.word + 32 <= marked.last / 32) marked.first = (marked.word + 32) * 32;
    else forget_vertices(marked);
    return true;
}

/// Takes up to 32 of the vertices whose marks were read. Returns `false` if all were taken. All lanes must call this.
WP_FN bool take_vertices(const DeviceRun& run, Marked& marked) {
    u32 inclusive = inclusive_sum(__popc(marked.bits)), count = __shfl_sync(ALL_LANES, inclusive, 31);
    if (marked.before >= count) return false;
    u32 number = marked.before + lane();
    bool has = number < count;
    u32 from = owner(inclusive, has ? number : count - 1);
    u32 bits = __shfl_sync(ALL_LANES, marked.bits, from);
    u32 lower = __shfl_sync(ALL_LANES, inclusive, from) - __popc(bits);
    for (u32 i = lower; has && i < number; ++i) bits &= bits - 1;
    marked.vertex = (marked.word + from) * 32 + __ffs(bits) - 1;
    marked.skipped = marked.own = 0;
    if (has) {
        Row row = row_of(marked.reverse ? run.in_offsets : run.out_offsets, marked.vertex);
        u64 last = marked.begin + TAKEN_EDGES, end = row.first + row.length < last ? row.first + row.length : last;
        // An item is in the part in which its first edge is.
        marked.skipped = row.first < marked.begin ? segments(marked.begin - row.first) : 0;
        if (end > row.first) marked.own = segments(end - row.first);
        marked.own = marked.own > marked.skipped ? marked.own - marked.skipped : 0;
    }
    marked.items = inclusive_sum(marked.own);
    marked.before += 32;
    marked.passed = 0;
    return true;
}

/// Takes the next items of the overflow, in ascending order. Returns `false` if all were taken. All lanes must call this.
WP_FN bool take_marked(const DeviceRun& run, u32 array, Marked& marked, Item& item) {
    u32 count = __shfl_sync(ALL_LANES, marked.items, 31);
    while (marked.passed >= count) {
        bool has = take_vertices(run, marked) || take_words(run, array, marked) || take_part(run, array, marked);
        if (!has) return false;
        count = __shfl_sync(ALL_LANES, marked.items, 31);
    }
    u32 number = marked.passed + lane();
    u32 from = owner(marked.items, number < count ? number : count - 1);
    u32 vertex = __shfl_sync(ALL_LANES, marked.vertex, from);
    u32 index = number - __shfl_sync(ALL_LANES, marked.items - marked.own - marked.skipped, from);
    const Offset* offsets = marked.reverse ? run.in_offsets : run.out_offsets;
    if (number < count) item = item_of_row(row_of(offsets, vertex), vertex, marked.reverse, index);
    marked.passed += 32;
    return true;
}

#endif

/// Supply of a warp with items: first those of the queue, then those of its overflow.
struct Supply {
    u32 begin;  // next item of the queue for the first lane
    u32 apart;
    u32 items;  // number of items in the queue
#if WP_OVERFLOWS
    bool is_long;    // there is an overflow
    bool is_marked;  // the items are those of the overflow
    Marked marked;
#endif
};

/// Returns the supply of this warp. `count` is the number of items of the frontier. All lanes must call this.
WP_FN Supply supply_of(const DeviceRun& run, u32 array, u32 count) {
    Supply supply = {};
    supply.items = items_queued(run, count);
    Deal deal = deal_of(supply.items);
    supply.begin = deal.first;
    supply.apart = deal.apart;
#if WP_OVERFLOWS
    supply.is_long = count > run.queue_items;
    forget_vertices(supply.marked);
    supply.marked.part = first_part_in_round(run, WP_SEND_OUT ? parts(run, false) : 0) + warp();
    if (supply.is_long && !WP_STREAMED) supply.marked.part = next_part(run, array, supply.marked);
#endif
    return supply;
}

/// Takes the next items, one per lane. A lane without one gets an empty item. Returns `false` if all were taken. All lanes
/// must call this.
WP_FN bool take_items(const DeviceRun& run, u32 array, Supply& supply, Item& item) {
    item = Item{0, 0, 0};
    if (supply.begin < supply.items) {
        u32 at = supply.begin + lane() * supply.apart;
        if (at < supply.items) item = run.queues[array][at];
        supply.begin += warps() * 32;
        return true;
    }
#if WP_OVERFLOWS
    supply.is_marked = true;
    return supply.is_long && take_marked(run, array, supply.marked, item);
#else
    return false;
#endif
}

#if !WP_PACKED

/// The ends of an item, which need no description if they are plain.
struct ItemEnds {};

WP_FN ItemEnds ends_of_item(const DeviceRun&, const Item&) { return ItemEnds{}; }

#endif

#if WP_COPIED

/// Copies the ends of a handful's items to shared memory, and their weights: those of the lowest lane of `waiting`, and
/// of all lanes of `waiting` that are not far behind it, unless those are few. Returns the lanes of the handful: those,
/// or all of `waiting`, which then read on their own. All lanes must call this.
WP_FN u32 copy_edges(const DeviceRun& run, const Item& item, ItemEnds& ends, u32 waiting, const u32*& copied) {
    bool waits = waiting >> lane() & 1;
    u32 length = item.length & ITEM_LENGTH;
    bool reverse = is_reverse<SEND_ROWS>(item);
    const u32* words = words_of_item(run, reverse, ends);
    u64 begin = (u64)(words + ends.word);
    Nearby bytes = nearby(begin, begin + (waits ? bytes_of_item(run, ends, length) : 0), waiting, COPIED_ENDS);
    u32 near = bytes.near;
#if WP_COPIES_WEIGHTS
    u64 first = (u64)stored_weight(run, item.first, reverse), end = first + length * sizeof(StoredWeight);
    // The first weights of an item can be on the device, and the others in host memory. Such weights are not copied, nor
    // are the last ones, since 16 bytes are copied at a time.
    bool is_split = waits && (u64)(stored_weight(run, item.first + length - 1, reverse) + 1) != end;
    bool is_last = item.first + length + 15 > edges_of_rows(run, reverse);
    Nearby weights = nearby(first, is_split || is_last ? ~0ull : end, near, COPIED_WEIGHTS);
    near = weights.near;
#endif
    copied = nullptr;
    if (near == 0 || (__popc(near) < COPIED_ITEMS && near != waiting)) return waiting;
    u32 room = room_for_copies();
    __syncwarp();
    copy_nearby(bytes, room);
#if WP_COPIES_WEIGHTS
    copy_nearby(weights, room + COPIED_ENDS);
    set_copied_weights(weights.base, weights.length);
#endif
    __syncwarp();
    ends.word -= (u32)((bytes.base - (u64)words) / 4);
    copied = (const u32*)(requested_room() + room);
    return near;
}

#endif

/// Returns a handful of the items of `waiting`, and removes its lanes from `waiting`. `ends` are those of the lane's item.
/// All lanes must call this.
WP_FN Handful take_handful(const DeviceRun& run, const Supply& supply, const Item& item, ItemEnds ends, u32& waiting) {
    u32 lanes = waiting;
#if WP_COPIED
    const u32* copied = nullptr;
    if (supply.is_marked) lanes = copy_edges(run, item, ends, waiting, copied);
#endif
    waiting &= ~lanes;
    Handful handful = handful_of(lanes >> lane() & 1 ? item : Item{0, 0, 0});
#if WP_PACKED
    handful.ends = ends;
#endif
#if WP_COPIED
    handful.copied = copied;
#endif
    return handful;
}

/// The items of a handful that begin in a pass over its edges: a bitmap of the offsets of their first edges, and the number
/// of items that begin before the pass.
template <u32 AHEAD>
struct Begins {
    u32 words[AHEAD];
    u32 before;
};

/// Finds the items that begin in the next pass of `TEAMS * AHEAD` edges, and counts those of the pass before. All lanes
/// must call this.
template <u32 TEAMS, u32 AHEAD>
WP_FN void find_begins(const Handful& handful, u32 pass, Begins<AHEAD>& begins) {
    static_assert(TEAMS == 32 || TEAMS * AHEAD <= 32, "the edges of teams are in the first word");
    // Steps over thin frontiers wait for every instruction, and most of their handfuls have one item.
    if (handful.lanes == 1) {
        begins.before = 1;
        return;
    }
    u32 length = handful.item.length & ITEM_LENGTH, at = handful.inclusive - length - pass;
#pragma unroll
    for (u32 i = 0; i < AHEAD; ++i) {
        begins.before += __popc(begins.words[i]);
        begins.words[i] = 0;
        if (32 * i >= TEAMS * AHEAD) continue;
        bool is_here = length > 0 && at - 32 * i < (TEAMS == 32 ? 32 : TEAMS * AHEAD);
        begins.words[i] = or_of_lanes(is_here ? 1u << (at & 31) : 0);
    }
}

/// Returns the lane that owns the edge at `offset` of a pass, that is, whose item contains the edge. For an edge past the
/// end, returns the owner of the last edge.
template <u32 AHEAD>
WP_FN u32 owner_of(const Handful& handful, const Begins<AHEAD>& begins, u32 offset) {
    u32 number = begins.before - 1;
#pragma unroll
    for (u32 i = 0; i < AHEAD; ++i) {
        u32 at = offset - 32 * i;
        if (offset >= 32 * i) number += __popc(begins.words[i] & (at < 31 ? (2u << at) - 1 : ALL_LANES));
    }
    bool is_dense = (handful.lanes & (handful.lanes + 1)) == 0;
    return is_dense ? number : bit_of(handful.lanes, number);
}

/// Returns edge `e` of a handful. Its receiver and its sender's value are not loaded yet. All lanes must call this.
template <typename T>
WP_FN PassingOf<T> edge_of(const Handful& handful, u32 e, u32 from) {
    PassingOf<T> edge = {};
    edge.has = e < handful.total;
    edge.position = shuffle(handful.base, from) + e;
    edge.sender = __shfl_sync(ALL_LANES, handful.item.vertex, from);
    edge.reverse = WP_SEND_IN;
    if constexpr (WP_SEND_OUT && WP_SEND_IN)
        edge.reverse = __shfl_sync(ALL_LANES, handful.item.length, from) & ITEM_REVERSE;
    return edge;
}

/// Returns the offset, in a pass of `edges` per lane, of the edge that this lane visits as its `j`th. With packed rows, a
/// lane's edges are adjacent, so that one prefix sum finds the ends of all; otherwise, those of adjacent lanes are, so
/// that each read is of adjacent words. TEAM adjacent lanes visit the same edges.
template <u32 TEAM>
WP_FN u32 offset_in_pass(u32 edges, u32 j) {
    u32 team = lane() / TEAM;
    return WP_PACKED ? team * edges + j : 32 / TEAM * j + team;
}

/// Reads the number that is stored for edge `e` of a handful, and tells whether it is the edge's end already, as are all
/// numbers of plain rows and the first of each block of packed ones. All lanes must call this.
template <typename T>
WP_FN u32 number_of(const DeviceRun& run, const Handful& handful, const PassingOf<T>& edge, u32 e, u32 from, bool& is_end) {
    u32 number = 0;
#if WP_PACKED
    u32 before = __shfl_sync(ALL_LANES, handful.inclusive - (handful.item.length & ITEM_LENGTH), from);
    ItemEnds ends = shuffle(handful.ends, from);
    const u32* words = words_of_item(run, edge.reverse, ends);
#if WP_COPIED
    if (handful.copied) words = handful.copied;
#endif
    if (edge.has) number = number_in_item(run, words, ends, e - before);
    is_end = edge.has && is_head(e - before);
#else
    if (edge.has) number = end_at(run, edge.reverse, edge.sender, edge.position);
    is_end = true;
#endif
    return number;
}

/// Marks the chunks of a frontier's edges as needed in this step.
WP_FN void need_frontier(const DeviceRun& run, u32 array, u32 count) {
    if constexpr (!WP_STREAMED) return;
    need_items<SEND_ROWS>(run, run.queues[array], items_queued(run, count));
    for_each_word_of_overflow(run, array, count, [&](u32 word, u32 bits) {
        for (; bits; bits &= bits - 1) {
            BothRows rows = rows_of<SEND_ROWS>(run, word * 32 + __ffs(bits) - 1);
            need_edges(run, false, rows.out.first, rows.out.length);
            need_edges(run, true, rows.in.first, rows.in.length);
        }
    });
}

/// Visits the edges of this round, as `for_each_edge` describes.
///
/// Lanes without an edge in a pass still cost instructions, so a pass of fewer than TEAMS * AHEAD edges is cut short.
/// The receiver and the sender's value depend only on the item, so the loads of the receivers are issued before the
/// lane waits for the senders' values. Between its two loops a lane keeps only each edge's owner and receiver, since a
/// thread has few registers.
template <u32 AHEAD, u32 TEAM, bool LOADS, typename Load, typename Look, typename Use>
WP_FN u64 visit_edges(const DeviceRun& run, u32 array, u32 count, Load load, Look look, Use use) {
    typedef decltype(load(0u)) Own;
    constexpr u32 TEAMS = 32 / TEAM;
    u64 looked_at = 0;
    Supply supply = supply_of(run, array, count);
    for (Item item; take_items(run, array, supply, item);) {
        if (!has_item<SEND_ROWS>(run, item)) item = Item{0, 0, 0};
        u32 length = item.length & ITEM_LENGTH;
        ItemEnds ends = {};
        if (length > 0) ends = ends_of_item(run, item);
        Own value = {};
        if constexpr (LOADS) {
            if (length > 0) value = load(item.vertex);
        }
        looked_at += length;
        for (u32 waiting = __ballot_sync(ALL_LANES, length > 0); waiting;) {
            Handful handful = take_handful(run, supply, item, ends, waiting);
            u32 last = 0;
            Begins<AHEAD> begins = {};
            for (u32 pass = 0; pass < handful.total; pass += TEAMS * AHEAD) {
                u32 left = (handful.total - pass + TEAMS - 1) / TEAMS, edges = left < AHEAD ? left : AHEAD;
                u32 from[AHEAD] = {}, receivers[AHEAD] = {};
                bool are_ends[AHEAD] = {};
                find_begins<TEAMS>(handful, pass, begins);
                decltype(look(PassingOf<Own>{})) seen[AHEAD] = {};
#pragma unroll
                for (u32 j = 0; j < AHEAD; ++j) {
                    if (j >= edges) break;
                    u32 offset = offset_in_pass<TEAM>(edges, j), e = pass + offset;
                    from[j] = owner_of(handful, begins, offset);
                    auto edge = edge_of<Own>(handful, e, from[j]);
                    receivers[j] = number_of(run, handful, edge, e, from[j], are_ends[j]);
                }
                ends_of_numbers<TEAM>(receivers, are_ends, last);
#pragma unroll
                for (u32 j = 0; j < AHEAD; ++j) {
                    if (j >= edges) break;
                    auto edge = edge_of<Own>(handful, pass + offset_in_pass<TEAM>(edges, j), from[j]);
                    edge.receiver = receivers[j];
                    edge.value = value;
                    if constexpr (LOADS) edge.value = shuffle(value, from[j]);
                    seen[j] = look(edge);
                }
                use(receivers, seen, edges);
            }
        }
    }
    forget_copies();
    return looked_at;
}

/// Visits every edge of the frontier in the queue with index `array` and in its overflow, with all lanes together, in
/// rounds. The frontier has `count` items. `look(edge)` starts the edge's loads. It is called for AHEAD edges per lane
/// before any load is waited for. Then `use(receivers, seen, edges)` gets the results of `look`; only the first `edges` of
/// them are valid. `load(v)` returns the sender's value, if LOADS. TEAM adjacent lanes process an edge together. Returns
/// the number of edges that this lane visited. All threads must call this.
template <u32 AHEAD, u32 TEAM = 1, bool LOADS = WP_READS_EDGE_VALUE, typename Load, typename Look, typename Use>
WP_FN u64 for_each_edge(const DeviceRun& run, u32 array, u32 count, Load load, Look look, Use use) {
    u64 looked_at = 0;
    need_frontier(run, array, count);
    for_each_round<ChunkRounds>(run, [&] {
        looked_at += visit_edges<AHEAD, TEAM, LOADS>(run, array, count, load, look, use);
    });
    forget_overflow(run, array, count);
    return looked_at;
}

}  // namespace wp
