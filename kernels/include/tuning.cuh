// Every tuning number of the kernels, each with what justifies it. wolfpath-kernels hands the same numbers to Rust
// (a test compares), so that host and device cannot disagree.
#pragma once

namespace wp {

/// Threads of a block. One block stands on each multiprocessor: a grid barrier costs 1.0 us with one block a
/// multiprocessor, 1.5 us with two (H100). Fat steps want as many loads in flight as possible, so the block is as large
/// as a block can be; 512 threads cost 40% on R-MAT 22 (H100).
constexpr u32 BLOCK_THREADS = 1024;

/// Most edges of one work item. A vertex of larger degree is cut into several, so that no warp is left with a hub.
/// 32 items of 256 edges are at most 8,192 edges between two looks at the queue.
constexpr u32 SEGMENT_EDGES = 256;

/// Vertices that a warp stages in shared memory before it asks the queue's counter for room. With one addition for
/// each vertex that counter is what limits R-MAT 22 (2.3 ms), with about a hundred a piece it is not (1.8 ms; H100).
constexpr u32 STAGE_VERTICES = 128;

}  // namespace wp
