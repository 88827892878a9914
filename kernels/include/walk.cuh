// Asynchronous rounds (schedules `Paths` and `Accumulate`). Vertices that have something to send wait, and a bitmap has a bit
// for each place. A round has two parts, each of which ends at a barrier: vertices that wait are taken into a queue, and
// then they send along all their edges, which lets others wait.
//
// In the order of paths (WP_ORDERED), the places are those in which paths are walked, and groups of layers of paths are
// finished one after the other, because no edge leads to an earlier group. A round leaves out vertices with less to send than
// those that wait on average: what they still receive they can send together. (The order of paths and its layers are ideas of
// DiGraph; Zhang et al., ASPLOS 2019. There, a path is walked by one thread, which sees each new value at once.)
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_WALK

/// Returns what the threads of the block have seen of the vertices that wait, since the last barrier.
WP_FN Census& seen_by_block() {
    __shared__ Census seen;
    return seen;
}

/// Prepares a block for its first scan. A barrier follows.
WP_FN void begin_seen() {
    if (threadIdx.x == 0) seen_by_block() = Census{};
}

/// Adds what the lanes of a warp have seen to what their block has. All lanes must call this.
WP_FN void note_seen(Census seen) {
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) {
        Census other = shuffle_down(seen, distance);
        if (lane() + distance >= 32) continue;
        seen.urgency += other.urgency;
        seen.taken += other.taken;
        seen.total += other.total;
        seen.waiting += other.waiting;
        seen.senders += other.senders;
    }
    if (lane() > 0) return;
    Census& all = seen_by_block();
    if (seen.urgency != 0) atomicAdd(&all.urgency, seen.urgency);
    if (seen.taken != 0) atomicAdd(&all.taken, seen.taken);
    if (seen.total != 0) atomicAdd(&all.total, seen.total);
    if (seen.waiting > 0) atomicAdd(&all.waiting, seen.waiting);
    if (seen.senders > 0) atomicAdd(&all.senders, seen.senders);
}

/// Adds what a block has seen to what the device has seen in a scan, and forgets it. All threads must call this.
WP_FN void tell_seen(Control* control, u64 scans) {
    __syncthreads();
    if (threadIdx.x > 0) return;
    Census &block = seen_by_block(), *all = &control->seen[scans % 3];
    if (block.urgency != 0) atomicAdd(&all->urgency, block.urgency);
    if (block.taken != 0) atomicAdd(&all->taken, block.taken);
    if (block.total != 0) atomicAdd(&all->total, block.total);
    if (block.waiting > 0) atomicAdd(&all->waiting, block.waiting);
    if (block.senders > 0) atomicAdd(&all->senders, block.senders);
    if constexpr (WP_LENDS) tell_queued(*all);
    block = Census{};
}

/// Per-thread copy of the state of the rounds (`Control::walk`). All copies are equal.
struct Walk {
    u64 scans;   // number of scans so far; what was seen in scan `s` is at `s % 3`
    f64 taken;   // sum of the sizes of all that was taken
    f64 total;   // sum of the sizes of all values, as far as it is known
    f64 left;    // size of what earlier groups have not sent
    u32 group;   // the group that is being finished
    bool takes;  // `false` if the next scan only looks
    bool grows;  // what was taken may exceed `total`, and counts instead
};

WP_FN Walk load_walk(const Control* control) {
    const WalkState& state = control->walk;
    return Walk{load_fresh(&state.scans), load_fresh(&state.taken), load_fresh(&state.total), load_fresh(&state.left),
                load_fresh(&state.group), !load_fresh(&state.looks), !load_fresh(&state.is_exact)};
}

/// Stores the copy for the next launch and the host. Called by one thread.
WP_FN void store_walk(Control* control, const Walk& walk) {
    WalkState& state = control->walk;
    state.scans = walk.scans;
    state.taken = walk.taken;
    state.total = walk.total;
    state.left = walk.left;
    state.group = walk.group;
    state.looks = !walk.takes;
    state.is_exact = !walk.grows;
}

/// Returns what a device has seen in a scan.
WP_FN Census load_census(const Census* seen) {
    return Census{load_fresh(&seen->urgency), load_fresh(&seen->taken), load_fresh(&seen->total),
                  load_fresh(&seen->waiting), load_fresh(&seen->senders), WP_LENDS ? load_fresh(&seen->items) : 0};
}

/// Returns what all devices have seen in a scan, after the barrier that ends it. Few threads of each block read it, and the
/// others have copied it before they arrive at the next barrier, so that it may then be replaced. Sums of floats are added in
/// the order of devices, so that all devices have the same ones, and decide alike.
WP_FN Census all_seen(Control* control, Walk& walk) {
    __shared__ Census seen;
    u64 scan = walk.scans++;
#if WP_SEVERAL
    __shared__ Census of_devices[MOST_DEVICES];
    const Peers& peers = peers_of_block();
    if (threadIdx.x < peers.count) {
        of_devices[threadIdx.x] = load_census(&peers.all[threadIdx.x].control->seen[scan % 3]);
        note_queue(of_devices[threadIdx.x]);
    }
    __syncthreads();
    // While the first thread adds up, the second warp finds the loans.
    if (threadIdx.x / 32 == 1) find_loans();
    if (threadIdx.x == 0) {
        seen = of_devices[0];
        for (u32 d = 1; d < peers.count; ++d) {
            seen.urgency += of_devices[d].urgency;
            seen.taken += of_devices[d].taken;
            seen.total += of_devices[d].total;
            seen.waiting += of_devices[d].waiting;
            seen.senders += of_devices[d].senders;
        }
    }
#else
    if (threadIdx.x == 0) seen = load_census(&control->seen[scan % 3]);
#endif
    // All blocks have read what was seen in the scan before this one; the scan after the next one uses the same place.
    if (thread() == 0) control->seen[(scan + 2) % 3] = Census{};
    __syncthreads();
    return seen;
}

/// Returns the places of a group.
WP_FN BitRange places_of(const DeviceRun& run, u32 group) {
    return WP_ORDERED ? BitRange{run.path_groups[group], run.path_groups[group + 1]} : all_bits(run);
}

WP_FN u32 groups_of(const DeviceRun& run) { return WP_ORDERED ? run.group_count : 1; }

/// `true` if rounds may leave out vertices.
constexpr bool LEAVES_OUT = WP_ORDERED && (WP_ACCUMULATES || WP_COMBINE == WP_MIN || WP_COMBINE == WP_MAX);

/// Less than every urgency.
constexpr f64 ALL_ARE_DUE = -1e300;

/// Returns the least urgency of a vertex that is due, given what the block has seen. Each block chooses among the vertices that
/// it takes, which are like those of the other blocks, so that no further barrier is necessary. At least one of them is due.
WP_FN f64 least_due() {
    const Census& seen = seen_by_block();
    if (seen.waiting < CHOOSES_AMONG) return ALL_ARE_DUE;
    f64 mean = seen.urgency / (f64)seen.waiting;
    return mean - DUE_SLACK * (mean < 0 ? -mean : mean);
}

/// `true` if a vertex may wait that has no edges: another device, which does not know its rows, has let it wait.
constexpr bool MAY_WAIT_IN_VAIN = WP_SEVERAL && !WP_ORDERED;

/// Takes a vertex that is due. Returns `true` if it has something to send.
WP_FN bool take_turn(const DeviceRun& run, Census& seen, u64& updates, u32 v) {
#if WP_ACCUMULATES
    f64 size = take_amount(run, v);
    seen.taken += size;
    updates += size != 0;
    return size != 0;
#else
    return true;
#endif
}

/// Looks at the vertices of the group that wait and, if `takes`, moves those that are due to the queue of `step`. If
/// `chooses`, those are due whose urgency is at least the mean of those that the block sees, less DUE_SLACK of it. Returns how
/// many updates this lane has made.
WP_CALL u64 scan(u32 group, u64 scans, bool takes, bool chooses, u64 step) {
    const DeviceRun& run = run_of_block();
    BitRange places = places_of(run, group);
    u64 updates = 0;
    auto load = [&](u32 place) { return vertex_of_place(run, place); };
    Census seen = {};
    bool looks = !takes || (LEAVES_OUT && chooses);
    if (looks) {
        for_each_pending(run, places, load, [&](bool has, u32, bool, u32 v) {
            if (MAY_WAIT_IN_VAIN && has) has = has_place(run, v);
            if (has) seen.urgency += urgency_of(run, v);
            seen.waiting += has;
        });
        note_seen(seen);
        seen = Census{};
        __syncthreads();
    }
    if (takes) {
        Stage stage = make_stage();
        f64 least = looks ? least_due() : ALL_ARE_DUE;
        for_each_pending(run, places, load, [&](bool has, u32 place, bool, u32 v) {
            bool in_vain = MAY_WAIT_IN_VAIN && has && !has_place(run, v);
            has &= !in_vain;
            f64 urgency = has ? urgency_of(run, v) : 0;
            if (!looks) {
                seen.urgency += urgency;
                seen.waiting += has;
            }
            // What is not a number is due, too.
            bool due = has && !(urgency < least), sends = due && take_turn(run, seen, updates, v);
            seen.senders += sends;
            u32 gone = __ballot_sync(ALL_LANES, due || in_vain);
            if (gone == 0) return;
            if (lane() == 0) atomicAnd(&run.pending[place >> 5], ~gone);
            put_items<SEND_ROWS, false>(run, stage, sends, v, frontier_of(step));
        });
        flush_block(run, stage, frontier_of(step));
        note_seen(seen);
    }
    tell_seen(run.control, scans);
    return updates;
}

#if WP_ACCUMULATES

/// Sends from vertices that were taken, along all their edges: from `count` items of the queue in `rows`, which also has their
/// edges, what is in `values`. Returns the number of edges that this lane visited.
WP_FN u64 send_items(const DeviceRun& run, const DeviceRun& rows, const void* values, const Params& params, u32 count,
                     u64 step) {
    constexpr u32 AHEAD = sizeof(Message) <= 8 ? EDGES_AHEAD : 1;
    auto load = [&](u32 v) { return ((const Value*)values)[v]; };
    auto look = [&](const Passing& e) {
        if (!e.has) return None<Message>();
        auto edge = edge_view(rows, e.value, e.sender, e.receiver, e.position, e.reverse);
        return message_along(run, params, edge, e.sender, e.receiver);
    };
    auto use = [&](const u32 (&receivers)[AHEAD], const Option<Message> (&messages)[AHEAD], u32 edges) {
#pragma unroll
        for (u32 j = 0; j < AHEAD; ++j) {
            if (j < edges && messages[j].some) offer(run, receivers[j], messages[j].value);
        }
    };
    return for_each_edge<AHEAD>(rows, step & 1, count, load, look, use);
}

#endif

#if WP_LENDS

/// Sends in place of other devices what this one borrows. Returns the number of edges that this lane visited. It is not
/// inlined, so that it takes no registers from the code around it. All threads must call this.
WP_CALL u64 send_loans(u64 step) {
    const Loans& loans = loans_of_block();
    u64 edges = 0;
#pragma unroll 1
    for (u32 i = 0; i < loans.count; ++i) {
        // All threads have visited the items of the loan before.
        __syncthreads();
        if (threadIdx.x == 0) visit_loan(loans.taken[i], step);
        __syncthreads();
        const void* values = values_visited_by_block();
        edges += send_items(run_of_block(), visited_by_block(), values, params_of_block(), loans.taken[i].count, step);
    }
    return edges;
}

#endif

/// Sends from the vertices that were taken, along all their edges. The queue has `queued` items, some of which other devices
/// may send in place of this one. Adds the number of edges of items of other devices to `borrowed`. Returns the number of edges
/// that this lane visited.
WP_FN u64 send_taken(const DeviceRun& run, const Params& params, u64& updates, u64& borrowed, u32 queued, u64 step) {
#if WP_ACCUMULATES
    u64 looked_at = send_items(run, run, run.values, params, items_kept(queued), step);
#if WP_LENDS
    u64 others = loans_of_block().count > 0 ? send_loans(step) : 0;
    borrowed += others;
    looked_at += others;
#endif
    end_proxies(run);
    return looked_at;
#else
    auto load = [&](u32 v) { return from_word<Value>(load_stale((const ValueWord*)run.values + v)); };
    auto look = [&](const Passing& e) { return candidate_along(run, params, e); };
    auto use = [&](const u32 (&receivers)[EDGES_AHEAD], const Candidate (&candidates)[EDGES_AHEAD], u32 edges) {
        Relaxation relaxed[EDGES_AHEAD];
#pragma unroll
        for (u32 j = 0; j < EDGES_AHEAD; ++j) {
            bool has = j < edges && candidates[j].some;
            relaxed[j] = relax_word(run, has, receivers[j], candidates[j].word, candidates[j].held);
        }
#pragma unroll
        for (u32 j = 0; j < EDGES_AHEAD; ++j) {
            if (!has_improved(relaxed[j])) continue;
            // What is combined for a vertex of another device is an update if it improves the value there.
            updates += is_own(run, receivers[j]);
            wait(run, receivers[j]);
        }
    };
    return for_each_edge<EDGES_AHEAD>(run, step & 1, queued, load, look, use);
#endif
}

#if WP_ACCUMULATES

/// Adds up all values, and what the vertices with edges still have to send. Returns both to every thread.
WP_FN Census add_up(const DeviceRun& run, Walk& walk) {
    Census seen = {};
    for_each_own(run, [&](u32 v) {
        seen.total += size_of(value_in_sums(run, v));
        if (has_place(run, v)) seen.urgency += urgency_of(run, v);
    });
    __syncwarp();
    note_seen(seen);
    tell_seen(run.control, walk.scans);
    grid_barrier(&run.control->ticket, &run.control->fault, &run.control->fault);
    return all_seen(run.control, walk);
}

WP_FN bool is_finite(f64 x) { return x - x == 0; }

#endif

/// Conclusion of all threads from a scan: what follows it.
enum Verdict : u32 {
    VERDICT_SEND,      // what was taken is sent
    VERDICT_AGAIN,     // another scan of the same group
    VERDICT_NEXT,      // a scan of the next group, or of the first one once more
    VERDICT_OVER,      // nothing more is to be sent
    VERDICT_DIVERGES,  // sums are not finite
};

/// Returns what follows when the last group is finished.
WP_FN Verdict end_of_groups(const DeviceRun& run, Walk& walk) {
#if WP_ACCUMULATES
    walk.total = add_up(run, walk).total;
    if (!is_finite(walk.total)) return VERDICT_DIVERGES;
    if (walk.left <= run.tolerance * walk.total) return VERDICT_OVER;
    // Amounts of different signs cancelled out, so that the values are smaller than what was taken.
    walk.grows = false;
    walk.left = 0;
    walk.group = 0;
    return VERDICT_NEXT;
#else
    return VERDICT_OVER;
#endif
}

/// Returns the verdict on a scan in which `seen` was seen. `took` is true if it was one that takes. (The queue's counter must
/// not decide this: after a scan that queues nothing, another one may add to it before all threads have read it.)
WP_FN Verdict verdict_of(const DeviceRun& run, Walk& walk, const Census& seen, bool took) {
    bool is_enough = false;
    f64 remaining = 0;
#if WP_ACCUMULATES
    if (!is_finite(seen.urgency)) return VERDICT_DIVERGES;
    f64 known = walk.grows ? walk.taken + seen.urgency : 0;
    walk.taken += seen.taken;
    remaining = walk.left + seen.urgency;
    f64 all = walk.total > known ? walk.total : known;
    f64 share = WP_ORDERED ? (f64)run.path_ends[walk.group] / (f64)run.place_count : 1;
    is_enough = remaining <= run.tolerance * share * all;
#endif
    bool is_done = seen.waiting == 0 || (is_enough && !took);
    // What was taken must be sent before the group can be finished, and then looked at again.
    walk.takes = is_done || !is_enough;
    if (is_done) {
        walk.left = remaining;
        ++walk.group;
        return walk.group < groups_of(run) ? VERDICT_NEXT : end_of_groups(run, walk);
    }
    return seen.senders > 0 ? VERDICT_SEND : VERDICT_AGAIN;
}

WP_FN void run_steps(const DeviceRun& run, const Params& params, Stage&, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 step = load_fresh(&control->step), looked_at = 0, updates = 0, borrowed = 0;
    Walk walk = load_walk(control);
    const u64 first_scan = walk.scans;
    u32 directive = decision.directive;
    Verdict verdict = VERDICT_NEXT;
#if WP_ACCUMULATES
    if (walk.scans == 0) {
        Census seen = add_up(run, walk);
        walk.total = seen.total;
        walk.takes = !(seen.urgency <= run.tolerance * seen.total);
        if (thread() == 0) control->walk.first = seen.urgency;
    }
#endif
    for (;;) {
        // After the last step that the run may take, only looks whether another one would be necessary.
        bool may_send = directive == DIRECTIVE_GO;
        bool may_look = may_send || (directive == DIRECTIVE_OVERRUN && verdict == VERDICT_NEXT);
        if (!may_look || verdict == VERDICT_OVER || verdict == VERDICT_DIVERGES) break;
        bool takes = walk.takes && may_send;
        // After half of the steps that the run may take, all vertices send, since only then the number of rounds has a bound
        // for every program.
        updates += scan(walk.group, walk.scans, takes, step <= run.max_steps / 2, step);
        decision = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, &control->fault);
        Census seen = all_seen(control, walk);
        verdict = verdict_of(run, walk, seen, takes);
        if (verdict != VERDICT_SEND) continue;
        decision.directive = DIRECTIVE_GO;
        complete_queue(run, step, (u32)(step % 3), decision);
        open_step(run, clock, step, decision.count, KIND_PUSH, 0);
        tally(run, looked_at, send_taken(run, params, updates, borrowed, decision.count, step), step);
#if WP_SEVERAL
        device_barrier(control);
        updates += pass_on();
#endif
        ++step;
        const u32* decided = &control->directive[step & 1];
        directive = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, decided).directive;
        verdict = VERDICT_NEXT;
    }
    if (verdict == VERDICT_DIVERGES) directive = DIRECTIVE_OVERRUN;
    if (walk.scans == first_scan) await_readers(run);
    count_edges(control, looked_at);
    add_by_block(&leading(control)->walk.updates, updates);
    if constexpr (WP_LENDS) add_by_block(&leading(control)->walk.borrowed, borrowed);
#if WP_ACCUMULATES
    if (directive == DIRECTIVE_OVERRUN && verdict != VERDICT_OVER) {
        Census seen = add_up(run, walk);
        f64 last = is_finite(seen.total) ? seen.urgency : seen.total;
        // Only the sum of what was pending may have been infinite.
        if (verdict == VERDICT_DIVERGES && is_finite(last)) last = __longlong_as_double(0x7ff0000000000000ll);
        if (thread() == 0) control->walk.last = last;
    }
    set_values();
#endif
    if (thread() == 0) {
        decision.directive = directive;
        end_launch(run, step, decision, verdict != VERDICT_OVER);
        store_walk(control, walk);
    }
}

#endif

}  // namespace wp
