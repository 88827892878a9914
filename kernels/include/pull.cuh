// Gathering: every receiver reads its own row and combines the messages in a fixed order. Sums of floats are therefore
// the same in every run, and messages of any size work without atomics. If every vertex sends in every step, all
// vertices gather; otherwise the frontier first marks the vertices that may receive a message.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_PULL

#if WP_COMBINE == WP_MOST_FREQUENT

/// Executes the first half of a step: counts the messages to every vertex of the gather queue (`frequent.cuh`).
WP_CALL u64 gather_step(u32 count, u64 step);

#else

#if WP_PACKED && WP_ROWS_ON_HOST

/// Copies rows from host memory to the warp's shared memory: that of the lowest lane of `waiting`, and those of all lanes
/// that are not far behind it. Changes `ends` of these lanes to the copy. Returns the lanes. All lanes must call this.
WP_FN u32 copy_rows(const DeviceRun& run, Ends& ends, u32 waiting) {
    u64 begin = (u64)ends.words + ends.bit / 8;
    u64 end = begin + (waiting >> lane() & 1 ? (bits_end(run, ends) - ends.bit / 8 * 8 + 7) / 8 : 0);
    // A number is read with the word behind it, and the room of the block's last warp is at the end of its shared memory.
    Nearby bytes = nearby(begin, end, waiting, COPIED_ROWS - (u32)sizeof(u32));
    u32 room = warp_in_block() * COPIED_ROWS;
    __syncwarp();
    copy_nearby(bytes, room);
    __syncwarp();
    if (bytes.near >> lane() & 1) {
        ends.bit -= (bytes.base - (u64)ends.words) * 8;
        ends.words = (const u32*)(requested_room() + room);
    }
    return bytes.near;
}

#endif

/// Returns `true` if a whole warp gathers the item. If every item of a row has its own lane or every one its own warp, the
/// order in which its messages are added depends on its length alone. (With rows of both directions, the first item of
/// the second one may be short.)
WP_FN bool is_part_of_long_row(const Item& item) {
    u32 length = item.length & ITEM_LENGTH;
    bool is_first = (item.length & ITEM_FIRST) || WP_GATHER_OUT == WP_GATHER_IN;
    return length > LONG_ITEM || (length > 0 && !is_first);
}

/// Gathers the items of these lanes, of the 32 from index `begin` of the gather queue on. All lanes must call this.
WP_FN void gather_items(const DeviceRun& run, const Params& params, const Item& item, const Ends& ends, u32 lanes,
                        u32 begin, u64 step) {
    Partial* partials = (Partial*)run.partials;
    bool is_long = is_part_of_long_row(item);
    if ((lanes >> lane() & 1) && !is_long)
        partials[begin + lane()] = gather_edges<false>(run, params, item, ends, step);
    __syncwarp();
    for (u32 longs = __ballot_sync(ALL_LANES, is_long) & lanes; longs; longs &= longs - 1) {
        u32 from = __ffs(longs) - 1;
        Item together = shuffle(item, from);
        Partial partial = gather_edges<true>(run, params, together, ends_by_warp(run, together, ends, from), step);
        partial = combine_lanes(run, params, partial, together.vertex);
        if (lane() == 0) partials[begin + from] = partial;
    }
}

#if WP_SLOTS

// All rows are gathered by `gather_rows`.

#elif WP_STREAMED

/// Gathers the items of the gather queue that are in this round.
WP_FN u64 gather_round(const DeviceRun& run, const Params& params, u32 count, u64 step) {
    u64 looked_at = 0;
    for (u32 begin = warp() * 32; begin < count; begin += warps() * 32) {
        Item item = begin + lane() < count ? run.gather[begin + lane()] : Item{0, 0, 0};
        bool has = (item.length & ITEM_LENGTH) > 0 && has_item<GATHER_ROWS>(run, item);
        if (!__any_sync(ALL_LANES, has)) continue;
        if (!has) item = Item{0, 0, 0};
        Ends ends = {};
        if (has) ends = ends_to_gather(run, item);
        gather_items(run, params, item, ends, __ballot_sync(ALL_LANES, has), begin, step);
        looked_at += item.length & ITEM_LENGTH;
    }
    return looked_at;
}

/// Executes the first half of a step: gathers every item of the gather queue, round by round. Returns the number of edges
/// that this lane visited.
WP_CALL u64 gather_step(u32 count, u64 step) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    u64 looked_at = 0;
    // Items without edges are in no round.
    for (u32 i = thread(); i < count; i += threads()) {
        if ((run.gather[i].length & ITEM_LENGTH) == 0) ((Partial*)run.partials)[i] = None<Accumulator>();
    }
    need_items<GATHER_ROWS>(run, run.gather, count);
    for_each_round<ChunkRounds>(run, [&] { looked_at += gather_round(run, params, count, step); });
    return looked_at;
}

#else

/// Executes the first half of a step: gathers every item of the gather queue. If the queue contains all vertices, each
/// warp that is done takes the next 32 items dynamically, because rows differ in length and adjacent rows have similar
/// lengths. This is a separate function so that it has enough registers for several reads in flight. Returns the number
/// of edges that this lane visited.
WP_CALL u64 gather_step(u32 count, u64 step) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    u64 looked_at = 0;
#if WP_PACKED && WP_ROWS_ON_HOST
    Partial* partials = (Partial*)run.partials;
#endif
    for (u32 begin = warp() * 32; begin < count;) {
        // Requests the next items now; they are needed after the current items.
        u64 taken = 0;
        if (WP_EVERYONE_SENDS && lane() == 0) taken = atomicAdd(&run.control->received[1].counted, 1ull);
        bool has = begin + lane() < count;
        Item item = has ? run.gather[begin + lane()] : Item{0, 0, 0};
        u32 length = item.length & ITEM_LENGTH;
        Ends ends = ends_to_gather(run, item);
#if WP_PACKED && WP_ROWS_ON_HOST
        if (has && length == 0) partials[begin + lane()] = None<Accumulator>();
        for (u32 waiting = __ballot_sync(ALL_LANES, length > 0); waiting;) {
            u32 near = copy_rows(run, ends, waiting);
            gather_items(run, params, item, ends, near, begin, step);
            waiting &= ~near;
        }
#else
        gather_items(run, params, item, ends, __ballot_sync(ALL_LANES, has), begin, step);
#endif
        looked_at += length;
        begin = WP_EVERYONE_SENDS ? (warps() + __shfl_sync(ALL_LANES, (u32)taken, 0)) * 32 : begin + warps() * 32;
    }
    return looked_at;
}

#endif

#endif

/// Computes at a vertex whose messages were gathered. Does nothing if there was no message and the vertex needs one.
WP_FN Wishes receive(const DeviceRun& run, const Params& params, Waits& waits, u32 v, Partial partial, u64 step,
                     Aggregate aggregate) {
    Option<Message> incoming = partial.some ? Some(combined(partial.value)) : None<Message>();
    if (!incoming.some && !computes_alone(run, v)) return Wishes{};
    return compute_at(run, params, waits, v, incoming, step, aggregate);
}

#if WP_SLOTS

/// Computes at the vertices of short rows, and of rows without edges. Returns `true` if one of them goes on.
WP_FN bool receive_short_rows(const DeviceRun& run, const Params& params, u64 step, const Aggregate& aggregate) {
    const Offset* gathered = gathered_offsets(run);
    const Partial* partials = (const Partial*)run.partials;
    Waits waits = no_waits();
    bool goes_on = false;
    Partial partial = {};
    u64 length = 0;
    auto read = [&](u64 v) {
        partial = partials[v];
        length = row_of(gathered, (u32)v).length;
    };
    u64 at = thread();
    auto exists = [&](u64 number) { return number < own_vertices(run) && own_vertex(run, number) < run.vertices; };
    if (exists(at)) read(own_vertex(run, at));
    while (exists(at)) {
        u32 v = own_vertex(run, at);
        Partial own = length > 0 ? partial : None<Accumulator>();
        bool is_short = length <= LONG_ITEM;
        // What the next vertex received is read while this one computes.
        at += threads();
        if (exists(at)) read(own_vertex(run, at));
        reads_are_under_way();
        if (is_short) goes_on |= receive(run, params, waits, v, own, step, aggregate).goes_on;
    }
    return goes_on;
}

#endif

/// Executes the second half: computes at every vertex of the gather queue, and at those that compute without a message.
WP_FN void receive_step(const DeviceRun& run, const Params& params, Stage& stage, u64 epoch, u32 count, u64 step,
                        Aggregate aggregate) {
    Control* control = run.control;
    Waits waits = no_waits();
#if WP_SLOTS
    if (receive_short_rows(run, params, step, aggregate)) note_changed(run, step);
#endif
    for (u32 begin = warp() * 32; begin < count; begin += warps() * 32) {
        u32 at = begin + lane();
        Item item = at < count ? run.gather[at] : Item{0, 0, 0};
        bool first = item.length & ITEM_FIRST;
        u32 items = first ? items_of<GATHER_ROWS, true>(run, item.vertex) : 0;
        Partial partial = None<Accumulator>();
        if (items == 1) partial = partials_of_items(run)[at];
        for (u32 many = __ballot_sync(ALL_LANES, items > 1); many; many &= many - 1) {
            u32 from = __ffs(many) - 1;
            u32 v = __shfl_sync(ALL_LANES, item.vertex, from);
            Partial all = combine_items(run, params, begin + from, __shfl_sync(ALL_LANES, items, from), v);
            all = shuffle(all, 0);
            if (lane() == from) partial = all;
        }
        Wishes wishes = {};
        if (first) wishes = receive(run, params, waits, item.vertex, partial, step, aggregate);
        if (wishes.goes_on) note_changed(run, step);
        if constexpr (!WP_EVERYONE_SENDS) send_later(run, stage, wishes.sends, item.vertex, step);
    }
    if constexpr (!WP_EVERYONE_SENDS) {
        compute_alone(run, params, stage, step, aggregate);
        tell_block(waits);
        flush_block(run, stage, frontier_of(step + 1));
        tell_device(control, epoch);
    }
}

#if WP_SEVERAL

/// Queues the rows of the vertices that other devices have found.
WP_CALL void queue_mail(u64 step) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Gathered rows = rows_to_gather(step);
    for_each_parcel(run, (u32)step & 1, [&](bool has, const Parcel& parcel) {
        bool first = has && claim(run, parcel.vertex, (u32)step);
        put_items<GATHER_ROWS, true>(run, stage, first, parcel.vertex, rows);
    });
    flush_block<GATHER_ROWS, true>(run, stage, rows);
}

#endif

/// Finds the vertices that may receive a message from the frontier, and queues their rows for gathering.
WP_FN u64 mark_step(const DeviceRun& run, Stage& stage, u32 count, u64 step) {
    Gathered rows = rows_to_gather(step);
    auto load = [&](u32) { return Value{}; };
    auto look = [&](const Passing& e) { return e.has; };
    auto use = [&](const u32 (&receivers)[1], const bool (&has)[1], u32) {
        bool first = has[0] && claim(run, receivers[0], (u32)step);
        put_items<GATHER_ROWS, true>(run, stage, first, receivers[0], rows);
    };
    u64 looked_at = for_each_edge<1>(run, step & 1, count, load, look, use);
    flush_block<GATHER_ROWS, true>(run, stage, rows);
    return looked_at;
}

/// Waits until all rows to gather are queued. Returns the number of this device's items.
WP_FN Decision end_marking(const DeviceRun& run, u64 step) {
    Control* control = run.control;
    const u64* received = &control->received[step & 1].counted;
    Decision marked = grid_barrier(&control->ticket, received, &control->fault);
#if WP_SEVERAL
    if (has_mail(marked, (u32)step & 1)) {
        queue_mail(step);
        recount(marked, device_barrier(control, received));
        if (thread() == 0) empty_inbox(control, (u32)step & 1);
    }
#endif
    return marked;
}

WP_FN void run_steps(const DeviceRun& run, const Params& params, Stage& stage, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 step = load_fresh(&control->step);
    u64 looked_at = 0;
    u32 gathering = (u32)load_fresh(&control->received[0].counted);
    Work work = first_work(run, step, decision);
    Aggregate last = first_fold(run, params, work, step);
    if (!goes_on(run, work.decision, work.some)) await_readers(run);
    while (goes_on(run, work.decision, work.some)) {
        decision = work.decision;
        complete_queue(run, step, work.place, decision);
        open_step(run, clock, step, decision.count, KIND_PULL, level_of_step(run));
#if WP_MESSAGES_MADE_ONCE
        make_messages(run, params);
        // Folding the values ends with its own barrier.
        if constexpr (!WP_AGGREGATES || WP_HAS_FINISHED) grid_barrier(&control->ticket, &control->fault, &control->fault);
#endif
        Aggregate aggregate = fold_before(run, params, last, step);
        if constexpr (!WP_EVERYONE_SENDS) {
            mark_step(run, stage, decision.count, step);
            gathering = end_marking(run, step).count;
        }
        set_moment(step, aggregate);
        keep_values(run);
#if WP_SLOTS
        gather_rows(gathering, step);
        tally(run, looked_at, thread() == 0 ? run.edges : 0, step);
#else
        tally(run, looked_at, gather_step(gathering, step), step);
#endif
        if (thread() == 0 && !WP_EVERYONE_SENDS) control->received[(step + 1) & 1].counted = 0;
        grid_barrier(&control->ticket, &control->fault, &control->fault);
        receive_step(run, params, stage, work.epoch, gathering, step, aggregate);
        // This reset must follow the barrier in the middle of the step: a slow block may still be reading this word at
        // the barrier that ended the last step.
        if (thread() == 0) forget_changed(control, step + 1);
        if (WP_EVERYONE_SENDS && thread() == 0) control->received[1].counted = 0;
        ++step;
        // Several devices tell at the barrier whether a vertex has changed.
        bool reads_changed = WP_EVERYONE_SENDS && !WP_SEVERAL;
        const u64* go_on = reads_changed ? &control->changed[(step - 1) & 1] : &control->frontiers[step % 3].counted;
        decision = grid_barrier(&control->ticket, go_on, &control->directive[step & 1]);
        work = work_of(run, work, step, decision);
        ask_finished(run, params, work, last, step);
    }
    keep_fold(run, params, work, last, step);
    count_edges(control, looked_at);
    if (thread() == 0) end_work(run, step, work);
}

#endif

}  // namespace wp
