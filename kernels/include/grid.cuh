// Cooperation of the whole device: one barrier, which also broadcasts two words, determined in the step before it. The
// launch is cooperative, so all blocks are resident and may wait for each other.
#pragma once

namespace wp {

/// Data that a barrier broadcasts to every thread of the grid: a counter (`counted` in frontier.cuh) and a directive.
struct Decision {
    u32 count;
    u32 pages;  // bits 32-61 of the counter: pages of PAGE_EDGES edges
    bool whole; // bit 62 of the counter: IS_WHOLE
    bool hubs;  // bit 63 of the counter: HAS_HUBS
    bool told;  // the numbers are from a gate's word, and no thread reads the counter (gate.cuh)
    bool waits; // a vertex began to wait for a later bucket, as told by a gate
    u32 directive;
};

/// Sets the parts of a decision that a counter holds.
WP_FN void set_counts(Decision& decision, u64 counted) {
    decision.count = (u32)counted;
    decision.pages = (u32)(counted >> 32) & 0x3fffffffu;
    decision.whole = counted >> 62 & 1;
    decision.hubs = counted >> 63;
}

/// Returns the ticket (the device-wide count of arrivals) at which the most recent barrier of this launch opened. Only
/// thread 0 of a block uses this count.
WP_FN u64& ticket_of_block() {
    __shared__ u64 ticket;
    return ticket;
}

/// Prepares a block for its first barrier. The host set the ticket to 0 before the launch.
WP_FN void begin_barriers() {
    if (threadIdx.x == 0) ticket_of_block() = 0;
}

/// Waits until every block has arrived. Within a launch the ticket only rises: at each barrier, by the number of
/// blocks. It needs no reset, and its 64 bits never wrap. After the barrier, all threads see what any thread wrote
/// before it. Thread 0 of each block then reads the counter and the directive, and broadcasts them to its block.
template <typename Word>
WP_FN Decision grid_barrier(u64* ticket, const Word* counter, const u32* directive) {
    __shared__ Decision decision;
    delay();
    __syncthreads();
    if (threadIdx.x == 0) {
        u64 goal = ticket_of_block() += gridDim.x;
        add_release(ticket, 1);
        while (load_acquire(ticket) < goal) {
        }
        u64 count = load_fresh(counter);
        decision.directive = load_fresh(directive);
        decision.told = decision.waits = false;
        set_counts(decision, count);
    }
    __syncthreads();
    delay();
    return decision;
}

}  // namespace wp
