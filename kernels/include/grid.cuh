// Cooperation of the whole device, or of all devices: one barrier, which also broadcasts two words, determined in the step
// before it. The launch is cooperative, so all blocks are resident and may wait for each other.
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
#if WP_SEVERAL
    // `count` and `hubs` are those of this device's counter. `pages` and these are what all devices have told.
    u32 everywhere;  // items and parcels
    u32 posted;      // parcels
    u32 flags;       // of TellFlag
#endif
};

/// Sets the parts of a decision that a counter holds.
WP_FN void set_counts(Decision& decision, u64 counted) {
    decision.count = (u32)counted;
    decision.pages = (u32)(counted >> 32) & 0x3fffffffu;
    decision.whole = counted >> 62 & 1;
    decision.hubs = counted >> 63;
}

/// Returns the ticket (the count of arrivals) at which the most recent barrier of this device alone opened, in this launch.
/// Only thread 0 of a block uses this count.
WP_FN u64& ticket_of_block() {
    __shared__ u64 ticket;
    return ticket;
}

#if WP_SEVERAL

/// Returns the number of barriers of all devices so far.
WP_FN u64& meetings_of_block() {
    __shared__ u64 meetings;
    return meetings;
}

/// Prepares a block for its first barrier. The host set the tickets to 0 before the launch.
WP_FN void begin_barriers() {
    if (threadIdx.x == 0) {
        ticket_of_block() = meetings_of_block() = 0;
        told_by_block() = Told{};
    }
}

/// Number of times that a waiting thread reads the ticket before it looks whether the run has failed on another device.
constexpr u32 LOOKS_BEFORE_ABORT = 4096;

/// Waits until a ticket reaches `goal`. Returns `false` if the run has failed on another device.
template <typename Load>
WP_FN bool await(u64 goal, Load load) {
    for (u32 looks = 1; load() < goal; ++looks) {
        if (looks % LOOKS_BEFORE_ABORT == 0 && load_fresh(peers_of_block().abort)) return false;
    }
    return true;
}

/// Tells a device what the block has to tell, before it arrives at a barrier.
WP_FN void tell_device(const Peers& peers, u32 to, u64 number) {
    const Told& told = told_by_block();
    u32 flags = told.flags | (told.waits ? TELLS_WAITS : 0);
    u64 counted = told.items | (u64)told.pages << 32;
    Control* control = peers.all[to].control;
    News& news = control->news[number % 3];
    if (counted) atomicAdd_system(&news.counted, counted);
    if (flags) atomicOr_system(&news.flags, flags);
    if (told.posted) atomicAdd_system(&news.posted, told.posted);
    if (WP_STREAMED && told.chunks) atomicAdd_system(&news.chunks, (u64)told.chunks);
#pragma unroll
    for (u32 side = 0; side < 2; ++side) {
        u32 parcels = told.parcels[side][to];
        if (parcels) atomicAdd_system(&control->arrived[side][peers.own], parcels);
    }
}

/// Arrives at barrier `number` of all devices for a block that has told all devices. All lanes of its first warp call this.
///
/// Additions to one word queue, at about a nanosecond each. So a block adds to its team's count, and the team's last block adds
/// the number of its blocks on every device. It has acquired what the others have told, and its fence releases that to all
/// devices. One fence serves all lanes if they execute it together.
///
/// Additions to different devices are not ordered. One of them can be late, when another device lets a block of this one pass,
/// which then arrives at the next barrier first. So barriers of even and odd numbers count apart: a block arrives at barrier
/// `number + 2` only after all have passed `number`.
WP_FN void arrive(const Peers& peers, u64 number) {
    u32 team = blockIdx.x % BLOCK_TEAMS, blocks = (gridDim.x - team + BLOCK_TEAMS - 1) / BLOCK_TEAMS, d = threadIdx.x;
    bool last = false;
    if (d == 0) {
        u64* arrivals = &peers.all[peers.own].control->teams[team].arrivals;
        last = add_acquire_release(arrivals, 1) + 1 == (number + 1) * blocks;
    }
    if (__any_sync(ALL_LANES, last)) {
        // The vote orders no memory accesses. After this, every lane has acquired what the first one has.
        __syncwarp();
        if (d < peers.count) {
            release_system();
            add_released_system(&peers.all[d].control->arrivals.counts[number % 2], blocks);
        }
    }
}

/// Tells all devices what the block has to tell, arrives at barrier `number` of all devices, and waits there. Returns `false`
/// in thread 0 if the run has failed on another device. All lanes of the block's first warp must call this.
WP_FN bool meet_all(u64 number) {
    const Peers& peers = peers_of_block();
    if (threadIdx.x < peers.count) tell_device(peers, threadIdx.x, number);
    // The first lane releases what all have told.
    __syncwarp();
    arrive(peers, number);
    if (threadIdx.x > 0) return true;
    const u64* arrived = &peers.all[peers.own].control->arrivals.counts[number % 2];
    return await((number / 2 + 1) * peers.blocks, [&] { return load_acquire_system(arrived); });
}

/// Waits until every block of every device has arrived. After the barrier, all threads see what any thread wrote before
/// it, in the memory of any device. Thread 0 of each block then reads the device's counter, the directive, and what was
/// told, and broadcasts them to its block. If the run has failed on another device, the whole block ends here. The first
/// argument, the ticket of a barrier of one device, has no use here.
template <typename Word>
WP_FN Decision grid_barrier(u64*, const Word* counter, const u32* directive) {
    __shared__ Decision decision;
    __shared__ bool fails;
    delay();
    __syncthreads();
    bool meets = threadIdx.x >= 32 || meet_all(meetings_of_block());
    if (threadIdx.x == 0) {
        fails = !meets;
        told_by_block() = Told{};
        u64 number = meetings_of_block()++;
        const Peers& peers = peers_of_block();
        Control* control = peers.all[peers.own].control;
        const News& news = control->news[number % 3];
        u64 told = load_fresh(&news.counted), counted = load_fresh(counter);
        decision.flags = load_fresh(&news.flags);
        decision.directive = load_fresh(directive);
        set_counts(decision, counted);
        decision.posted = load_fresh(&news.posted);
        decision.everywhere = (u32)told + decision.posted;
        decision.pages = (u32)(told >> 32);
        decision.whole = decision.flags & TELLS_WHOLE;
        decision.waits = decision.flags & TELLS_WAITS;
        decision.told = true;
        // All blocks have passed the barrier before this one, whose news are needed again after the next one.
        if (blockIdx.x == 0) {
            if (WP_STREAMED) control->chunks += load_fresh(&news.chunks);
            News& last = control->news[(number + 2) % 3];
            store_relaxed(&last.counted, (u64)0);
            store_relaxed(&last.flags, 0u);
            store_relaxed(&last.posted, 0u);
            if (WP_STREAMED) store_relaxed(&last.chunks, (u64)0);
        }
    }
    __syncthreads();
    if (fails) leave_kernel();
    delay();
    return decision;
}

/// Waits until every block of this device has arrived. Returns the counter, and what it counts on this device alone.
template <typename Word>
WP_FN Decision device_barrier(Control* control, const Word* counter) {
    __shared__ Decision decision;
    __shared__ bool fails;
    delay();
    __syncthreads();
    if (threadIdx.x == 0) {
        u64 goal = ticket_of_block() += gridDim.x;
        add_release(&control->ticket, 1);
        fails = !await(goal, [&] { return load_acquire(&control->ticket); });
        decision = Decision{};
        set_counts(decision, load_fresh(counter));
    }
    __syncthreads();
    if (fails) leave_kernel();
    delay();
    return decision;
}

/// The same for threads that need no counter.
WP_FN void device_barrier(Control* control) { device_barrier(control, &control->ticket); }

#else

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

#endif

}  // namespace wp
