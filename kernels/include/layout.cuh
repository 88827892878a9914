// Compares the layouts of what host and device share, field by field: the offsets that the host has come as WP_OFFSETS_*.
#pragma once

namespace wp {

/// Returns `true` if both lists of offsets are equal.
template <u32 M, u32 N>
WP_FN constexpr bool same_offsets(const u32 (&host)[M], const u32 (&device)[N]) {
    if (M != N) return false;
    for (u32 i = 0; i < N; ++i) {
        if (host[i] != device[i]) return false;
    }
    return true;
}

// The offset of a field. NVRTC has no `offsetof`, but the operator of its front end by which others define it.
#ifdef __CUDACC_RTC__
#define WP_AT(type, field) (u32) __INTADDR__(&((type*)0)->field)
#else
#define WP_AT(type, field) (u32) __builtin_offsetof(type, field)
#endif

constexpr u32 CONTROL_ON_HOST[] = {WP_OFFSETS_CONTROL};
constexpr u32 CONTROL_ON_DEVICE[] = {
    WP_AT(Control, ticket),      WP_AT(Control, step),        WP_AT(Control, edges),     WP_AT(Control, frontiers),
    WP_AT(Control, received),    WP_AT(Control, changed),     WP_AT(Control, best),      WP_AT(Control, bound),
    WP_AT(Control, width),       WP_AT(Control, epoch),       WP_AT(Control, sent),      WP_AT(Control, launched),
    WP_AT(Control, ended),       WP_AT(Control, step_edges),  WP_AT(Control, recorded),  WP_AT(Control, outcome),
    WP_AT(Control, fault),       WP_AT(Control, fault_place), WP_AT(Control, fault_a),   WP_AT(Control, fault_b),
    WP_AT(Control, directive),   WP_AT(Control, waiting),     WP_AT(Control, pulling),   WP_AT(Control, group),
    WP_AT(Counter, counted),     WP_AT(Counter, edgeless),    WP_AT(Counter, hubs),      (u32)sizeof(Counter),
    (u32)sizeof(Control)};
static_assert(same_offsets(CONTROL_ON_HOST, CONTROL_ON_DEVICE), "`Control` has another layout on the host (state.rs)");

constexpr u32 RUN_ON_HOST[] = {WP_OFFSETS_RUN};
constexpr u32 RUN_ON_DEVICE[] = {
    WP_AT(Run, out_offsets),     WP_AT(Run, out_ends),      WP_AT(Run, out_weights), WP_AT(Run, in_offsets),
    WP_AT(Run, in_ends),         WP_AT(Run, in_weights),    WP_AT(Run, ids),         WP_AT(Run, ranks),
    WP_AT(Run, values),          WP_AT(Run, incoming),      WP_AT(Run, present),     WP_AT(Run, marks),
    WP_AT(Run, active),          WP_AT(Run, queues),        WP_AT(Run, gather),      WP_AT(Run, bitmaps),
    WP_AT(Run, pending),         WP_AT(Run, recipients),    WP_AT(Run, partials),    WP_AT(Run, sent),
    WP_AT(Run, folds),           WP_AT(Run, edge_sources),  WP_AT(Run, groups),      WP_AT(Run, dirty),
    WP_AT(Run, source_vertices), WP_AT(Run, source_values), WP_AT(Run, control),     WP_AT(Run, stop),
    WP_AT(Run, progress),        WP_AT(Run, records),       WP_AT(Run, record_room), WP_AT(Run, edges),
    WP_AT(Run, max_steps),       WP_AT(Run, steps),         WP_AT(Run, slice),       WP_AT(Run, width),
    WP_AT(Run, vertices),        WP_AT(Run, sources),       WP_AT(Run, queue_items), WP_AT(Run, hub_room),
    WP_AT(Run, watched),         WP_AT(Run, group_count),   WP_AT(Run, derives),     (u32)sizeof(Run)};
static_assert(same_offsets(RUN_ON_HOST, RUN_ON_DEVICE), "`Run` has another layout on the host (state.rs)");

constexpr u32 RECORD_ON_HOST[] = {WP_OFFSETS_RECORD};
constexpr u32 RECORD_ON_DEVICE[] = {WP_AT(Record, began),  WP_AT(Record, edges),  WP_AT(Record, step),
                                    WP_AT(Record, bucket), WP_AT(Record, active), WP_AT(Record, kind),
                                    (u32)sizeof(Record)};
static_assert(same_offsets(RECORD_ON_HOST, RECORD_ON_DEVICE), "`Record` has another layout on the host (records.rs)");

}  // namespace wp
