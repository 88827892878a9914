// Rounds: how a step visits more edges than the ring holds (WP_STREAMED). First, all threads mark the chunks that the
// step needs. Then one warp, the *leader*, divides them into rounds, in ascending order. For each round it assigns slots
// to the chunks that are not in the ring, and requests them from the host, which reads what it is asked for to *staging
// memory*. While the device visits the edges of a round, it copies the chunks of the next round from there to the ring, and
// the host reads those of the rounds after it. A barrier separates two rounds.
//
// The device copies the chunks itself, because the host must not call the driver: another thread may be inside a call that
// waits for this kernel, and may hold the driver's lock until the kernel has ended.
//
// Without WP_STREAMED, a step is one round that contains all edges.
#pragma once

namespace wp {

#if WP_STREAMED

static_assert(!WP_LOCAL_ROUNDS && !WP_DIRECTION, "a step must know its edges beforehand");

/// A request: the chunk, and the number of the round that needs it, modulo ROUNDS. The host reads the chunk of request `i`
/// to slot i % staging_count of the staging memory.
struct Request {
    u32 chunk;
    u32 round;
};

/// Requests of the device to the host, in host memory. The requests themselves follow, as many as the ring has slots.
/// wolfpath-runtime declares the same struct (`cuda/stream/requests.rs`).
struct Requests {
    u64 posted;        // number of requests so far
    u64 line[7];       // the host writes to other cache lines than the device
    u64 done[ROUNDS];  // number of requests that the host has served, of round r at r % ROUNDS
    u64 failed;        // nonzero if the host serves no more requests
    u64 rest[3];
};

/// State of the ring. It is in device memory, so that a launch can return and the next one can continue from it.
struct StreamState {
    Round rounds[ROUNDS];  // round r, at r % ROUNDS
    u64 done;              // number of rounds so far
    u64 posted[ROUNDS];    // number of requests so far, of round r at r % ROUNDS
    u64 passes;            // number of steps, or of parts of steps, that were divided into rounds
    u32 hand;              // slot at which the search for the next one begins
    u32 failed;            // nonzero if the host serves no more requests
};

constexpr u32 STREAM_ON_HOST[] = {WP_OFFSETS_STREAM};
constexpr u32 STREAM_ON_DEVICE[] = {WP_AT(StreamState, rounds), WP_AT(StreamState, done),   WP_AT(StreamState, posted),
                                    WP_AT(StreamState, passes), WP_AT(StreamState, hand),   WP_AT(StreamState, failed),
                                    (u32)sizeof(StreamState),   WP_AT(Requests, posted),    WP_AT(Requests, done),
                                    WP_AT(Requests, failed),    (u32)sizeof(Requests)};
static_assert(same_offsets(STREAM_ON_HOST, STREAM_ON_DEVICE), "host and device disagree on a layout (cuda/stream)");

/// Returns `true` in the warp that leads.
WP_FN bool leads() { return blockIdx.x == 0 && warp_in_block() == BLOCK_THREADS / 32 - 1; }

/// Marks a chunk as needed in this step.
WP_FN void need_chunk(const DeviceRun& run, u32 chunk) {
    u32* word = &run.needed[chunk >> 5];
    u32 bit = 1u << (chunk & 31);
    if (!(load_stale(word) & bit)) atomicOr(word, bit);
}

/// Marks the chunks of some edges as needed in this step.
WP_FN void need_edges(const DeviceRun& run, bool reverse, u64 first, u64 length) {
    if (length == 0) return;
    u32 last = chunk_of(run, reverse, first + length - 1);
    for (u32 chunk = chunk_of(run, reverse, first); chunk <= last; ++chunk) need_chunk(run, chunk);
}

/// Does the same with all threads, for many edges. All threads must call this.
WP_FN void need_edges_together(const DeviceRun& run, bool reverse, u64 first, u64 length) {
    if (length == 0) return;
    u32 last = chunk_of(run, reverse, first + length - 1);
    for (u64 chunk = (u64)chunk_of(run, reverse, first) + thread(); chunk <= last; chunk += threads())
        need_chunk(run, (u32)chunk);
}

/// Returns `true` if this round visits an item that begins with the edge at `position`.
WP_FN bool is_in_round(const DeviceRun& run, bool reverse, u64 position) {
    u32 chunk = chunk_of(run, reverse, position);
    return chunk >= round_of_block().first_chunk && chunk < round_of_block().last_chunk;
}

/// Returns `true` if this round visits the rows of `v`, in a step whose rounds are those of vertices.
WP_FN bool is_vertex_in_round(u32 v) {
    return v >= round_of_block().first_vertex && v < round_of_block().last_vertex;
}

/// Finds the round after `last`, which has the chunks that are needed from there on, as far as the ring has room for
/// them. A round begins and ends at a multiple of 32 chunks. The leader calls this with all lanes.
struct ChunkRounds {
    WP_FN Round find(const DeviceRun& run, const Round& last) {
        Round round = {NOWHERE, NOWHERE, 0, 0, 0, 0, NOWHERE, 0};
        u32 words = (run.chunk_count + 31) / 32, chunks = 0;
        for (u32 begin = last.last_chunk / 32; begin < words && !round.more; begin += 32) {
            u32 word = begin + lane() < words ? load_fresh(&run.needed[begin + lane()]) : 0;
            u32 sum = chunks + inclusive_sum(__popc(word));
            u32 fits = __ballot_sync(ALL_LANES, sum <= run.round_chunks);
            u32 some = __ballot_sync(ALL_LANES, word != 0) & fits;
            if (some != 0) {
                if (round.first_chunk == NOWHERE) round.first_chunk = (begin + __ffs(some) - 1) * 32;
                round.last_chunk = (begin + 32 - __clz(some)) * 32;
            }
            round.more = fits != ALL_LANES;
            chunks = __shfl_sync(ALL_LANES, sum, 31);
        }
        if (round.first_chunk == NOWHERE) round.first_chunk = round.last_chunk = 0;
        round.end = round.last_chunk;
        return round;
    }
};

/// Returns the chunk after those of a vertex's row and of all rows before it.
WP_FN u32 end_of_rows(const DeviceRun& run, bool reverse, u32 v) {
    u64 edges = (reverse ? run.in_offsets : run.out_offsets)[v];
    return edges == 0 ? (reverse ? run.in_chunks : 0) : chunk_of(run, reverse, edges - 1) + 1;
}

/// Returns the number of chunks of the rows of ROWS of the vertices from `first` to `last`, and stores the chunks.
template <int ROWS>
WP_FN u32 chunks_of_vertices(const DeviceRun& run, u32 first, u32 last, Round& round) {
    u32 chunks = 0;
    if constexpr (ROWS & ROWS_OUT) {
        round.first_chunk = chunk_of(run, false, run.out_offsets[first]);
        round.last_chunk = end_of_rows(run, false, last);
        if (round.last_chunk > round.first_chunk) chunks += round.last_chunk - round.first_chunk;
    }
    if constexpr (ROWS & ROWS_IN) {
        round.first_in = chunk_of(run, true, run.in_offsets[first]);
        round.last_in = end_of_rows(run, true, last);
        if (round.last_in > round.first_in) chunks += round.last_in - round.first_in;
    }
    return chunks;
}

/// Finds the round of vertices after `last`: as many as the ring has room for the complete rows of. The ring has room for
/// those of any one vertex. Marks their chunks as needed. The leader calls this with all lanes.
template <int ROWS>
struct VertexRounds {
    WP_FN Round find(const DeviceRun& run, const Round& last) {
        Round round = {};
        u32 first = last.last_vertex, low = first + 1, high = run.vertices;
        while (low < high) {
            u32 middle = high - (high - low) / 2;
            if (chunks_of_vertices<ROWS>(run, first, middle, round) <= run.round_chunks) low = middle;
            else high = middle - 1;
        }
        chunks_of_vertices<ROWS>(run, first, low, round);
        round.first_vertex = first;
        round.last_vertex = low;
        round.end = NOWHERE;
        round.more = low < run.vertices;
        for (u32 chunk = round.first_chunk + lane(); chunk < round.last_chunk; chunk += 32) need_chunk(run, chunk);
        for (u32 chunk = round.first_in + lane(); chunk < round.last_in; chunk += 32) need_chunk(run, chunk);
        __syncwarp();
        return round;
    }
};

/// Returns the chunk of this lane among 32 adjacent ones from `begin`, a multiple of 32, on; NOWHERE if it is not needed
/// in the round from `first` to `last`.
WP_FN u32 needed_chunk(const DeviceRun& run, u32 begin, u32 first, u32 last) {
    u32 chunk = begin + lane();
    if (chunk < first || chunk >= last) return NOWHERE;
    return load_fresh(&run.needed[begin >> 5]) >> lane() & 1 ? chunk : NOWHERE;
}

/// Keeps the chunks from `first` to `last` that the round needs and that are in the ring.
WP_FN void keep_chunks(const DeviceRun& run, u32 first, u32 last, u32 number) {
    for (u32 begin = first / 32 * 32; begin < last; begin += 32) {
        u32 chunk = needed_chunk(run, begin, first, last);
        u32 slot = chunk == NOWHERE ? NOWHERE : run.slots[chunk];
        if (slot != NOWHERE) run.slot_rounds[slot] = number;
    }
}

/// Assigns slots to chunks, one per lane that `lacks` a slot, and requests the chunks. Passes over the slots of this round
/// and of the last ones, which the device may still read. Stores the slots of the requests for `copy_round`. Returns the
/// number of requests so far.
WP_FN u64 request_chunks(const DeviceRun& run, u32 chunk, bool lacks, u32 number, u64 posted) {
    Request* requests = (Request*)(run.requests + 1);
    for (u32 lacking = __ballot_sync(ALL_LANES, lacks); lacking;) {
        u32 hand = run.state->hand, slot = hand + lane();
        if (slot >= run.slot_count) slot -= run.slot_count;
        bool is_free = run.slot_rounds[slot] + ROUNDS - 1 < number;
        u32 found = __ballot_sync(ALL_LANES, is_free);
        u32 wanted = __popc(lacking), free = __popc(found);
        u32 count = wanted < free ? wanted : free;
        // Lane i of those that lack a slot gets the i-th free one.
        u32 own = __popc(lacking & ((1u << lane()) - 1));
        bool gets = (lacking >> lane() & 1) && own < count;
        u32 left = found;
        for (u32 i = 0; gets && i < own; ++i) left &= left - 1;
        u32 from = gets ? (u32)__ffs(left) - 1 : 0;
        u32 its_slot = __shfl_sync(ALL_LANES, slot, from);
        // All lanes have read what this lane may change.
        __syncwarp();
        if (gets) {
            u32 before = run.slot_chunks[its_slot];
            if (before != NOWHERE) run.slots[before] = NOWHERE;
            run.slots[chunk] = its_slot;
            run.slot_chunks[its_slot] = chunk;
            run.slot_rounds[its_slot] = number;
            u64 request = (posted + own) % run.slot_count;
            requests[request] = Request{chunk, number % ROUNDS};
            run.request_slots[request] = its_slot;
        }
        posted += count;
        u32 passed = 32;
        if (count == wanted) {
            u32 used = found;
            for (u32 i = 0; i + 1 < count; ++i) used &= used - 1;
            passed = __ffs(used);
        }
        __syncwarp();
        if (lane() == 0) run.state->hand = (hand + passed) % run.slot_count;
        lacking = __ballot_sync(ALL_LANES, (lacking >> lane() & 1) && !gets);
        __syncwarp();
    }
    return posted;
}

/// Requests the chunks from `first` to `last` that the round needs and that are not in the ring, and clears the marks of all
/// that it needs. Returns the number of requests so far.
WP_FN u64 request_between(const DeviceRun& run, u32 first, u32 last, u32 number, u64 posted) {
    for (u32 begin = first / 32 * 32; begin < last; begin += 32) {
        u32 chunk = needed_chunk(run, begin, first, last);
        u32 found = __ballot_sync(ALL_LANES, chunk != NOWHERE);
        if (found == 0) continue;
        // All lanes have read the word.
        __syncwarp();
        if (lane() == 0) run.needed[begin >> 5] &= ~found;
        __syncwarp();
        posted = request_chunks(run, chunk, chunk != NOWHERE && run.slots[chunk] == NOWHERE, number, posted);
    }
    return posted;
}

/// Returns the number of this device's requests so far.
WP_FN u64 own_requests(const DeviceRun& run) {
    u64 requests = 0;
    for (u32 i = 0; i < ROUNDS; ++i) requests += load_fresh(&run.state->posted[i]);
    return requests;
}

/// Returns the number of requests so far. With several devices, these are the requests that all of them had told at the last
/// barrier.
WP_FN u64 chunks_requested(const DeviceRun& run) {
    return WP_SEVERAL ? load_fresh(&run.control->chunks) : own_requests(run);
}

/// Finds the round after `last` and requests its chunks. The leader calls this with all lanes.
template <typename Find>
WP_CALL Round request_round(const Round& last, u64 number) {
    const DeviceRun& run = run_of_block();
    StreamState* state = run.state;
    Round round = Find::find(run, last);
    u32 low = (u32)number;
    keep_chunks(run, round.first_chunk, round.last_chunk, low);
    keep_chunks(run, round.first_in, round.last_in, low);
    __syncwarp();
    u64 before = own_requests(run);
    u64 posted = request_between(run, round.first_chunk, round.last_chunk, low, before);
    posted = request_between(run, round.first_in, round.last_in, low, posted);
    __syncwarp();
    round.requests = before;
    round.requested = posted - before;
    if (lane() == 0) {
        state->rounds[number % ROUNDS] = round;
        state->posted[number % ROUNDS] += posted - before;
        if (posted != before) release_to_host(&run.requests->posted, posted);
#if WP_SEVERAL
        told_by_block().chunks += (u32)(posted - before);
#endif
    }
    __syncwarp();
    return round;
}

/// Waits until the host has read the chunks of a round. If it serves no more requests, the round becomes the last one
/// and has no edges, and the run ends with a fault.
WP_FN void await_round(const DeviceRun& run, u64 number) {
    if (lane() != 0) return;
    Requests* requests = run.requests;
    u32 at = number % ROUNDS;
    bool failed = false;
    while (!failed && acquire_from_host(&requests->done[at]) < run.state->posted[at])
        failed = acquire_from_host(&requests->failed) != 0;
    if (!failed) return;
    run.state->rounds[at] = Round{};
    run.state->failed = 1;
    report(run.control, 1, PLACE_ROWS, 0, 0);
}

/// Copies the chunks that were requested for a round from the staging memory to their slots, with some warps of each block.
/// The other warps continue with the visit. The leader's block copies nothing if there are others, so that the leader's reads
/// need not wait for those of its multiprocessor over the link.
WP_FN void copy_round(const DeviceRun& run, u64 number) {
    constexpr u32 AHEAD = 4, PIECE = AHEAD * 32 * 16;
    const Round* round = &run.state->rounds[number % ROUNDS];
    u64 before = load_fresh(&round->requests), count = load_fresh(&round->requested);
    u32 pieces = run.slot_bytes / PIECE, blocks = gridDim.x, block = blockIdx.x;
    if ((blocks > 1 && block == 0) || warp_in_block() >= COPYING_WARPS) return;
    if (blocks > 1) --blocks, --block;
    u32 copying = blocks * COPYING_WARPS;
    for (u64 i = warp_in_block() * blocks + block; i < count * pieces; i += copying) {
        u64 request = before + i / pieces;
        u64 at = i % pieces * PIECE + lane() * 16;
        const u8* from = run.staging + request % run.staging_count * run.slot_bytes + at;
        u8* to = run.ring + (u64)run.request_slots[request % run.slot_count] * run.slot_bytes + at;
        Quad quads[AHEAD];
#pragma unroll
        for (u32 j = 0; j < AHEAD; ++j) quads[j] = load_from_host((const Quad*)(from + j * 32 * 16));
#pragma unroll
        for (u32 j = 0; j < AHEAD; ++j) *(Quad*)(to + j * 32 * 16) = quads[j];
    }
}

/// Calls `visit` once per round, in which the edges of the round can be read. `Find` divides the step into rounds. All
/// threads must call this.
template <typename Find, typename Visit>
WP_FN void for_each_round(const DeviceRun& run, Visit visit) {
    Control* control = run.control;
    StreamState* state = run.state;
    // All chunks that the step needs are marked after this. Each of several devices has rounds of its own.
    await_device(control, &control->fault);
    // In the first rounds, the slots of all rounds before are free.
    u64 first = load_fresh(&state->done) + ROUNDS, requested = first, number = first - 1;
    Round last = {};
    last.more = 1;
    auto request_until = [&](u64 end) {
        for (; leads() && last.more && requested < end; ++requested) last = request_round<Find>(last, requested);
    };
    if (leads() && state->failed) {
        // The run is about to end. Until then, steps have no edges.
        last.more = 0;
        __syncwarp();
        if (lane() == 0) state->rounds[first % ROUNDS] = Round{};
    }
    request_until(first + ROUNDS - 1);
    // Before the first round, its chunks are copied.
    for (bool more = true; more; ++number) {
        if (leads() && requested > number + 1) await_round(run, number + 1);
        // All threads have visited the round before, whose slots are free now, and have copied the chunks of this one.
        await_device(control, &control->fault);
        if (threadIdx.x == 0) round_of_block() = number < first ? Round{} : state->rounds[number % ROUNDS];
        __syncthreads();
        more = number < first || round_of_block().more;
        request_until(number + ROUNDS);
        if (more) copy_round(run, number + 1);
        if (number >= first) visit();
    }
    if (leads() && lane() == 0) {
        state->done = number - ROUNDS;
        ++state->passes;
    }
}

#else

struct ChunkRounds {};
template <int ROWS>
struct VertexRounds {};

WP_FN void need_edges(const DeviceRun&, bool, u64, u64) {}
WP_FN void need_edges_together(const DeviceRun&, bool, u64, u64) {}
WP_FN bool is_in_round(const DeviceRun&, bool, u64) { return true; }
WP_FN u64 chunks_requested(const DeviceRun&) { return 0; }
WP_FN bool is_vertex_in_round(u32) { return true; }

template <typename Find, typename Visit>
WP_FN void for_each_round(const DeviceRun&, Visit visit) {
    visit();
}

#endif

/// Returns the first part of the rows (`send.cuh`) that this round visits, if `outs` parts are of out-rows.
WP_FN u32 first_part_in_round(const DeviceRun& run, u32 outs) {
#if WP_STREAMED
    u32 chunk = round_of_block().first_chunk;
    bool reverse = chunk >= run.in_chunks;
    u64 begin = (u64)(chunk - (reverse ? run.in_chunks : 0)) << run.chunk_shift;
    u32 part = (u32)(begin / TAKEN_EDGES);
    // The chunks of out-rows have no parts if vertices send along their in-rows only.
    return reverse ? outs + part : part < outs ? part : outs;
#else
    return 0;
#endif
}

/// Returns the part after the last one that this round visits. There are `all` parts, of which `outs` are of out-rows.
WP_FN u32 last_part_in_round(const DeviceRun& run, u32 outs, u32 all) {
#if WP_STREAMED
    u32 chunk = round_of_block().last_chunk;
    bool reverse = chunk > run.in_chunks;
    u64 end = (u64)(chunk - (reverse ? run.in_chunks : 0)) << run.chunk_shift;
    u64 last = (reverse ? outs : 0) + (end + TAKEN_EDGES - 1) / TAKEN_EDGES;
    u32 most = reverse ? all : outs;
    return last < most ? (u32)last : most;
#else
    return all;
#endif
}

/// Marks the chunks of a queue's items as needed in this step.
template <int ROWS>
WP_FN void need_items(const DeviceRun& run, const Item* queue, u32 count) {
    for (u32 i = thread(); WP_STREAMED && i < count; i += threads()) {
        Item item = queue[i];
        need_edges(run, is_reverse<ROWS>(item), item.first, item.length & ITEM_LENGTH);
    }
}

/// Returns `true` if this round visits an item, which must have edges.
template <int ROWS>
WP_FN bool has_item(const DeviceRun& run, const Item& item) {
    return is_in_round(run, is_reverse<ROWS>(item), item.first);
}

}  // namespace wp
