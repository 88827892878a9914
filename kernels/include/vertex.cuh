// The work at a vertex in step-by-step schedules: the fold of all values before a step, and `apply`.
#pragma once

namespace wp {

/// Combines two messages with the program's combiner.
WP_FN Message combine_messages(const DeviceRun& run, const Params& params, Message a, Message b, u32 v) {
#if WP_COMBINE == WP_CUSTOM
    Context context = begin_call(run);
    Message both = program::combine(params, a, b, context);
    end_call(run, context, PLACE_VERTEX, v, v);
    return both;
#elif WP_BY_FIELD
    auto both = program::accumulated(a);
    program::join(both, program::accumulated(b));
    return program::combined(both);
#else
    return combine_numbers<WP_COMBINE>(a, b);
#endif
}

WP_FN bool same_values(Value a, Value b) {
#if WP_VALUE_IS_STRUCT
    using rust::same;
    return same(a, b);
#else
    return same_numbers(a, b);
#endif
}

WP_FN Option<Value> value_of(const DeviceRun& run, u32 v) {
    return is_present(run, v) ? Some(((const Value*)run.values)[v]) : None<Value>();
}

/// Copies the values before a step, in the order of ranks, if `apply` reads those of other vertices. They are complete
/// after the next barrier.
WP_FN void keep_values(const DeviceRun& run) {
#if WP_READS_VALUES_AT
#if WP_MAY_HAVE_NO_VALUE
    static_assert(sizeof(Option<Value>) == WP_SIZE_BEFORE, "host and device disagree on the size of a missing value");
#endif
    // Each of several devices has the values of all vertices.
    for (u64 i = thread(); i < run.vertices; i += threads()) {
        u32 v = (u32)i;
#if WP_MAY_HAVE_NO_VALUE
        ((Option<Value>*)run.before)[run.ranks[v]] = value_of(run, v);
#else
        ((Value*)run.before)[run.ranks[v]] = ((const Value*)run.values)[v];
#endif
    }
#endif
}

#if WP_HAS_APPLY
/// Computes the new value by calling the program's own `apply`.
WP_FN Option<Value> value_after(const DeviceRun& run, const Params& params, u32 v, Option<Value> before,
                                Option<Message> incoming, u64 step, Aggregate aggregate) {
    Context context = begin_call(run);
    Value after = program::apply(params, vertex_view(run, v, before, step, aggregate), incoming, context);
    end_call(run, context, PLACE_VERTEX, v, v);
    return Some(after);
}
#else
/// Computes the new value by default: combines the incoming message into the old value.
WP_FN Option<Value> value_after(const DeviceRun& run, const Params& params, u32 v, Option<Value> before,
                                Option<Message> incoming, u64, Aggregate) {
    if (!incoming.some) return before;
    return Some(before.some ? combine_messages(run, params, before.value, incoming.value, v) : incoming.value);
}
#endif

/// Returns `true` if the program considers the value changed.
WP_FN bool has_changed(const DeviceRun& run, const Params& params, u32 v, Value before, Value after) {
#if WP_HAS_CHANGED
    Context context = begin_call(run);
    bool changed = program::changed(params, before, after, context);
    end_call(run, context, PLACE_VERTEX, v, v);
    return changed;
#else
    return !same_values(before, after);
#endif
}

#if WP_COMPUTES == WP_AWAKE

WP_FN bool is_awake(const DeviceRun& run, u32 v) { return load_stale(&run.awake[v >> 5]) >> (v & 31) & 1; }

/// Notes whether the vertex has not halted. Only the thread that computes at the vertex calls this.
WP_FN void set_awake(const DeviceRun& run, u32 v, bool awake) {
    if (awake == is_awake(run, v)) return;
    u32 bit = 1u << (v & 31);
    if (awake) atomicOr(&run.awake[v >> 5], bit);
    else atomicAnd(&run.awake[v >> 5], ~bit);
}

#else

WP_FN bool is_awake(const DeviceRun&, u32) { return false; }

#endif

/// Returns `true` if the vertex computes although it received no message.
WP_FN bool computes_alone(const DeviceRun& run, u32 v) { return WP_COMPUTES == WP_ALL || is_awake(run, v); }

#if WP_HAS_PRIORITY

WP_FN bool is_pending(const DeviceRun& run, u32 v) { return load_stale(&run.pending[v >> 5]) >> (v & 31) & 1; }

/// Returns `true` if a vertex sends in the next step. If it has just computed and `sends`, it waits; it may also have
/// waited before. A vertex that waits sends if its priority is within the level. Only the thread that computes at the
/// vertex calls this.
WP_FN bool sends_at_level(const DeviceRun& run, const Params& params, Waits& waits, u32 v, Value value, bool sends,
                          u64 step, Aggregate aggregate) {
    bool waited = is_pending(run, v);
    if (!sends && !waited) return false;
    Context context = begin_call(run);
    u64 priority = program::priority(params, vertex_view(run, v, value, step, aggregate), context);
    end_call(run, context, PLACE_VERTEX, v, v);
    u32 bit = 1u << (v & 31);
    if (priority <= level_of(run)) {
        if (waited) atomicAnd(&run.pending[v >> 5], ~bit);
        return true;
    }
    run.priorities[v] = priority;
    if (!waited) atomicOr(&run.pending[v >> 5], bit);
    note(waits, priority);
    return false;
}

#endif

/// Decisions of a vertex for the next step.
struct Wishes {
    bool sends;
    bool goes_on;  // the next step is necessary even if no vertex sends in it
};

/// Asks the program whether a vertex that has just computed, or has its first value, sends, and whether it halts.
/// Without a `sends`, it sends if it `changed`. With a `priority`, it may have to wait.
WP_FN Wishes wishes_at(const DeviceRun& run, const Params& params, Waits& waits, u32 v, Value value, bool changed, u64 step,
                       Aggregate aggregate) {
    Wishes wishes = {changed, WP_COMPUTES == WP_ALL && changed};
#if WP_HAS_SENDS
    Context asking = begin_call(run);
    wishes.sends = program::sends(params, vertex_view(run, v, value, step, aggregate), asking);
    end_call(run, asking, PLACE_VERTEX, v, v);
#endif
#if WP_HAS_PRIORITY
    wishes.sends = sends_at_level(run, params, waits, v, value, wishes.sends, step, aggregate);
#endif
#if WP_HAS_HALTS
    Context halting = begin_call(run);
    wishes.goes_on = !program::halts(params, vertex_view(run, v, value, step, aggregate), halting);
    end_call(run, halting, PLACE_VERTEX, v, v);
    set_awake(run, v, wishes.goes_on);
#endif
    return wishes;
}

#if WP_AGGREGATES

/// Returns the folds of FOLD_VERTICES vertices each. They follow the fold of all values.
WP_FN Aggregate* folds_of_units(const DeviceRun& run) { return (Aggregate*)run.folds + 1; }

WP_FN u64 fold_units(const DeviceRun& run) { return ((u64)run.vertices + FOLD_VERTICES - 1) / FOLD_VERTICES; }

/// Returns the address that follows all folds, a multiple of 8 bytes from the first one. The host computes the
/// same size (`fold_bytes`).
WP_FN u8* after_folds(const DeviceRun& run) {
    return (u8*)run.folds + ((1 + fold_units(run)) * sizeof(Aggregate) + 7) / 8 * 8;
}

#if WP_FOLDS_WRITTEN

/// Returns the numbers of the steps that last wrote a value of each unit. They follow the folds.
WP_FN u32* steps_that_wrote(const DeviceRun& run) { return (u32*)after_folds(run); }

/// Notes that a step writes the value of a vertex. Threads that write values of one unit all store the same number, and
/// no thread reads it for another purpose before the barrier that ends the step.
WP_FN void note_written(const DeviceRun& run, u32 v, u64 step) {
    u32* written = steps_that_wrote(run) + v / FOLD_VERTICES;
    if (load_stale(written) != (u32)step) store_relaxed(written, (u32)step);
}

/// Returns `true` if the fold of a unit may have changed before `step`: the last step wrote a value of it or, if the
/// program reads the values before the last step, the step before that did. Before the first step, resets the number.
WP_FN bool is_stale(const DeviceRun& run, u64 unit, u64 step) {
    u32* written = steps_that_wrote(run) + unit;
    if (step == 1) *written = 0;
    return step == 1 || (u64)load_fresh(written) + 1 + WP_READS_VERTEX_BEFORE >= step;
}

#endif

#if WP_READS_VERTEX_BEFORE

using program::Before;

static_assert(sizeof(Before) == WP_SIZE_BEFORE, "host and device disagree on the size of a value before a step");

/// Returns the values before the last step, which follow the folds and the steps that wrote the units. The fold before a
/// step reads them and replaces them with the current values.
WP_FN Before* values_before(const DeviceRun& run) {
    return (Before*)(after_folds(run) + (WP_FOLDS_WRITTEN ? (fold_units(run) + 1) / 2 * 8 : 0));
}

WP_FN void set_before(Value& before, bool, Value value) { before = value; }
WP_FN void set_before(Option<Value>& before, bool some, Value value) { before = Option<Value>{some, value}; }

#endif

#endif

/// Gives the other devices a new value of a vertex, if they read it.
WP_FN void share_value(u32 v, const Value& value, bool is_first) {
#if WP_SHARES_VALUES
    for_each_other([&](const Peer& peer) {
        ((Value*)peer.values)[v] = value;
        if (is_first) atomicOr_system(&peer.present[v >> 5], 1u << (v & 31));
    });
#endif
}

/// Computes the new value of vertex `v` from the incoming message, and its decisions for the next step. A vertex that
/// gets its first value counts as changed.
WP_FN Wishes compute_at(const DeviceRun& run, const Params& params, Waits& waits, u32 v, Option<Message> incoming, u64 step,
                        Aggregate aggregate) {
    Option<Value> before = value_of(run, v);
    Option<Value> after = value_after(run, params, v, before, incoming, step, aggregate);
    if (!after.some) return Wishes{};
    bool changed = false;
    // Without an `apply`, a vertex without a message keeps its value.
    if (WP_HAS_APPLY || incoming.some) {
        ((Value*)run.values)[v] = after.value;
#if WP_FOLDS_WRITTEN
        note_written(run, v, step);
#endif
        changed = before.some ? has_changed(run, params, v, before.value, after.value) : make_present(run, v);
        share_value(v, after.value, !before.some);
    }
    return wishes_at(run, params, waits, v, after.value, changed, step, aggregate);
}

/// Notes that a vertex sends in a step, for those that gather.
WP_FN void set_active(const DeviceRun& run, u32 v, u64 step) {
    run.active[v] = (u32)step;
#if WP_SEVERAL
    for_each_other([&](const Peer& peer) { peer.active[v] = (u32)step; });
#endif
}

/// Adds a vertex to the frontier of the step after `step`, if it sends. All lanes must call this.
WP_FN void send_later(const DeviceRun& run, Stage& stage, bool sends, u32 v, u64 step) {
    if (WP_SCHEDULE == WP_PULL && sends) set_active(run, v, step + 1);
    put_items<SEND_ROWS, false>(run, stage, sends, v, frontier_of(step + 1));
}

/// Notes that a vertex makes the step after `step` necessary. All lanes must call this.
WP_FN void note_work(const DeviceRun& run, bool goes_on, u64 step) {
    if constexpr (WP_COMPUTES == WP_RECEIVERS) return;
    bool any = __any_sync(ALL_LANES, goes_on);
    if (any && lane() == 0) note_changed(run, step);
}

/// Computes at the vertices that were not marked as receivers in this step, and compute without a message.
WP_FN void compute_alone(const DeviceRun& run, const Params& params, Stage& stage, u64 step, Aggregate aggregate) {
    if constexpr (WP_COMPUTES == WP_RECEIVERS) return;
    bool goes_on = false;
    Waits waits = no_waits();  // unused: with a `priority`, no vertex computes without a message
    for (u64 at = thread(); at - lane() < own_vertices(run); at += threads()) {
        u32 v = at < own_vertices(run) ? own_vertex(run, at) : run.vertices;
        Wishes wishes = {};
        if (v < run.vertices && computes_alone(run, v) && run.marks[v] != (u32)step)
            wishes = compute_at(run, params, waits, v, None<Message>(), step, aggregate);
        goes_on |= wishes.goes_on;
        send_later(run, stage, wishes.sends, v, step);
    }
    note_work(run, goes_on, step);
}

#if WP_AGGREGATES

/// Computes one vertex's contribution to the aggregate.
WP_FN Aggregate aggregate_at(const DeviceRun& run, const Params& params, u32 v, u64 step) {
    Context context = begin_call(run);
    Value value = ((const Value*)run.values)[v];
#if WP_READS_VERTEX_BEFORE
    FoldedVertex<Value, Aggregate, Before> vertex;
    static_cast<Vertex<Value, Aggregate>&>(vertex) = vertex_view(run, v, value, step, no_aggregate());
    Before* held = values_before(run) + v;
    set_before(vertex.before, true, value);
    Before now = vertex.before;
    if (step != 1) vertex.before = *held;
    *held = now;
    Aggregate part = program::aggregate(params, vertex, context);
#else
    Aggregate part = program::aggregate(params, vertex_view(run, v, value, step, no_aggregate()), context);
#endif
    end_call(run, context, PLACE_VERTEX, v, v);
    return part;
}

#if WP_AGGREGATE == WP_FIELDS
WP_FN Aggregate fold_pair(const Aggregate& a, const Aggregate& b) { return program::folded(a, b); }
#else
WP_FN Aggregate fold_pair(Aggregate a, Aggregate b) { return combine_numbers<WP_AGGREGATE>(a, b); }
#endif

/// Folds over the block in a fixed order. Thread 0 gets the result.
WP_FN Aggregate fold_block(Aggregate mine) {
    __shared__ Aggregate of_warp[32];
    for (u32 distance = 16; distance > 0; distance /= 2) mine = fold_pair(mine, shuffle_down(mine, distance));
    if (lane() == 0) of_warp[warp_in_block()] = mine;
    __syncthreads();
    if (warp_in_block() == 0) {
        mine = lane() < BLOCK_THREADS / 32 ? of_warp[lane()] : no_aggregate();
        for (u32 distance = 16; distance > 0; distance /= 2) mine = fold_pair(mine, shuffle_down(mine, distance));
    }
    __syncthreads();
    return mine;
}

/// Folds the values of a unit. Lane 0 gets the result.
WP_FN Aggregate fold_unit(const DeviceRun& run, const Params& params, u64 unit, u64 step) {
    Aggregate mine = no_aggregate();
#pragma unroll
    for (u32 i = 0; i < FOLD_VERTICES; i += 32) {
        u64 v = unit * FOLD_VERTICES + i + lane();
        if (v < run.vertices && is_present(run, (u32)v)) {
            mine = fold_pair(mine, aggregate_at(run, params, (u32)v, step));
        }
#if WP_READS_VERTEX_BEFORE
        else if (v < run.vertices && step == 1) set_before(values_before(run)[v], false, Value{});
#endif
    }
    for (u32 distance = 16; distance > 0; distance /= 2) mine = fold_pair(mine, shuffle_down(mine, distance));
    return mine;
}

/// Stores the fold of a unit, for all devices. Lane 0 has it.
WP_FN void set_part(const DeviceRun& run, u64 unit, const Aggregate& part) {
    if (lane() != 0) return;
    folds_of_units(run)[unit] = part;
#if WP_SEVERAL
    for_each_other([&](const Peer& peer) { ((Aggregate*)peer.folds + 1)[unit] = part; });
#endif
}

/// Folds all values, in an order that depends on the number of vertices alone: a warp folds FOLD_VERTICES vertices, and
/// then every block folds the results of all warps. Every thread gets the result. With WP_FOLDS_WRITTEN, only units
/// whose fold may have changed are folded again. Must be called exactly once before each step.
WP_FN Aggregate fold_values(const DeviceRun& run, const Params& params, u64 step) {
    __shared__ Aggregate result;
    Aggregate* parts = folds_of_units(run);
    u64 units = fold_units(run);
    u32 own_count = own_units(run);
#if WP_FOLDS_WRITTEN
    // Each lane looks at one unit, so that a warp reads the numbers of 32 units at once.
    for (u64 first = warp(); first < own_count; first += 32ull * warps()) {
        u64 number = first + (u64)lane() * warps();
        u32 own = number < own_count ? own_unit(run, (u32)number) : 0;
        bool stale = number < own_count && is_stale(run, own, step);
        for (u32 bits = __ballot_sync(ALL_LANES, stale); bits; bits &= bits - 1) {
            u32 unit = __shfl_sync(ALL_LANES, own, __ffs(bits) - 1);
            set_part(run, unit, fold_unit(run, params, unit, step));
        }
    }
#else
    for (u64 number = warp(); number < own_count; number += warps()) {
        u32 unit = own_unit(run, (u32)number);
        set_part(run, unit, fold_unit(run, params, unit, step));
    }
#endif
    grid_barrier(&run.control->ticket, &run.control->fault, &run.control->fault);
    Aggregate mine = no_aggregate();
    for (u64 unit = threadIdx.x; unit < units; unit += BLOCK_THREADS) mine = fold_pair(mine, parts[unit]);
    mine = fold_block(mine);
    if (threadIdx.x == 0) result = mine;
    __syncthreads();
    return result;
}

#else

WP_FN Aggregate fold_values(const DeviceRun&, const Params&, u64) { return no_aggregate(); }

#endif

}  // namespace wp
