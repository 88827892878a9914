// What host and device share about a run: where its arrays lie, and the state of its loop. The same structs stand in
// wolfpath-runtime (`cuda/state.rs`); sizes are compared when the host uploads them.
#pragma once

namespace wp {

/// A piece of one vertex's row: the unit in which edges are spread over warps.
struct __align__(16) Item {
    u32 vertex;
    u32 length;  // edges, at most SEGMENT_EDGES, and the two flags below
    u64 first;   // position of its first edge in the row's array
};

constexpr u32 ITEM_FIRST = 1u << 31;    // the first item of its vertex in this queue
constexpr u32 ITEM_REVERSE = 1u << 30;  // its edges lie in the in-rows
constexpr u32 ITEM_LENGTH = ITEM_REVERSE - 1;

/// What the device decides at the end of a step.
enum Directive : u32 {
    DIRECTIVE_GO = 0,
    DIRECTIVE_PAUSE = 1,    // the time slice is over: return, to be launched again
    DIRECTIVE_FAULT = 2,    // the program faulted
    DIRECTIVE_OVERRUN = 3,  // more than `max_steps`
    DIRECTIVE_END = 4,      // the steps asked for are done, or nothing changes any more
};

/// Where a fault happened.
enum Place : u32 { PLACE_EDGE = 0, PLACE_VERTEX = 1, PLACE_QUEUE = 2 };

/// What a step does (`StepKind` in wolfpath-runtime/src/trace.rs).
enum Kind : u32 { KIND_PUSH = 0, KIND_LOCAL = 1, KIND_PULL = 2, KIND_SWEEP = 3, KIND_ADVANCE = 4 };

/// A step as it begins, for traces.
struct Record {
    u64 began;   // by the device's clock, in nanoseconds
    u64 edges;   // looked at before it
    u64 step;
    u64 bucket;  // buckets begun
    u32 active;
    u32 kind;
};

/// Counts a queue's items while it is filled.
struct Counter {
    u64 counted;   // items, above 32 bits pages of their edges, at the top HAS_HUBS
    u32 edgeless;  // only vertices without edges would send
    u32 hubs;      // hubs, listed behind the queue
};

/// The state of the loop. It is in device memory, so a launch can return and the next one continue where it stopped.
struct Control {
    u64 ticket;           // of the grid barrier, alone in its cache line; set to 0 before each launch
    u64 ticket_line[15];
    u64 step;          // the next step to run, from 1; 0 before the first launch
    u64 edges;         // edges looked at
    Counter frontiers[6]; // the queue of step s, at s % 3; that with which bucket e began, at 3 + e % 3
    Counter received[2];  // recipients of step s, at s % 2
    u64 changed[2];    // whether a vertex changed in step s, at s % 2 (`Senders::All`)
    u64 best[3];       // the best word that began to wait for a later bucket in epoch e, at e % 3
    u64 bound;         // words that improve on it belong to the bucket
    f64 width;         // of the next bucket, in units of values
    u64 epoch;         // buckets begun
    u64 sent;          // pages of edges that all frontiers so far had
    u64 launched;      // when the run began, by the device's clock
    u64 ended;         // when the launch ended
    u64 step_edges[3]; // looked at in step s, at s % 3, where somebody watches
    u64 recorded;      // steps recorded, or not for lack of room; set to 0 before each launch
    u32 outcome;       // a Directive: why the kernel returned
    u32 fault;         // site + 1 of the first fault
    u32 fault_place;   // a Place
    u32 fault_a;       // the vertex, or the edge's sender
    u32 fault_b;       // the edge's receiver
    u32 directive[2];  // for step s, at s % 2
    u32 waiting[3];    // somebody began to wait for a later bucket in epoch e, at e % 3
    u32 pulling;       // the frontier of the next step stands in a bitmap
    u32 group;         // the group that was swept last (sweep)
};

/// Where a row begins. Half the bytes wherever there are fewer than 2^32 edges.
#if WP_WIDE_OFFSETS
typedef u64 Offset;
#else
typedef u32 Offset;
#endif

/// Where a group of a combined edge list begins.
struct Bound {
    u64 edge;
    u64 vertex;
};

/// A run as its kernel gets it: the addresses of its arrays, null for those that the program and its schedule do not need,
/// and its limits.
struct DeviceRun {
    const Offset* out_offsets;
    const u32* out_ends;
    const void* out_weights;
    const Offset* in_offsets;
    const u32* in_ends;
    const void* in_weights;
    const u64* ids;
    const u32* ranks;
    void* values;      // words (relax) or program::Value (step by step)
    void* incoming;    // words: messages combined so far (push)
    u32* present;      // bits: the vertex has a value
    u32* marks;        // the step in which a vertex was last put into a queue
    u32* active;       // the step in which a vertex last became a sender (pull)
    Item* queues[2];   // the frontiers of this step and the next
    Item* gather;      // rows to gather (pull)
    u32* bitmaps[2];   // bits: the vertex is in the frontier of step s, at s % 2 (pull for uniform programs)
    u32* pending;      // bits: the vertex waits for a later bucket
    u32* recipients;   // vertices that received something (push)
    void* partials;    // one accumulator an item of `gather`
    void* sent;        // what each vertex sends in this step (pull, messages made once)
    void* folds;       // one aggregate a block
    u32* edge_sources; // the vertex in whose row an edge stands (sweep)
    const Bound* groups;  // where each group begins, and where the last one ends (sweep)
    u32* dirty;        // bits: a group holds edges whose source was improved since the group was swept
    const u32* source_vertices;
    const void* source_values;
    Control* control;
    u32* stop;         // not 0 there: the run shall end (programs with loops)
    u64* progress;     // in the host's memory: steps done, edges looked at, active vertices
    Record* records;   // steps as they begin (traces)
    u64 record_room;
    u64 edges;
    u64 max_steps;     // overrunning it is an error
    u64 steps;         // a normal end after as many
    u64 slice;         // nanoseconds after which the kernel returns
    f64 width;         // of the first bucket, in units of values
    u32 vertices;
    u32 sources;
    u32 queue_items;   // room in each queue
    u32 hub_room;      // room for hubs behind each queue
    u32 watched;       // edges are counted step by step
    u32 group_count;   // groups (sweep)
    u32 derives;       // not 0: `edge_sources` are still to be made of the row offsets
    u32 reserved;
};

}  // namespace wp
