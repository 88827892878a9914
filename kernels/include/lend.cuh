// Loans: what devices take from each other in a round in which vertices take turns (WP_LENDS). Each device has about as many
// edges as the others, but in a single round it can have more of them to send along, most of all if a whole component of paths
// is on it. So a device with more items in its queue than the average lends the last of them to devices with fewer. These read
// its items, its rows and its values in its memory, and combine messages as if they were those of their own vertices.
//
// The lengths of all queues are known when a round begins, so all devices find the same loans, and nobody has to ask. (DiGraph
// lets idle processors take paths from others; Zhang et al., ASPLOS 2019.)
#pragma once

namespace wp {

#if WP_LENDS

/// Length of a queue from which no items are lent: that of a device with hubs, or with more items than fit in the queue.
constexpr u32 LENDS_NOTHING = ~0u;

/// Items of one device's queue that this device visits.
struct Portion {
    u32 device;
    u32 first;
    u32 count;
};

/// What a block knows about the loans of a round.
struct Loans {
    u32 queued[MOST_DEVICES];  // lengths of the queues
    u32 count;                 // number of portions; the first one is of this device's own queue
    Portion portions[MOST_DEVICES];
};

WP_FN Loans& loans_of_block() {
    __shared__ Loans loans;
    return loans;
}

/// Returns the description of the run that the block sends with: this device's own, but with the queue and the rows of the
/// device whose items it visits.
WP_FN DeviceRun& visited_by_block() {
    __shared__ DeviceRun visited;
    return visited;
}

/// Returns where the values of the vertices are that the block visits.
WP_FN const void*& values_visited_by_block() {
    __shared__ const void* values;
    return values;
}

/// Prepares a block for its first round. A barrier follows.
WP_FN void begin_loans(const DeviceRun& run) {
    if (threadIdx.x > 0) return;
    visited_by_block() = run;
    values_visited_by_block() = run.values;
}

/// Reads how many items each device has queued for `step`, after the barrier that ends the scan. The block must pass another
/// barrier before `for_each_portion`. This is done by the second warp, because the first one also reads in the memory of all
/// devices then, and should not wait twice.
WP_FN void look_at_queues(const DeviceRun& run, u64 step) {
    const Peers& peers = peers_of_block();
    u32 d = threadIdx.x - 32;
    if (threadIdx.x < 32 || d >= peers.count) return;
    u64 counted = load_fresh(&peers.all[d].control->frontiers[step % 3].counted);
    bool lends = !(counted & HAS_HUBS) && (u32)counted <= run.queue_items;
    loans_of_block().queued[d] = lends ? (u32)counted : LENDS_NOTHING;
}

/// Returns how many items a device lends of a queue of this length.
WP_FN u32 lent_of(u32 queued, u32 average) {
    u32 lent = queued > average ? (queued - average) / LENT_ONE_IN : 0;
    return lent < LEAST_LENT ? 0 : lent;
}

/// Adds this device's part of what all lend to its portions: that of the places from `first` to `last`, if the items that are
/// lent are numbered device by device.
WP_FN void take_loans(Loans& loans, u32 average, u64 first, u64 last) {
    const Peers& peers = peers_of_block();
    u64 begin = 0;
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) {
        u32 lent = lent_of(loans.queued[d], average);
        u64 end = begin + lent, from = first > begin ? first : begin, to = last < end ? last : end;
        if (from < to) {
            u32 at = loans.queued[d] - lent + (u32)(from - begin);
            loans.portions[loans.count++] = Portion{d, at, (u32)(to - from)};
        }
        begin = end;
    }
}

/// Finds what this device visits in a round: what is left of its own queue, which has `count` items, and what it borrows.
/// Devices with fewer items than the average get what is lent in proportion to what they lack. Called by one thread.
WP_FN void find_portions(Loans& loans, u32 count) {
    const Peers& peers = peers_of_block();
    loans.count = 1;
    loans.portions[0] = Portion{peers.own, 0, count};
    u64 all = 0;
    u32 most = 0;
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) {
        u32 queued = loans.queued[d];
        all += queued;
        if (queued > most) most = queued;
    }
    // Often no queue is long, and a division takes long.
    bool any = most != LENDS_NOTHING && (u64)most * peers.count > all + (u64)LEAST_LENT * LENT_ONE_IN * peers.count;
    if (!any) return;
    u32 average = (u32)(all / peers.count);
    u64 lent = 0, lacking = 0, before = 0;
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) {
        u32 queued = loans.queued[d];
        lent += lent_of(queued, average);
        if (d == peers.own) before = lacking;
        if (queued < average) lacking += average - queued;
    }
    u32 own = loans.queued[peers.own];
    loans.portions[0].count = own - lent_of(own, average);
    if (own < average) take_loans(loans, average, before * lent / lacking, (before + average - own) * lent / lacking);
}

/// Lets the block visit items of a device. Called by one thread.
WP_FN void visit_queue_of(const DeviceRun& run, u32 device, u32 first, u64 step) {
    DeviceRun& visited = visited_by_block();
    Lender lender = run.lenders[device];
    visited.out_offsets = lender.out_offsets;
    visited.out_ends = lender.out_ends;
    visited.out_weights = lender.out_weights;
    visited.in_offsets = lender.in_offsets;
    visited.in_ends = lender.in_ends;
    visited.in_weights = lender.in_weights;
    visited.out_bands = lender.out_bands;
    visited.out_starts = lender.out_starts;
    visited.in_bands = lender.in_bands;
    visited.in_starts = lender.in_starts;
    visited.out_widths = lender.out_widths;
    visited.in_widths = lender.in_widths;
    visited.out_places = lender.out_places;
    visited.in_places = lender.in_places;
    for (u32 i = 0; i < 2; ++i) visited.queues[i] = lender.queues[i];
    visited.queues[step & 1] += first;
    values_visited_by_block() = lender.values;
}

#endif

/// Calls `visit(rows, values, count)` for this device's part of the items that were queued for `step`: `count` items of
/// `rows.queues[step & 1]`. `rows` also has the rows to send along, and `values` the senders' values; all other arrays
/// are this device's own. Returns the sum of what `visit` returns, a number of edges, and adds what is borrowed to `borrowed`,
/// too. The queue of this device has `queued` items. All threads must call this.
template <typename Visit>
WP_FN u64 for_each_portion(const DeviceRun& run, u32 queued, u64 step, u64& borrowed, Visit visit) {
#if WP_LENDS
    Loans& loans = loans_of_block();
    if (threadIdx.x == 0) find_portions(loans, queued);
    __syncthreads();
    u64 edges = 0;
    u32 count = loans.count;
    // There is one call for all portions, because it is inlined.
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
        Portion portion = loans.portions[i];
        if (i > 0) {
            // All threads have visited the portion before.
            __syncthreads();
            if (threadIdx.x == 0) visit_queue_of(run, portion.device, portion.first, step);
            __syncthreads();
        }
        u64 its = visit(visited_by_block(), values_visited_by_block(), portion.count);
        edges += its;
        if (i > 0) borrowed += its;
    }
    if (count > 1) {
        __syncthreads();
        if (threadIdx.x == 0) visit_queue_of(run, run.device, 0, step);
    }
    return edges;
#else
    return visit(run, run.values, queued);
#endif
}

}  // namespace wp
