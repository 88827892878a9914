// The kernel of one run: sets first values (if the run is new), then takes steps until the run ends or the time slice
// is over.
#pragma once

/// Launched cooperatively with one block per multiprocessor. All state is in device memory (`run.control` and the run's
/// arrays). If a launch returned with DIRECTIVE_PAUSE, the next launch therefore continues where it stopped.
extern "C" __global__ void __launch_bounds__(wp::BLOCK_THREADS, 1)
    wolfpath_run(const __grid_constant__ wp::DeviceRun run, const __grid_constant__ program::Params params) {
    using namespace wp;
    Control* control = run.control;
    Clock clock = {nanoseconds(), 0};
    bool fresh = load_fresh(&control->step) == 0;
    Stage stage = make_stage();
    begin_block(run, params);
    u64 step = fresh ? 1 : load_fresh(&control->step);
    if (fresh) {
        reset();
        reset_loop(control);
        grid_barrier(&control->ticket, &control->fault, &control->fault);
        start();
        if (thread() == 0) begin_run(run, clock);
    } else if (thread() == 0) {
        tell_again(run, step);
    }
    Decision decision = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, &control->directive[step & 1]);
    if (!fresh) decision.directive = DIRECTIVE_GO;
    if constexpr (WP_EVERYONE_SENDS) {
        decision.count = run.vertices;
#if WP_SEVERAL
        decision.flags |= TELLS_CHANGED;
#endif
    }
#if WP_SLOTS
    // The first step has a barrier before it reads the blocks.
    if (fresh && (run.derives || !run.laid_out)) derive_blocks((u32)load_fresh(&control->received[0].counted));
#endif
    run_steps(run, params, stage, clock, decision);
}
