// Types that describe a run, shared by host and device: the addresses of its arrays, and the state of its loop.
// wolfpath-runtime defines the same structs (`cuda/state.rs`); `layout.cuh` compares their layouts.
#pragma once

namespace wp {

/// A part of one vertex's row: the unit in which edges are distributed over warps.
struct __align__(16) Item {
    u32 vertex;
    u32 length;  // number of edges, at most SEGMENT_EDGES, combined with the two flags below
    u64 first;   // position of the item's first edge in the array that contains the row
};

/// Place of the ends of an item in the blocks of 32 ends (WP_SLOTS).
struct __align__(8) Blocks {
    u32 first;  // number of the first block
    u32 count;
};

constexpr u32 ITEM_FIRST = 1u << 31;    // the first item of its vertex in this queue
constexpr u32 ITEM_REVERSE = 1u << 30;  // its edges are in the in-rows
constexpr u32 ITEM_LENGTH = ITEM_REVERSE - 1;

/// Decision of the device at the end of a step.
enum Directive : u32 {
    DIRECTIVE_GO = 0,
    DIRECTIVE_PAUSE = 1,    // the time slice is over: return, to be launched again
    DIRECTIVE_FAULT = 2,    // a function of the program faulted
    DIRECTIVE_OVERRUN = 3,  // more than `max_steps` steps
    DIRECTIVE_END = 4,      // the requested number of steps is done, or nothing changes any more
    DIRECTIVE_FINISHED = 7, // the program's `finished` returned true (5 and 6 are those of batches)
    DIRECTIVE_SETTLED = 8,  // the values of all vertices in `DeviceRun::settles` are final
};

/// Kind of place where a fault happened.
enum Place : u32 { PLACE_EDGE = 0, PLACE_VERTEX = 1, PLACE_QUEUE = 2, PLACE_STEP = 3, PLACE_ROWS = 4 };

/// Kind of a step (`StepKind` in wolfpath-runtime/src/trace.rs).
enum Kind : u32 { KIND_PUSH = 0, KIND_LOCAL = 1, KIND_PULL = 2, KIND_SWEEP = 3, KIND_ADVANCE = 4 };

/// Trace record of a step, written when the step begins.
struct Record {
    u64 began;   // by the device's clock, in nanoseconds
    u64 edges;   // edges visited before the step
    u64 step;
    u64 bucket;  // number of buckets begun
    u64 chunks;  // chunks requested before the step (WP_STREAMED)
    u32 active;
    u32 kind;
};

/// Counter of a queue's items while the queue is being filled.
struct Counter {
    u64 counted;   // bits 0-31: items; bits 32-61: pages of PAGE_EDGES edges; bit 62: IS_WHOLE; bit 63: HAS_HUBS
    u32 edgeless;  // nonzero if vertices without edges would send
    u32 hubs;      // number of hubs listed after the queue's items
};

/// Largest number of devices of a run.
constexpr u32 MOST_DEVICES = 8;

/// Sums of the counts and flags that the blocks of all devices have told at a barrier (WP_SEVERAL).
struct News {
    u64 counted;  // bits 0-31: items; bits 32-63: pages of their edges, and of the edges of vertices that were posted
    u32 flags;    // of TellFlag
    u32 posted;   // parcels
    u64 chunks;   // requested chunks (WP_STREAMED)
};

/// Number of teams into which the blocks of a device are dealt at a barrier of several devices: block `b` is in team
/// `b % BLOCK_TEAMS`.
constexpr u32 BLOCK_TEAMS = 8;

/// Number of blocks of all devices that have arrived at barriers, in a cache line of its own (WP_SEVERAL).
struct Arrivals {
    u64 counts[2];  // at barriers of even and odd numbers; set to 0 before each launch
    u64 line[14];
};

/// Number of times that blocks of a team have arrived at a barrier, in a cache line of its own (WP_SEVERAL).
struct Team {
    u64 arrivals;  // set to 0 before each launch
    u64 line[15];
};

/// Counts and sums of the vertices that wait for their turn, as seen in one scan (`walk.cuh`).
struct Census {
    f64 urgency;  // sum over the vertices that wait
    f64 taken;    // sum of the sizes of what was taken (WP_ACCUMULATES)
    f64 total;    // sum of the sizes of all values, if they were added up (WP_ACCUMULATES)
    u64 waiting;  // number of the vertices that wait
    u64 senders;  // number of those that were queued
    u64 items;    // number of their items, or IS_INCOMPLETE and more if there are hubs (WP_LENDS)
};

/// State of the rounds over vertices that wait for their turn (`walk.cuh`).
struct WalkState {
    u64 scans;     // number of scans so far
    u64 updates;   // number of times that a vertex took what was pending or, in place, that a message improved a value
    u64 borrowed;  // number of edges that devices visited in place of others (WP_LENDS)
    f64 taken;     // sum of the sizes of all that was taken (WP_ACCUMULATES, as are the other numbers)
    f64 total;     // sum of the sizes of all values, as far as it is known
    f64 left;      // size of what the groups before this one have not sent
    f64 first;     // size of what was pending at first
    f64 last;      // size of what was pending at the end, if the run overran
    u32 group;     // the group of layers that is being finished
    u32 looks;     // nonzero if the next scan takes nothing
    u32 is_exact;  // nonzero if `total` is exact, so that what was taken does not count
    u32 reserved;
};

/// State of the loop. It is in device memory, so that a launch can return and the next one can continue from it.
struct Control {
    u64 ticket;           // the ticket of this device's barriers, in its own cache line; set to 0 before each launch
    u64 gates[3];         // the words of the gates, of which three are in use by turns; set to 0 before each launch
    u64 ticket_line[12];
    News news[3];         // at the number of the barrier % 3; set to 0 before each launch (WP_SEVERAL)
    u64 news_line[7];
    Arrivals arrivals;        // (WP_SEVERAL)
    Team teams[BLOCK_TEAMS];  // of this device's blocks (WP_SEVERAL)
    u64 step;          // the next step to run, from 1; 0 before the first launch
    u64 edges;         // edges visited
    Counter frontiers[6]; // of the queue of step s, at s % 3; of the queue with which level e began, at 3 + e % 3
    Counter received[2];  // of the recipients of step s, at s % 2
    u64 changed[2];    // at s % 2: nonzero if a vertex changed in step s (`Senders::All`), or has not halted (`halts`)
    u64 best[3];       // the best word, or the least priority, among the vertices that, in epoch e, began to wait for a later bucket, at e % 3
    u64 bound;         // words that improve on the bound belong to the current bucket; with a `priority`, the level
    f64 width;         // width of the next bucket, in units of values
    u64 epoch;         // number of buckets begun, or of levels after the first
    u64 sent;          // pages of PAGE_EDGES edges in all frontiers so far
    u64 launched;      // when the run began, by the device's clock
    u64 ended;         // when the launch ended
    u64 step_edges[3]; // edges visited in step s, at s % 3, if the run is watched
    u64 chunks;        // chunks requested when the launch ended; of several devices, what all had told at the last barrier (WP_STREAMED)
    u64 taken[2];      // parts of its queue's overflow, or of all slices (WP_SLOTS), that warps have taken in step s, at s % 2
    u64 recorded;      // steps recorded or dropped because `records` was full; set to 0 before each launch
    u32 outcome;       // a Directive: why the kernel returned
    u32 fault;         // site + 1 of the first fault
    u32 fault_place;   // a Place
    u32 fault_a;       // the vertex, the edge's sender, or the step
    u32 fault_b;       // the edge's receiver
    u32 directive[2];  // a Directive, for step s at s % 2
    u32 waiting[3];    // nonzero if a vertex began to wait for a later bucket in epoch e, at e % 3
    u32 pulling;       // nonzero if the frontier of the next step is a bitmap
    u32 group;         // the group that was swept last (sweep)
    u32 largest;       // the root of the largest tree, according to a sample (union)
    u32 left[3];       // vertices that still waited when bucket e had been taken, at e % 3
    u32 posted[2][MOST_DEVICES];   // parcels for each device in step s, at s % 2 (WP_SEVERAL)
    u32 arrived[2][MOST_DEVICES];  // parcels from each device in step s, at s % 2 (WP_SEVERAL)
    u64 sent_word[2];  // the word of a vertex in the frontier of step s, at s % 2, if it is a bitmap (WP_SEVERAL)
    Census seen[3];      // what scan s has seen, at s % 3 (walk)
    WalkState walk;
};

/// Start of a row. It has 4 bytes instead of 8 if there are fewer than 2^32 edges.
#if WP_WIDE_OFFSETS
typedef u64 Offset;
#else
typedef u32 Offset;
#endif

/// Start of a group of a combined edge list.
struct Bound {
    u64 edge;
    u64 vertex;
};

/// Addresses in the memory of one of several devices, to which the others write.
struct Peer {
    Control* control;
    u8* inboxes[2];       // parcels of step s, at s % 2: `inbox_room` from each device
    void* values;
    u32* present;
    u32* active;
    u32* bitmaps[2];
    u8* sent;
    u8* folds;
    u32* message_slots;
    u32* parents;
    u32* pending;
    u64* amounts;
    u64 blocks;  // of the device's launch
};

// What streams rows (rounds.cuh).
struct Requests;
struct StreamState;

/// Arguments of a run's kernel: its limits and the addresses of its arrays. The address of an array that the program
/// and its schedule do not need is null.
struct DeviceRun {
    const Offset* out_offsets;
    const u32* out_ends;     // the ends of the rows, or the packed rows (WP_PACKED)
    const void* out_weights;
    const Offset* in_offsets;
    const u32* in_ends;
    const void* in_weights;
    const u64* out_bands;    // positions of packed rows: of each band, and of each row in its band
    const u16* out_starts;
    const u64* in_bands;
    const u16* in_starts;
    const u32* out_widths;   // the width of each block of packed rows; those of row `v` begin at byte offset / 32 + v
    const u32* in_widths;
    const u32* out_head;     // the beginnings of arrays that live in host memory (WP_ROWS_ON_HOST)
    const u32* in_head;
    const void* out_weights_head;
    const void* in_weights_head;
    const u32* out_first_ends;  // the first end of each row, also of rows that other devices have (WP_FIRST_ENDS)
    const u32* in_first_ends;
    u64 out_resident;        // ends before this position are in the head; of packed rows, segments before this byte
    u64 in_resident;
    u64 out_resident_weights;
    u64 in_resident_weights;
    const u64* out_degrees;  // edges that leave each vertex (WP_NEIGHBOURS)
    const u64* in_degrees;   // edges that arrive at each vertex (WP_NEIGHBOURS)
    const u64* neighbours;   // distinct neighbours of each vertex
    const u32* out_places;   // places of edges among those of their senders, by position
    const u32* in_places;
    const u64* ids;
    const u32* ranks;
    void* values;      // words (relax) or program::Value (step by step)
    void* incoming;    // words: messages combined so far (schedule frontier)
    u32* present;      // bitmap: the vertices that have a value
    u32* marks;        // the step in which a vertex was last put into a queue
    u32* parents;      // the parent of each vertex in its tree (schedule union)
    u32* active;       // the step in which a vertex last became a sender (schedule pull)
    Item* queues[2];   // the frontiers of this step and the next
    u32* overflows[2]; // bitmaps: the vertices that found no room in these queues (WP_OVERFLOWS)
    Item* gather;      // rows to gather (schedule pull)
    u32* bitmaps[2];   // bitmaps: the vertices in the frontier of step s, at s % 2 (if steps may pull from a bitmap)
    u32* pending;      // bitmap: the vertices that wait for a later bucket, for their priority, or for their turn (by place)
    u64* held;         // what each vertex has sent: WP_PORTION_WORDS sums (WP_ACCUMULATES)
    u64* amounts;      // what is pending at each vertex, likewise
    const u32* places;         // the place of each vertex in the order of paths, on its device, or ~0 (WP_ORDERED)
    const u32* path_vertices;  // the vertex at each place of this device
    const u32* path_groups;    // the first place of each group of layers, and the number of places
    const u32* path_ends;      // the number of places of all devices up to the end of each group
    const u32* proxies;        // the vertex of each slot of a block's proxies, or ~0 (WP_PROXIES)
    u64* priorities;   // of the vertices in `pending` (programs with a `priority`)
    u32* awake;        // bitmap: the vertices that have not halted (programs with `halts`)
    void* before;      // values before the step by rank, if `apply` reads those of other vertices
    u32* recipients;   // vertices that received a message (schedule frontier)
    void* partials;    // one accumulator per item of `gather`
    u32* message_slots;  // slot of each vertex's message (WP_SLOTS)
    Blocks* item_blocks;  // where the ends of each item of `gather` are
    u32* item_ends;    // the ends of all items of `gather` as slots, in blocks of 32
    u32* columns;      // the ends of short rows as slots, slice by slice
    u32* short_rows;   // the vertices of short rows, 32 per slice
    u32* next_slots;   // next free slot of each class of degrees
    u32* next_rows;    // next free place in `short_rows` of each length
    u32* next_block;   // next free block in `item_ends`
    const u32* first_slices;  // number of the first slice of rows of length 32, 31, and so on to 0
    void* sent;        // the message that each vertex sends in this step, computed in advance, by vertex or slot
                       // (schedule pull)
    void* folds;       // the fold of all values, one aggregate per FOLD_VERTICES vertices, and more (vertex.cuh)
    u32* edge_sources; // the vertex whose row contains the edge (sweep)
    const Bound* groups;  // the start of each group, and the end of the last one (sweep)
    u32* dirty;        // bitmap: the groups with edges whose source was improved since the group was swept
    const u32* source_vertices;
    const void* source_values;
    Control* control;
    u32* stop;         // a word that is nonzero if the run must end (programs with loops)
    u64* progress;     // in host memory: steps done, edges visited, active vertices
    Record* records;   // one per step, written when it begins (traces)
    u64 record_room;
    u64 edges;         // number of edges; with several devices, of this device's out-rows
    u64 input_edges;   // edges of the graph, which differ from `edges` between distinct neighbours
    u64 max_steps;     // exceeding it is an error
    u64 steps;         // the run ends normally after this many steps
    u64 slice;         // nanoseconds after which the kernel returns
    f64 width;         // width of the first bucket, in units of values
    u32 vertices;
    u32 sources;
    u32 queue_items;   // capacity of each queue
    u32 hub_room;      // capacity for hubs after the queue's items
    u32 watched;       // nonzero if edges are counted per step
    u32 group_count;   // number of groups (sweep, walk)
    u32 derives;       // nonzero if `edge_sources`, or slots and copied ends, must still be derived from the rows
    u32 laid_out;      // number of items that an earlier run has left in `gather`; 0 if this run lays them out
    u32 settle_count;
    u32 staging_count;  // number of slots of the staging memory (WP_STREAMED)
    const u32* settles; // vertices; the run ends when the values of all of them are settled (WP_SETTLES)
    u64 largest;        // larger messages are dropped (WP_BOUNDED)
    u8* ring;           // the chunks that are on the device, one per slot (WP_STREAMED)
    const u8* staging;  // chunks that the host has read, in host memory, one per slot of the same size
    u32* slots;         // the slot of each chunk
    u32* slot_chunks;   // the chunk of each slot
    u32* slot_rounds;   // the last round that needed the chunk of each slot
    u32* request_slots; // the slot of request r, at r % slot_count
    u32* needed;        // bitmap: the chunks that the step needs
    StreamState* state;
    Requests* requests; // in host memory
    u32 chunk_shift;    // a chunk has two to the power of this number of edges
    u32 in_chunks;      // the first chunk of in-rows
    u32 chunk_count;
    u32 slot_count;
    u32 round_chunks;   // largest number of chunks of a round
    u32 slot_bytes;     // size of a slot
    u32 weights_part;   // where weights and places begin in a slot; ends are first
    u32 places_part;
    u32 gather_items;   // capacity of `gather`
    u32 hot_count;      // number of slots whose messages each block copies to shared memory
    u32 slice_count;    // number of slices of short rows
    u32 device;         // this device, counted from 0 among those of the run (WP_SEVERAL, as is what follows)
    u32 devices;        // number of devices
    u32 own_count;      // number of this device's units of vertices
    u32 inbox_room;     // largest number of parcels in an inbox from one device
    u32 unit_shift;     // a unit has two to the power of this number of vertices
    u64 all_edges;      // edges of the rows of all devices
    const u8* owners;   // the device of each unit
    const u32* own_units;  // the units of this device, ascending
    u32* unsent;        // bitmap: the vertices of other devices for which an inbox had no room
    const u32* own_slots;  // of each class of degrees from the largest down: slots of this device before it, then its first slot
    const Peer* peers;  // all devices
    const u32* abort;   // in host memory: nonzero if another device has failed
    f64 tolerance;      // share of the sizes of all values that need not be sent (WP_ACCUMULATES)
    u64 place_count;    // number of places of all devices (WP_ORDERED)
    const DeviceRun* lenders;  // this description on every device, from whose memory others send (WP_LENDS)
    u64 least_lent;     // smallest number of items that a device lends
};

/// Returns the block's copy of the run's description, in shared memory. Functions that are not inlined read it there. They
/// would read the kernel's own argument through L1, which is empty after every barrier.
WP_FN DeviceRun& run_of_block() {
    __shared__ DeviceRun run;
    return run;
}

/// Returns the block's copy of the program's parameters.
WP_FN program::Params& params_of_block() {
    __shared__ program::Params params;
    return params;
}

}  // namespace wp
