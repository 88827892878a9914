// First values: resets every array, then applies `start` or the sources, and builds the first frontier.
#pragma once

namespace wp {

/// Fills an array of words, 16 bytes at a time if its address is a multiple of 16. On an emulated device, an array may
/// start at any address, and its memory ends exactly with its last word. It is called once per array and launch, so it is
/// not inlined.
template <typename W>
WP_CALL void fill(W* array, u64 count, W word) {
    constexpr u32 EACH = 16 / sizeof(W);
    struct __align__(16) Words {
        W word[EACH];
    };
    Words words;
#pragma unroll
    for (u32 i = 0; i < EACH; ++i) words.word[i] = word;
    u64 whole = (u64)array % sizeof(Words) == 0 ? count / EACH : 0;
#pragma unroll 1
    for (u64 i = thread(); i < whole; i += threads()) ((Words*)array)[i] = words;
#pragma unroll 1
    for (u64 i = whole * EACH + thread(); i < count; i += threads()) array[i] = word;
}

/// Resets the arrays that must be empty before the first step.
WP_CALL void reset() {
    const DeviceRun& run = run_of_block();
    clear_overflows(run);
    u64 bits = ((u64)run.vertices + 31) / 32;
    if constexpr (WP_IN_PLACE) fill((ValueWord*)run.values, run.vertices, IDENTITY<ValueWord>);
    if constexpr (WP_SCHEDULE == WP_PUSH) fill((MessageWord*)run.incoming, run.vertices, IDENTITY<MessageWord>);
    if (run.marks) fill(run.marks, run.vertices, 0u);
    if (run.active) fill(run.active, run.vertices, 0u);
    fill(run.present, bits, 0u);
    if constexpr (WP_DIRECTION) fill(run.bitmaps[0], bits, 0u);
    if constexpr (WP_DIRECTION) fill(run.bitmaps[1], bits, 0u);
    if constexpr (ANY_WAIT || WP_SCHEDULE == WP_WALK) fill(run.pending, bits, 0u);
#if WP_ACCUMULATES
    fill(run.held, (u64)run.vertices * PORTION_WORDS, (u64)0);
    fill(run.amounts, (u64)run.vertices * PORTION_WORDS, (u64)0);
#endif
    if constexpr (WP_SEVERAL) fill(run.unsent, bits, 0u);
    if constexpr (WP_COMPUTES == WP_AWAKE) fill(run.awake, bits, 0u);
#if WP_SCHEDULE == WP_SWEEP
    reset_groups(run);
#endif
#if WP_SLOTS
    if (thread() == 0) *run.next_block = 0;
    if (run.derives) derive_short_rows();
#endif
}

/// Sets a vertex's first value. Returns `true` if its presence bit must be set.
WP_FN bool set_first(const DeviceRun& run, u32 v, Value value) {
#if WP_IN_PLACE
    ValueWord word = to_word(value);
    ((ValueWord*)run.values)[v] = word;
    return word == IDENTITY<ValueWord>;
#else
#if WP_ACCUMULATES
    // All devices know all sources.
    if (is_own(run, v)) set_amount(run, v, value);
#endif
    ((Value*)run.values)[v] = value;
    return true;
#endif
}

#if WP_STARTS == WP_STARTS_CARRIED

#if WP_CARRIED_WORDS

/// Returns the number of a word of the outcome with which the run starts.
template <typename T>
WP_FN T carried_number(Word<T> word) {
    T x;
    if constexpr (WP_CARRIED_COMBINE == WP_MIN || WP_CARRIED_COMBINE == WP_MAX) from_key(word, x);
    else from_bits(word, x);
    return x;
}

#endif

/// Returns the value of vertex `v` in the outcome with which the run starts, if it has one. The run has no sources, so
/// the outcome's values and presence bits are in place of the sources' values and vertices.
WP_FN Option<Value> carried_value(const DeviceRun& run, u32 v) {
    bool is_marked = run.source_vertices[v >> 5] >> (v & 31) & 1;
#if WP_CARRIED_WORDS
    constexpr bool ALL_ONES = WP_CARRIED_COMBINE == WP_MIN || WP_CARRIED_COMBINE == WP_AND;
    ValueWord word = ((const ValueWord*)run.source_values)[v];
    if (word == (ALL_ONES ? ~(ValueWord)0 : (ValueWord)0) && !is_marked) return None<Value>();
    return Some(carried_number<Value>(word));
#else
    return is_marked ? Some(((const Value*)run.source_values)[v]) : None<Value>();
#endif
}

#endif

/// Computes the first value of vertex `v`, if it has one.
WP_FN Option<Value> first_value(const DeviceRun& run, const Params& params, u32 v) {
#if WP_STARTS == WP_STARTS_SOURCES
    return None<Value>();
#elif WP_STARTS == WP_STARTS_CARRIED
    return carried_value(run, v);
#else
    Context context = begin_call(run);
    Option<Value> value =
        program::start(params, vertex_view(run, v, Unit{}, 0, no_aggregate()), context);
    end_call(run, context, PLACE_VERTEX, v, v);
    return value;
#endif
}

/// Gives the other devices the first values of a warp's vertices, if they read them. All lanes must call this.
WP_FN void share_first(const DeviceRun& run, bool has, u32 v, Value value, u32 present) {
#if WP_SHARES_VALUES
    for_each_other([&](const Peer& peer) {
        if (has) ((Value*)peer.values)[v] = value;
        if (lane() == 0 && present) peer.present[v >> 5] = present;
    });
#endif
}

/// Schedules a vertex with a first value to send. Depending on the schedule, puts it into the frontier of the first
/// step, adds it to the vertices that wait for the first bucket or for their turn, or marks the group of its edges. All
/// lanes must call this.
WP_FN void begin_at(const DeviceRun& run, Stage& stage, Waits& waits, bool has, u32 v) {
#if WP_SCHEDULE == WP_SWEEP
    if (has) mark_first(run, v);
#elif WP_SCHEDULE == WP_UNION
    // The passes of union-find visit all vertices.
#elif WP_SCHEDULE == WP_WALK
    if (has) wait(run, v);
#elif WP_BUCKETS
    if (has) atomicOr(&run.pending[v >> 5], 1u << (v & 31));
    if (has) note(waits, ((const ValueWord*)run.values)[v]);
#elif WP_IN_PLACE
    put_items<SEND_ROWS, false>(run, stage, has, v, frontier_of(1));
#else
    send_later(run, stage, has, v, 0);
#endif
}

/// Returns the decisions of a vertex with a first value for the first step.
WP_FN Wishes first_wishes(const DeviceRun& run, const Params& params, Waits& waits, u32 v, Value value) {
#if WP_IN_PLACE || WP_SCHEDULE == WP_WALK
    return Wishes{true, false};
#else
    return wishes_at(run, params, waits, v, value, true, 0, no_aggregate());
#endif
}

/// Sets first values and fills the queue of the first step. Under WP_EVERYONE_SENDS there is no frontier. Instead, this
/// lays out the rows that every vertex gathers, once for all steps and for later runs over the same rows.
WP_CALL void start() {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    Stage stage = make_stage();
    Waits waits = no_waits();
    u32 sources = WP_STARTS == WP_STARTS_SOURCES ? run.sources : 0;
    if constexpr (WP_STARTS == WP_STARTS_SOURCES) {
        for (u64 i = thread(); i - lane() < sources; i += threads()) {
            bool has = i < sources;
            u32 v = has ? run.source_vertices[i] : 0;
            if (has && set_first(run, v, ((const Value*)run.source_values)[i])) make_present(run, v);
            // Every device knows all sources.
            if constexpr (!WP_EVERYONE_SENDS) begin_at(run, stage, waits, has && is_own(run, v), v);
        }
    }
    if constexpr (WP_STARTS != WP_STARTS_SOURCES || WP_EVERYONE_SENDS) {
        bool goes_on = false;
        for (u64 at = thread(); at - lane() < own_vertices(run); at += threads()) {
            u32 v = at < own_vertices(run) ? own_vertex(run, at) : run.vertices;
            bool has = v < run.vertices;
            Option<Value> value = has ? first_value(run, params, v) : None<Value>();
            // The lanes of a warp have the vertices of one word, so the word needs no atomics.
            u32 present = __ballot_sync(ALL_LANES, value.some && set_first(run, v, value.value));
            if (lane() == 0 && present) run.present[v >> 5] = present;
            share_first(run, value.some, v, value.value, present);
            if constexpr (WP_EVERYONE_SENDS) {
#if WP_SLOTS
                has = has && row_of(gathered_offsets(run), v).length > LONG_ITEM;
#endif
                if (!run.laid_out) put_items<GATHER_ROWS, true>(run, stage, has, v, rows_to_gather(0));
            } else {
                Wishes wishes = {};
                if (value.some) wishes = first_wishes(run, params, waits, v, value.value);
                begin_at(run, stage, waits, wishes.sends, v);
                goes_on |= has && (WP_COMPUTES == WP_ALL || wishes.goes_on);
            }
        }
        if constexpr (!WP_EVERYONE_SENDS) note_work(run, goes_on, 0);
    }
#if WP_SCHEDULE == WP_SWEEP
    announce(run, 1);
#else
    tell_block(waits);
    if constexpr (!WP_EVERYONE_SENDS) flush_block(run, stage, frontier_of(1));
    else if (!run.laid_out) flush_block<GATHER_ROWS, true>(run, stage, rows_to_gather(0));
    else if (thread() == 0) run.control->received[0].counted = run.laid_out;
    tell_device(run.control, 0);
#endif
}

}  // namespace wp
