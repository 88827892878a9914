// Direction: where a frontier has most of the edges, the vertices that have no value yet look for a sender instead
// (Beamer et al., "Direction-Optimizing Breadth-First Search", 2012). For `uniform` programs in place: all messages of a
// step are equal, so the first one is the value; nobody who has a value gets a better one.
//
// Frontiers stand in bitmaps then, of which a warp writes whole words. Both are zero while steps push.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX && WP_DIRECTION

/// Edges of a row that a lane looks through before its warp helps, and how many at a time.
constexpr u32 LANE_LOOKS = 16;
constexpr u32 LOOKS_AHEAD = 4;

/// What an unreached vertex found.
struct Reached {
    bool some;
    ValueWord word;
    u32 looked_at;
};

WP_FN bool has_bit(const u32* bitmap, u32 v) { return bitmap[v >> 5] >> (v & 31) & 1; }

/// The message of a sender in the frontier, if it sends one along this edge.
WP_FN void hear(const Run& run, const Params& params, Reached& reached, u32 sender, u32 v, u64 position, bool reverse) {
    Value value = {};
    if constexpr (WP_READS_EDGE_VALUE) value = from_word<Value>(((const ValueWord*)run.values)[sender]);
    auto edge = edge_view(run, value, sender, v, position, reverse);
    Option<Message> message = message_along(run, params, edge, sender, v);
    if (!message.some || is_dropped(message.value)) return;
    reached.some = true;
    reached.word = to_word(message.value);
}

/// Looks through the rows of a warp's vertices in one direction; `open` says whose vertex has no value.
template <bool REVERSE>
WP_FN void look_through(const Run& run, const Params& params, const u32* frontier, Reached& reached, bool open, u32 v) {
    const u32* ends = REVERSE ? run.in_ends : run.out_ends;
    Row row = {0, 0};
    if (open && !reached.some) row = row_of(REVERSE ? run.in_offsets : run.out_offsets, v);
    u32 alone = row.length < LANE_LOOKS ? (u32)row.length : LANE_LOOKS;
    for (u32 i = 0; i < alone && !reached.some; i += LOOKS_AHEAD) {
        u32 senders[LOOKS_AHEAD];
#pragma unroll
        for (u32 j = 0; j < LOOKS_AHEAD; ++j) senders[j] = i + j < alone ? ends[row.first + i + j] : v;
        u32 sending = 0;
#pragma unroll
        for (u32 j = 0; j < LOOKS_AHEAD; ++j) sending |= (u32)(i + j < alone && has_bit(frontier, senders[j])) << j;
        reached.looked_at += alone - i < LOOKS_AHEAD ? alone - i : LOOKS_AHEAD;
        for (; sending && !reached.some; sending &= sending - 1) {
            u32 j = __ffs(sending) - 1;
            hear(run, params, reached, ends[row.first + i + j], v, row.first + i + j, REVERSE);
        }
    }
    __syncwarp();
    for (u32 longs = __ballot_sync(ALL_LANES, row.length > alone && !reached.some); longs; longs &= longs - 1) {
        u32 from = __ffs(longs) - 1;
        u64 first = shuffle(row.first, from), length = shuffle(row.length, from);
        u32 receiver = __shfl_sync(ALL_LANES, v, from);
        Reached mine = {};
        u32 heard = 0;
        for (u64 i = LANE_LOOKS; i < length && !heard; i += 32 * LOOKS_AHEAD) {
            u32 senders[LOOKS_AHEAD];
#pragma unroll
            for (u32 j = 0; j < LOOKS_AHEAD; ++j) {
                u64 at = i + 32 * j + lane();
                senders[j] = at < length ? ends[first + at] : receiver;
            }
            u32 sending = 0;
#pragma unroll
            for (u32 j = 0; j < LOOKS_AHEAD; ++j) {
                bool is_there = i + 32 * j + lane() < length;
                mine.looked_at += is_there;
                sending |= (u32)(is_there && has_bit(frontier, senders[j])) << j;
            }
            for (; sending && !mine.some; sending &= sending - 1) {
                u64 position = first + i + 32 * (__ffs(sending) - 1) + lane();
                hear(run, params, mine, ends[position], receiver, position, REVERSE);
            }
            heard = __ballot_sync(ALL_LANES, mine.some);
        }
        reached.looked_at += mine.looked_at;
        if (heard) {
            ValueWord word = shuffle(mine.word, __ffs(heard) - 1);
            if (lane() == from) {
                reached.some = true;
                reached.word = word;
            }
        }
    }
}

/// One step in which the unreached look for a sender.
WP_FN u64 pull_step(const Run& run, const Params& params, u64 step) {
    __shared__ u64 block_found, block_edges;
    if (threadIdx.x == 0) block_found = block_edges = 0;
    __syncthreads();
    const u32* frontier = run.bitmaps[step & 1];
    u32* next = run.bitmaps[(step + 1) & 1];
    u32 words = (u32)(((u64)run.vertices + 31) / 32);
    u64 looked_at = 0, edges = 0;
    u32 found = 0;
    for (u32 word = warp(); word < words; word += warps()) {
        u32 v = word * 32 + lane();
        ValueWord* held = (ValueWord*)run.values + v;
        bool open = v < run.vertices && *held == IDENTITY<ValueWord> && !(run.present[word] >> lane() & 1);
        u32 reached_here = 0;
        if (__any_sync(ALL_LANES, open)) {
            Reached reached = {};
            if constexpr (WP_GATHER_OUT) look_through<false>(run, params, frontier, reached, open, v);
            if constexpr (WP_GATHER_IN) look_through<true>(run, params, frontier, reached, open, v);
            looked_at += reached.looked_at;
            if (reached.some) {
                *held = reached.word;
                if (reached.word == IDENTITY<ValueWord>) make_present(run, v);
                edges += edges_of<SEND_ROWS>(run, v);
                ++found;
            }
            reached_here = __ballot_sync(ALL_LANES, reached.some);
        }
        if (lane() == 0) next[word] = reached_here;
    }
    u64 warp_found = sum_of_lanes(found), warp_edges = sum_of_lanes(edges);
    if (lane() == 0 && warp_found > 0) {
        atomicAdd(&block_found, warp_found);
        atomicAdd(&block_edges, warp_edges);
    }
    __syncthreads();
    if (threadIdx.x == 0 && block_found > 0)
        atomicAdd(&run.control->frontier[(step + 1) % 3], counted((u32)block_found, block_edges));
    return looked_at;
}

/// Makes a bitmap of the queue of `step`.
WP_CALL void mark_frontier(const Run& run, u32 count, u64 step) {
    u32* frontier = run.bitmaps[step & 1];
    for (u32 i = thread(); i < count; i += threads()) {
        u32 v = run.queues[step & 1][i].vertex;
        atomicOr(&frontier[v >> 5], 1u << (v & 31));
    }
    if (thread() == 0) run.control->received[step & 1] = run.control->received[(step + 1) & 1] = 0;
}

/// Makes a queue of the bitmap of `step`, and zeroes of both bitmaps.
WP_CALL void list_frontier(const Run& run, u64 step) {
    Stage stage = make_stage();
    u64 words = ((u64)run.vertices + 31) / 32;
    u64* counter = &run.control->received[step & 1];
    for (u64 begin = (u64)warp() * 32; begin < words; begin += (u64)warps() * 32) {
        u64 at = begin + lane();
        u32 word = at < words ? run.bitmaps[step & 1][at] : 0;
        if (at < words) run.bitmaps[0][at] = run.bitmaps[1][at] = 0;
        while (__any_sync(ALL_LANES, word)) {
            u32 v = (u32)at * 32 + __ffs(word) - 1;
            put_items<SEND_ROWS, false>(run, stage, word != 0, v, run.queues[step & 1], counter);
            word &= word - 1;
        }
    }
    flush_block(run, stage, run.queues[step & 1], counter);
}

/// Whether the frontier of the next step is to be pulled from.
WP_FN bool pulls(const Run& run, const Way& way, Decision decision) {
    return way.pulling ? pulling_is_cheaper(run, 2 * (u64)decision.pages, way.sent, 0)
                       : pulling_is_cheaper(run, decision.pages, way.sent, TURN_EDGES);
}

/// Turns the frontier of `step` into what suits it.
WP_FN Decision choose_direction(const Run& run, Way& way, u64 step, Decision decision) {
    if (decision.count == 0 || decision.directive != DIRECTIVE_GO) return decision;
    Control* control = run.control;
    const u32* directive = &control->directive[step & 1];
    way.sent += decision.pages;
    bool pull = pulls(run, way, decision);
    if (pull && !way.pulling) {
        mark_frontier(run, decision.count, step);
        grid_barrier(&control->ticket, &control->fault, directive);
    } else if (way.pulling && !pull) {
        list_frontier(run, step);
        decision = grid_barrier(&control->ticket, &control->received[step & 1], directive);
        // A launch that goes on where another paused still finds that one's directive.
        decision.directive = DIRECTIVE_GO;
        if (decision.count == 0 && thread() == 0) control->edgeless[step % 3] = 1;
    }
    way.pulling = pull;
    return decision;
}

#endif

}  // namespace wp
