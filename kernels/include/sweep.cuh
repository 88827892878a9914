// Schedule: combined edge lists in place, WolfPath's own. A step sweeps one group: every edge whose source has a value is
// relaxed, whoever is improved marks the group of its edges, and a group is swept until nothing in it changes. Then comes
// the next dirty one, round and round, until none is.
//
// Which edges a thread has is known beforehand, so there is neither a queue nor a row to look up. Where a group has so few
// edges that each thread keeps its own in registers, a step on it reads the sources' values and nothing else, unless one
// has changed. While it waits for nothing else a warp then looks again, and again, before the device waits for all: values
// may be seen early, and a wave that passes through thin layers costs a round trip or two to L2 a layer, not a barrier.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_SWEEP

/// Whether a thread keeps its edges' weights, too; large ones are read when they are needed.
constexpr bool KEEPS_WEIGHTS = WP_READS_EDGE_WEIGHT && sizeof(Weight) <= 8;

/// One edge that a thread keeps.
struct Kept {
    u32 source;
    u32 end;
    ValueWord sent;  // the source's word when the edge was last relaxed: at first the one that says nothing
    Weight weight;
};

/// A group, and what a thread has of it.
struct Held {
    Group group;
    Kept kept[KEPT_EDGES];
};

/// What a thread has: the group that is being swept, and the one behind it, which a wave comes to next. Its edges are
/// fetched while the device comes to the barrier, so that the step over them begins with the sources' values. The last
/// two are the same in every thread.
struct Hand {
    Held now;
    Held next;
    bool fetched;  // `next` has its edges
    u32 rounds;
};

WP_FN const u32* ends_of(const DeviceRun& run) { return WP_SEND_IN ? run.in_ends : run.out_ends; }

WP_FN bool is_kept(const Group& group) { return group.last_edge - group.first_edge <= (u64)threads() * KEPT_EDGES; }

/// The thread's first edge of those that every `ahead`th round of the device brings. Neighbouring warps' edges, that is
/// those of one thin layer, go to different multiprocessors.
WP_FN u64 first_of_thread(const Group& group, u32 ahead) {
    return group.first_edge + (u64)warp() * 32 * ahead + lane();
}

/// Where a kept edge lies.
WP_FN u64 position_of(const Group& group, u32 i) { return first_of_thread(group, 1) + (u64)i * threads(); }

/// Takes a group's edges, where threads keep them.
WP_FN void take_up(const DeviceRun& run, Held& held) {
    if (!is_kept(held.group)) return;
#pragma unroll
    for (u32 i = 0; i < KEPT_EDGES; ++i) {
        Kept& kept = held.kept[i];
        u64 position = position_of(held.group, i);
        if (position >= held.group.last_edge) continue;
        kept.source = run.edge_sources[position];
        kept.end = ends_of(run)[position];
        kept.sent = IDENTITY<ValueWord>;
        if constexpr (KEEPS_WEIGHTS) kept.weight = weight_at(run, position, WP_SEND_IN);
    }
}

/// Begins with a group. Where the one behind it lies is asked for at once, and needed at the end of the step.
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

/// Fetches the edges of the group behind.
WP_FN void fetch_next(const DeviceRun& run, Hand& hand) {
    if (hand.fetched) return;
    take_up(run, hand.next);
    hand.fetched = true;
}

/// The source's word as it is now.
WP_FN ValueWord word_now(const DeviceRun& run, u32 v) { return load_fresh((const ValueWord*)run.values + v); }

/// Whether a vertex with this word has a value.
WP_FN bool has_value(const DeviceRun& run, u32 v, ValueWord word) { return word != IDENTITY<ValueWord> || is_present(run,
                     v); }

/// Sees to it that the edges of an improved vertex are swept again.
WP_FN void mark_improved(const DeviceRun& run, const Group& group, u32 v, u32 round) {
    if (v >= group.first_vertex && v < group.last_vertex) return note_number(once_more(run, round));
    bool is_next = v >= group.last_vertex && v < group.next_vertex;
    mark_dirty(run, group.number, is_next ? group.number + 1 : group_of(run, v));
}

/// Sends what an edge carries. `held` is what the receiver held not long ago, or the identity where nobody looked.
WP_FN Relaxation relax_along(const DeviceRun& run, const Params& params, u32 source, ValueWord word, u32 end,
                             const Weight& weight, ValueWord held) {
    auto edge = weighed_edge(run, from_word<Value>(word), source, end, weight);
    Option<Message> message = message_along(run, params, edge, source, end);
    bool has = message.some && !is_dropped(message.value);
    return relax_word(run, has, end, to_word(message.value), held);
}

/// Sweeps a group of kept edges `hand.rounds` times. `first` says that this group was not swept in the step before: then
/// many of its edges improve nothing, so that looking at the receiver first saves atomics. Later what is relaxed has just
/// changed, and goes straight to the atomic. Returns the edges that this thread relaxed.
WP_FN u32 sweep_kept(const DeviceRun& run, const Params& params, Hand& hand, bool first) {
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
            // A value that looks like none does not change. Its bit is seen behind the next barrier at the latest.
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
            if (has_improved(relaxations[i])) mark_improved(run, hand.now.group, hand.now.kept[i].end, round);
        }
    }
    return relaxed;
}

/// Sweeps a large layer once: all threads read its arrays in order, with the loads of several edges in flight.
WP_FN u64 sweep_layer(const DeviceRun& run, const Params& params, const Group& group) {
    u64 relaxed = 0;
    const ValueWord* values = (const ValueWord*)run.values;
    for (u64 first = first_of_thread(group, EDGES_AHEAD); first < group.last_edge;
         first += (u64)threads() * EDGES_AHEAD) {
        u32 sources[EDGES_AHEAD], ends[EDGES_AHEAD];
        ValueWord now[EDGES_AHEAD], held[EDGES_AHEAD];
        bool has[EDGES_AHEAD];
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) {
            has[i] = first + 32 * i < group.last_edge;
            sources[i] = has[i] ? run.edge_sources[first + 32 * i] : 0;
            ends[i] = has[i] ? ends_of(run)[first + 32 * i] : 0;
        }
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) now[i] = values[sources[i]];
#pragma unroll
        for (u32 i = 0; i < EDGES_AHEAD; ++i) {
            has[i] = has[i] && has_value(run, sources[i], now[i]);
            held[i] = has[i] ? values[ends[i]] : IDENTITY<ValueWord>;
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
            if (has_improved(relaxations[i])) mark_improved(run, group, ends[i], 0);
        }
    }
    return relaxed;
}

/// Turns to the group that the barrier announced. `taken` says that the hand holds the edges of the step before. Says
/// whether the group is another than then.
WP_FN bool turn_to(const DeviceRun& run, Hand& hand, bool taken, u32 announced) {
    bool again = announced > run.group_count;
    if (again && taken) {
        // While the last look of all still improved something, more looks may do so; else one more is to find nothing.
        bool moves = announced == once_more(run, hand.rounds - 1);
        u32 twice = hand.rounds * 2 < MOST_ROUNDS ? hand.rounds * 2 : MOST_ROUNDS;
        hand.rounds = moves ? twice : 1;
        return false;
    }
    begin_group(run, hand, again ? hand.now.group.number : group_ahead(run, hand.now.group.number, announced));
    return true;
}

WP_FN void run_steps(const DeviceRun& run, const Params& params, Stage&, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 step = load_fresh(&control->step);
    Hand hand = {};
    hand.now.group.number = step == 1 ? run.group_count - 1 : load_fresh(&control->group);
    u64 relaxed = 0;
    for (bool taken = false; decision.count > 0 && decision.directive == DIRECTIVE_GO; taken = true) {
        u64* counter = &control->frontiers[(step + 1) % 3].counted;
        bool first = turn_to(run, hand, taken, decision.count);
        open_step(run, clock, step, hand.now.group.last_vertex - hand.now.group.first_vertex, KIND_SWEEP, 0);
        if (blockIdx.x == 0 && warp_in_block() == BLOCK_THREADS / 32 - 1)
            announce_marked(run, hand.now.group.number, counter);
        if (is_kept(hand.now.group)) tally(run, relaxed, sweep_kept(run, params, hand, first), step);
        else tally(run, relaxed, sweep_layer(run, params, hand.now.group), step);
        fetch_next(run, hand);
        ++step;
        announce(counter);
        decision = grid_barrier(&control->ticket, counter, &control->directive[step & 1]);
    }
    count_edges(control, relaxed);
    if (thread() == 0) {
        end_launch(run, step, decision);
        control->group = hand.now.group.number;
    }
}

#endif

}  // namespace wp
