// Measures the basic operations of runs on a device: the grid barrier, sequential reads, reads and atomics at random
// addresses, and the parts of a thin step (a step with few edges). This file forms a separate translation unit with
// types.cuh, machine.cuh, delays.cuh and grid.cuh. Its kernel is launched once per device in the same way as runs:
// cooperatively, with one block per multiprocessor. The kernel returns times; the host divides them by the amount of work.
#pragma once

namespace wp {

/// Arguments of the measurement. wolfpath-runtime declares the same struct (`cuda/calibrate.rs`).
struct Calibration {
    u32* table;       // `large_words` zeroes
    u64* times;       // nanoseconds, one per Measured; all ones initially
    u64* ticket;      // the grid barrier's ticket, in its own cache line
    u32* counter;     // stands for a queue's counter; its value is always 0
    u32 small_words;  // a power of two
    u32 large_words;  // a power of two
    u32 barriers;
    u32 accesses;     // number of accesses by each thread, a multiple of AHEAD
    u32 steps;        // number of thin steps
    u32 passes;       // number of passes over each measurement; the fastest one counts
};

enum Measured {
    BARRIERS,
    IN_ORDER,
    READS_SMALL,
    READS_LARGE,
    ATOMICS_SMALL,
    ATOMICS_LARGE,
    TO_QUEUE,  // this one and the following: thin steps with the first one to four of their accesses
    TO_ROW,
    TO_END,
    TO_VALUE,
    MEASURED
};

/// Loads that a thread has in flight at a time.
constexpr u32 AHEAD = 8;

WP_FN void wait_for_all(const Calibration& c) { grid_barrier(c.ticket, c.counter, c.counter); }

/// Returns the index of a thread's access, hashed so that no two accesses are near each other.
WP_FN u32 place(u32 access) {
    u32 mixed = (access * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca77u;
    return mixed ^ mixed >> 13;
}

WP_FN u32 read_in_order(const Calibration& c) {
    const uint4* table = (const uint4*)c.table;
    u32 sum = 0, threads = gridDim.x * blockDim.x;
#pragma unroll 4
    for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < c.large_words / 4; at += threads) {
        uint4 four = table[at];
        sum += four.x + four.y + four.z + four.w;
    }
    return sum;
}

WP_FN u32 read_at_random(const Calibration& c, u32 words) {
    u32 sum = 0;
    for (u32 access = 0; access < c.accesses; access += AHEAD) {
        u32 found[AHEAD];
#pragma unroll
        for (u32 i = 0; i < AHEAD; ++i) found[i] = c.table[place(access + i) & (words - 1)];
#pragma unroll
        for (u32 i = 0; i < AHEAD; ++i) sum += found[i];
    }
    return sum;
}

/// Issues atomics that change nothing, since the table holds zeroes. Their contention equals that of effective atomics.
WP_FN u32 lower_at_random(const Calibration& c, u32 words) {
    for (u32 access = 0; access < c.accesses; ++access) atomicMin(&c.table[place(access) & (words - 1)], access);
    return 0;
}

WP_FN u32 wait_in_turn(const Calibration& c) {
    for (u32 i = 1; i < c.barriers; ++i) wait_for_all(c);
    return 0;
}

/// Returns the next index in a warp's chain of reads. It depends on the value that was read.
WP_FN u32 follow(u32 at, u32 found) { return (at + found) * 1664525u + 1013904223u; }

/// Takes thin steps, in each of which a warp visits one edge. Each step consists of the first `parts` of four accesses:
/// it reads an item that another block wrote to the queue, then the vertex's row, then the edge's receiver, and then
/// issues an atomic on the receiver's value. As in runs, each block reserves space in the queue with one addition.
WP_FN u32 take_thin_steps(const Calibration& c, u32 parts) {
    __shared__ u32 base;
    u32 mask = c.small_words - 1, warps = gridDim.x * blockDim.x / 32;
    u32 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    bool walks = threadIdx.x % 32 == 0;
    u32 at = warp;
    for (u32 step = 1; step < c.steps; ++step) {
        wait_for_all(c);
        u32* taken = c.table + c.small_words + (step & 1) * warps;
        u32* left = c.table + c.small_words + (~step & 1) * warps;
        if (walks) at = follow(at, load_fresh(&taken[warp]));
        if (walks && parts > 1) at = follow(at, c.table[at & mask]);
        if (walks && parts > 2) at = follow(at, c.table[at & mask]);
        if (walks && parts > 3) at = follow(at, atomicMin(&c.table[at & mask], at));
        __syncthreads();
        if (threadIdx.x == 0) base = atomicAdd(c.counter, 0u) & 0u;
        __syncthreads();
        // Passes an item to another block. It is zero, like the whole table.
        if (walks) left[(warp + base + blockDim.x / 32) % warps] = base;
    }
    return at == 1 ? 1 : 0;
}

/// Times `work` from one barrier to the next.
template <typename Work>
WP_FN void measure(const Calibration& c, Measured what, Work work) {
    for (u32 pass = 0; pass < c.passes; ++pass) {
        wait_for_all(c);
        u64 began = nanoseconds();
        u32 result = work();
        wait_for_all(c);
        u64 took = nanoseconds() - began;
        if (blockIdx.x == 0 && threadIdx.x == 0 && took < c.times[what]) c.times[what] = took;
        // This condition is never true, but the compiler cannot know that, so it keeps the work.
        if (result == 0xffffffffu) c.times[MEASURED] = result;
    }
}

}  // namespace wp

extern "C" __global__ void __launch_bounds__(WP_BLOCK_THREADS, 1)
    wolfpath_calibrate(const __grid_constant__ wp::Calibration c) {
    using namespace wp;
    begin_barriers();
    measure(c, BARRIERS, [&] { return wait_in_turn(c); });
    measure(c, IN_ORDER, [&] { return read_in_order(c); });
    measure(c, READS_LARGE, [&] { return read_at_random(c, c.large_words); });
    measure(c, READS_SMALL, [&] { return read_at_random(c, c.small_words); });
    measure(c, ATOMICS_SMALL, [&] { return lower_at_random(c, c.small_words); });
    measure(c, ATOMICS_LARGE, [&] { return lower_at_random(c, c.large_words); });
#pragma unroll 1
    for (u32 parts = 1; parts <= 4; ++parts)
        measure(c, (Measured)(TO_QUEUE + parts - 1), [&] { return take_thin_steps(c, parts); });
}
