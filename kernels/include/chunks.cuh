// Chunks: the parts in which rows are streamed (WP_STREAMED), that is, come to the device while the run needs them. A
// chunk contains the ends of adjacent edges in the rows of one direction, and their weights and places if the program
// reads them. The edges after a chunk follow it once more, as many as an item can have, so that an item that begins in a
// chunk is complete.
//
// The *ring* in device memory has a slot for some of the chunks. Which chunks are there changes between rounds
// (`rounds.cuh`).
#pragma once

namespace wp {

/// The part of a step that visits the edges of certain chunks, which are all in the ring.
struct Round {
    u32 first_chunk;
    u32 last_chunk;    // exclusive
    u32 first_in;      // the chunks of in-rows, if the round is one of vertices; `first_chunk` then is of out-rows
    u32 last_in;
    u32 first_vertex;  // if the round is one of vertices: the rows of these are complete
    u32 last_vertex;
    u32 end;           // no edge is read from this chunk or a later one
    u32 more;          // nonzero if another round follows in this step
    u64 requests;      // number of requests before those of this round
    u64 requested;     // number of requests of this round
};

#if WP_STREAMED

/// Slot of a chunk that is not in the ring, and chunk of a slot that is empty.
constexpr u32 NOWHERE = ~0u;

/// Returns the round that this block takes part in.
WP_FN Round& round_of_block() {
    __shared__ Round round;
    return round;
}

/// Returns the chunk that contains the edge at `position` of the out-rows, or of the in-rows if `reverse`. The chunks of
/// out-rows are the first.
WP_FN u32 chunk_of(const DeviceRun& run, bool reverse, u64 position) {
    return (u32)(position >> run.chunk_shift) + (reverse ? run.in_chunks : 0);
}

/// Returns an array of edges as far as it is in the ring around `position`, an edge of this round. `part` is where the
/// array's part of a chunk begins in a slot. The result is indexed by positions.
template <typename T>
WP_FN const T* in_ring(const DeviceRun& run, bool reverse, u64 position, u32 part) {
    u32 chunk = chunk_of(run, reverse, position);
    // The last items of a round can end behind its last chunk, which contains their edges, too.
    if (chunk >= round_of_block().end) chunk = round_of_block().end - 1;
    u64 first = (u64)(chunk - (reverse ? run.in_chunks : 0)) << run.chunk_shift;
    return (const T*)(run.ring + (u64)run.slots[chunk] * run.slot_bytes + part) - first;
}

#endif

}  // namespace wp
