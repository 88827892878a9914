// Mail: what a device finds out about vertices of other devices (WP_SEVERAL). A device combines messages into its own
// replica. It posts a vertex that it improved, with its word, to the inbox of the vertex's owner, which merges the parcels
// that arrived when all devices have ended the step. Inboxes are filled from the front, so that a device writes to another
// one in order: the link carries six times as many entries of a list as atomics.
//
// An inbox has two sides, for steps of even and odd numbers: its owner reads one while the others fill the other one.
#pragma once

namespace wp {

#if WP_SEVERAL

/// The word of a vertex that is posted. Where receivers gather, it means nothing.
#if WP_SCHEDULE == WP_PUSH
typedef MessageWord MailWord;
#elif WP_IN_PLACE
typedef ValueWord MailWord;
#else
typedef u32 MailWord;
#endif

struct __align__(2 * sizeof(MailWord)) Parcel {
    MailWord word;
    u32 vertex;
};

static_assert(sizeof(Parcel) == WP_SIZE_PARCEL, "host and device disagree on the size of a parcel");

/// Returns the edges along which a vertex of another device sends.
WP_FN u64 edges_elsewhere(const DeviceRun& run, u32 v) {
    u64 edges = 0;
    if constexpr (WP_SEND_OUT) edges += out_degree(run, v);
    if constexpr (WP_SEND_IN) edges += in_degree(run, v);
    return edges;
}

/// Returns this device's inbox at another one.
WP_FN Parcel* inbox_at(const DeviceRun& run, u32 device, u32 side) {
    return (Parcel*)peers_of_block().all[device].inboxes[side] + (u64)run.device * run.inbox_room;
}

/// Returns how many of `count` parcels an inbox has room for from place `first` on, and tells everyone that there are
/// parcels.
WP_FN u32 tell_parcels(const DeviceRun& run, u32 first, u32 count) {
    u32 room = first < run.inbox_room ? run.inbox_room - first : 0;
    tell_flag(count <= room ? TELLS_MAIL : (TellFlag)(TELLS_MAIL | TELLS_UNSENT));
    return count < room ? count : room;
}

/// Reserves `count` places in an inbox at another device, and returns the first of them. There may be fewer. Called by one
/// lane per device.
WP_FN u32 reserve(const DeviceRun& run, u32 to, u32 count, u32 side) {
    u32 first = atomicAdd(&run.control->posted[side][to], count);
    atomicAdd(&told_by_block().parcels[side][to], tell_parcels(run, first, count));
    atomicAdd(&told_by_block().posted, count);
    return first;
}

/// Writes a parcel to a reserved place. If the inbox has too little room for it, marks the vertex.
WP_FN void put_parcel(const DeviceRun& run, u32 to, u32 at, u32 v, MailWord word, u32 side) {
    if (at < run.inbox_room) inbox_at(run, to, side)[at] = Parcel{word, v};
    else atomicOr(&run.unsent[v >> 5], 1u << (v & 31));
}

/// Tells everyone of the edges along which a warp's posted vertices will send. All lanes must call this.
WP_FN void tell_edges_elsewhere(u64 edges) {
    edges = sum_of_lanes(edges);
    if (lane() == 0) atomicAdd(&told_by_block().pages, (u32)((edges + PAGE_EDGES - 1) / PAGE_EDGES));
}

/// Posts the vertices of the lanes in which `has` is true, which are vertices of other devices. A vertex for which an inbox
/// has no room is marked, and posted again in a further round. All lanes must call this.
WP_CALL void post(bool has, u32 v, MailWord word, u32 side) {
    const DeviceRun& run = run_of_block();
    u32 owner = has ? owner_of(run, v) : MOST_DEVICES;
    u32 lower = (1u << lane()) - 1;
    if constexpr (WP_DIRECTION) tell_edges_elsewhere(has ? edges_elsewhere(run, v) : 0);
    for (u32 waiting = __ballot_sync(ALL_LANES, has); waiting;) {
        u32 to = __shfl_sync(ALL_LANES, owner, __ffs(waiting) - 1);
        u32 together = __ballot_sync(ALL_LANES, owner == to), base = 0;
        if (lane() == 0) base = reserve(run, to, __popc(together), side);
        u32 at = __shfl_sync(ALL_LANES, base, 0) + __popc(together & lower);
        if (owner == to) put_parcel(run, to, at, v, word, side);
        waiting &= ~together;
    }
}

/// Posts the vertices of the lanes in which `has` is true to all other devices. Returns `true` in lanes whose vertex found no
/// room. All lanes must call this.
WP_CALL bool post_to_all(bool has, u32 v, MailWord word, u32 side) {
    const DeviceRun& run = run_of_block();
    const Peers& peers = peers_of_block();
    u32 having = __ballot_sync(ALL_LANES, has), count = __popc(having), base = 0;
    if (having == 0) return false;
    if (lane() == 0) {
        // All inboxes get the same parcels, so one counter is enough.
        base = atomicAdd(&run.control->posted[side][peers.own], count);
        u32 fits = tell_parcels(run, base, count);
        for (u32 d = 0; d < peers.count; ++d) {
            if (d != peers.own) atomicAdd(&told_by_block().parcels[side][d], fits);
        }
    }
    u32 at = __shfl_sync(ALL_LANES, base, 0) + __popc(having & ((1u << lane()) - 1));
    bool fits = at < run.inbox_room;
    for (u32 d = 0; has && fits && d < peers.count; ++d) {
        if (d != peers.own) inbox_at(run, d, side)[at] = Parcel{word, v};
    }
    return has && !fits;
}

/// Returns the word to post of a vertex that was improved in place, or that is to gather.
WP_FN MailWord word_to_post(const DeviceRun& run, u32 v) {
#if WP_IN_PLACE
    return load_fresh((const ValueWord*)run.values + v);
#else
    return MailWord{};
#endif
}

/// Posts those of a warp's staged vertices that belong to other devices, and moves the others together. Returns how many
/// these are. All lanes must call this.
///
/// In place, every thread that improves a vertex of another device stages it. The word is read later than it was combined,
/// so the last of these parcels has the last word.
///
/// A counter takes only about one addition per nanosecond, so there is one addition per device for all staged vertices. Lane
/// `d` has the numbers of device `d`.
WP_CALL u32 post_staged(u32* vertices, u32 staged, u32 side) {
    const DeviceRun& run = run_of_block();
    const Peers& peers = peers_of_block();
    u32 lower = (1u << lane()) - 1, count = 0;
    u64 edges = 0;
#pragma unroll 1
    for (u32 i = lane(); i - lane() < staged; i += 32) {
        u32 owner = i < staged ? owner_of(run, vertices[i]) : MOST_DEVICES;
        if (WP_DIRECTION && i < staged && owner != peers.own) edges += edges_elsewhere(run, vertices[i]);
#pragma unroll 1
        for (u32 d = 0; d < peers.count; ++d) {
            u32 its = __popc(__ballot_sync(ALL_LANES, owner == d));
            if (lane() == d) count += its;
        }
    }
    u32 kept = __shfl_sync(ALL_LANES, count, peers.own);
    if (kept == staged) return staged;
    if constexpr (WP_DIRECTION) tell_edges_elsewhere(edges);
    bool posts = count > 0 && lane() != peers.own;
    u32 next = posts ? reserve(run, lane(), count, side) : 0;
#pragma unroll 1
    for (u32 i = lane(); i - lane() < staged; i += 32) {
        u32 v = i < staged ? vertices[i] : 0, owner = i < staged ? owner_of(run, v) : MOST_DEVICES;
        bool away = i < staged && owner != peers.own;
        MailWord word = away ? word_to_post(run, v) : MailWord{};
        u32 at = 0;
#pragma unroll 1
        for (u32 d = 0; d < peers.count; ++d) {
            u32 its = __ballot_sync(ALL_LANES, owner == d), first = __shfl_sync(ALL_LANES, next, d);
            if (owner == d) at = first + __popc(its & lower);
            if (lane() == d) next += __popc(its);
        }
        if (owner == peers.own) vertices[at] = v;
        else if (away) put_parcel(run, owner, at, v, word, side);
        __syncwarp();
    }
    return kept;
}

/// Returns `true` if parcels for this device arrived in a step. All threads get the same result.
WP_FN bool has_mail(const Decision& decision, u32 side) {
    if (!(decision.flags & TELLS_MAIL)) return false;
    const Peers& peers = peers_of_block();
    const u32* arrived = peers.all[peers.own].control->arrived[side];
    return __syncthreads_or(threadIdx.x < peers.count && load_fresh(&arrived[threadIdx.x]) > 0);
}

/// Calls `visit(has, parcel)` for each parcel that arrived in a step. All lanes of a warp make each call together; `has` is
/// true in lanes with a parcel.
template <typename Visit>
WP_FN void for_each_parcel(const DeviceRun& run, u32 side, Visit visit) {
    const Peers& peers = peers_of_block();
    const Parcel* inbox = (const Parcel*)peers.all[peers.own].inboxes[side];
#pragma unroll 1
    for (u32 from = 0; from < peers.count; ++from) {
        u32 count = load_fresh(&run.control->arrived[side][from]);
        const Parcel* parcels = inbox + (u64)from * run.inbox_room;
        for (u64 at = thread(); at - lane() < count; at += threads()) {
            bool has = at < count;
            visit(has, has ? parcels[at] : Parcel{});
        }
    }
}

/// Empties an inbox, after a barrier of this device, after which no thread reads it. Called by one thread.
WP_FN void empty_inbox(Control* control, u32 side) {
#pragma unroll 1
    for (u32 d = 0; d < MOST_DEVICES; ++d) store_relaxed(&control->arrived[side][d], 0u);
}

/// Makes the side of a later step's inboxes ready for this device. Called by one thread.
WP_FN void forget_posted(Control* control, u32 side) {
#pragma unroll 1
    for (u32 d = 0; d < MOST_DEVICES; ++d) store_relaxed(&control->posted[side][d], 0u);
}

/// Sets what a decision says of this device's own frontier.
WP_FN void recount(Decision& decision, const Decision& own) {
    decision.count = own.count;
    decision.hubs = own.hubs;
}

#if WP_IN_PLACE

/// Posts the vertices for which the inboxes had no room before.
WP_CALL void post_unsent(u32 side) {
    const DeviceRun& run = run_of_block();
    u64 words = ((u64)run.vertices + 31) / 32;
    for (u64 begin = (u64)warp() * 32; begin < words; begin += (u64)warps() * 32) {
        u64 at = begin + lane();
        u32 word = at < words && load_fresh(&run.unsent[at]) ? atomicExch(&run.unsent[at], 0u) : 0;
        while (__any_sync(ALL_LANES, word)) {
            u32 v = (u32)at * 32 + __ffs(word) - 1;
            post(word != 0, v, word ? word_to_post(run, v) : MailWord{}, side);
            word &= word - 1;
        }
    }
}

/// Ends `step`, or the beginning of a bucket after it: calls `take(side)` for what other devices have posted. If inboxes had
/// too little room, the devices post the rest in further rounds, on both sides in turn. Updates the decision. All threads
/// must call this.
template <typename TakeSide>
WP_FN void take_sides(const DeviceRun& run, u64 step, Decision& decision, TakeSide take) {
    Control* control = run.control;
    u32 side = (u32)step & 1;
    take(side);
    bool is_left = decision.flags & TELLS_UNSENT;
    while (is_left) {
        // After two rounds, the side of the next step is empty again.
        for (u32 round = 0; round < 2; ++round) {
            // All blocks of this device have posted on this side.
            if (thread() == 0) forget_posted(control, side);
            side ^= 1;
            post_unsent(side);
            Decision more = grid_barrier(&control->ticket, &control->frontiers[(step + 1) % 3].counted, &control->fault);
            recount(decision, more);
            decision.everywhere += more.everywhere;
            decision.pages += more.pages;
            decision.flags |= more.flags;
            decision.waits |= more.waits;
            take(side);
            is_left = more.flags & TELLS_UNSENT;
        }
    }
}

#endif

/// Marks a vertex that `exchange_marked` posts, or that `pass_on` passes on.
WP_FN void mark_to_post(const DeviceRun& run, u32 v) {
    u32 bit = 1u << (v & 31);
    if (!(load_fresh(&run.unsent[v >> 5]) & bit)) atomicOr(&run.unsent[v >> 5], bit);
}

/// Posts all marked vertices to all other devices, with `word_of(v)`, and calls `merge(v, word)` for what they have posted.
/// A barrier of this device must precede. If inboxes are too small, takes several rounds. All threads must call this.
template <typename WordOfVertex, typename Merge>
WP_FN void exchange_marked(const DeviceRun& run, WordOfVertex word_of, Merge merge) {
    Control* control = run.control;
    u64 words = ((u64)run.vertices + 31) / 32;
    for (u32 side = 0;; side ^= 1) {
        for (u64 begin = (u64)warp() * 32; begin < words; begin += (u64)warps() * 32) {
            u64 at = begin + lane();
            u32 marked = at < words ? load_fresh(&run.unsent[at]) : 0, kept = 0;
            for (u32 bits = marked; __any_sync(ALL_LANES, bits); bits &= bits - 1) {
                u32 v = (u32)at * 32 + __ffs(bits) - 1;
                bool is_left = post_to_all(bits != 0, v, bits ? word_of(v) : MailWord{}, side);
                if (is_left) kept |= bits & (0 - bits);
            }
            if (marked != kept) store_relaxed(&run.unsent[at], kept);
        }
        Decision decision = grid_barrier(&control->ticket, &control->fault, &control->fault);
        if (!(decision.flags & TELLS_MAIL)) return;
        for_each_parcel(run, side, [&](bool has, const Parcel& parcel) {
            if (has) merge(parcel.vertex, parcel.word);
        });
        device_barrier(control);
        if (thread() == 0) {
            empty_inbox(control, side);
            forget_posted(control, side);
        }
        if (!(decision.flags & TELLS_UNSENT)) return;
    }
}

#endif

}  // namespace wp
