// Gathering: every receiver reads its own row and combines the messages in a fixed order. Sums of floats are therefore
// the same in every run, and messages of any size work without atomics. If every vertex sends in every step, all
// vertices gather; otherwise the frontier first marks the vertices that may receive a message.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_PULL

#if WP_BY_FIELD
using program::Accumulator;
using program::accumulated;
using program::combined;
#elif WP_COMBINE == WP_MOST_FREQUENT
/// A message, and how often it arrived.
struct Accumulator {
    Message message;
    u32 count;
};
WP_FN Message combined(const Accumulator& all) { return all.message; }
#else
#if WP_SUMS_FLOATS
typedef f64 Accumulator;
#else
typedef Message Accumulator;
#endif
WP_FN Accumulator accumulated(Message message) { return (Accumulator)message; }
WP_FN Message combined(Accumulator all) { return (Message)all; }
#endif

/// The combined messages of some edges of one row.
typedef Option<Accumulator> Partial;

static_assert(sizeof(Partial) == WP_SIZE_PARTIAL, "host and device disagree on the size of a partial result");

WP_FN void accumulate(const DeviceRun& run, const Params& params, Partial& so_far, Accumulator more, u32 v) {
#if WP_BY_FIELD
    if (so_far.some) program::join(so_far.value, more);
    else so_far.value = more;
#elif WP_COMBINE == WP_MOST_FREQUENT
    // No message is in both.
    const Accumulator& held = so_far.value;
    bool wins = more.count > held.count || (more.count == held.count && more.message < held.message);
    if (!so_far.some || wins) so_far.value = more;
#elif WP_SUMS_FLOATS
    so_far.value = so_far.some ? so_far.value + more : more;
#else
    so_far.value = so_far.some ? combine_messages(run, params, so_far.value, more, v) : more;
#endif
    so_far.some = true;
}

/// `true` if each warp that is done takes the next items of the gather queue dynamically.
constexpr bool TAKES_ITEMS = WP_EVERYONE_SENDS && !WP_STREAMED;

WP_FN bool sends(const DeviceRun& run, u32 v, u64 step) {
    return WP_EVERYONE_SENDS ? is_present(run, v) : run.active[v] == (u32)step;
}

/// Returns `true` if the rest of a row cannot change the result.
WP_FN bool is_settled(const Partial& partial) { return (WP_UNIFORM || WP_COMBINE == WP_ANY) && partial.some; }

#if WP_COMBINE != WP_MOST_FREQUENT

/// Returns `true` if no lane that gathers an item needs to read on.
template <bool TOGETHER>
WP_FN bool is_done(const Partial& partial) {
    if constexpr (!(WP_UNIFORM || WP_COMBINE == WP_ANY)) return false;
    return TOGETHER ? __all_sync(ALL_LANES, is_settled(partial)) : is_settled(partial);
}

/// Returns where the ends of an item are.
WP_FN Ends ends_to_gather(const DeviceRun& run, const Item& item) {
    bool reverse = is_reverse<GATHER_ROWS>(item);
    u32 length = item.length & ITEM_LENGTH;
#if WP_PACKED
    Row row = row_of(reverse ? run.in_offsets : run.out_offsets, item.vertex);
    return length > 0 ? ends_of(run, reverse, item.vertex, row, item.first - row.first) : Ends{};
#else
    return ends_of(run, reverse, item.vertex, Row{item.first, length}, 0);
#endif
}

/// Returns where the ends of an item are that lane `from` owns. All lanes must call this.
WP_FN Ends ends_by_warp(const DeviceRun& run, const Item& item, const Ends& ends, u32 from) {
#if WP_PACKED
    return shuffle(ends, from);
#else
    return ends_to_gather(run, item);
#endif
}

/// Reads the next AHEAD senders of a lane.
template <bool TOGETHER, u32 AHEAD>
WP_FN void read_senders(const DeviceRun& run, const Ends& ends, u32 begin, u32& last, u32 (&senders)[AHEAD]) {
    if constexpr (TOGETHER) ends_together(run, ends, begin, senders);
    else ends_alone(run, ends, begin, last, senders);
}

#endif

#if WP_MESSAGES_MADE_ONCE

/// The message that a vertex sends along all its edges in a step. Computing it once per vertex instead of once per edge
/// saves PageRank a division and two random reads per edge.
#if WP_ALL_SEND
typedef Message SentMessage;
WP_FN SentMessage sent(Option<Message> message) { return message.value; }
WP_FN Option<Message> received(SentMessage sent) { return Some(sent); }
#else
typedef Option<Message> SentMessage;
WP_FN SentMessage sent(Option<Message> message) { return message; }
WP_FN Option<Message> received(SentMessage sent) { return sent; }
#endif

static_assert(sizeof(SentMessage) == WP_SIZE_SENT, "host and device disagree on the size of a message that is computed once");

/// Computes every vertex's message. The message does not depend on a receiver or a weight, and computing it cannot
/// fault.
WP_FN void make_messages(const DeviceRun& run, const Params& params) {
    for (u64 v = thread(); v < run.vertices; v += threads()) {
        u32 sender = (u32)v;
        Option<Message> message = None<Message>();
        if (WP_ALL_SEND || is_present(run, sender)) {
            Value value = {};
            if constexpr (WP_READS_EDGE_VALUE) value = ((const Value*)run.values)[sender];
            message = message_along(run, params, weighed_edge(run, value, sender, sender, Weight{}), sender, sender);
        }
        ((SentMessage*)run.sent)[sender] = sent(message);
    }
}

#if WP_COMBINE != WP_MOST_FREQUENT

/// Gathers the edges of an item by one lane alone or, if TOGETHER, every 32nd edge by each lane of a warp.
/// `make_messages` has computed the messages.
template <bool TOGETHER>
WP_FN Partial gather_edges(const DeviceRun& run, const Params& params, Item item, const Ends& ends, u64) {
    constexpr u32 stride = TOGETHER ? 32 : 1;
    Partial partial = None<Accumulator>();
    u32 length = item.length & ITEM_LENGTH, last = 0;
#pragma unroll 1
    for (u32 begin = 0; begin < length && !is_done<TOGETHER>(partial); begin += stride * SENT_AHEAD) {
        u32 i = begin + (TOGETHER ? lane() : 0);
        u32 senders[SENT_AHEAD];
        SentMessage all[SENT_AHEAD];
        read_senders<TOGETHER>(run, ends, begin, last, senders);
        reads_are_under_way();
#pragma unroll
        for (u32 j = 0; j < SENT_AHEAD; ++j) all[j] = ((const SentMessage*)run.sent)[senders[j]];
        reads_are_under_way();
#pragma unroll
        for (u32 j = 0; j < SENT_AHEAD; ++j) {
            Option<Message> message = received(all[j]);
            if (i + j * stride < length && message.some && !is_dropped(message.value))
                accumulate(run, params, partial, accumulated(message.value), item.vertex);
        }
    }
    return partial;
}

#endif

#elif WP_COMBINE != WP_MOST_FREQUENT

/// Gathers the edges of an item by one lane alone or, if TOGETHER, every 32nd edge by each lane of a warp.
template <bool TOGETHER>
WP_FN Partial gather_edges(const DeviceRun& run, const Params& params, Item item, const Ends& ends, u64 step) {
    Partial partial = None<Accumulator>();
    bool reverse = is_reverse<GATHER_ROWS>(item);
    u32 length = item.length & ITEM_LENGTH, last = 0;
    for (u32 begin = 0; begin < length && !is_done<TOGETHER>(partial); begin += TOGETHER ? 32 : 1) {
        u32 i = begin + (TOGETHER ? lane() : 0), senders[1];
        read_senders<TOGETHER>(run, ends, begin, last, senders);
        u32 sender = senders[0];
        if (i >= length || is_settled(partial) || !sends(run, sender, step)) continue;
        u64 position = item.first + i;
        Value value = {};
        if constexpr (WP_READS_EDGE_VALUE) value = ((const Value*)run.values)[sender];
        auto edge = edge_view(run, value, sender, item.vertex, position, reverse);
        Option<Message> message = message_along(run, params, edge, sender, item.vertex);
        if (message.some && !is_dropped(message.value))
            accumulate(run, params, partial, accumulated(message.value), item.vertex);
    }
    return partial;
}

#endif

/// Combines the results of all lanes in a fixed order. Lane 0 gets the result.
WP_FN Partial combine_lanes(const DeviceRun& run, const Params& params, Partial mine, u32 v) {
    for (u32 distance = 16; distance > 0; distance /= 2) {
        Partial other = shuffle_down(mine, distance);
        if (other.some && lane() + distance < 32) accumulate(run, params, mine, other.value, v);
    }
    return mine;
}

#if WP_COMBINE == WP_MOST_FREQUENT

/// Executes the first half of a step: counts the messages to every vertex of the gather queue (`frequent.cuh`).
WP_CALL u64 gather_step(const DeviceRun& run, const Params& params, u32 count, u64 step);

#else

/// Largest length of an item that one lane gathers; a whole warp gathers longer items.
constexpr u32 LONG_ITEM = 32;

#if WP_PACKED && WP_ROWS_ON_HOST

/// Copies rows from host memory to the warp's shared memory: that of the lowest lane of `waiting`, and those of all lanes
/// that are not far behind it. Changes `ends` of these lanes to the copy. Returns the lanes. All lanes must call this.
WP_FN u32 copy_rows(const DeviceRun& run, Ends& ends, u32 waiting) {
    u64 begin = (u64)ends.words + ends.bit / 8;
    u64 end = begin + (waiting >> lane() & 1 ? (bits_end(run, ends) - ends.bit / 8 * 8 + 7) / 8 : 0);
    Nearby bytes = nearby(begin, end, waiting, COPIED_ROWS);
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

/// Gathers the items of these lanes, of the 32 from index `begin` of the gather queue on. All lanes must call this.
WP_FN void gather_items(const DeviceRun& run, const Params& params, const Item& item, const Ends& ends, u32 lanes,
                        u32 begin, u64 step) {
    Partial* partials = (Partial*)run.partials;
    bool is_long = (item.length & ITEM_LENGTH) > LONG_ITEM;
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

#if WP_STREAMED

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
WP_CALL u64 gather_step(const DeviceRun& run, const Params& params, u32 count, u64 step) {
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
WP_CALL u64 gather_step(const DeviceRun& run, const Params& params, u32 count, u64 step) {
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

/// Combines the results of all items of vertex `v`. It has `items` items, the first of them at index `first`. All lanes
/// must call this with the same arguments.
WP_FN Partial combine_items(const DeviceRun& run, const Params& params, u32 first, u32 items, u32 v) {
    Partial mine = None<Accumulator>();
    for (u32 i = lane(); i < items; i += 32) {
        Partial part = ((const Partial*)run.partials)[first + i];
        if (part.some) accumulate(run, params, mine, part.value, v);
    }
    __syncwarp();
    return combine_lanes(run, params, mine, v);
}

/// Computes at a vertex whose messages were gathered. Does nothing if there was no message and the vertex needs one.
WP_FN Wishes receive(const DeviceRun& run, const Params& params, Waits& waits, u32 v, Partial partial, u64 step,
                     Aggregate aggregate) {
    Option<Message> incoming = partial.some ? Some(combined(partial.value)) : None<Message>();
    if (!incoming.some && !computes_alone(run, v)) return Wishes{};
    return compute_at(run, params, waits, v, incoming, step, aggregate);
}

/// Executes the second half: computes at every vertex of the gather queue, and at those that compute without a message.
WP_FN void receive_step(const DeviceRun& run, const Params& params, Stage& stage, u64 epoch, u32 count, u64 step,
                        Aggregate aggregate) {
    Control* control = run.control;
    Waits waits = no_waits();
    for (u32 begin = warp() * 32; begin < count; begin += warps() * 32) {
        u32 at = begin + lane();
        Item item = at < count ? run.gather[at] : Item{0, 0, 0};
        bool first = item.length & ITEM_FIRST;
        u32 items = first ? items_of<GATHER_ROWS, true>(run, item.vertex) : 0;
        Partial partial = None<Accumulator>();
        if (items == 1) partial = ((const Partial*)run.partials)[at];
        for (u32 many = __ballot_sync(ALL_LANES, items > 1); many; many &= many - 1) {
            u32 from = __ffs(many) - 1;
            u32 v = __shfl_sync(ALL_LANES, item.vertex, from);
            Partial all = combine_items(run, params, begin + from, __shfl_sync(ALL_LANES, items, from), v);
            all = shuffle(all, 0);
            if (lane() == from) partial = all;
        }
        Wishes wishes = {};
        if (first) wishes = receive(run, params, waits, item.vertex, partial, step, aggregate);
        if (wishes.goes_on) store_relaxed(&control->changed[step & 1], (u64)1);
        if constexpr (!WP_EVERYONE_SENDS) send_later(run, stage, wishes.sends, item.vertex, step);
    }
    if constexpr (!WP_EVERYONE_SENDS) {
        compute_alone(run, params, stage, step, aggregate);
        tell_block(waits);
        flush_block(run, stage, frontier_of(step + 1));
        tell_device(control, epoch);
    }
}

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
            gathering = grid_barrier(&control->ticket, &control->received[step & 1].counted, &control->fault).count;
        }
        set_moment(step, aggregate);
        keep_values(run);
        tally(run, looked_at, gather_step(run, params, gathering, step), step);
        if (thread() == 0 && !WP_EVERYONE_SENDS) control->received[(step + 1) & 1].counted = 0;
        grid_barrier(&control->ticket, &control->fault, &control->fault);
        receive_step(run, params, stage, work.epoch, gathering, step, aggregate);
        // This reset must follow the barrier in the middle of the step: a slow block may still be reading this word at
        // the barrier that ended the last step.
        if (thread() == 0) control->changed[(step + 1) & 1] = 0;
        if (WP_EVERYONE_SENDS && thread() == 0) control->received[1].counted = 0;
        ++step;
        const u64* go_on = WP_EVERYONE_SENDS ? &control->changed[(step - 1) & 1] : &control->frontiers[step % 3].counted;
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
