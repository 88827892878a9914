// The folds at the end of steps: for a program's `finished`, which may end the run, and for the outcome.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_PUSH || WP_SCHEDULE == WP_PULL

#if WP_HAS_FINISHED

/// Asks the program whether the run ends before `step`, given the fold of the values before the step that precedes it.
/// Replaces that fold with the one before `step`. Before a pause, nothing is asked: the next launch does so.
WP_FN void ask_finished(const DeviceRun& run, const Params& params, Work& work, Aggregate& last, u64 step) {
    u32 directive = work.decision.directive;
    if (!work.some || directive == DIRECTIVE_FAULT || directive == DIRECTIVE_PAUSE) return;
    Aggregate now = fold_values(run, params, step);
    // One thread asks for all: loops that are stopped end at different iterations in different threads, so the threads
    // could get different answers. All threads have read this directive, and no thread writes it before the next step.
    u32* answer = &run.control->directive[step & 1];
    if (decides() && is_leader()) {
        Context context = begin_call(run);
        bool finished = program::finished(params, last, now, step - 1, context);
        u32 fault = end_call(run, context, PLACE_STEP, (u32)(step - 1), 0);
        u32 given = fault ? (u32)DIRECTIVE_FAULT : finished ? (u32)DIRECTIVE_FINISHED : directive;
#if WP_SEVERAL
        set_directive(run.control, step, given);
#else
        *answer = given;
#endif
    }
    work.decision.directive = grid_barrier(&run.control->ticket, &run.control->fault, answer).directive;
    last = now;
}

/// Returns the fold before `step`, with which a launch begins, or the last fold that was kept if there is no work.
WP_FN Aggregate first_fold(const DeviceRun& run, const Params& params, Work& work, u64 step) {
    if (step == 1) return fold_values(run, params, step);
    Aggregate last = *(const Aggregate*)run.folds;
    ask_finished(run, params, work, last, step);
    return last;
}

/// Returns the fold before `step`, which was computed when the step before it ended.
WP_FN Aggregate fold_before(const DeviceRun&, const Params&, Aggregate last, u64) { return last; }

#else

WP_FN void ask_finished(const DeviceRun&, const Params&, Work&, Aggregate&, u64) {}
WP_FN Aggregate first_fold(const DeviceRun&, const Params&, Work&, u64) { return no_aggregate(); }
WP_FN Aggregate fold_before(const DeviceRun& run, const Params& params, Aggregate, u64 step) {
    return fold_values(run, params, step);
}

#endif

/// Stores the fold that the next launch begins with or, if the run is over, that of all values. All threads must call
/// this, after the barrier that ended the last step.
WP_FN void keep_fold(const DeviceRun& run, const Params& params, const Work& work, Aggregate last, u64 step) {
    if constexpr (!WP_AGGREGATES) return;
    u32 directive = work.decision.directive;
    // Without work, a run is over even if it was to pause, unless vertices may still wait for their level (`end_launch`).
    bool pauses = directive == DIRECTIVE_PAUSE && (work.some || WP_HAS_PRIORITY);
    if (directive == DIRECTIVE_FAULT || (pauses && !WP_HAS_FINISHED)) return;
    restore_level(run, work);
    bool is_last = WP_HAS_FINISHED && (pauses || work.some);
    Aggregate fold = is_last ? last : fold_values(run, params, step);
    if (thread() == 0) *(Aggregate*)run.folds = fold;
}

#endif

}  // namespace wp
