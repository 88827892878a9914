// Gathering with slots (`slots.cuh`): a warp gathers an item of a long row, block by block, and a lane a short row, down its
// column. The results are kept until all rows are gathered.
#pragma once

namespace wp {

#if WP_SLOTS

/// Number of messages that a thread copies at a time.
constexpr u32 COPIED_AHEAD = sizeof(SentMessage) <= 8 ? 8 : 1;

/// Copies the first messages to shared memory. All threads must call this.
WP_FN void load_hot_messages(const DeviceRun& run) {
    const SentMessage* all = (const SentMessage*)run.sent;
    SentMessage* copy = (SentMessage*)requested_room();
    u32 count = run.hot_count;
#pragma unroll 1
    for (u32 begin = threadIdx.x; begin < count; begin += BLOCK_THREADS * COPIED_AHEAD) {
        SentMessage messages[COPIED_AHEAD];
#pragma unroll
        for (u32 j = 0; j < COPIED_AHEAD; ++j) {
            u32 i = begin + j * BLOCK_THREADS;
            messages[j] = all[i < count ? i : begin];
        }
#pragma unroll
        for (u32 j = 0; j < COPIED_AHEAD; ++j) {
            u32 i = begin + j * BLOCK_THREADS;
            if (i < count) copy[i] = messages[j];
        }
    }
    __syncthreads();
}

#if WP_ADDS

/// Number of ends that a lane reads ahead: all of an item.
constexpr u32 ENDS_AHEAD = SEGMENT_EDGES / 32;

static_assert(NO_SLOT == 0, "what `word_if_below` returns for an absent word is the end of no edge");

/// Reads this lane's words in the first blocks of 32 words, of which there are `count`, from its first word on. Others are
/// NO_SLOT.
WP_FN void read_ends(const u32* from, u32 count, u32 (&ends)[ENDS_AHEAD]) {
#pragma unroll
    for (u32 j = 0; j < ENDS_AHEAD; ++j) ends[j] = word_if_below(from + 32 * j, j, count);
}

/// Adds the messages along the first COUNT of these edges to a sum, one after the other.
template <u32 COUNT>
WP_FN f64 add_first(const SentMessages& messages, const u32 (&ends)[ENDS_AHEAD], f64 sum) {
    SentMessage all[COUNT];
#pragma unroll
    for (u32 j = 0; j < COUNT; ++j) all[j] = message_from(messages, ends[j]);
#pragma unroll
    for (u32 j = 0; j < COUNT; ++j) sum += all[j];
    return sum;
}

/// Adds the messages along these edges, of which the first `count` exist. The other ends cost time, but change no sum.
WP_FN f64 add_ends(const SentMessages& messages, const u32 (&ends)[ENDS_AHEAD], u32 count, f64 sum) {
    if (count > ENDS_AHEAD / 2) return add_first<ENDS_AHEAD>(messages, ends, sum);
    return count > ENDS_AHEAD / 4 ? add_first<ENDS_AHEAD / 2>(messages, ends, sum)
                                  : add_first<ENDS_AHEAD / 4>(messages, ends, sum);
}

/// Adds each of four numbers over all lanes, in the order of `combine_lanes`. Returns the sum of the number with index
/// `lane() % 4`.
WP_FN f64 combine_four(const f64 (&sums)[4]) {
    bool upper = lane() & 16;
    f64 even = upper ? sums[2] : sums[0], odd = upper ? sums[3] : sums[1];
    even += __shfl_xor_sync(ALL_LANES, upper ? sums[0] : sums[2], 16);
    odd += __shfl_xor_sync(ALL_LANES, upper ? sums[1] : sums[3], 16);
    bool is_odd = lane() & 8;
    f64 sum = is_odd ? odd : even;
    sum += __shfl_xor_sync(ALL_LANES, is_odd ? even : odd, 8);
#pragma unroll
    for (u32 distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    return __shfl_sync(ALL_LANES, sum, (lane() & 2) * 8 + (lane() & 1) * 8);
}

/// Gathers 32 items, of which each lane has one. Returns the sum of the lane's item.
WP_FN f64 sum_items(const SentMessages& messages, const u32* item_ends, const Blocks& own) {
    f64 sum = -0.0;
    const u32* mine = item_ends + lane();
    u32 ends[2][ENDS_AHEAD];
    u32 count = __shfl_sync(ALL_LANES, own.count, 0);
    read_ends(mine + (u64)__shfl_sync(ALL_LANES, own.first, 0) * 32, count, ends[0]);
#pragma unroll 1
    for (u32 i = 0; i < 32; i += 4) {
        f64 sums[4];
#pragma unroll
        for (u32 j = 0; j < 4; ++j) {
            // The ends of the next item are read while this one's messages are on the way.
            u32 next = __shfl_sync(ALL_LANES, own.count, (i + j + 1) & 31);
            if (j == 3 && i == 28) next = 0;
            read_ends(mine + (u64)__shfl_sync(ALL_LANES, own.first, (i + j + 1) & 31) * 32, next, ends[(j + 1) % 2]);
            sums[j] = add_ends(messages, ends[j % 2], count, -0.0);
            count = next;
        }
        f64 all = combine_four(sums);
        if (lane() / 4 == i / 4) sum = all;
    }
    return sum;
}

#endif

/// Gathers the items of the gather queue, which are the parts of long rows, by a warp each.
WP_CALL void gather_long_rows(u32 count) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    const SentMessages messages = sent_messages(run);
    const u32* item_ends = run.item_ends;
    Partial* partials = partials_of_items(run);
    for (u32 begin = warp() * 32; begin < count;) {
        // Requests the next items now; they are needed after the current items.
        u32 taken = 0;
        if (lane() == 0) taken = (u32)atomicAdd(&run.control->received[1].counted, 1ull);
        Blocks own = begin + lane() < count ? run.item_blocks[begin + lane()] : Blocks{0, 0};
#if WP_ADDS
        f64 sum = sum_items(messages, item_ends, own);
        if (begin + lane() < count) partials[begin + lane()] = Partial{true, sum};
#else
        Item items = begin + lane() < count ? run.gather[begin + lane()] : Item{0, 0, 0};
        u32 taken_items = count - begin < 32 ? count - begin : 32;
#pragma unroll 1
        for (u32 i = 0; i < taken_items; ++i) {
            Item item = shuffle(items, i);
            Blocks blocks = shuffle(own, i);
            const u32* from = item_ends + (u64)blocks.first * 32 + lane();
            auto read = [&](u32 first, u32 (&found)[SENT_AHEAD]) {
#pragma unroll
                for (u32 j = 0; j < SENT_AHEAD; ++j)
                    found[j] = word_if_below(from + first + 32 * j, first / 32 + j, blocks.count);
            };
            Partial partial = add_messages<true>(run, params, messages, item.length & ITEM_LENGTH, item.vertex, read);
            partial = combine_lanes(run, params, partial, item.vertex);
            if (lane() == 0) partials[begin + i] = partial;
        }
#endif
        begin = (warps() + __shfl_sync(ALL_LANES, taken, 0)) * 32;
    }
}

/// Number of slices that a warp takes together.
constexpr u32 TAKEN_SLICES = 2;

/// Gathers the slices from `begin` to `end`, a row by each lane.
WP_FN void gather_slices(const DeviceRun& run, const Params& params, const SentMessages& messages, const Slices& slices,
                         u32 begin, u32 end) {
    const u32* mine = run.columns + lane();
    Partial* partials = (Partial*)run.partials;
#if WP_ADDS
    Slice slice = slice_of(slices, begin);
    u32 ends[ENDS_AHEAD];
    read_ends(mine + slice.first, slice.length, ends);
#pragma unroll 1
    for (u32 number = begin; number < end; ++number) {
        u32 v = run.short_rows[number * 32 + lane()];
        // The first ends of the next slice are read while this one's messages are on the way.
        Slice next = slice_of(slices, number + 1);
        if (number + 1 == end) next.length = 0;
        u32 later[ENDS_AHEAD];
        read_ends(mine + next.first, next.length, later);
        f64 sum = add_ends(messages, ends, slice.length, -0.0);
#pragma unroll 1
        for (u32 i = ENDS_AHEAD; i < slice.length; i += ENDS_AHEAD) {
            read_ends(mine + slice.first + i * 32, slice.length - i, ends);
            sum = add_ends(messages, ends, slice.length - i, sum);
        }
        if (v != NO_ROW) partials[v] = Partial{true, sum};
#pragma unroll
        for (u32 j = 0; j < ENDS_AHEAD; ++j) ends[j] = later[j];
        slice = next;
    }
#else
#pragma unroll 1
    for (u32 number = begin; number < end; ++number) {
        u32 v = run.short_rows[number * 32 + lane()];
        Slice slice = slice_of(slices, number);
        auto read = [&](u32 first, u32 (&found)[SENT_AHEAD]) {
#pragma unroll
            for (u32 j = 0; j < SENT_AHEAD; ++j)
                found[j] = word_if_below(mine + slice.first + (first + j) * 32, first + j, slice.length);
        };
        if (v != NO_ROW) partials[v] = add_messages<false>(run, params, messages, slice.length, v, read);
    }
#endif
}

/// Gathers all slices of short rows.
WP_CALL void gather_short_rows(u64 step) {
    const DeviceRun& run = run_of_block();
    const Params& params = params_of_block();
    const SentMessages messages = sent_messages(run);
    const Slices slices = slices_by_lane(run);
    u32 count = run.slice_count;
    for (u32 begin = warp() * TAKEN_SLICES; begin < count;) {
        // Requests the next slices now; they are needed after these.
        u32 taken = 0;
        if (lane() == 0) taken = (u32)atomicAdd(&run.control->taken[step & 1], 1ull);
        gather_slices(run, params, messages, slices, begin, begin + TAKEN_SLICES < count ? begin + TAKEN_SLICES : count);
        begin = (warps() + __shfl_sync(ALL_LANES, taken, 0)) * TAKEN_SLICES;
    }
}

/// Executes the first half of a step: gathers all rows. A warp that finds no more long rows takes short ones.
WP_FN void gather_rows(u32 count, u64 step) {
    load_hot_messages(run_of_block());
    gather_long_rows(count);
    gather_short_rows(step);
}

#endif

}  // namespace wp
