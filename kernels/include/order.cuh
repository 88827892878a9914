// The work of a step in step-by-step schedules. In a program with a `priority`, vertices wait to send until the level
// reaches their priority: their bits are set in a bitmap. When no vertex sends any more, the level rises to the least
// priority of those that wait. It was noted while they began to wait (`waits.cuh`), so raising the level reads the bitmap
// and the priorities once. The waiting vertices are an ordered worklist, as in Julienne (Dhulipala, Blelloch and Shun,
// "Julienne: A Framework for Parallel Graph Algorithms using Work-efficient Bucketing", 2017).
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_PUSH || WP_SCHEDULE == WP_PULL

/// Work of a step, which all threads know.
struct Work {
    Decision decision;  // its count is the number of items of the frontier
    u32 place;          // index of the frontier's counter in `Control::frontiers`
    u64 epoch;          // number of times that the level was raised
    u64 level;          // level of the step or, if there is no work, of the step before it
    bool some;          // there is work, unless a directive forbids the step
};

/// Returns `true` if a vertex is in the frontier whose counter is at `place`. A frontier of vertices without edges has no
/// items, but is a step.
WP_FN bool has_senders(const DeviceRun& run, const Decision& decision, u32 place) {
    return all_items(decision) > 0 || has_edgeless(run.control, decision, place);
}

#if WP_HAS_PRIORITY

WP_FN u64 level_of_step(const DeviceRun& run) { return level_of(run); }

/// Queues, for `step`, the waiting vertices with a priority within `level`. Notes the others for `epoch`.
WP_CALL void take_level(u64 level, u64 epoch, u64 step) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Waits waits = no_waits();
    Frontier queue = {(u32)step & 1, place_of_level(epoch)};
    auto load = [&](u32 v) { return run.priorities[v]; };
    for_each_pending(run, all_bits(run), load, [&](bool has, u32 v, bool, u64 priority) {
        bool taken = has && priority <= level;
        if (has && !taken) note(waits, priority);
        u32 bits = __ballot_sync(ALL_LANES, taken);
        if (lane() == 0 && bits) atomicAnd(&run.pending[v >> 5], ~bits);
        if (WP_SCHEDULE == WP_PULL && taken) set_active(run, v, step);
        put_items<SEND_ROWS, false>(run, stage, taken, v, queue);
    });
    tell_block(waits);
    flush_block(run, stage, queue);
    tell_device(run.control, epoch);
}

/// Returns the work of `step`, given the decision of the barrier before it. Raises the level if no vertex sends in the
/// step, until one does or none waits. A noted priority may be out of date, because its vertex has sent since or got a
/// greater priority. Raising the level to it finds no vertex, but notes all priorities again.
WP_FN Work work_of(const DeviceRun& run, const Work& before, u64 step, Decision decision) {
    Control* control = run.control;
    Work work = {decision, (u32)(step % 3), before.epoch, before.level, has_senders(run, decision, (u32)(step % 3))};
    bool may_raise = decision.directive != DIRECTIVE_FAULT && decision.directive != DIRECTIVE_PAUSE;
    while (!work.some && may_raise) {
        if (!any_waits(control, work.epoch)) break;
        u64 least = best_waiting(control, work.epoch);
        ++work.epoch;
        work.place = place_of_level(work.epoch);
        if (thread() == 0) {
            begin_epoch(control, work.epoch);
            control->bound = least;
        }
        if (decides()) {
            if (is_leader() && run.watched) settle_edges(control, step);
            if (is_leader()) record(run, nanoseconds(), step, least, 0, KIND_ADVANCE);
        }
        take_level(least, work.epoch, step);
        work.decision = grid_barrier(&control->ticket, &control->frontiers[work.place].counted, &control->fault);
        work.decision.directive = decision.directive;
        work.some = has_senders(run, work.decision, work.place);
        if (work.some) work.level = least;
    }
    return work;
}

/// Returns the work of a launch's first step.
WP_FN Work first_work(const DeviceRun& run, u64 step, Decision decision) {
    Control* control = run.control;
    Work before = {};
    before.epoch = load_fresh(&control->epoch);
    before.level = load_fresh(&control->bound);
    // Slow blocks must have read both before the level is raised.
    grid_barrier(&control->ticket, &control->fault, &control->fault);
    return work_of(run, before, step, decision);
}

/// Sets the level to that of the last step, after a search for work that found none. All threads must call this.
WP_FN void restore_level(const DeviceRun& run, const Work& work) {
    if (work.some) return;
    if (thread() == 0) run.control->bound = work.level;
    grid_barrier(&run.control->ticket, &run.control->fault, &run.control->fault);
}

/// Ends a launch before `step`. Called by one thread.
WP_FN void end_work(const DeviceRun& run, u64 step, const Work& work) {
    run.control->epoch = work.epoch;
    // The host cannot tell from the frontier's counters, of which there are several.
    end_launch(run, step, work.decision, work.some);
    run.control->changed[(step - 1) & 1] = work.some;
}

#else

WP_FN u64 level_of_step(const DeviceRun&) { return 0; }

WP_FN Work work_of(const DeviceRun& run, const Work&, u64 step, Decision decision) {
    Work work = {decision, (u32)(step % 3), 0, 0, has_work(run, step, decision)};
    // With an aggregate, steps of vertices without edges are taken too: the fold may read the number of the step.
    if constexpr (WP_AGGREGATES && WP_COMPUTES != WP_ALL) work.some |= has_senders(run, decision, work.place);
    return work;
}

WP_FN Work first_work(const DeviceRun& run, u64 step, Decision decision) { return work_of(run, Work{}, step, decision); }

WP_FN void restore_level(const DeviceRun&, const Work&) {}

WP_FN void end_work(const DeviceRun& run, u64 step, const Work& work) {
    end_launch(run, step, work.decision, work.some);
}

#endif
#endif

}  // namespace wp
