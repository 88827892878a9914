// The program's view of a run: edges and vertices built from its arrays. Only fields that the program reads are loaded
// (WP_READS_*, WP_*_INDEX). The other fields stay zero and cost nothing.
#pragma once

namespace wp {

using program::Aggregate;
using program::Message;
using program::Params;
using program::Value;
using program::Weight;

/// Edges as the program sees them.
#if WP_READS_EDGE_AGGREGATE
typedef Edge<Value, Weight, Aggregate> EdgeView;
#else
typedef Edge<Value, Weight> EdgeView;
#endif

/// Words of values and of combined messages.
typedef Word<Value> ValueWord;
typedef Word<Message> MessageWord;

static_assert(sizeof(Item) == 16, "the host allocates 16 bytes per item");

/// Returns a vertex's out-degree. Between distinct neighbours, the rows of the run are others than those of the edges, and
/// one of several devices has only some of them.
WP_FN u64 out_degree(const DeviceRun& run, u32 v) {
    if constexpr (WP_NEIGHBOURS || WP_SEVERAL) return run.out_degrees[v];
    else return run.out_offsets[v + 1] - run.out_offsets[v];
}

/// Returns a vertex's in-degree. The in-rows of a symmetric graph are its out-rows.
WP_FN u64 in_degree(const DeviceRun& run, u32 v) {
    if constexpr (WP_NEIGHBOURS) return run.in_degrees[v];
    if constexpr (WP_SEVERAL) return (WP_SYMMETRIC ? run.out_degrees : run.in_degrees)[v];
    const Offset* offsets = WP_SYMMETRIC ? run.out_offsets : run.in_offsets;
    return offsets[v + 1] - offsets[v];
}

/// Returns the content of an `index` field. If the program reads such a field, the content is the vertex's rank, and
/// inputs are laid out by rank. Otherwise the content is the internal index, which only inputs use.
template <u32 USE>
WP_FN u32 index_of(const DeviceRun& run, u32 v) {
    if constexpr (USE == WP_INDEX_RANK) return run.ranks[v];
    else return USE == WP_INDEX_NUMBER ? v : 0;
}

// Weights that fit in 8 or 16 bits are stored so, whatever the program's type, since every step reads many of them.
#if WP_SIZE_STORED_WEIGHT == WP_SIZE_WEIGHT
typedef Weight StoredWeight;
#elif WP_SIZE_STORED_WEIGHT == 1
typedef u8 StoredWeight;
#else
typedef u16 StoredWeight;
#endif

static_assert(sizeof(StoredWeight) == WP_SIZE_STORED_WEIGHT || !WP_READS_EDGE_WEIGHT,
              "the host stores weights of this size");

/// Returns the address of the weight at `position` of the out-rows, or of the in-rows if `reverse`.
WP_FN const StoredWeight* stored_weight(const DeviceRun& run, u64 position, bool reverse) {
#if WP_STREAMED
    return in_ring<StoredWeight>(run, reverse, position, run.weights_part) + position;
#else
    const void* weights = reverse ? run.in_weights : run.out_weights;
#if WP_ROWS_ON_HOST
    // If weights live in host memory, the first of them are also on the device.
    if (position < (reverse ? run.in_resident_weights : run.out_resident_weights))
        weights = reverse ? run.in_weights_head : run.out_weights_head;
#endif
    return (const StoredWeight*)weights + position;
#endif
}

/// Returns the weight at `position` of the out-rows, or of the in-rows if `reverse`, if the program reads it.
WP_FN Weight weight_at(const DeviceRun& run, u64 position, bool reverse) {
#if WP_READS_EDGE_WEIGHT && WP_HAS_WEIGHTS
    return (Weight)*copied_weight(stored_weight(run, position, reverse));
#elif WP_READS_EDGE_WEIGHT
    return (Weight)1;
#else
    return Weight{};
#endif
}

/// Returns the place of the edge at `position` among those of its sender.
WP_FN u32 place_at(const DeviceRun& run, u64 position, bool reverse) {
#if WP_STREAMED
    return in_ring<u32>(run, reverse, position, run.places_part)[position];
#else
    return (reverse ? run.in_places : run.out_places)[position];
#endif
}

#if WP_READS_EDGE_STEP || WP_READS_EDGE_AGGREGATE
/// The step that is being taken, and the fold of all values before it.
struct Moment {
    u64 step;
    Aggregate aggregate;
};

/// Returns the moment at which this block computes messages.
WP_FN Moment& moment_of_block() {
    __shared__ Moment moment;
    return moment;
}
#endif

/// Stores the moment at which messages are computed, if they depend on it. All threads must call this, with a
/// device-wide barrier between two calls.
WP_FN void set_moment(u64 step, const Aggregate& aggregate) {
#if WP_READS_EDGE_STEP || WP_READS_EDGE_AGGREGATE
    if (threadIdx.x == 0) moment_of_block() = Moment{step, aggregate};
    __syncthreads();
#endif
}

/// Builds the edge from `sender` to `receiver` with a weight that was already loaded.
WP_FN EdgeView weighed_edge(const DeviceRun& run, Value value, u32 sender, u32 receiver, const Weight& weight) {
    EdgeView edge = {};
    edge.value = value;
    if constexpr (WP_READS_EDGE_WEIGHT) edge.weight = weight;
    if constexpr (WP_READS_EDGE_SOURCE) edge.source = run.ids[sender];
    if constexpr (WP_READS_EDGE_TARGET) edge.target = run.ids[receiver];
    edge.source_index = index_of<WP_EDGE_SOURCE_INDEX>(run, sender);
    edge.target_index = index_of<WP_EDGE_TARGET_INDEX>(run, receiver);
    if constexpr (WP_READS_EDGE_OUT_DEGREE) edge.out_degree = out_degree(run, sender);
    return edge;
}

/// Builds the edge from `sender` to `receiver` at `position` of the out-rows, or of the in-rows if `reverse`.
WP_FN EdgeView edge_view(const DeviceRun& run, Value value, u32 sender, u32 receiver, u64 position, bool reverse) {
    EdgeView edge = weighed_edge(run, value, sender, receiver, weight_at(run, position, reverse));
#if WP_READS_EDGE_STEP
    edge.step = moment_of_block().step;
#endif
#if WP_READS_EDGE_AGGREGATE
    edge.aggregate = moment_of_block().aggregate;
#endif
    // Receivers find the edges that point to them in their in-rows.
    if constexpr (WP_READS_EDGE_FORWARD) edge.forward = WP_SYMMETRIC || reverse == (WP_SCHEDULE == WP_PULL);
    if constexpr (WP_READS_EDGE_PLACE) edge.place = place_at(run, position, reverse);
    return edge;
}

/// Returns the priority of the vertices that send in this step. It changes only between steps.
WP_FN u64 level_of(const DeviceRun& run) { return load_stale(&run.control->bound); }

/// Returns the aggregate of zero vertices.
WP_FN Aggregate no_aggregate() {
#if WP_AGGREGATES && WP_AGGREGATE == WP_FIELDS
    return program::no_fold();
#elif WP_AGGREGATES
    return identity_number<WP_AGGREGATE, Aggregate>();
#else
    return Aggregate{};
#endif
}

/// Builds the view of one vertex with `value` in `step`.
template <typename V>
WP_FN Vertex<V, Aggregate> vertex_view(const DeviceRun& run, u32 v, V value, u64 step, Aggregate aggregate) {
    Vertex<V, Aggregate> vertex = {};
    vertex.value = value;
    vertex.vertices = run.vertices;
    vertex.edges = run.input_edges;
    vertex.step = step;
    if constexpr (WP_READS_VERTEX_LEVEL) vertex.level = level_of(run);
    vertex.aggregate = aggregate;
    if constexpr (WP_READS_VERTEX_ID) vertex.id = run.ids[v];
    vertex.index = index_of<WP_VERTEX_INDEX>(run, v);
    if constexpr (WP_READS_VERTEX_OUT_DEGREE) vertex.out_degree = out_degree(run, v);
    if constexpr (WP_READS_VERTEX_IN_DEGREE) vertex.in_degree = in_degree(run, v);
    if constexpr (WP_READS_VERTEX_NEIGHBOURS) vertex.neighbours = run.neighbours[v];
    return vertex;
}

/// Records the first fault of the run and where it happened.
WP_FN void report(Control* control, u32 fault, Place place, u32 a, u32 b) {
#if WP_SEVERAL
    control = leading(control);
    if (atomicCAS_system(&control->fault, 0u, fault) != 0) return;
#else
    if (atomicCAS(&control->fault, 0u, fault) != 0) return;
#endif
    control->fault_place = place;
    control->fault_a = a;
    control->fault_b = b;
}

#if WP_HAS_LOOPS
/// Returns the number of iterations of this thread's loops so far. Its initial value is arbitrary: only its increase
/// matters.
WP_FN u32& turns_so_far() {
    __shared__ u32 turns[BLOCK_THREADS];
    return turns[threadIdx.x];
}
#endif

/// Returns the context for a call of one of the program's functions.
WP_FN Context begin_call(const DeviceRun& run) {
#if WP_HAS_LOOPS
    Context context = {0, turns_so_far(), run.stop};
#else
    Context context = {0};
#endif
#if WP_READS_VALUES_AT
    context.before = run.before;
    context.vertices = run.vertices;
#endif
    return context;
}

/// Ends a call and reports its fault, if any. Returns the fault, or 0 if there is none.
WP_FN u32 end_call(const DeviceRun& run, const Context& context, Place place, u32 a, u32 b) {
#if WP_HAS_LOOPS
    // Counts iterations across calls, so that many short loops poll as often as one long loop.
    turns_so_far() = context.turns;
#endif
    if (context.fault) {
        report(run.control, context.fault, place, a, b);
#if WP_HAS_LOOPS
        // Stops the loops of all other threads. Their STOPPED faults come too late to be recorded.
        *(volatile u32*)run.stop = 1;
#endif
    }
    return context.fault;
}

/// Computes the message along one edge. If the program faults, this reports the fault and returns no message. A message
/// beyond the bound of the plan is dropped (WP_BOUNDED). It is a sum that is never final. If it were stored, later sums
/// could overflow.
WP_FN Option<Message> message_along(const DeviceRun& run, const Params& params, const EdgeView& edge, u32 sender,
                                    u32 receiver) {
    Context context = begin_call(run);
    Option<Message> message = program::edge(params, edge, context);
    if (end_call(run, context, PLACE_EDGE, sender, receiver)) message.some = false;
#if WP_BOUNDED
    if (message.some && message.value > (Message)run.largest) message.some = false;
#endif
    return message;
}

// Presence: one bit per vertex.
WP_FN bool is_present(const DeviceRun& run, u32 v) { return load_stale(&run.present[v >> 5]) >> (v & 31) & 1; }

/// Sets bits of a word of a bitmap, which other devices may be doing, too. Returns the previous word.
WP_FN u32 set_bits(u32* word, u32 bits) {
    if constexpr (PASSES_ON) return atomicOr_system(word, bits);
    else return atomicOr(word, bits);
}

/// Sets the bit. Returns `true` only in the thread that found it unset.
WP_FN bool make_present(const DeviceRun& run, u32 v) {
    u32 bit = 1u << (v & 31);
    return !(set_bits(&run.present[v >> 5], bit) & bit);
}

/// Claims the vertex for this step, so that it is queued only once. Returns `true` in exactly one thread per step.
/// Reading the mark first saves most of the atomics.
WP_FN bool claim(const DeviceRun& run, u32 v, u32 step) {
    if (load_stale(&run.marks[v]) == step) return false;
    delay();
    return atomicExch(&run.marks[v], step) != step;
}

}  // namespace wp
