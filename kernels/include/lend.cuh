// Loans: what devices take from each other in a round in which vertices take turns (WP_LENDS). Each device has about as many
// edges as the others, but in a single round it can have more of them to send along, above all when a whole component of paths
// is on it. So a device with more items in its queue than the average lends the last of them to devices with fewer. These read
// its items, its rows and its values in its memory, and combine messages as if they were those of their own vertices.
//
// The lengths of all queues are known when a round begins, and devices have the same `queue_items` and `least_lent`. So all
// find the same loans without asking each other. (DiGraph lets idle processors take paths from others; Zhang et al., ASPLOS
// 2019.)
#pragma once

namespace wp {

/// Marks the number of a queue's items as incomplete: the items of its hubs are written later.
constexpr u64 IS_INCOMPLETE = 1ull << 32;

/// Adds the items that this block has queued since the last barrier to those of its device. Called by one thread.
WP_FN void tell_queued(Census& all) {
    const Told& told = told_by_block();
    u64 items = told.items + (told.more ? IS_INCOMPLETE : 0);
    if (items > 0) atomicAdd(&all.items, items);
}

#if WP_LENDS

static_assert(WP_ACCUMULATES, "what a vertex sends does not change during a round");
static_assert(BLOCK_THREADS >= 64, "the second warp finds the loans");

/// Items of another device's queue that this device visits.
struct Loan {
    u32 device;
    u32 first;
    u32 count;
};

/// The loans of a round. Every block of a device finds the same ones.
struct Loans {
    u64 queued[MOST_DEVICES];  // lengths of the queues; IS_INCOMPLETE or more if items are still to be written
    u64 lent;                  // number of items that this device lends: the last of its queue
    u32 count;                 // number of loans that it takes
    Loan taken[MOST_DEVICES];
};

WP_FN Loans& loans_of_block() {
    __shared__ Loans loans;
    return loans;
}

/// Returns the description of the run with which the block visits items of another device: this device's own, but with the
/// queue and the rows of the other one.
WP_FN DeviceRun& visited_by_block() {
    __shared__ DeviceRun visited;
    return visited;
}

/// Returns the address of the values that the vertices of the visited items send.
WP_FN const void*& values_visited_by_block() {
    __shared__ const void* values;
    return values;
}

/// Notes the length of a device's queue. Called by the thread with the device's number.
WP_FN void note_queue(const Census& seen) { loans_of_block().queued[threadIdx.x] = seen.items; }

/// Prepares a block for its first round. A barrier follows.
WP_FN void begin_loans(const DeviceRun& run) {
    if (threadIdx.x == 0) visited_by_block() = run;
}

/// Returns the number of items that are lent from a queue of this length. `average` is rounded up, so that the other queues
/// lack at least as many items as all devices lend.
WP_FN u64 lent_of(u64 queued, u64 average, u64 least) {
    u64 lent = queued > average ? (queued - average) / LENT_ONE_IN : 0;
    return lent < least ? 0 : lent;
}

/// Takes the items from number `first` on, before `last`, of all that are lent, which are numbered device by device.
WP_FN void take_loans(Loans& loans, u64 average, u64 least, u64 first, u64 last) {
    const Peers& peers = peers_of_block();
    u64 begin = 0;
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) {
        u64 lent = lent_of(loans.queued[d], average, least);
        u64 end = begin + lent, from = first > begin ? first : begin, to = last < end ? last : end;
        if (from < to) {
            u32 at = (u32)(loans.queued[d] - lent + from - begin);
            loans.taken[loans.count++] = Loan{d, at, (u32)(to - from)};
        }
        begin = end;
    }
}

/// Returns the part of `all` that corresponds to `part` of `whole`: exactly `all` if both are equal. Every device gets the same
/// number.
WP_FN u64 in_proportion(u64 all, u64 part, u64 whole) { return (u64)((f64)all * ((f64)part / (f64)whole)); }

/// Finds the loans of a round in which devices lend. Devices with fewer items than the average get what is lent in proportion
/// to what they lack. Called by one thread.
WP_CALL void share_out(u64 average, u64 least) {
    const Peers& peers = peers_of_block();
    Loans& loans = loans_of_block();
    u64 lent = 0, lacking = 0, before = 0;
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) {
        u64 queued = loans.queued[d];
        lent += lent_of(queued, average, least);
        if (d == peers.own) before = lacking;
        if (queued < average) lacking += average - queued;
    }
    u64 own = loans.queued[peers.own];
    loans.lent = lent_of(own, average, least);
    if (own >= average) return;
    u64 first = in_proportion(lent, before, lacking), last = in_proportion(lent, before + average - own, lacking);
    take_loans(loans, average, least, first, last);
}

/// Finds what this device lends in a round, and what it borrows, after the lengths of all queues were noted. Called by all lanes
/// of a warp together: all threads wait for it, and when a single thread did it alone, it took 2 % of the time of PageRank over
/// uk-2007-05@100000 (two H200s).
WP_FN void find_loans() {
    const DeviceRun& run = run_of_block();
    const Peers& peers = peers_of_block();
    Loans& loans = loans_of_block();
    u64 queued = lane() < peers.count ? loans.queued[lane()] : 0, all = sum_of_lanes(queued);
    // If a queue is incomplete or overflows, nothing is lent; nor if no queue is long enough to lend `least_lent` items.
    bool is_complete = !__any_sync(ALL_LANES, queued > run.queue_items);
    bool is_long = __any_sync(ALL_LANES, queued * peers.count >= all + run.least_lent * LENT_ONE_IN * peers.count);
    if (lane() > 0) return;
    loans.lent = loans.count = 0;
    if (is_complete && is_long) share_out((all + peers.count - 1) / peers.count, run.least_lent);
}

/// Returns how many items of its queue, which has `queued`, this device sends itself.
WP_FN u32 items_kept(u32 queued) { return queued - (u32)loans_of_block().lent; }

/// Lets the block visit the items of a loan in the queue of `step`: copies all fields that tell where items and rows are. Called
/// by one thread.
WP_FN void visit_loan(const Loan& loan, u64 step) {
    DeviceRun& visited = visited_by_block();
    const DeviceRun& lender = visited.lenders[loan.device];
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
    visited.queues[step & 1] = lender.queues[step & 1] + loan.first;
    values_visited_by_block() = lender.values;
}

#else

WP_FN void note_queue(const Census&) {}
WP_FN void find_loans() {}
WP_FN u32 items_kept(u32 queued) { return queued; }

#endif

}  // namespace wp
