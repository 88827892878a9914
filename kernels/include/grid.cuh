// Cooperation of the whole device: one barrier, which also hands every thread two words that the last step decided.
// The launch is cooperative, so all blocks are resident and waiting for each other is safe.
#pragma once

namespace wp {

/// What every thread of the grid reads alike: a counter (`counted` in queue.cuh) and a directive.
struct Decision {
    u32 count;
    u32 pages;  // the counter's upper half, without its highest bit
    bool hubs;  // that bit
    u32 directive;
};

/// Waits until every block has come here. The ticket rises for ever within a launch: a block waits for the next
/// multiple of the number of blocks, so nobody resets anything. What any thread wrote before is seen by all after.
/// Thread 0 then reads the two words and hands them to its block.
template <typename Counter>
WP_FN Decision grid_barrier(u32* ticket, const Counter* counter, const u32* directive) {
    __shared__ Decision decision;
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 mine = add_release(ticket, 1);
        u32 goal = (mine / gridDim.x + 1) * gridDim.x;
        while ((i32)(load_acquire(ticket) - goal) < 0) {
        }
        u64 count = load_shared_by_all(counter);
        decision.directive = load_shared_by_all(directive);
        decision.count = (u32)count;
        decision.pages = (u32)(count >> 32) & 0x7fffffffu;
        decision.hubs = count >> 63;
    }
    __syncthreads();
    return decision;
}

}  // namespace wp
