// Schedule: combined edge lists in place, the schedule of the WolfPath paper. A step sweeps one group of edges: it
// relaxes every edge whose source has a value. A thread that improves a vertex marks the group of the vertex's edges as
// dirty. A group is swept until nothing in it changes. Then the next dirty group in the ring of all groups follows,
// until no group is dirty.
//
// A thread knows its edges beforehand, so there is neither a queue nor a row to look up. If a group is so small that
// the threads keep all of its edges in registers, a step reads only the values of the edges' sources, and reads more
// only for sources that have changed. A warp repeats this in several rounds before it waits at the device-wide barrier.
// Because values may be seen early, improvements that pass through thin layers cost one or two round trips to L2 per
// layer instead of a barrier.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_SWEEP

/// `true` if a thread keeps its edges' weights in registers too. Larger weights are read when they are needed.
constexpr bool KEEPS_WEIGHTS = WP_READS_EDGE_WEIGHT && sizeof(Weight) <= 8;

/// An edge that a thread keeps in registers.
struct Kept {
    u32 source;
    u32 end;
    ValueWord sent;  // the source's word when the edge was last relaxed; initially the identity
    Weight weight;
};

/// A group, and the edges of the group that a thread keeps.
struct Held {
    Group group;
    Kept kept[KEPT_EDGES];
};

/// A thread's data: the group that is being swept, and the group after it, which improvements usually reach next. The
/// next group's edges are fetched before the thread waits at the barrier, so that the step over that group can begin by
/// reading the sources' values. `fetched` and `rounds` are the same in every thread.
struct Hand {
    Held now;
    Held next;
    bool fetched;  // the edges of `next` have been fetched
    u32 rounds;
};

/// Returns `true` if the threads keep all edges of a group. Rows that are streamed are read in rounds, not in advance.
WP_FN bool is_kept(const Group& group) {
    return !WP_STREAMED && group.last_edge - group.first_edge <= (u64)threads() * KEPT_EDGES;
}

/// Returns the position of the thread's first edge if each thread processes `ahead` edges in one pass of all threads.
/// Adjacent warps run on different multiprocessors, so the edges of one thin layer are spread over many of them.
WP_FN u64 first_of_thread(const Group& group, u32 ahead) {
    return group.first_edge + (u64)warp() * 32 * ahead + lane();
}

/// Returns the position of a kept edge.
WP_FN u64 position_of(const Group& group, u32 i) { return first_of_thread(group, 1) + (u64)i * threads(); }

/// Loads the edges of a group that this thread keeps. Does nothing if the group is too large for its edges to be kept.
WP_FN void take_up(const DeviceRun& run, Held& held) {
    if (!is_kept(held.group)) return;
#pragma unroll
    for (u32 i = 0; i < KEPT_EDGES; ++i) {
        Kept& kept = held.kept[i];
        u64 position = position_of(held.group, i);
        if (position >= held.group.last_edge) continue;
        kept.source = run.edge_sources[position];
        kept.end = end_at(run, WP_SEND_IN, kept.source, position);
        kept.sent = IDENTITY<ValueWord>;
        if constexpr (KEEPS_WEIGHTS) kept.weight = weight_at(run, position, WP_SEND_IN);
    }
}

/// Begins a group. Requests the bounds of the group after it at once; they are needed at the end of the step.
WP_FN void begin_group(const DeviceRun& run, Hand& hand, u32 number) {
    if (hand.fetched && hand.next.group.number == number) {
        hand.now = hand.next;
    } else {
        hand.now.group = group_at(run, number);
        take_up(run, hand.now);
    }
    hand.next.group = group_at(run, number + 1 < run.group_count ? number + 1 : 0);
    hand.fetched = false;
    hand.rounds = FIRST_ROUNDS;
}

/// Fetches the edges of the group after the current one.
WP_FN void fetch_next(const DeviceRun& run, Hand& hand) {
    if (hand.fetched) return;
    take_up(run, hand.next);
    hand.fetched = true;
}

/// Returns the vertex's current word.
WP_FN ValueWord word_now(const DeviceRun& run, u32 v) { return load_fresh((const ValueWord*)run.values + v); }

/// Returns `true` if a vertex with this word has a value.
WP_FN bool has_value(const DeviceRun& run, u32 v, ValueWord word) { return word != IDENTITY<ValueWord> || is_present(run,
                     v); }

#if WP_SEVERAL

/// Posts the staged vertices, which are those of other devices. All lanes must call this.
WP_FN void post_improved(Stage& stage, u64 step) {
    if (stage.count > 0) post_staged(stage.vertices, stage.count, (u32)step & 1);
    stage.count = 0;
    __syncwarp();
}

/// Combines what other devices have posted in `step` into the values. All threads must call this.
WP_FN void take_posted(const DeviceRun& run, u64 step, Decision& decision) {
    Control* control = run.control;
    auto merge = [&](bool has, const Parcel& parcel) {
        if (!has) return;
        combine_atomically((ValueWord*)run.values + parcel.vertex, parcel.word);
        sets_identity(run, parcel.vertex, parcel.word);
    };
    take_sides(run, step, decision, [&](u32 side) {
        if (!has_mail(decision, side)) return;
        for_each_parcel(run, side, merge);
        device_barrier(control);
        if (thread() == 0) empty_inbox(control, side);
    });
}

#endif

/// Marks the group of an improved vertex's edges, so that they are swept again.
WP_FN void mark_improved(const DeviceRun& run, const Group& group, u32 v, u32 round) {
    if (v >= group.first_vertex && v < group.last_vertex) return note_number(once_more(run, round));
    bool is_next = v >= group.last_vertex && v < group.next_vertex;
    mark_dirty(run, group.number, is_next ? group.number + 1 : group_of(run, v));
}

/// Notes the vertices that the lanes have improved, in the lanes in which `has` is true. All lanes must call this.
WP_FN void note_improved(const DeviceRun& run, Stage& stage, const Group& group, bool has, u32 v, u32 round, u64 step) {
    if (has) mark_improved(run, group, v, round);
#if WP_SEVERAL
    put(stage, has && !is_own(run, v), v);
    if (stage.count >= STAGE_VERTICES) post_improved(stage, step);
#endif
}

/// Relaxes one edge. `held` is a recent word of the receiver, or the identity if the receiver was not read.
WP_FN Relaxation relax_along(const DeviceRun& run, const Params& params, u32 source, ValueWord word, u32 end,
                             const Weight& weight, ValueWord held) {
    auto edge = weighed_edge(run, from_word<Value>(word), source, end, weight);
    Option<Message> message = message_along(run, params, edge, source, end);
    bool has = message.some && !is_dropped(message.value);
    return relax_word(run, has, end, to_word(message.value), held);
}

/// Sweeps a group of kept edges `hand.rounds` times. `first` is true if the previous step swept another group. In that
/// case many edges improve nothing in the first round, so reading the receiver first saves atomics. In later rounds the
/// source of a relaxed edge has just changed, and its message goes straight to the atomic. Returns the number of edges
/// that this thread relaxed.
WP_FN u32 sweep_kept(const DeviceRun& run, const Params& params, Stage& stage, Hand& hand, bool first, u64 step) {
    u32 relaxed = 0;
#pragma unroll 1
    for (u32 round = 0; round < hand.rounds; ++round) {
        bool looks = first && round == 0;
        ValueWord now[KEPT_EDGES], held[KEPT_EDGES];
        bool has[KEPT_EDGES];
#pragma unroll
        for (u32 i = 0; i < KEPT_EDGES; ++i) {
            has[i] = position_of(hand.now.group, i) < hand.now.group.last_edge;
            now[i] = held[i] = IDENTITY<ValueWord>;
            if (has[i]) now[i] = word_now(run, hand.now.kept[i].source);
            if (has[i] && looks) held[i] = word_now(run, hand.now.kept[i].end);
        }
        Relaxation relaxations[KEPT_EDGES];
#pragma unroll
        for (u32 i = 0; i < KEPT_EDGES; ++i) {
            relaxations[i] = no_relaxation();
            Kept& kept = hand.now.kept[i];
            bool sends = now[i] != kept.sent;
            // A value that equals the identity does not change the word, so the presence bit decides instead. The bit
            // is visible after the next barrier at the latest.
            if (round == 0 && now[i] == IDENTITY<ValueWord>) sends = has[i] && is_present(run, kept.source);
            if (!has[i] || !sends) continue;
            kept.sent = now[i];
            ++relaxed;
            Weight weight = kept.weight;
            if constexpr (!KEEPS_WEIGHTS) weight = weight_at(run, position_of(hand.now.group, i), WP_SEND_IN);
            relaxations[i] = relax_along(run, params, kept.source, now[i], kept.end, weight, held[i]);
        }
#pragma unroll
        for (u32 i = 0; i < KEPT_EDGES; ++i) {
            note_improved(run, stage, hand.now.group, has_improved(relaxations[i]), hand.now.kept[i].end, round, step);
        }
    }
    return relaxed;
}

/// Sweeps those edges of a large layer once that are in this round. The threads together read its arrays sequentially,
/// with the loads of several edges in flight. Returns the number of edges that this thread relaxed.
WP_FN u64 sweep_round(const DeviceRun& run, const Params& params, Stage& stage, const Group& group, u64 step) {
    u64 relaxed = 0;
    const ValueWord* values = (const ValueWord*)run.values;
    for (u64 first = first_of_thread(group, EDGES_AHEAD); first - lane() < group.last_edge;
         first += (u64)threads() * EDGES_AHEAD) {
        u32 sources[EDGES_AHEAD], ends[EDGES_AHEAD];
        ValueWord now[EDGES_AHEAD], held[EDGES_AHEAD];
        bool has[EDGES_AHEAD];
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) {
            has[i] = first + 32 * i < group.last_edge && is_in_round(run, WP_SEND_IN, first + 32 * i);
            sources[i] = has[i] ? run.edge_sources[first + 32 * i] : 0;
            ends[i] = has[i] ? end_at(run, WP_SEND_IN, sources[i], first + 32 * i) : 0;
        }
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) now[i] = load_stale(&values[sources[i]]);
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) {
            has[i] = has[i] && has_value(run, sources[i], now[i]);
            held[i] = has[i] ? load_stale(&values[ends[i]]) : IDENTITY<ValueWord>;
        }
        Relaxation relaxations[EDGES_AHEAD];
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) {
            relaxations[i] = no_relaxation();
            if (!has[i]) continue;
            ++relaxed;
            Weight weight = weight_at(run, first + 32 * i, WP_SEND_IN);
            relaxations[i] = relax_along(run, params, sources[i], now[i], ends[i], weight, held[i]);
        }
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) {
            note_improved(run, stage, group, has_improved(relaxations[i]), ends[i], 0, step);
        }
    }
    return relaxed;
}

/// Sweeps a large layer once. Returns the number of edges that this thread relaxed.
WP_FN u64 sweep_layer(const DeviceRun& run, const Params& params, Stage& stage, const Group& group, u64 step) {
    u64 relaxed = 0;
    need_edges_together(run, WP_SEND_IN, group.first_edge, group.last_edge - group.first_edge);
    for_each_round<ChunkRounds>(run, [&] { relaxed += sweep_round(run, params, stage, group, step); });
    return relaxed;
}

/// Switches to the group that the barrier announced. `taken` is true if the thread still holds the edges of the
/// previous step. Returns `true` if the group is to be treated as new.
WP_FN bool turn_to(const DeviceRun& run, Hand& hand, bool taken, u32 announced) {
    bool again = announced > run.group_count;
    if (again && taken) {
        // If the last round still improved something, doubles the number of rounds. Otherwise a single round should
        // suffice, and find nothing to improve.
        bool moves = announced == once_more(run, hand.rounds - 1);
        u32 twice = hand.rounds * 2 < MOST_ROUNDS ? hand.rounds * 2 : MOST_ROUNDS;
        hand.rounds = moves ? twice : 1;
        return false;
    }
    begin_group(run, hand, again ? hand.now.group.number : group_ahead(run, hand.now.group.number, announced));
    return true;
}

WP_FN void run_steps(const DeviceRun& run, const Params& params, Stage& stage, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 step = load_fresh(&control->step);
    Hand hand = {};
    hand.now.group.number = step == 1 ? run.group_count - 1 : load_fresh(&control->group);
    u64 relaxed = 0;
    if (decision.count == 0 || decision.directive != DIRECTIVE_GO) await_readers(run);
    for (bool taken = false; decision.count > 0 && decision.directive == DIRECTIVE_GO; taken = true) {
        bool first = turn_to(run, hand, taken, decision.count);
        open_step(run, clock, step, hand.now.group.last_vertex - hand.now.group.first_vertex, KIND_SWEEP, 0);
        if (blockIdx.x == 0 && warp_in_block() == BLOCK_THREADS / 32 - 1)
            announce_marked(run, hand.now.group.number, step + 1);
        if (is_kept(hand.now.group)) tally(run, relaxed, sweep_kept(run, params, stage, hand, first, step), step);
        else tally(run, relaxed, sweep_layer(run, params, stage, hand.now.group, step), step);
        fetch_next(run, hand);
#if WP_SEVERAL
        post_improved(stage, step);
#endif
        ++step;
        announce(run, step);
        u64* counter = &control->frontiers[step % 3].counted;
        decision = grid_barrier(&control->ticket, counter, &control->directive[step & 1]);
#if WP_SEVERAL
        take_posted(run, step - 1, decision);
#endif
    }
    count_edges(control, relaxed);
    set_all_items(decision, decision.count);
    if (thread() == 0) {
        end_launch(run, step, decision);
        control->group = hand.now.group.number;
    }
}

#endif

}  // namespace wp
