// The loop of programs whose values may be seen early. The threads choose the kind of each step on the device. They all
// make the same choice, because it depends only on the counts that the last barrier broadcast.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX

/// Prepares the frontier of `step`: begins the next bucket if the frontier is empty, and converts it to a queue or a
/// bitmap.
WP_FN Decision prepare(const DeviceRun& run, ControlCopy& state, u64 step, Decision decision) {
#if WP_BUCKETS
    decision = next_bucket(run, state, Pending{}, step, decision);
#endif
    complete_queue(run, step, (u32)(step % 3), decision);
#if WP_DIRECTION
    decision = choose_direction(run, state, step, decision);
#endif
    return decision;
}

/// Returns `true` if the frontier of `count` items is so small that warps do local rounds.
WP_FN bool is_thin(u32 count) { return WP_LOCAL_ROUNDS && count <= warps() * THIN_ITEMS; }

/// Returns the kind of the next step.
WP_FN Kind kind_of_step(const ControlCopy& state, u32 count) {
    if (state.pulling) return KIND_PULL;
    return is_thin(count) ? KIND_LOCAL : KIND_PUSH;
}

/// Takes one step. Returns the number of edges that this lane visited.
WP_FN u64 take_step(const DeviceRun& run, const Params& params, Stage& stage, const ControlCopy& state, u32 count,
                    u64 step) {
#if WP_DIRECTION
    if (state.pulling) return pull_step(run, params, step);
#endif
#if WP_LOCAL_ROUNDS
    if (is_thin(count)) return local_step(run, params, stage, state, count, step);
#endif
    return push_step(run, params, stage, state, count, step);
}

WP_FN void run_steps(const DeviceRun& run, const Params& params, Stage& stage, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 step = load_fresh(&control->step);
    ControlCopy state = load_control(run);
    u64 looked_at = 0;
    u64 first = step;
    begin_gates();
    // `prepare` is called in one place, because it is inlined: compiling it twice takes a tenth of the time of a program.
    for (;;) {
        decision = prepare(run, state, step, decision);
        if (!goes_on(run, decision)) break;
        u32 active = all_items(decision);
        open_step(run, clock, step, active, kind_of_step(state, decision.count), WP_BUCKETS ? state.epoch : 0);
        tally(run, looked_at, take_step(run, params, stage, state, decision.count, step), step);
        ++step;
        state.active = active;
        decision = gate(control, control->frontiers[step % 3], &control->directive[step & 1], 0);
#if WP_SEVERAL
        decision = take_mail(run, state, step - 1, decision);
#endif
    }
    if (step == first) await_readers(run);
    count_edges(control, looked_at);
    if (thread() == 0) {
        end_launch(run, step, decision);
        store_control(control, state);
    }
}

#endif

}  // namespace wp
