// Nearest first: in `min` and `max` programs over numbers, vertices send bucket by bucket. A bucket holds the values
// between the best waiting value and a bound. A vertex that is improved to a value beyond the bound waits: its bit is
// set in a bitmap. When a bucket is exhausted, the bitmap is searched for the next bucket's vertices. The value at
// which that bucket starts was noted while the vertices began to wait (`waits.cuh`).
//
// This is near-far (Davidson et al., "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", 2014) with
// a bitmap instead of the paper's far pile. No vertex can be in the bitmap twice, so nothing can overflow.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX && WP_BUCKETS

/// Returns the word that is `width` worse than `word`. If the width is too small to change `word`, returns the next
/// worse word.
WP_FN ValueWord beyond(ValueWord word, f64 width) {
    constexpr bool rises = WP_COMBINE == WP_MIN;
    const ValueWord last = IDENTITY<ValueWord>;
    if (word == last) return last;
    ValueWord next = rises ? word + 1 : word - 1;
    if constexpr (IsFloat<Value>::value) {
        Value value = from_word<Value>(word);
        Value moved = rises ? value + (Value)width : value - (Value)width;
        if (moved != moved) return next;
        ValueWord bound = to_word(moved);
        return improves(next, bound) ? bound : next;
    } else {
        ValueWord room = rises ? last - word : word;
        f64 most = (f64)room;
        ValueWord step = width >= most ? room : (ValueWord)width;
        if (step == 0) step = 1;
        return rises ? word + step : word - step;
    }
}

/// Result of `take_pending`: whether a vertex no longer waits, and whether it sends.
struct Taken {
    bool gone;
    bool sends;
};

/// Selects the `take_pending` for a single run, in which each pending vertex waits with its value. Batches use
/// `PendingRuns` (`abreast.cuh`).
struct Pending {
    static constexpr bool IS_ONE_RUN = true;
};

/// Reads what `take_pending` needs to know of a waiting vertex: its value.
WP_FN ValueWord load_pending(const DeviceRun& run, const Pending&, u32 v) {
    return load_fresh((const ValueWord*)run.values + v);
}

/// Releases a waiting vertex if its value is within the bound or `all` is set. Otherwise records that the vertex
/// continues to wait.
WP_FN Taken take_pending(const DeviceRun& run, const ControlCopy& state, const Pending&, Waits& waits, ValueWord last,
                         bool all, u32 v, bool own, ValueWord word, u64 step) {
    // Vertices of other devices are posted, to wait there if they have to.
    bool taken = all || improves(word, state.bound) || !own;
    if (!taken) note(waits, word);
    // A vertex that was improved into an earlier bucket has already sent with that bucket, or is in its frontier.
    bool sends = taken && (state.epoch == 1 || !improves(word, last));
#if WP_SEVERAL
    // If a word arrives for the vertex too, it is queued only once.
    if (sends && own) run.marks[v] = (u32)step - 1;
#endif
    return Taken{taken, sends};
}

/// Queues, for `step`, the waiting vertices with a value within the bound. The other vertices are recorded as if they
/// had begun to wait in this bucket's epoch.
template <typename Who>
WP_CALL void take_bucket(const ControlCopy state, const Who who, ValueWord last, bool all, u64 step) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Waits waits = no_waits();
    Frontier queue = frontier_of(step);
    auto load = [&](u32 v) { return load_pending(run, who, v); };
    for_each_pending(run, all_bits(run), load, [&](bool has, u32 v, bool own, decltype(load(0u)) loaded) {
        Taken taken = has ? take_pending(run, state, who, waits, last, all, v, own, loaded, step) : Taken{};
        u32 gone = __ballot_sync(ALL_LANES, taken.gone);
        waits.left += __popc(__ballot_sync(ALL_LANES, has) & ~gone);
        // A vertex at which other runs of a batch still wait sends, but is not gone.
        if (!__any_sync(ALL_LANES, taken.gone || taken.sends)) return;
        if (lane() == 0 && gone) atomicAnd(&run.pending[v >> 5], ~gone);
        put_items<SEND_ROWS, false>(run, stage, taken.sends, v, queue);
    });
    tell_block(waits);
    flush_block(run, stage, queue);
    tell_device(run.control, state.epoch);
}

/// Begins the bucket that starts at `best`, the best waiting word. Adds its items to the frontier of `step`, which has
/// `count` items.
template <typename Who>
WP_FN Decision begin_bucket(const DeviceRun& run, ControlCopy& state, const Who& who, ValueWord best, u64 step, u32 count) {
    Control* control = run.control;
    const Counter& counter = control->frontiers[step % 3];
    ValueWord last = state.bound;
    state.bound = beyond(best, state.width);
    ++state.epoch;
    if (thread() == 0) begin_epoch(control, state.epoch);
    take_bucket(state, who, last, best == IDENTITY<ValueWord>, step);
    Decision decision = gate(control, counter, &control->directive[step & 1], count);
    state.waits = decision.waits;
#if WP_SEVERAL
    // What is told now are the items that were taken.
    u32 taken = decision.everywhere - decision.posted;
    decision.everywhere += count;
    bool edgeless = decision.everywhere == 0 && has_edgeless(control, decision, step % 3);
#else
    u32 taken = decision.count - count;
    bool edgeless = decision.count == 0 && load_fresh(&counter.edgeless);
#endif
    // This read is safe: no thread writes the word before the next barrier.
    u32 left = load_fresh(&control->left[state.epoch % 3]);
    bool is_narrow = taken < FEW_ITEMS || (WIDENS_FOR_WAITING && Who::IS_ONE_RUN && taken < left);
    if (taken > MANY_BUCKET_ITEMS && !is_narrow) state.width /= 2;
    else if (edgeless || (taken > 0 && is_narrow)) state.width *= 2;
    return decision;
}

/// Returns `true` if the values of all vertices that the run names are settled: none of them is worse than `nearest`,
/// the best waiting word. No message is better than its sender's value, so none of them can be improved. A thread stops at
/// the first vertex that is not settled. Every block gets the same result, because no value changes between the end of a
/// bucket and the barrier at which the next one begins. Each of several devices looks at its own vertices.
WP_CALL bool are_settled(ValueWord nearest) {
    const DeviceRun& run = run_of_block();
    bool all = true;
    for (u32 i = threadIdx.x; all && i < run.settle_count; i += BLOCK_THREADS) {
        u32 v = run.settles[i];
        if (!is_own(run, v)) continue;
        ValueWord word = load_fresh((const ValueWord*)run.values + v);
        bool has_value = word != IDENTITY<ValueWord> || (load_fresh(&run.present[v >> 5]) >> (v & 31) & 1);
        all = has_value && !improves(nearest, word);
    }
#if WP_SEVERAL
    all = __syncthreads_and(all);
    if (threadIdx.x == 0 && !all) tell_flag(TELLS_UNSETTLED);
    Decision decision = grid_barrier(&run.control->ticket, &run.control->fault, &run.control->fault);
    return !(decision.flags & TELLS_UNSETTLED);
#else
    return __syncthreads_and(all);
#endif
}

/// Returns `true` if the next bucket begins with `step`: the frontier is empty, or its few vertices join that bucket.
template <typename Who>
WP_FN bool is_exhausted(const ControlCopy& state, const Decision& decision) {
    if (all_items(decision) == 0) return true;
#if WP_SEVERAL
    // What was posted may yet wait for a bucket.
    if (decision.flags & TELLS_MAIL) return false;
#endif
    // Where rows are far away, visiting edges again costs more than a step.
    if (WP_STREAMED || WP_ROWS_ON_HOST) return false;
    u32 left = all_items(decision);
    bool is_tail = Who::IS_ONE_RUN && decision.told && left < FEW_LEFT && left < state.active;
    return is_tail && decision.directive == DIRECTIVE_GO;
}

/// Begins the next bucket that has an edge, if the frontier is exhausted. The decision's count is 0 if no vertex waits any
/// more.
template <typename Who>
WP_FN Decision next_bucket(const DeviceRun& run, ControlCopy& state, const Who& who, u64 step, Decision decision) {
    // In a launch that continues a paused launch, `control->directive` still holds the pause. The caller's directive is
    // therefore kept.
    u32 going = decision.directive;
    state.waits |= decision.waits;
    while (state.waits && is_exhausted<Who>(state, decision) && (going == DIRECTIVE_GO || going == DIRECTIVE_OVERRUN)) {
        ValueWord best = best_waiting(run.control, state.epoch);
        if constexpr (WP_SETTLES) {
            if (all_items(decision) == 0 && are_settled(best)) {
                // The host learns from the bound which values are settled.
                state.bound = best;
                // A count of 0 would report that nothing waits.
                set_all_items(decision, 1);
                decision.directive = DIRECTIVE_SETTLED;
                break;
            }
        }
        if (going == DIRECTIVE_OVERRUN) {
            // The step limit is reached, and a vertex still waits. A count of 0 would report that the run ended
            // normally.
            set_all_items(decision, 1);
            break;
        }
        if (decides()) {
            if (is_leader() && run.watched) settle_edges(run.control, step);
            if (is_leader()) record(run, nanoseconds(), step, state.epoch + 1, 0, KIND_ADVANCE);
        }
        // Slow blocks may still read the counter to which the bucket adds.
        if (!decision.told) await_readers(run);
        state.active = 0;
        decision = begin_bucket(run, state, who, best, step, all_items(decision));
#if WP_SEVERAL
        // The vertices of other devices that were improved since the last bucket were posted on the side of the step before.
        decision = take_mail(run, state, step - 1, decision);
        state.waits |= decision.waits;
#endif
        decision.directive = going;
    }
    return decision;
}

#endif

}  // namespace wp
