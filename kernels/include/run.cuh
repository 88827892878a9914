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

/// The state of the loop. It lives in device memory, so a launch can return and the next go on where it stopped.
struct Control {
    u64 step;          // the next step to run, from 1; 0 before the first launch
    u64 edges;         // edges looked at
    u32 ticket;        // of the grid barrier; set to 0 before each launch
    u32 outcome;       // a Directive: why the kernel returned
    u32 fault;         // site + 1 of the first fault
    u32 fault_place;   // a Place
    u32 fault_a;       // the vertex, or the edge's sender
    u32 fault_b;       // the edge's receiver
    u32 frontier[3];   // items in the queue of step s, at s % 3
    u32 received[2];   // recipients of step s, at s % 2
    u32 changed[2];    // vertices that changed in step s, at s % 2
    u32 directive[2];  // for step s, at s % 2
    u32 edgeless[3];   // only vertices without edges would send in step s, at s % 3
};

/// Where everything lies. Null where the program and its schedule do not need an array.
struct Run {
    const u64* out_offsets;
    const u32* out_ends;
    const void* out_weights;
    const u64* in_offsets;
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
    u32* recipients;   // vertices that received something (push)
    void* partials;    // one accumulator an item of `gather`
    void* folds;       // one aggregate a block
    const u32* source_vertices;
    const void* source_values;
    Control* control;
    u32* stop;         // not 0 there: the run shall end (programs with loops)
    u64 edges;
    u64 max_steps;     // overrunning it is an error
    u64 steps;         // a normal end after as many
    u64 slice;         // nanoseconds after which the kernel returns
    u32 vertices;
    u32 sources;
    u32 queue_items;   // room in each queue
    u32 reserved;
};

}  // namespace wp
