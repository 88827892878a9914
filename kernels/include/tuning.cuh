// Every tuning number of the kernels, with its justification. wolfpath-kernels exports the same numbers to Rust, and a
// test compares them, so host and device cannot disagree.
#pragma once

namespace wp {

/// Threads per block. Each multiprocessor runs one block: a grid barrier costs 1.0 us with one block per multiprocessor
/// and 1.5 us with two (H100). Steps over large frontiers need as many loads in flight as possible, so the block has
/// the maximum size; with 512 threads, R-MAT 22 takes 40% longer (H100).
constexpr u32 BLOCK_THREADS = 1024;

/// Maximum number of edges of one work item, which is a part of one vertex's row. The row of a vertex of larger degree
/// is divided into several items, so that no warp has to process a vertex of very high degree alone. When edges are
/// sent along, an item is as long as a warp has lanes: pushing BFS on R-MAT 22 takes 1.24 ms with 32 edges, 1.27 with
/// 64 and 1.48 with 256; SSSP on dblp-2010 takes 0.53, 0.57 and 0.66 (H100). When edges are gathered, the results of a
/// row's items must be combined, so items are longer and fewer.
constexpr u32 SEGMENT_EDGES = WP_SCHEDULE == WP_PULL ? 256 : 32;

/// Largest number of items that one warp writes for a vertex. If a vertex has more items (a hub), the whole device
/// writes them. This costs a barrier, about 1 us on an H100, whereas one warp takes about 2 us to write this many items
/// (estimated, not measured).
constexpr u32 HUB_ITEMS = 2048;

/// Vertices that a warp stages in shared memory before it reserves space by the queue's counter. With one addition per
/// vertex, the counter is the bottleneck on R-MAT 22 (2.3 ms); with one addition per about a hundred vertices, it is
/// not (1.8 ms; H100).
constexpr u32 STAGE_VERTICES = 128;

/// Edges that a lane has in flight at a time when it visits a large frontier or sweeps a large layer. With 4, the code
/// is larger and registers are spilled. With 2 and with 4, respectively, SSSP on dblp-2010 takes 0.49 and 0.51 ms, BFS
/// on R-MAT 22 takes 0.262 and 0.271 ms, and a star of ten million leaves takes 0.21 and 0.19 ms (H100).
constexpr u32 EDGES_AHEAD = 2;

/// Number of messages that a lane has in flight at a time when it gathers a row, if each sender's message was computed
/// once in advance: 20 steps of PageRank on R-MAT 22 take 26.7 ms with 2, 25.8 with 4 and 25.7 with 8 (H100).
constexpr u32 SENT_AHEAD = 4;

/// Edges that a lane has in flight at a time in an abreast batch (several runs whose values are adjacent). For each
/// edge, the lane holds its part of the runs' values at the sender and at the receiver. Estimated from the register
/// use, not measured yet.
constexpr u32 PORTIONS_AHEAD = 2;

/// Number of edges that a warp can hold in shared memory before it visits them. Devices of compute capability 7.5 have
/// 64 KB per block.
constexpr u32 HOP_ROOM = WP_SIZE_VALUE <= 4 && !WP_WIDE_OFFSETS ? 64 : 32;

/// Longest row whose edges a warp keeps in shared memory; vertices with longer rows are queued.
constexpr u32 LANE_ROW = 8;

/// Largest number of items per warp in a thin frontier. This many items of LANE_ROW edges fill the warp's space in
/// shared memory.
constexpr u32 THIN_ITEMS = HOP_ROOM / LANE_ROW;

/// Number of rounds that a warp may do alone before it waits for the device. (This number and THIN_ITEMS apply with
/// WP_LOCAL_ROUNDS only.)
constexpr u32 LOCAL_ROUNDS = 10;

/// Number of edges that a thread keeps in registers from step to step when a group of edges is swept. Thin layers are
/// grouped until there is one edge per thread, so a group of thin layers has fewer than two edges per thread.
constexpr u32 KEPT_EDGES = 2;

/// Number of times that a warp relaxes the edges it keeps before it waits for the device: FIRST_ROUNDS in the first
/// step of a group, and twice as many in each further step while the last round still improves a value, up to
/// MOST_ROUNDS. Estimated: a round is one round trip to L2, a third of a barrier. (The plan enables repeated rounds for
/// thin layers only: on the large layers of cnr-2000, BFS takes 0.17 ms with repeated rounds and 0.15 ms without;
/// H100.)
constexpr u32 FIRST_ROUNDS = WP_LOCAL_ROUNDS ? 4 : 1;
constexpr u32 MOST_ROUNDS = WP_LOCAL_ROUNDS ? 32 : 1;

/// Bytes of shared memory per warp to which packed rows are copied from host memory before they are gathered. A segment
/// takes at most 1032 bytes. A step of PageRank on R-MAT 22 takes 5.0 to 5.7 ms with the copy, and 10 ms if each lane
/// reads its own row in host memory (H100).
constexpr u32 COPIED_ROWS = 1536;

/// Longest row, or part of a row, that one lane gathers; a whole warp gathers longer ones.
constexpr u32 LONG_ITEM = 32;

/// Number of classes of degrees per octave, if vertices are sorted by degree, and number of all classes.
constexpr u32 EACH_DEGREE = 32;
constexpr u32 DEGREE_CLASSES = 1920;

/// Largest number of bytes of shared memory per block for the first messages by slot. With the block's other shared memory
/// they take 196 KB, one of the sizes that a multiprocessor of compute capability 9.0 offers; L1 gets the rest.
constexpr u32 HOT_BYTES = 172032;

/// Bytes of shared memory per warp to which packed ends, and weights of at most 16 bits, are copied from host memory before
/// vertices send along these edges. Together they take no more room than the edges of local rounds (HOP_ROOM), which
/// every device has.
constexpr u32 COPIED_ENDS = 704;
constexpr u32 COPIED_WEIGHTS = 320;

/// Smallest number of items whose edges a warp copies together. If fewer items are near each other, each lane reads the
/// edges of its own item in place.
constexpr u32 COPIED_ITEMS = 4;

/// Number of edges of a part: the edges that a warp takes at a time when it visits marked vertices. All warps together
/// then read from about 25 MB of packed rows and weights.
constexpr u32 TAKEN_EDGES = 2048;

/// Bytes of shared memory per thread in which messages are counted (`frequent.cuh`). A warp sorts rows of up to 256
/// messages of 4 bytes in its part of it. With the rest of a block's shared memory this fits on every device, unless the
/// fold has more than about 90 bytes.
constexpr u32 COUNTING_BYTES = 32;

/// Largest number of blocks of a launch, and largest numbers of items and of pages that each of them tells at a gate
/// (gate.cuh). A frontier with more is so large that reading its counter takes little of its step.
constexpr u32 MOST_BLOCKS = 511;
constexpr u32 MOST_TOLD = 512;

/// Edges per page. A count of edges that shares a word with another count is in pages.
constexpr u32 PAGE_EDGES = 256;

/// A step pulls if pulling visits fewer edges than pushing. The estimated cost of pulling is the sum of three terms:
/// one in PULL_SHARE of the edges along which no message has been sent, since an unreached vertex usually finds a
/// sender early (a sorted row lists the earliest layers first); one edge per vertex, for the pass over the values; and
/// TURN_EDGES, for changing the direction. The run returns to pushing when pushing costs less than half of the first
/// two terms. (With a tenth of this value of TURN_EDGES, BFS on dblp-2010 changes direction and takes 0.19 ms; without
/// the change it takes 0.15 ms. On R-MAT 22, BFS takes 0.24 ms with the change and 1.23 ms without; H100.)
constexpr u32 PULL_SHARE = 8;
constexpr u32 TURN_EDGES = 1000000;

/// If a block's part of the frontier has at least this many edges, the block adds them to the counter before it
/// reserves space for its items, which costs another round trip. Steps with fewer edges do not justify a change of
/// direction.
constexpr u32 ANNOUNCED_EDGES = 8192;

/// In step-by-step schedules, a step pulls if its frontier has more than 1/LISTEN_SHARE of the edges: visiting an edge
/// whose sender does not send costs the read of one bit, whereas sending along an edge costs one or two atomics
/// (estimated, not measured).
constexpr u32 LISTEN_SHARE = 2;

/// A bucket with fewer items than FEW_ITEMS was too narrow; one with more than MANY_BUCKET_ITEMS was too wide, unless
/// more vertices wait (below). If rows live in host memory, visiting an edge again costs more than another step: SSSP on
/// USA-road-NE takes 18 ms and 20 million visits with 2048, and 14 to 17 ms and 12 million visits with 512 (H100). If
/// rows are streamed, a step over few vertices copies as many chunks as one over many, so that only few buckets are worth
/// it.
constexpr u32 FEW_ITEMS = WP_STREAMED ? 1u << 22 : WP_ROWS_ON_HOST ? 512 : 2048;
constexpr u32 MANY_BUCKET_ITEMS = WP_STREAMED ? ~0u : 1u << 20;

/// If a bucket's frontier shrinks to fewer items than FEW_LEFT, the next bucket begins early, and these items join it: a
/// step over so few items takes as long as one over some more. SSSP on dblp-2010 takes 44 steps without this rule and 35
/// with it; with 64 instead of 512, it takes 4% longer (H200).
constexpr u32 FEW_LEFT = 512;

/// `true` if, in a single run, a bucket with fewer items than vertices that still wait was too narrow, too. Otherwise the
/// last vertices of a large graph, which have few edges, are taken in many small buckets, each after a search among all
/// that wait: SSSP on R-MAT 26 takes 41 ms and 87 buckets without this rule, and 31 ms and 16 buckets with it; on
/// R-MAT 22, 2.1 and 1.9 ms (H100). The rule does not apply to road graphs whose rows are in host memory, where edges would
/// be visited again for it. (A vertex of a batch waits as long as one of its runs does, so that more wait.)
constexpr bool WIDENS_FOR_WAITING = !WP_ROWS_ON_HOST || !WP_LOCAL_ROUNDS;

/// In asynchronous rounds over vertices in the order of paths, a vertex is due if it is as urgent that it sends as for those that
/// wait on average, less this share of the average. The CPU engine uses the same shares, and its comments say why. A block that has
/// seen fewer than CHOOSES_AMONG of them takes all, since leaving out a few only adds rounds (estimated, not measured).
constexpr f64 DUE_SLACK = WP_ACCUMULATES ? 0.25 : 1e-6;
constexpr u32 CHOOSES_AMONG = 8;

/// In asynchronous rounds on several devices, a device whose queue is longer than the average lends one in LENT_ONE_IN of its
/// excess items, not all of them, since others are slower to read these and their edges. Over three R-MAT graphs in a row on
/// two devices, PageRank takes 0.976 of the time that it takes without lending; it would take 0.977 if this were 1, and 0.992 if
/// it were 4 (H200).
constexpr u32 LENT_ONE_IN = 2;

/// Number of sums that a block keeps in shared memory for the vertices to which most edges lead, and number of such vertices:
/// 6 KB if they are sums of one number. Devices of compute capability 7.5 have only 64 KB for a block. In the order of paths,
/// PageRank takes 0.52 of the time without them over uk-2007-05@100000, 0.97 over soc-Slashdot0902, 0.98 over directed R-MAT 24
/// and 1.04 over cnr-2000; adsorption takes 0.87, 0.95, 1.00 and 1.03 (H200).
constexpr u32 PROXY_SUMS = 512;
constexpr u32 PROXY_SLOTS = WP_PROXIES ? PROXY_SUMS / WP_PORTION_WORDS : 1;

/// Number of vertices whose values a warp folds together. It is a constant, so that folds of floats do not depend on the
/// grid. With 256, a lane has eight independent reads in flight, and 100,000 vertices occupy 390 warps.
constexpr u32 FOLD_VERTICES = 256;

/// Number of rounds whose chunks are in the ring at a time, or requested, if rows are streamed: one is visited, one is copied,
/// and the host reads the others, which gives it time to answer.
constexpr u32 ROUNDS = 6;

/// Number of warps of each block that copy streamed rows over the link. If all of them did, 9 MB would be requested at a
/// time, and every other read on the device would wait for them: requesting the chunks of R-MAT 24 then takes the
/// leading warp 41 ms, more than half of a step (H100).
constexpr u32 COPYING_WARPS = BLOCK_THREADS < 128 ? BLOCK_THREADS / 32 : 4;

}  // namespace wp
