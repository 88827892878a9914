// Rows of vertices, and how they are divided into items (the units of work) of at most SEGMENT_EDGES edges.
#pragma once

namespace wp {

/// A set of a vertex's rows.
enum RowSet { ROWS_OUT = 1, ROWS_IN = 2 };

constexpr int SEND_ROWS = (WP_SEND_OUT ? ROWS_OUT : 0) | (WP_SEND_IN ? ROWS_IN : 0);
constexpr int GATHER_ROWS = (WP_GATHER_OUT ? ROWS_OUT : 0) | (WP_GATHER_IN ? ROWS_IN : 0);

WP_FN u32 segments(u64 edges) { return (u32)((edges + SEGMENT_EDGES - 1) / SEGMENT_EDGES); }

/// A vertex's row: its first position and its length.
struct Row {
    u64 first;
    u64 length;
};

WP_FN Row row_of(const Offset* offsets, u32 v) {
    u64 first = offsets[v];
    return Row{first, offsets[v + 1] - first};
}

/// Returns the number of this device's edges in one direction. One of several devices can have more edges in one direction than
/// in the other.
WP_FN u64 edges_of_rows(const DeviceRun& run, bool reverse) {
    return WP_SEVERAL ? (reverse ? run.in_offsets : run.out_offsets)[run.vertices] : run.edges;
}

/// Returns `true` if the edges of an item of ROWS are in the in-rows.
template <int ROWS>
WP_FN bool is_reverse(const Item& item) {
    return (ROWS & ROWS_IN) && (!(ROWS & ROWS_OUT) || (item.length & ITEM_REVERSE));
}

/// Counts the edges in a vertex's rows.
template <int ROWS>
WP_FN u64 edges_of(const DeviceRun& run, u32 v) {
    u64 edges = 0;
    if constexpr (ROWS & ROWS_OUT) edges += row_of(run.out_offsets, v).length;
    if constexpr (ROWS & ROWS_IN) edges += row_of(run.in_offsets, v).length;
    return edges;
}

/// Counts the items of a vertex's rows. With `always`, a vertex without edges has one empty item.
template <int ROWS, bool always>
WP_FN u32 items_of(const DeviceRun& run, u32 v) {
    u32 items = 0;
    if constexpr (ROWS & ROWS_OUT) items += segments(row_of(run.out_offsets, v).length);
    if constexpr (ROWS & ROWS_IN) items += segments(row_of(run.in_offsets, v).length);
    return always && items == 0 ? 1 : items;
}

/// A vertex's rows of ROWS; others are empty.
struct BothRows {
    Row out;
    Row in;
};

template <int ROWS>
WP_FN BothRows rows_of(const DeviceRun& run, u32 v) {
    BothRows rows = {{0, 0}, {0, 0}};
    if constexpr (ROWS & ROWS_OUT) rows.out = row_of(run.out_offsets, v);
    if constexpr (ROWS & ROWS_IN) rows.in = row_of(run.in_offsets, v);
    return rows;
}

/// Returns the item at `index` of a vertex's row of one direction.
WP_FN Item item_of_row(const Row& row, u32 v, bool reverse, u32 index) {
    u64 begin = (u64)index * SEGMENT_EDGES;
    u64 left = row.length - begin;
    u32 length = (u32)(left < SEGMENT_EDGES ? left : SEGMENT_EDGES);
    return Item{v, length | (reverse ? ITEM_REVERSE : 0), row.first + begin};
}

/// Returns item `number` of a vertex's rows.
template <int ROWS>
WP_FN Item item_of(const BothRows& rows, u32 v, u32 number) {
    u32 outs = segments(rows.out.length);
    bool reverse = number >= outs && (ROWS & ROWS_IN) != 0;
    Item item = item_of_row(reverse ? rows.in : rows.out, v, reverse, reverse ? number - outs : number);
    if (number == 0) item.length |= ITEM_FIRST;
    return item;
}

/// Writes items [from, to) of a vertex's rows, every `stride`th of them.
template <int ROWS>
WP_FN void write_items(const DeviceRun& run, Item* at, u32 v, u32 from, u32 to, u32 stride) {
    BothRows rows = rows_of<ROWS>(run, v);
#pragma unroll 1
    for (u32 i = from; i < to; i += stride) at[i] = item_of<ROWS>(rows, v, i);
}

}  // namespace wp
