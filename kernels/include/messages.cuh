// What receivers gather: how messages are accumulated, the partial results of items, and messages that are computed once per
// step.
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

// `true` if floats are added and every edge has a message. A missing one, -0.0, changes no sum, so no flag is needed.
#define WP_ADDS (WP_SUMS_FLOATS && WP_ALL_SEND)

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

#if WP_SLOTS
#if WP_ADDS
constexpr SentMessage NO_MESSAGE = (SentMessage)-0.0;
#else
constexpr SentMessage NO_MESSAGE = {};
#endif
#endif

#if WP_SLOTS && WP_SEVERAL

/// Number of messages that a warp copies to the other devices before it takes the next ones.
constexpr u32 SHARED_MESSAGES = 512;

/// Gives the other devices the messages of this device's vertices, in the order of their slots. Those of vertices without
/// edges, which are last, are not needed.
WP_FN void share_messages(const DeviceRun& run) {
    device_barrier(run.control);
    // The number of own slots before each class, from the class of the largest degrees down to that of degree 1.
    const u32* before = run.own_slots;
    const u32* starts = run.own_slots + DEGREE_CLASSES;
    u32 count = before[DEGREE_CLASSES - 1];
    const SentMessage* own = (const SentMessage*)run.sent;
    for (u32 begin = warp() * SHARED_MESSAGES; begin < count; begin += warps() * SHARED_MESSAGES) {
        u32 end = begin + SHARED_MESSAGES < count ? begin + SHARED_MESSAGES : count;
        // The last class that begins at or before `begin`.
        u32 low = 0, high = DEGREE_CLASSES - 1;
        while (high - low > 1) {
            u32 middle = (low + high) / 2;
            if (before[middle] <= begin) low = middle;
            else high = middle;
        }
        for (u32 at = begin; at < end; ++low) {
            u32 until = before[low + 1] < end ? before[low + 1] : end;
            u32 slot = starts[low] + (at - before[low]);
            for (u32 i = lane(); i < until - at; i += 32) {
                SentMessage message = own[slot + i];
                for_each_other([&](const Peer& peer) { ((SentMessage*)peer.sent)[slot + i] = message; });
            }
            at = until;
        }
    }
}

#endif

/// Computes every vertex's message. The message does not depend on a receiver or a weight, and computing it cannot
/// fault.
WP_FN void make_messages(const DeviceRun& run, const Params& params) {
    for (u64 at = thread(); at < own_vertices(run); at += threads()) {
        u32 sender = own_vertex(run, at);
        if (WP_SEVERAL && sender >= run.vertices) continue;
        u32 place = WP_SLOTS ? run.message_slots[sender] : sender;
        reads_are_under_way();
        Option<Message> message = None<Message>();
        if (WP_ALL_SEND || is_present(run, sender)) {
            Value value = {};
            if constexpr (WP_READS_EDGE_VALUE) value = ((const Value*)run.values)[sender];
            message = message_along(run, params, weighed_edge(run, value, sender, sender, Weight{}), sender, sender);
        }
        ((SentMessage*)run.sent)[place] = sent(message);
#if WP_SEVERAL && !WP_SLOTS
        for_each_other([&](const Peer& peer) { ((SentMessage*)peer.sent)[place] = sent(message); });
#endif
    }
#if WP_SLOTS
    if (thread() == 0) ((SentMessage*)run.sent)[NO_SLOT] = NO_MESSAGE;
#if WP_SEVERAL
    share_messages(run);
#endif
#endif
}

/// Addresses of the messages of a step. A function that is not inlined would read each address again for each message.
struct SentMessages {
    const SentMessage* all;  // by sender, or by slot
    u32 hot;                 // number of messages that the block has a copy of, and where (WP_SLOTS)
    u32 copy;
};

WP_FN SentMessages sent_messages(const DeviceRun& run) {
    return SentMessages{(const SentMessage*)run.sent, WP_SLOTS ? run.hot_count : 0, requested_shared_memory()};
}

/// Returns the message that is sent along an edge with this end, which is a slot with WP_SLOTS.
WP_FN SentMessage message_from(const SentMessages& messages, u32 end) {
#if WP_SLOTS
    if constexpr (sizeof(SentMessage) == 4 || sizeof(SentMessage) == 8) {
        auto word = word_of_either(messages.copy, messages.hot, (const Word<SentMessage>*)messages.all, end);
        SentMessage message;
        memcpy(&message, &word, sizeof(message));
        return message;
    } else {
        return end < messages.hot ? ((const SentMessage*)requested_room())[end] : messages.all[end];
    }
#else
    return messages.all[end];
#endif
}

#if WP_COMBINE != WP_MOST_FREQUENT

/// Adds the messages along the edges of `v`, or part of them, by one lane alone or, if TOGETHER, those along every 32nd edge
/// by each lane of a warp. `read(i, ends)` reads the ends of the next SENT_AHEAD of these edges, from the warp's edge at
/// index i on; with WP_SLOTS, those of other edges are NO_SLOT.
template <bool TOGETHER, typename Read>
WP_FN Partial add_messages(const DeviceRun& run, const Params& params, const SentMessages& messages, u32 length, u32 v,
                           Read read) {
    constexpr u32 stride = TOGETHER ? 32 : 1;
#if WP_ADDS
    Partial partial = {false, -0.0};
#else
    Partial partial = None<Accumulator>();
#endif
#pragma unroll 1
    for (u32 begin = 0; begin < length && !is_done<TOGETHER>(partial); begin += stride * SENT_AHEAD) {
        u32 i = begin + (TOGETHER ? lane() : 0);
        u32 ends[SENT_AHEAD];
        SentMessage all[SENT_AHEAD];
        read(begin, ends);
        reads_are_under_way();
#pragma unroll
        for (u32 j = 0; j < SENT_AHEAD; ++j) all[j] = message_from(messages, ends[j]);
        reads_are_under_way();
#pragma unroll
        for (u32 j = 0; j < SENT_AHEAD; ++j) {
            bool has = i + j * stride < length;
#if WP_ADDS
            partial.value += WP_SLOTS || has ? all[j] : (SentMessage)-0.0;
#else
            Option<Message> message = received(all[j]);
            if (has && message.some && !is_dropped(message.value))
                accumulate(run, params, partial, accumulated(message.value), v);
#endif
        }
    }
#if WP_ADDS
    partial.some = (TOGETHER ? lane() : 0) < length;
#endif
    return partial;
}

/// Gathers the edges of an item by one lane alone or, if TOGETHER, every 32nd edge by each lane of a warp.
/// `make_messages` has computed the messages.
template <bool TOGETHER>
WP_FN Partial gather_edges(const DeviceRun& run, const Params& params, const Item& item, const Ends& ends, u64) {
    u32 last = 0;
    auto read = [&](u32 begin, u32 (&found)[SENT_AHEAD]) { read_senders<TOGETHER>(run, ends, begin, last, found); };
    return add_messages<TOGETHER>(run, params, sent_messages(run), item.length & ITEM_LENGTH, item.vertex, read);
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
#if WP_ADDS
    u32 any = __ballot_sync(ALL_LANES, mine.some);
    f64 sum = mine.some ? mine.value : -0.0;
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL_LANES, sum, distance);
    return Partial{any != 0, sum};
#else
    for (u32 distance = 16; distance > 0; distance /= 2) {
        Partial other = shuffle_down(mine, distance);
        if (other.some && lane() + distance < 32) accumulate(run, params, mine, other.value, v);
    }
    return mine;
#endif
}

/// Returns the results of the items of the gather queue, by their index. With WP_SLOTS, those of short rows
/// are before them, by vertex.
WP_FN Partial* partials_of_items(const DeviceRun& run) {
    return (Partial*)run.partials + (WP_SLOTS ? run.vertices : 0);
}

/// Number of results of items that a lane reads at a time.
constexpr u32 PARTIALS_AHEAD = sizeof(Partial) <= 16 ? 2 : 1;

/// Combines the results of all items of vertex `v`. It has `items` items, the first of them at index `first`. All lanes
/// must call this with the same arguments.
WP_FN Partial combine_items(const DeviceRun& run, const Params& params, u32 first, u32 items, u32 v) {
    Partial mine = None<Accumulator>();
    const Partial* partials = partials_of_items(run) + first;
    // A hub has thousands of items, but only one warp, for which others wait.
#pragma unroll 1
    for (u32 i = lane(); i < items; i += 32 * PARTIALS_AHEAD) {
        Partial parts[PARTIALS_AHEAD];
#pragma unroll
        for (u32 j = 0; j < PARTIALS_AHEAD; ++j) parts[j] = partials[i + 32 * j < items ? i + 32 * j : i];
        reads_are_under_way();
#pragma unroll
        for (u32 j = 0; j < PARTIALS_AHEAD; ++j) {
            if (i + 32 * j < items && parts[j].some) accumulate(run, params, mine, parts[j].value, v);
        }
    }
    __syncwarp();
    return combine_lanes(run, params, mine, v);
}

#endif

}  // namespace wp
