// Measures the barrier of several devices, as their runs use it (`grid.cuh`). This file forms a separate translation unit with
// types.cuh, machine.cuh, delays.cuh, run.cuh, peers.cuh and grid.cuh. Its kernel is launched on each device as runs are.
#pragma once

/// Passes over the measurement. The fastest one counts, because links and clocks are cold in the first.
constexpr int WP_MEETING_PASSES = 3;

/// Lets all blocks of all devices meet `run.steps` times. The first block of each device stores the nanoseconds that this took
/// in `Control::ended`.
extern "C" __global__ void __launch_bounds__(WP_BLOCK_THREADS, 1)
    wolfpath_meet(const __grid_constant__ wp::DeviceRun run) {
    using namespace wp;
    begin_peers(run);
    begin_barriers();
    __syncthreads();
    Control* control = run.control;
    auto meet = [&] { grid_barrier(&control->ticket, &control->fault, &control->fault); };
    u64 best = ~0ull;
    for (int pass = 0; pass < WP_MEETING_PASSES; ++pass) {
        meet();
        u64 began = nanoseconds();
        for (u64 i = 0; i < run.steps; ++i) meet();
        u64 took = nanoseconds() - began;
        best = took < best ? took : best;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) control->ended = best;
}
