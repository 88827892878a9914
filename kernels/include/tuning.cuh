// Every tuning number of the kernels, each with what justifies it. wolfpath-kernels hands the same numbers to Rust
// (a test compares), so that host and device cannot disagree.
#pragma once

namespace wp {

/// Threads of a block. One block stands on each multiprocessor: a grid barrier costs 1.0 us with one block a
/// multiprocessor, 1.5 us with two (H100). Fat steps want as many loads in flight as possible, so the block is as large
/// as a block can be; 512 threads cost 40% on R-MAT 22 (H100).
constexpr u32 BLOCK_THREADS = 1024;

/// Most edges of one work item. A vertex of larger degree is cut into several, so that no warp is left with a hub. Where
/// edges are sent along, an item is what a warp's lanes take at once: pushing BFS on R-MAT 22 takes 1.24 ms so, 1.27 with
/// 64 and 1.48 with 256 edges, SSSP on dblp-2010 0.53, 0.57 and 0.66 (H100). Where they are gathered, the results of a
/// row's items must be combined, so there are fewer of them.
constexpr u32 SEGMENT_EDGES = WP_SCHEDULE == WP_PULL ? 256 : 32;

/// A vertex with more items than this has them written by the whole device, which costs a barrier, about 1 us on an H100;
/// a warp alone writes that many in about two (reckoned, not measured).
constexpr u32 HUB_ITEMS = 2048;

/// Vertices that a warp stages in shared memory before it asks the queue's counter for room. With one addition for
/// each vertex that counter is what limits R-MAT 22 (2.3 ms), with about a hundred a piece it is not (1.8 ms; H100).
constexpr u32 STAGE_VERTICES = 128;

/// Edges that a lane has in flight at a time when it walks a fat frontier, or sweeps a large layer. With 4 the code is
/// larger and registers are spilled: SSSP on dblp-2010 takes 0.49 ms with 2 and 0.51 with 4, BFS on R-MAT 22 0.262 and
/// 0.271, a star of ten million leaves 0.21 and 0.19 (H100).
constexpr u32 EDGES_AHEAD = 2;

/// Messages made once that a lane has in flight at a time when it gathers a row: 20 steps of PageRank on R-MAT 22 take 26.7 ms
/// with 2, 25.8 with 4 and 25.7 with 8 (H100).
constexpr u32 SENT_AHEAD = 4;

/// The same of a lane's part of several runs' values, at both ends of an edge. Reckoned from the registers that they take,
/// not measured yet.
constexpr u32 PORTIONS_AHEAD = 2;

/// Edges that a warp can hold in shared memory before it walks them. Devices of compute capability 7.5 have 64 KB a block.
constexpr u32 HOP_ROOM = WP_SIZE_VALUE <= 4 && !WP_WIDE_OFFSETS ? 64 : 32;

/// Longest row of which a warp keeps the edges; longer ones are queued.
constexpr u32 LANE_ROW = 8;

/// A frontier is thin while no warp gets more than so many of its items: with as many of full length it is at work.
constexpr u32 THIN_ITEMS = HOP_ROOM / LANE_ROW;

/// Rounds that a warp may go on alone before it waits for the device (both with WP_LOCAL_ROUNDS only).
constexpr u32 LOCAL_ROUNDS = 10;

/// Edges of a sweep's group that a thread keeps from step to step. Thin layers are grouped until there is an edge for every
/// thread, so a group of them has fewer than two a thread.
constexpr u32 KEPT_EDGES = 2;

/// Times that a warp looks at the edges it keeps before it waits for the device: as many in the first step of a group,
/// twice as many in the next while values still change in the last of them, and so many at the most. Reckoned: a look is
/// one round trip to L2, a third of a barrier. (The plan has sweeps look again over thin layers alone: over the fat ones of
/// cnr-2000 BFS takes 0.17 ms with and 0.15 without; H100.)
constexpr u32 FIRST_ROUNDS = WP_LOCAL_ROUNDS ? 4 : 1;
constexpr u32 MOST_ROUNDS = WP_LOCAL_ROUNDS ? 32 : 1;

/// Edges are counted in pages where a count shares a word with another.
constexpr u32 PAGE_EDGES = 256;

/// A frontier is pulled from when that looks at fewer edges. Of the edges that are left an unreached vertex looks at one
/// in PULL_SHARE before it finds a sender (a sorted row lists the earliest layers first); a pass over the values costs
/// about as much as an edge for each of them; turning round costs TURN_EDGES. Back to pushing goes what costs less than
/// half by that. (BFS on dblp-2010 takes 0.19 ms where it turns for a tenth of that, 0.15 where it never does; on R-MAT 22
/// 0.24 and 1.23; H100.)
constexpr u32 PULL_SHARE = 8;
constexpr u32 TURN_EDGES = 1000000;

/// From so many edges on a block counts those of its frontier before it places its items, which costs another round trip:
/// steps of fewer are not worth a turn.
constexpr u32 ANNOUNCED_EDGES = 8192;

/// Step by step a frontier is pulled from when it has more than one in LISTEN_SHARE of the edges: looking at an edge whose
/// sender is silent costs a bit, sending along one costs an atomic or two (reckoned, not measured).
constexpr u32 LISTEN_SHARE = 2;

/// A bucket that gave fewer items than FEW_ITEMS was too narrow, one that gave more than MANY_BUCKET_ITEMS
/// too wide.
constexpr u32 FEW_ITEMS = 2048;
constexpr u32 MANY_BUCKET_ITEMS = 1u << 20;

}  // namespace wp
