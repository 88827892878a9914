// What vertices have to send when they wait for their turn (`walk.cuh`): the value in place or, in accumulating programs
// (WP_ACCUMULATES), an amount.
//
// A vertex of an accumulating program has two sums of PORTION_WORDS words each. What it has sent is *held*; what it has
// received since then is *pending*. A vertex that takes what is pending adds it to what it holds, and sends it as a portion.
// Floats are added up in f64, and integers modulo 2^64, whose lower bits are those of the wrapped sum. This is delta-based
// accumulation (Zhang et al., "Maiter: An Asynchronous Graph Processing Framework for Delta-based Accumulative Iterative
// Computation", 2013).
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_WALK

/// Calls `visit(v)` for each vertex of this device, in some thread.
template <typename Visit>
WP_FN void for_each_own(const DeviceRun& run, Visit visit) {
    for (u64 at = thread(); at < own_vertices(run); at += threads()) {
        u32 v = own_vertex(run, at);
        if (v < run.vertices) visit(v);
    }
}

/// Returns `true` if a vertex has edges to send along, and thus a place.
WP_FN bool has_place(const DeviceRun& run, u32 v) {
#if WP_ORDERED
    return run.places[v] != ~0u;
#else
    return edges_of<SEND_ROWS>(run, v) > 0;
#endif
}

/// Returns the vertex at a place.
WP_FN u32 vertex_of_place(const DeviceRun& run, u32 place) { return WP_ORDERED ? run.path_vertices[place] : place; }

WP_FN u32 place_of(const DeviceRun& run, u32 v) { return WP_ORDERED ? run.places[v] : v; }

/// Lets a vertex of this device wait for its turn, unless it has no edges. One of another device waits until it is passed on
/// (`pass_on`). No turns are taken meanwhile.
WP_FN void wait(const DeviceRun& run, u32 v) {
#if WP_SEVERAL
    if (!is_own(run, v)) return mark_to_post(run, v);
#endif
    if (!has_place(run, v)) return;
    u32 place = place_of(run, v), bit = 1u << (place & 31);
    u32* word = run.pending + (place >> 5);
    if (!(load_fresh(word) & bit)) set_bits(word, bit);
}

#if WP_ACCUMULATES

constexpr u32 PORTION_WORDS = WP_PORTION_WORDS;

/// Calls `visit(i, number)` for each number of a message, in the order of their words.
template <typename M, typename Visit>
WP_FN void for_each_number(M& message, Visit visit) {
#if WP_BY_FIELD
    program::each_number(message, visit);
#else
    visit(0u, message);
#endif
}

WP_FN void read_sum(u64 sum, u32& x) { x = (u32)sum; }
WP_FN void read_sum(u64 sum, i32& x) { x = (i32)(u32)sum; }
WP_FN void read_sum(u64 sum, u64& x) { x = sum; }
WP_FN void read_sum(u64 sum, i64& x) { x = (i64)sum; }
WP_FN void read_sum(u64 sum, f32& x) { x = (f32)__longlong_as_double((i64)sum); }
WP_FN void read_sum(u64 sum, f64& x) { x = __longlong_as_double((i64)sum); }

WP_FN u64 sum_with(u64 sum, u32 x) { return sum + x; }
WP_FN u64 sum_with(u64 sum, i32 x) { return sum + (u64)(i64)x; }
WP_FN u64 sum_with(u64 sum, u64 x) { return sum + x; }
WP_FN u64 sum_with(u64 sum, i64 x) { return sum + (u64)x; }
WP_FN u64 sum_with(u64 sum, f64 x) { return bits(__longlong_as_double((i64)sum) + x); }
WP_FN u64 sum_with(u64 sum, f32 x) { return sum_with(sum, (f64)x); }

/// Returns the absolute value of a number.
template <typename T>
WP_FN f64 size_of_number(T x) { return x < (T)0 ? -(f64)x : (f64)x; }
WP_FN f64 size_of_number(u32 x) { return (f64)x; }
WP_FN f64 size_of_number(u64 x) { return (f64)x; }

/// Adds a number to a sum, while other threads do. Returns `true` if the number is not 0 and the sum was.
template <typename T>
WP_FN bool add_to_sum(u64* sum, T x) {
    if (x == (T)0) return false;
    delay();
    if constexpr (PASSES_ON && IsFloat<T>::value) return atomicAdd_system((f64*)sum, (f64)x) == 0.0;
    else if constexpr (PASSES_ON) return atomicAdd_system(sum, sum_with(0, x)) == 0;
    else if constexpr (IsFloat<T>::value) return atomicAdd((f64*)sum, (f64)x) == 0.0;
    else return atomicAdd(sum, sum_with(0, x)) == 0;
}

WP_FN u64* held_at(const DeviceRun& run, u32 v) { return run.held + (u64)v * PORTION_WORDS; }
WP_FN u64* amount_at(const DeviceRun& run, u32 v) { return run.amounts + (u64)v * PORTION_WORDS; }

// What is done with each number of a message. These are structs because NVRTC takes generic lambdas for functions of the host.

struct ReadSum {
    const u64* sums;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, T& x) const { read_sum(sums[i], x); }
};

struct AddSum {
    const u64* sums;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, T& x) const { read_sum(sum_with(sums[i], x), x); }
};

struct SetSum {
    u64* sums;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, const T& x) const { sums[i] = sum_with(0, x); }
};

struct HoldSum {
    u64* pending;
    u64* held;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, const T& x) const {
        pending[i] = 0;
        held[i] = sum_with(held[i], x);
    }
};

struct OfferNumber {
    u64* pending;
    bool* first;  // set if a number that is not 0 was added to a sum that was
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, const T& x) const { *first |= add_to_sum(pending + i, x); }
};

/// Returns a sum in the type in which it is added, and leaves none behind. `T` is the type of the number.
template <typename T>
__device__ __forceinline__ auto take_sum(u64& sum) {
    u64 taken = sum;
    sum = 0;
    if constexpr (IsFloat<T>::value) return __longlong_as_double((i64)taken);
    else return taken;
}

struct PassNumber {
    u64* pending;
    u64* elsewhere;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, const T&) const {
        auto sum = take_sum<T>(pending[i]);
        atomicAdd_system((decltype(sum)*)(elsewhere + i), sum);
    }
};

struct AddToProxy {
    u64* sums;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, const T& x) const {
        if (x == (T)0) return;
        if constexpr (IsFloat<T>::value) atomicAdd((f64*)(sums + i), (f64)x);
        else atomicAdd(sums + i, sum_with(0, x));
    }
};

struct MoveFromProxy {
    u64* sums;
    u64* pending;
    bool* first;
    template <typename T>
    __device__ __forceinline__ void operator()(u32 i, const T&) const {
        *first |= add_to_sum(pending + i, take_sum<T>(sums[i]));
    }
};

struct AddSize {
    f64* size;
    template <typename T>
    __device__ __forceinline__ void operator()(u32, const T& x) const { *size += size_of_number(x); }
};

/// Returns the sums in some words, which no thread changes meanwhile.
WP_FN Message message_in(const u64* sums) {
    Message message = {};
    for_each_number(message, ReadSum{sums});
    return message;
}

/// Returns the size of a message: the sum of the absolute values of its numbers.
WP_FN f64 size_of(const Message& message) {
    f64 size = 0;
    for_each_number(message, AddSize{&size});
    return size;
}

/// Returns what a vertex holds and what is pending there, together.
WP_FN Message value_in_sums(const DeviceRun& run, u32 v) {
    Message value = message_in(held_at(run, v));
    for_each_number(value, AddSum{amount_at(run, v)});
    return value;
}

/// Makes the first value of a vertex pending.
WP_FN void set_amount(const DeviceRun& run, u32 v, const Message& value) {
    for_each_number(value, SetSum{amount_at(run, v)});
}

/// Returns how urgent it is that a waiting vertex sends: the size of what is pending.
WP_FN f64 urgency_of(const DeviceRun& run, u32 v) { return size_of(message_in(amount_at(run, v))); }

/// Takes what is pending at a vertex, as the portion that it sends next. Returns the size of the portion. If it is 0, as
/// after amounts that cancelled out, there is nothing to send.
WP_FN f64 take_amount(const DeviceRun& run, u32 v) {
    Message portion = message_in(amount_at(run, v));
    for_each_number(portion, HoldSum{amount_at(run, v), held_at(run, v)});
    ((Value*)run.values)[v] = portion;
    return size_of(portion);
}

/// A block's *proxies* of the vertices to which most edges lead (WP_PROXIES): what they receive is added up in shared memory
/// first, because atomics on one address are serialized. A vertex's slot is its index modulo PROXY_SLOTS; the host chooses
/// which vertex has it. (An idea of DiGraph, where vertices of high in-degree have proxies in the shared memory of a block.)
struct Proxies {
    u32 vertices[PROXY_SLOTS];
    u64 sums[PROXY_SLOTS * PORTION_WORDS];
};

WP_FN Proxies& proxies_of_block() {
    __shared__ Proxies proxies;
    return proxies;
}

/// Prepares a block's proxies. A barrier follows before anything is sent.
WP_FN void begin_proxies(const DeviceRun& run) {
    if constexpr (WP_PROXIES) {
        for (u32 i = threadIdx.x; i < PROXY_SLOTS; i += BLOCK_THREADS) proxies_of_block().vertices[i] = run.proxies[i];
        for (u32 i = threadIdx.x; i < PROXY_SLOTS * PORTION_WORDS; i += BLOCK_THREADS) proxies_of_block().sums[i] = 0;
    }
}

/// Adds what a block's proxies have received to what is pending at their vertices. All threads must call this.
WP_FN void end_proxies(const DeviceRun& run) {
    if constexpr (WP_PROXIES) {
        __syncthreads();
        for (u32 i = threadIdx.x; i < PROXY_SLOTS; i += BLOCK_THREADS) {
            u32 v = proxies_of_block().vertices[i];
            if (v == ~0u) continue;
            Message message = {};
            bool first = false;
            u64* sums = proxies_of_block().sums + i * PORTION_WORDS;
            for_each_number(message, MoveFromProxy{sums, amount_at(run, v), &first});
            if (first) wait(run, v);
        }
    }
}

/// Adds a message to what is pending at its receiver, while other threads do.
WP_FN void offer(const DeviceRun& run, u32 receiver, const Message& message) {
    bool first = false;
    if (WP_MAY_HAVE_NO_VALUE && !is_present(run, receiver)) {
        bool is_new = make_present(run, receiver);
        // Its own device must know, even if the message is 0.
        first = is_new && !is_own(run, receiver);
    }
    bool has_proxy = false;
    if constexpr (WP_PROXIES) {
        u32 slot = receiver % PROXY_SLOTS;
        has_proxy = proxies_of_block().vertices[slot] == receiver;
        if (has_proxy) for_each_number(message, AddToProxy{proxies_of_block().sums + slot * PORTION_WORDS});
    }
    if (!has_proxy) for_each_number(message, OfferNumber{amount_at(run, receiver), &first});
    if (first) wait(run, receiver);
}

/// Replaces the portions by the values, which include what is still pending.
WP_CALL void set_values() {
    const DeviceRun& run = run_of_block();
    for_each_own(run, [&](u32 v) { ((Value*)run.values)[v] = value_in_sums(run, v); });
}

#else

/// Returns how urgent it is that a waiting vertex sends: values that are better than those of most others are less likely to
/// be improved before they are sent.
WP_FN f64 urgency_of(const DeviceRun& run, u32 v) {
    f64 word = (f64)((const ValueWord*)run.values)[v];
    return WP_COMBINE == WP_MIN ? -word : word;
}

#endif

#if WP_SEVERAL

/// Gives a vertex of another device what this device has combined for it. Returns how many values that improves.
WP_FN u64 pass(const DeviceRun& run, u32 v) {
    const Peer& peer = peers_of_block().all[owner_of(run, v)];
    u32 place = place_of(run, v);
#if WP_ACCUMULATES
    Message message = {};
    for_each_number(message, PassNumber{amount_at(run, v), peer.amounts + (u64)v * PORTION_WORDS});
    bool has_come = true, tells = WP_MAY_HAVE_NO_VALUE;
#else
    ValueWord word = load_fresh((const ValueWord*)run.values + v);
    bool tells = word == IDENTITY<ValueWord>;
    bool has_come = tells || improves(word, combine_for_all((ValueWord*)peer.values + v, word));
#endif
    if (tells) set_bits(peer.present + (v >> 5), 1u << (v & 31));
    // Without an order, this device does not know whether the vertex has edges. Its own does.
    if (has_come && place != ~0u) set_bits(peer.pending + (place >> 5), 1u << (place & 31));
    return WP_IN_PLACE && has_come;
}

/// Passes on to the other devices what this device has combined for their vertices in a round, by atomics on their memory.
/// Each vertex is passed on once, even if it has received several messages. A barrier of this device must precede. Returns how
/// many values this lane has improved.
WP_CALL u64 pass_on() {
    const DeviceRun& run = run_of_block();
    u64 improved = 0;
    u64 words = ((u64)run.vertices + 31) / 32;
    for (u64 begin = (u64)warp() * 32; begin < words; begin += (u64)warps() * 32) {
        u64 at = begin + lane();
        u32 marked = at < words ? load_fresh(&run.unsent[at]) : 0;
        if (marked) run.unsent[at] = 0;
        // The lanes have the vertices of one word, so that they access adjacent memory.
        for (u32 filled = __ballot_sync(ALL_LANES, marked); filled; filled &= filled - 1) {
            u32 from = __ffs(filled) - 1;
            bool has = __shfl_sync(ALL_LANES, marked, from) >> lane() & 1;
            if (has) improved += pass(run, ((u32)begin + from) * 32 + lane());
        }
    }
    return improved;
}

#endif

#endif

}  // namespace wp
