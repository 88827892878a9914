// How a launch begins, for every kernel: the shared memory of a block, and the initial loop state of a fresh run.
#pragma once

namespace wp {

/// Initializes the shared memory of a block. All threads must call this.
WP_FN void begin_block(const DeviceRun& run, const Params& params) {
    if (threadIdx.x == 0) {
        run_of_block() = run;
        params_of_block() = params;
    }
#if WP_SEVERAL
    begin_peers(run);
#endif
    begin_barriers();
    begin_orders();
    begin_waits();
    forget_copies();
#if WP_IN_PLACE
    begin_sent();
#endif
#if WP_SCHEDULE == WP_SWEEP
    begin_groups();
#elif WP_SCHEDULE == WP_WALK
    begin_seen();
#if WP_ACCUMULATES
    begin_proxies(run);
#endif
#if WP_LENDS
    begin_loans(run);
#endif
#endif
    __syncthreads();
}

/// Initializes the loop state of a fresh run, before the first values. All threads must call this; a barrier follows.
WP_FN void reset_loop(Control* control) {
    // The word of any waiting vertex comes before these initial words.
    if (thread() < 3) *(WaitWord*)&control->best[thread()] = LAST_WAIT;
}

/// Begins a fresh run, before its first step. Called by one thread.
WP_FN void begin_run(const DeviceRun& run, const Clock& clock) {
    Control* control = run.control;
    control->step = 1;
    control->launched = clock.launched;
    control->width = run.width;
    if (is_leader()) set_directive(control, 1, decide(run, 0, 0));
}

}  // namespace wp
