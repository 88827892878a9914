// Direction: if a frontier has most of the edges, its members do not send. Instead, the vertices without a value search
// their rows for members (Beamer et al., "Direction-Optimizing Breadth-First Search", 2012). For in-place `uniform`
// programs. In these, all messages of a step are equal, so the first message that a vertex receives is its value, and a
// vertex with a value never gets a better value.
//
// In such steps (steps that pull) a frontier is a bitmap. Each word of the bitmap is written by one warp. Both bitmaps
// are zero while steps push.
//
// Other in-place programs never pull: every vertex would have to examine all of its edges, and read values instead of
// bits. Components of R-MAT 22 took 5.1 ms by pulling and 2.2 ms by pushing (H100).
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX && WP_DIRECTION

/// What a lane reads of a vertex to learn whether the vertex searches for a sender.
struct Seen {
    ValueWord held;
    u32 present;  // the word of `DeviceRun::present` with the bit of the vertex
    u64 edges;    // edges along which it could receive
};

/// Reads what the lanes of a warp must know of the 32 vertices of a word of the bitmaps.
WP_FN Seen see_word(const DeviceRun& run, u32 word) {
    u32 v = word * 32 + lane();
    if (v >= run.vertices) return Seen{};
    return Seen{((const ValueWord*)run.values)[v], load_stale(&run.present[word]), edges_of<GATHER_ROWS>(run, v)};
}

#if WP_SEVERAL

/// Gives the other devices the words of a bitmap that contain this device's vertices. Adjacent lanes write adjacent words.
WP_CALL void share_bitmap(u32 array) {
    const DeviceRun& run = run_of_block();
    u32 words = (u32)(((u64)run.vertices + 31) / 32);
    for (u32 number = thread(); number < own_words(run); number += threads()) {
        u32 at = own_word(run, number);
        if (at >= words) continue;
        u32 own = run.bitmaps[array][at];
        for_each_other([&](const Peer& peer) { peer.bitmaps[array][at] = own; });
    }
}

/// Gives the other devices this device's part of the frontier of a step, which is a bitmap. The bitmap is complete after the
/// barrier that follows. `is_marked` tells that a step's queue was converted to it.
WP_FN void share_frontier(const DeviceRun& run, u64 step, bool is_marked) {
    if (is_marked) device_barrier(run.control);
    share_bitmap((u32)step & 1);
}

/// Notes that the vertices of other devices in a word of a frontier have values, which are final.
WP_FN void note_frontier(const DeviceRun& run, u32 word, u32 frontier) {
    if (frontier && !is_own(run, word * 32)) run.present[word] |= frontier;
}

#endif

/// Takes one step in which the unreached vertices search for a sender. Returns the number of edges that this lane
/// visited.
WP_FN u64 pull_step(const DeviceRun& run, const Params& params, u64 step) {
    __shared__ u64 block_found, block_edges;
#if WP_SEVERAL
    __shared__ ValueWord block_word;
#endif
    if (threadIdx.x == 0) block_found = block_edges = 0;
    __syncthreads();
    const u32* frontier = run.bitmaps[step & 1];
    u32* next = run.bitmaps[(step + 1) & 1];
    u32 words = own_words(run);
    u64 looked_at = 0, edges = 0;
    u32 found = 0;
#if WP_SEVERAL
    ValueWord found_word = {};
#endif
    auto hear = [&](Heard<ValueWord>& heard, u32 sender, u32 v, u64 position, bool reverse) {
        Option<ValueWord> word = word_from(sender, v, position, reverse, step);
        if (word.some) add_heard(heard, word.value);
    };
#if WP_SEVERAL
    for (u32 at = thread(); at < ((u64)run.vertices + 31) / 32; at += threads()) note_frontier(run, at, frontier[at]);
#endif
    Seen next_seen = {};
    if (warp() < words) next_seen = see_word(run, own_word(run, warp()));
    for (u32 number = warp(); number < words; number += warps()) {
        u32 word = own_word(run, number), v = word * 32 + lane();
        ValueWord* held = (ValueWord*)run.values + v;
        Seen seen = next_seen;
        // What the warp must know of its next vertices is read while these search.
        if (number + warps() < words) next_seen = see_word(run, own_word(run, number + warps()));
        reads_are_under_way();
        bool open = seen.edges > 0 && seen.held == IDENTITY<ValueWord> && !(seen.present >> lane() & 1);
        u32 reached_here = 0;
        if (__any_sync(ALL_LANES, open)) {
            Heard<ValueWord> heard = listen<ValueWord>(run, frontier, open, v, hear);
            looked_at += heard.looked_at;
            if (heard.some) {
                *held = heard.word;
                if (heard.word == IDENTITY<ValueWord>) make_present(run, v);
                edges += edges_of<SEND_ROWS>(run, v);
                ++found;
#if WP_SEVERAL
                found_word = heard.word;
#endif
            }
            reached_here = __ballot_sync(ALL_LANES, heard.some);
        }
        if (lane() == 0 && word < ((u64)run.vertices + 31) / 32) next[word] = reached_here;
    }
    u64 warp_found = sum_of_lanes(found), warp_edges = sum_of_lanes(edges);
    if (lane() == 0 && warp_found > 0) {
        atomicAdd(&block_found, warp_found);
        atomicAdd(&block_edges, warp_edges);
    }
#if WP_SEVERAL
    if (found > 0) atomicExch(&block_word, found_word);
#endif
    __syncthreads();
    if (threadIdx.x == 0 && block_found > 0) {
        tell_gate((u32)block_found, block_edges);
#if WP_SEVERAL
        tell_word(block_word, step + 1);
#endif
        atomicAdd(&run.control->frontiers[(step + 1) % 3].counted, counted((u32)block_found, block_edges));
    }
    return looked_at;
}

/// Converts the bitmap of `step` to a queue of this device's vertices, and zeroes both bitmaps.
WP_CALL void list_frontier(u64 step) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    u64 words = ((u64)run.vertices + 31) / 32;
    List list = list_of(step);
    for (u64 begin = (u64)warp() * 32; begin < words; begin += (u64)warps() * 32) {
        u64 at = begin + lane();
        u32 word = at < words ? run.bitmaps[step & 1][at] : 0;
#if WP_SEVERAL
        if (at < words) note_frontier(run, (u32)at, word);
        if (at < words && !is_own(run, (u32)at * 32)) word = 0;
#endif
        if (at < words) run.bitmaps[0][at] = run.bitmaps[1][at] = 0;
        while (__any_sync(ALL_LANES, word)) {
            u32 v = (u32)at * 32 + __ffs(word) - 1;
            put_items<SEND_ROWS, false>(run, stage, word != 0, v, list);
            word &= word - 1;
        }
    }
    flush_block(run, stage, list);
}

/// Chooses the direction of `step` and converts its frontier accordingly.
WP_FN Decision choose_direction(const DeviceRun& run, ControlCopy& state, u64 step, Decision decision) {
    if (!goes_on(run, decision)) return decision;
    Control* control = run.control;
    const u32* directive = &control->directive[step & 1];
    state.sent += decision.pages;
    bool pull = pulls(run, state, decision);
    if (pull && !state.pulling) {
        mark_frontier(decision.count, step);
        if (thread() == 0) control->received[step & 1].counted = control->received[(step + 1) & 1].counted = 0;
#if WP_SEVERAL
        share_frontier(run, step, true);
#endif
        grid_barrier(&control->ticket, &control->fault, directive);
    } else if (state.pulling && !pull) {
#if WP_SEVERAL
        // The other devices should not post vertices that are in this frontier.
        share_frontier(run, step, false);
        grid_barrier(&control->ticket, &control->fault, directive);
#endif
        list_frontier(step);
#if WP_SEVERAL
        recount(decision, device_barrier(control, &control->received[step & 1].counted));
#else
        decision = grid_barrier(&control->ticket, &control->received[step & 1].counted, directive);
        // In a launch that continues a paused launch, `control->directive` still holds the pause.
        decision.directive = DIRECTIVE_GO;
        if (decision.count == 0 && thread() == 0) control->frontiers[step % 3].edgeless = 1;
#endif
    }
#if WP_SEVERAL
    else if (pull) {
        share_frontier(run, step, false);
        grid_barrier(&control->ticket, &control->fault, directive);
    }
#endif
    state.pulling = pull;
    return decision;
}

#endif

}  // namespace wp
