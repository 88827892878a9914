// Compares the layouts of the structs shared by host and device, field by field. WP_OFFSETS_* are the host's offsets.
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

// Returns the offset of a field. NVRTC does not define `offsetof`, so this uses the intrinsic of its front end that
// implements `offsetof` in other compilers.
#ifdef __CUDACC_RTC__
#define WP_AT(type, field) (u32) __INTADDR__(&((type*)0)->field)
#else
#define WP_AT(type, field) (u32) __builtin_offsetof(type, field)
#endif

constexpr u32 CONTROL_ON_HOST[] = {WP_OFFSETS_CONTROL};
constexpr u32 CONTROL_ON_DEVICE[] = {
    WP_AT(Control, ticket),      WP_AT(Control, gates),       WP_AT(Control, news),
    WP_AT(Control, arrivals),    WP_AT(Control, teams),
    WP_AT(Control, step),        WP_AT(Control, edges),       WP_AT(Control, frontiers),
    WP_AT(Control, received),    WP_AT(Control, changed),     WP_AT(Control, best),      WP_AT(Control, bound),
    WP_AT(Control, width),       WP_AT(Control, epoch),       WP_AT(Control, sent),      WP_AT(Control, launched),
    WP_AT(Control, ended),       WP_AT(Control, step_edges),  WP_AT(Control, chunks),
    WP_AT(Control, taken),
    WP_AT(Control, recorded),    WP_AT(Control, outcome),
    WP_AT(Control, fault),       WP_AT(Control, fault_place), WP_AT(Control, fault_a),   WP_AT(Control, fault_b),
    WP_AT(Control, directive),   WP_AT(Control, waiting),     WP_AT(Control, pulling),   WP_AT(Control, group),
    WP_AT(Control, largest),     WP_AT(Control, left),        WP_AT(Control, posted),
    WP_AT(Control, arrived),     WP_AT(Control, sent_word),   WP_AT(Control, seen),      WP_AT(Control, walk),
    WP_AT(Census, urgency),      WP_AT(Census, taken),        WP_AT(Census, total),      WP_AT(Census, waiting),
    WP_AT(Census, senders),      WP_AT(Census, items),        (u32)sizeof(Census),
    WP_AT(WalkState, scans),     WP_AT(WalkState, updates),   WP_AT(WalkState, borrowed), WP_AT(WalkState, taken),
    WP_AT(WalkState, total),     WP_AT(WalkState, left),      WP_AT(WalkState, first),   WP_AT(WalkState, last),
    WP_AT(WalkState, group),     WP_AT(WalkState, looks),     WP_AT(WalkState, is_exact), (u32)sizeof(WalkState),
    WP_AT(News, counted),        WP_AT(News, flags),          WP_AT(News, posted),
    WP_AT(News, chunks),         (u32)sizeof(News),
    WP_AT(Peer, control),        WP_AT(Peer, inboxes),        WP_AT(Peer, values),
    WP_AT(Peer, present),        WP_AT(Peer, active),         WP_AT(Peer, bitmaps),
    WP_AT(Peer, sent),           WP_AT(Peer, folds),          WP_AT(Peer, message_slots),
    WP_AT(Peer, parents),        WP_AT(Peer, pending),        WP_AT(Peer, amounts),
    WP_AT(Peer, blocks),         (u32)sizeof(Peer),
    WP_AT(Counter, counted),     WP_AT(Counter, edgeless),    WP_AT(Counter, hubs),      (u32)sizeof(Counter),
    (u32)sizeof(Control)};
static_assert(same_offsets(CONTROL_ON_HOST, CONTROL_ON_DEVICE), "`Control` has another layout on the host (state.rs)");

constexpr u32 RUN_ON_HOST[] = {WP_OFFSETS_RUN};
constexpr u32 RUN_ON_DEVICE[] = {
    WP_AT(DeviceRun, out_offsets),     WP_AT(DeviceRun, out_ends),      WP_AT(DeviceRun, out_weights),
    WP_AT(DeviceRun, in_offsets),      WP_AT(DeviceRun, in_ends),       WP_AT(DeviceRun, in_weights),
    WP_AT(DeviceRun, out_bands),       WP_AT(DeviceRun, out_starts),    WP_AT(DeviceRun, in_bands),
    WP_AT(DeviceRun, in_starts),       WP_AT(DeviceRun, out_widths),    WP_AT(DeviceRun, in_widths),
    WP_AT(DeviceRun, out_head),        WP_AT(DeviceRun, in_head),       WP_AT(DeviceRun, out_weights_head),
    WP_AT(DeviceRun, in_weights_head), WP_AT(DeviceRun, out_first_ends), WP_AT(DeviceRun, in_first_ends),
    WP_AT(DeviceRun, out_resident),  WP_AT(DeviceRun, in_resident),
    WP_AT(DeviceRun, out_resident_weights), WP_AT(DeviceRun, in_resident_weights),
    WP_AT(DeviceRun, out_degrees),     WP_AT(DeviceRun, in_degrees),    WP_AT(DeviceRun, neighbours),
    WP_AT(DeviceRun, out_places),      WP_AT(DeviceRun, in_places),
    WP_AT(DeviceRun, ids),             WP_AT(DeviceRun, ranks),         WP_AT(DeviceRun, values),
    WP_AT(DeviceRun, incoming),        WP_AT(DeviceRun, present),       WP_AT(DeviceRun, marks),
    WP_AT(DeviceRun, parents),
    WP_AT(DeviceRun, active),          WP_AT(DeviceRun, queues),        WP_AT(DeviceRun, overflows),
    WP_AT(DeviceRun, gather),
    WP_AT(DeviceRun, bitmaps),         WP_AT(DeviceRun, pending),       WP_AT(DeviceRun, held),
    WP_AT(DeviceRun, amounts),         WP_AT(DeviceRun, places),        WP_AT(DeviceRun, path_vertices),
    WP_AT(DeviceRun, path_groups),     WP_AT(DeviceRun, path_ends),     WP_AT(DeviceRun, proxies),
    WP_AT(DeviceRun, priorities),
    WP_AT(DeviceRun, awake),           WP_AT(DeviceRun, before),        WP_AT(DeviceRun, recipients),
    WP_AT(DeviceRun, partials),        WP_AT(DeviceRun, message_slots), WP_AT(DeviceRun, item_blocks),
    WP_AT(DeviceRun, item_ends),       WP_AT(DeviceRun, columns),       WP_AT(DeviceRun, short_rows),
    WP_AT(DeviceRun, next_slots),      WP_AT(DeviceRun, next_rows),     WP_AT(DeviceRun, next_block),
    WP_AT(DeviceRun, first_slices),    WP_AT(DeviceRun, sent),          WP_AT(DeviceRun, folds),
    WP_AT(DeviceRun, edge_sources),    WP_AT(DeviceRun, groups),        WP_AT(DeviceRun, dirty),
    WP_AT(DeviceRun, source_vertices), WP_AT(DeviceRun, source_values), WP_AT(DeviceRun, control),
    WP_AT(DeviceRun, stop),            WP_AT(DeviceRun, progress),      WP_AT(DeviceRun, records),
    WP_AT(DeviceRun, record_room),     WP_AT(DeviceRun, edges),         WP_AT(DeviceRun, input_edges),
    WP_AT(DeviceRun, max_steps),
    WP_AT(DeviceRun, steps),           WP_AT(DeviceRun, slice),         WP_AT(DeviceRun, width),
    WP_AT(DeviceRun, vertices),        WP_AT(DeviceRun, sources),       WP_AT(DeviceRun, queue_items),
    WP_AT(DeviceRun, hub_room),        WP_AT(DeviceRun, watched),       WP_AT(DeviceRun, group_count),
    WP_AT(DeviceRun, derives),         WP_AT(DeviceRun, laid_out),      WP_AT(DeviceRun, settle_count),
    WP_AT(DeviceRun, settles),         WP_AT(DeviceRun, largest),
    WP_AT(DeviceRun, ring),            WP_AT(DeviceRun, staging),       WP_AT(DeviceRun, slots),
    WP_AT(DeviceRun, slot_chunks),     WP_AT(DeviceRun, slot_rounds),   WP_AT(DeviceRun, request_slots),
    WP_AT(DeviceRun, staging_count),   WP_AT(DeviceRun, needed),        WP_AT(DeviceRun, state),
    WP_AT(DeviceRun, requests),        WP_AT(DeviceRun, chunk_shift),   WP_AT(DeviceRun, in_chunks),
    WP_AT(DeviceRun, chunk_count),     WP_AT(DeviceRun, slot_count),    WP_AT(DeviceRun, round_chunks),
    WP_AT(DeviceRun, slot_bytes),      WP_AT(DeviceRun, weights_part),  WP_AT(DeviceRun, places_part),
    WP_AT(DeviceRun, gather_items),    WP_AT(DeviceRun, hot_count),     WP_AT(DeviceRun, slice_count),
    WP_AT(DeviceRun, device),          WP_AT(DeviceRun, devices),       WP_AT(DeviceRun, own_count),
    WP_AT(DeviceRun, inbox_room),      WP_AT(DeviceRun, unit_shift),
    WP_AT(DeviceRun, all_edges),
    WP_AT(DeviceRun, owners),          WP_AT(DeviceRun, own_units),     WP_AT(DeviceRun, unsent),
    WP_AT(DeviceRun, own_slots),       WP_AT(DeviceRun, peers),         WP_AT(DeviceRun, abort),
    WP_AT(DeviceRun, tolerance),       WP_AT(DeviceRun, place_count),   WP_AT(DeviceRun, lenders),
    WP_AT(DeviceRun, least_lent),
    (u32)sizeof(DeviceRun)};
static_assert(same_offsets(RUN_ON_HOST, RUN_ON_DEVICE), "`DeviceRun` has another layout on the host (state.rs)");

constexpr u32 RECORD_ON_HOST[] = {WP_OFFSETS_RECORD};
constexpr u32 RECORD_ON_DEVICE[] = {WP_AT(Record, began),  WP_AT(Record, edges),  WP_AT(Record, step),
                                    WP_AT(Record, bucket), WP_AT(Record, chunks), WP_AT(Record, active),
                                    WP_AT(Record, kind),
                                    (u32)sizeof(Record)};
static_assert(same_offsets(RECORD_ON_HOST, RECORD_ON_DEVICE), "`Record` has another layout on the host (records.rs)");

}  // namespace wp
