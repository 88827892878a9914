// How a launch begins, whatever its kernel: what the threads of a block share, and the state of a fresh run's loop.
#pragma once

namespace wp {

/// Empties what the threads of a block share. All threads call.
WP_FN void begin_block() {
    begin_barriers();
    begin_orders();
    begin_waits();
#if WP_IN_PLACE
    begin_sent();
#endif
#if WP_SCHEDULE == WP_SWEEP
    begin_groups();
#endif
    __syncthreads();
}

/// What a fresh run's loop begins with, before the first values. All threads call; a barrier follows.
WP_FN void reset_loop(Control* control) {
    // What waits for a bucket improves on these.
    if (thread() < 3) *(ValueWord*)&control->best[thread()] = IDENTITY<ValueWord>;
}

/// Begins a fresh run, whose first step is yet to come; by one thread.
WP_FN void begin_run(const DeviceRun& run, const Clock& clock) {
    Control* control = run.control;
    control->step = 1;
    control->launched = clock.launched;
    control->width = run.width;
    control->directive[1] = decide(run, 0, 0);
}

}  // namespace wp
