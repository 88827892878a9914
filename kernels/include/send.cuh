// Sending: distributes the edges of a frontier evenly over warps, regardless of the vertices' degrees.
//
// A warp takes up to 32 items (an item is a part of one vertex's row), one per lane, and visits all their edges
// together, 32 at a time. A prefix sum over the lengths of the items tells each lane to which item its edge belongs. An
// edge then costs the same whether its sender has many edges or one.
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
    Offset base;    // edge `e` is at position `base + e`, with the `base` of the lane that owns the edge
#if WP_PACKED
    ItemEnds ends;  // where the ends of the lane's item are
#endif
    bool single;    // only the first lane has an item
};

/// Distribution of a queue's items over warps. The items of one vertex are adjacent, and all but the last have the
/// maximum length. If the queue is so short that every warp takes all its items at once, adjacent items go to different
/// multiprocessors. From a long queue, a warp repeatedly takes 32 adjacent items; the load evens out over time.
struct Deal {
    u32 first;  // first item of this warp
    u32 apart;  // distance between the items of adjacent lanes
};

WP_FN Deal deal_of(u32 count) { return count <= warps() * 32 ? Deal{warp(), warps()} : Deal{warp() * 32, 1}; }

WP_FN Handful take_handful(const DeviceRun& run, const Item* queue, u32 begin, u32 apart, u32 count) {
    Handful handful = {};
    u32 at = begin + lane() * apart;
    if (at < count) handful.item = queue[at];
    if (!has_item_in_window<SEND_ROWS>(run, handful.item)) handful.item = Item{0, 0, 0};
    u32 length = handful.item.length & ITEM_LENGTH;
    handful.inclusive = inclusive_sum(length);
    handful.total = __shfl_sync(ALL_LANES, handful.inclusive, 31);
    handful.base = (Offset)handful.item.first - (Offset)(handful.inclusive - length);
    handful.single = count <= warps();
#if WP_PACKED
    if (length > 0) handful.ends = ends_of_item(run, handful.item);
#endif
    return handful;
}

/// Returns the lane that owns edge `e` of a handful, that is, whose item contains the edge. For an edge past the end,
/// returns the owner of the last edge. All lanes must call this.
WP_FN u32 owner_of(const Handful& handful, u32 e) {
    return handful.single ? 0 : owner(handful.inclusive, e < handful.total ? e : handful.total - 1);
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

/// Number that is stored for an edge, and the lanes whose number is an end already.
struct Numbered {
    u32 number;
    u32 heads;
};

/// Reads the number of edge `e` of a handful. If rows are not packed, the number is the edge's receiver. All lanes must
/// call this.
template <typename T>
WP_FN Numbered number_of(const DeviceRun& run, const Handful& handful, const PassingOf<T>& edge, u32 e, u32 from) {
    Numbered found = {};
#if WP_PACKED
    u32 before = __shfl_sync(ALL_LANES, handful.inclusive - (handful.item.length & ITEM_LENGTH), from);
    ItemEnds ends = shuffle(handful.ends, from);
    if (edge.has) found.number = number_in_item(run, edge.reverse, ends, e - before);
    found.heads = __ballot_sync(ALL_LANES, edge.has && is_head(e - before));
#else
    if (edge.has) found.number = end_at(run, edge.reverse, edge.sender, edge.position);
#endif
    return found;
}

/// Returns the receiver of an edge. `last` is the receiver of the edge before those of this pass; the edges of a
/// handful are visited in order. All lanes must call this.
template <u32 TEAM>
WP_FN u32 receiver_of(Numbered found, u32& last) {
#if WP_PACKED
    return end_of_number<TEAM>(found.number, found.heads, last);
#else
    return found.number;
#endif
}

/// Visits the edges of this round and window, as `for_each_edge` describes.
///
/// Lanes without an edge in a pass still cost instructions, so a pass of fewer than TEAMS * AHEAD edges is cut short.
/// The receiver and the sender's value depend only on the item, so the loads of the receivers are issued before the
/// lane waits for the senders' values. Between its two loops a lane keeps only each edge's owner and receiver, since a
/// thread has few registers.
template <u32 AHEAD, u32 TEAM, bool LOADS, typename Load, typename Look, typename Use>
WP_FN u64 visit_queue(const DeviceRun& run, const Item* queue, u32 count, Load load, Look look, Use use) {
    typedef decltype(load(0u)) Own;
    constexpr u32 TEAMS = 32 / TEAM;
    u64 looked_at = 0;
    Deal deal = deal_of(count);
    for (u32 begin = deal.first; begin < count; begin += warps() * 32) {
        Handful handful = take_handful(run, queue, begin, deal.apart, count);
        u32 length = handful.item.length & ITEM_LENGTH;
        u32 last = 0;
        Own value = {};
        if constexpr (LOADS) {
            if (length > 0) value = load(handful.item.vertex);
        }
        looked_at += length;
        for (u32 pass = 0; pass < handful.total; pass += TEAMS * AHEAD) {
            u32 from[AHEAD] = {}, receivers[AHEAD] = {};
            Numbered found[AHEAD] = {};
            decltype(look(PassingOf<Own>{})) seen[AHEAD] = {};
#pragma unroll
            for (u32 j = 0; j < AHEAD; ++j) {
                if (pass + TEAMS * j >= handful.total) break;
                u32 e = pass + TEAMS * j + lane() / TEAM;
                from[j] = owner_of(handful, e);
                auto edge = edge_of<Own>(handful, e, from[j]);
                found[j] = number_of(run, handful, edge, e, from[j]);
            }
#pragma unroll
            for (u32 j = 0; j < AHEAD; ++j) {
                if (pass + TEAMS * j >= handful.total) break;
                auto edge = edge_of<Own>(handful, pass + TEAMS * j + lane() / TEAM, from[j]);
                edge.receiver = receivers[j] = receiver_of<TEAM>(found[j], last);
                edge.value = value;
                if constexpr (LOADS) edge.value = shuffle(value, from[j]);
                seen[j] = look(edge);
            }
            u32 left = (handful.total - pass + TEAMS - 1) / TEAMS;
            use(receivers, seen, left < AHEAD ? left : AHEAD);
        }
    }
    return looked_at;
}

/// Visits every edge of the queue, with all lanes together, in rounds and windows. `look(edge)` starts the edge's loads. It
/// is called for AHEAD edges per lane before any load is waited for. Then `use(receivers, seen, edges)` gets the results
/// of `look`; only the first `edges` of them are valid. `load(v)` returns the sender's value, if LOADS. TEAM adjacent
/// lanes process an edge together. Returns the number of edges that this lane visited. All threads must call this.
template <u32 AHEAD, u32 TEAM = 1, bool LOADS = WP_READS_EDGE_VALUE, typename Load, typename Look, typename Use>
WP_FN u64 for_each_edge(const DeviceRun& run, const Item* queue, u32 count, Load load, Look look, Use use) {
    u64 looked_at = 0;
    need_items<SEND_ROWS>(run, queue, count);
    for_each_round<ChunkRounds>(run, [&] {
        for_each_window(run, count, [&] {
            looked_at += visit_queue<AHEAD, TEAM, LOADS>(run, queue, count, load, look, use);
        });
    });
    return looked_at;
}

}  // namespace wp
