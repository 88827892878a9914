// Sending: the edges of a frontier, spread evenly over warps whatever the degrees.
//
// A warp takes up to 32 items, one a lane, and walks their edges side by side, 32 at a time; a prefix sum over the
// lengths tells each lane whose edge it holds. A hub and a leaf then cost the same per edge.
#pragma once

namespace wp {

/// One edge on its way from a sender.
struct Passing {
    bool has;  // false in lanes past the end
    bool reverse;
    u32 sender;
    u32 receiver;
    u64 position;
    Value value;  // the sender's
};

/// For every edge of the queue, with all lanes together: `look(edge)` begins its loads, for AHEAD edges of a lane before
/// any is waited for, and `use(edge, seen)` takes what it gave. `load(v)` gives the sender's value. Returns the edges
/// that this lane looked at.
template <u32 AHEAD, typename Load, typename Look, typename Use>
WP_FN u64 for_each_edge(const Run& run, const Item* queue, u32 count, Load load, Look look, Use use) {
    u64 looked_at = 0;
    u32 batch = batch_of(count);
    for (u32 begin = warp() * batch; begin < count; begin += warps() * batch) {
        Item item = {0, 0, 0};
        if (lane() < batch && begin + lane() < count) item = queue[begin + lane()];
        u32 length = item.length & ITEM_LENGTH;
        Value value = {};
        if constexpr (WP_READS_EDGE_VALUE) {
            if (length > 0) value = load(item.vertex);
        }
        u32 inclusive = inclusive_sum(length);
        u32 total = __shfl_sync(ALL_LANES, inclusive, 31);
        // A lane's edge `e` of the batch lies at `base + e` of its owner.
        u64 base = item.first - (inclusive - length);
        looked_at += length;
        for (u32 round = 0; round < total; round += 32 * AHEAD) {
            Passing edges[AHEAD];
#pragma unroll
            for (u32 j = 0; j < AHEAD; ++j) {
                Passing& edge = edges[j];
                u32 e = round + 32 * j + lane();
                edge.has = e < total;
                u32 from = owner(inclusive, edge.has ? e : total - 1);
                edge.position = shuffle(base, from) + e;
                edge.sender = __shfl_sync(ALL_LANES, item.vertex, from);
                edge.reverse = WP_SEND_IN;
                if constexpr (WP_SEND_OUT && WP_SEND_IN)
                    edge.reverse = __shfl_sync(ALL_LANES, item.length, from) & ITEM_REVERSE;
                edge.value = value;
                if constexpr (WP_READS_EDGE_VALUE) edge.value = shuffle(value, from);
                edge.receiver = edge.has ? (edge.reverse ? run.in_ends : run.out_ends)[edge.position] : 0;
            }
            decltype(look(edges[0])) seen[AHEAD];
#pragma unroll
            for (u32 j = 0; j < AHEAD; ++j) seen[j] = look(edges[j]);
#pragma unroll
            for (u32 j = 0; j < AHEAD; ++j) {
                if (round + 32 * j < total) use(edges[j], seen[j]);
            }
        }
    }
    return looked_at;
}

}  // namespace wp
