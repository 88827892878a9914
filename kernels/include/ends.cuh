// Reading the ends of edges, which no other header does. They are stored plainly, one word each, or packed
// (WP_PACKED): docs/file-format.md, section "Packed rows", specifies the layout bit by bit.
//
// A packed end takes two parts. The first part reads the number that is stored for the edge: the first end of a block,
// or the difference to the end before. The second part adds the numbers of the block up to the edge. The parts are
// separate so that a lane can have the reads of several edges in flight; without packing, the second part does nothing.
// A warp that visits adjacent edges adds by a prefix sum, and a lane alone adds as it goes.
//
// An item has at most the edges that are packed together: 32 (a block) when vertices send along them, and 256 (a segment)
// when vertices gather.
#pragma once

namespace wp {

#if WP_PACKED

/// Number of ends per block and per segment, and of rows per band.
constexpr u32 BLOCK_ENDS = 32;
constexpr u32 SEGMENT_ENDS = 256;
constexpr u32 BAND_ROWS = 64;

static_assert(SEGMENT_EDGES == (WP_SCHEDULE == WP_PULL ? SEGMENT_ENDS : BLOCK_ENDS),
              "an item contains exactly the ends of a block, or of a segment");

/// Returns the number of bits of the first end of each block.
WP_FN u32 first_bits(const DeviceRun& run) { return run.vertices > 1 ? 32 - (u32)__clz((int)(run.vertices - 1)) : 0; }

/// Returns the number of `width` bits, at most 32, at bit `at`.
WP_FN u32 bits_at(const u32* words, u32 at, u32 width) {
    const u32* word = words + (at >> 5);
    return __funnelshift_r(word[0], word[1], at) & __funnelshift_lc(~0u, 0, width);
}

/// Returns the eight bytes from byte `at` on, the first of them lowest.
WP_FN u64 bytes_at(const u32* words, u64 at) {
    const u32* word = words + (at >> 2);
    u32 shift = (u32)(at & 3) * 8;
    return (u64)__funnelshift_r(word[1], word[2], shift) << 32 | __funnelshift_r(word[0], word[1], shift);
}

/// Returns the array from which packed rows are read at byte `at`. If they live in host memory, the first of them are
/// also on the device.
WP_FN const u32* words_at(const DeviceRun& run, bool reverse, u64 at) {
    const u32* words = reverse ? run.in_ends : run.out_ends;
#if WP_ROWS_ON_HOST
    if (at < (reverse ? run.in_resident : run.out_resident)) words = reverse ? run.in_head : run.out_head;
#endif
    return words;
}

/// Returns the sum of the lowest `count` bytes, at most 7. They are at most 32 each.
WP_FN u32 sum_of_bytes(u64 bytes, u32 count) {
    return (u32)((bytes & ((1ull << 8 * count) - 1)) * 0x0101010101010101ull >> 56);
}

/// A segment of a row: where its blocks are, and how many ends it has.
struct Ends {
    const u32* words;
    u64 bit;     // position of the first block
    u64 widths;  // of each block, in a byte; bytes after the last one are undefined
    u32 length;
};

/// A block: the position of its first number and the width of the others.
struct Block {
    u64 bit;
    u32 width;
};

/// Returns the number of blocks of this many ends.
WP_FN u32 blocks_of(u32 length) { return (length + BLOCK_ENDS - 1) / BLOCK_ENDS; }

/// Returns the segment that contains the end at `index` of the row of `v`.
WP_FN Ends ends_of(const DeviceRun& run, bool reverse, u32 v, Row row, u64 index) {
    u64 at = (reverse ? run.in_bands : run.out_bands)[v / BAND_ROWS] + (reverse ? run.in_starts : run.out_starts)[v];
    u64 left = row.length;
    if (row.length > SEGMENT_ENDS) {
        // A long row has an index, whose position and entries are aligned words of 64 bits.
        u64 entry = ((const u64*)words_at(run, reverse, at))[at >> 3] + index / SEGMENT_ENDS * 8;
        at = ((const u64*)words_at(run, reverse, entry))[entry >> 3];
        left -= index / SEGMENT_ENDS * SEGMENT_ENDS;
    }
    u32 length = left < SEGMENT_ENDS ? (u32)left : SEGMENT_ENDS;
    const u32* words = words_at(run, reverse, at);
#if WP_ROWS_ON_HOST
    // A copy of the widths is on the device, so that they need not cross the link before the ends are requested. No two
    // rows have a byte of it in common.
    u64 copy = row.first / BLOCK_ENDS + v + index / SEGMENT_ENDS * (SEGMENT_ENDS / BLOCK_ENDS);
    u64 widths = bytes_at(reverse ? run.in_widths : run.out_widths, copy);
#else
    u64 widths = bytes_at(words, at);
#endif
    return Ends{words, 8 * (at + blocks_of(length)), widths, length};
}

/// Returns a block of a segment.
WP_FN Block block_of(const DeviceRun& run, const Ends& ends, u32 number) {
    u32 before = number * first_bits(run) + (BLOCK_ENDS - 1) * sum_of_bytes(ends.widths, number);
    return Block{ends.bit + before, (u32)(ends.widths >> 8 * number & 0xff)};
}

/// Returns the position behind the last block of a segment that has ends.
WP_FN u64 bits_end(const DeviceRun& run, const Ends& ends) {
    u32 last = blocks_of(ends.length) - 1;
    Block block = block_of(run, ends, last);
    return block.bit + first_bits(run) + (ends.length - last * BLOCK_ENDS - 1) * block.width;
}

/// Returns the number that is stored for the end at `index` of a block.
WP_FN u32 number_at(const DeviceRun& run, const u32* words, Block block, u32 index) {
    u32 first = first_bits(run), at = (u32)(block.bit & 31);
    if (index > 0) at += first + (index - 1) * block.width;
    return bits_at(words + (block.bit >> 5), at, index == 0 ? first : block.width);
}

/// Returns the end at `index` of a block by adding up all numbers before it.
WP_FN u32 end_in_block(const DeviceRun& run, const u32* words, Block block, u32 index) {
    u32 end = 0;
#pragma unroll 1
    for (u32 i = 0; i <= index; ++i) end += number_at(run, words, block, i);
    return end;
}

/// Converts the numbers of adjacent edges, one per team of TEAM adjacent lanes, to ends. `heads` are the lanes whose
/// number is an end already. `last` is the end of the edge before those of lane 0, and becomes that of the last lane.
/// All lanes must call this.
template <u32 TEAM>
WP_FN u32 end_of_number(u32 number, u32 heads, u32& last) {
    u32 below = heads & (ALL_LANES >> (31 - lane()));
    u32 start = below ? (31 - (u32)__clz((int)below)) & ~(TEAM - 1) : 0;
#pragma unroll
    for (u32 distance = TEAM; distance < 32; distance *= 2) {
        u32 before = __shfl_up_sync(ALL_LANES, number, distance);
        if (lane() >= start + distance) number += before;
    }
    if (below == 0) number += last;
    last = __shfl_sync(ALL_LANES, number, 31);
    return number;
}

/// Converts the numbers of adjacent edges to ends: AHEAD adjacent ones per team of TEAM adjacent lanes. `are_ends` tells
/// which numbers are ends already. `last` is the end of the edge before those of lane 0, and becomes that of the last
/// lane's last edge. All lanes must call this.
template <u32 TEAM, u32 AHEAD>
WP_FN void ends_of_numbers(u32 (&numbers)[AHEAD], const bool (&are_ends)[AHEAD], u32& last) {
    u32 sum = 0;
    bool has_end = false;
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        sum = are_ends[j] ? numbers[j] : sum + numbers[j];
        has_end |= are_ends[j];
    }
    u32 first = last;
    u32 behind = end_of_number<TEAM>(sum, __ballot_sync(ALL_LANES, has_end), last);
    u32 end = __shfl_up_sync(ALL_LANES, behind, TEAM);
    if (lane() < TEAM) end = first;
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) numbers[j] = end = are_ends[j] ? numbers[j] : end + numbers[j];
}

/// Returns the ends that a lane visits alone: those at `i` and after it, all in the first block of `ends`. Past the end
/// of the block, returns the last end. `last` is the end before `i`; it is 0 at first.
template <u32 AHEAD>
WP_FN void ends_alone(const DeviceRun& run, const Ends& ends, u32 i, u32& last, u32 (&found)[AHEAD]) {
    Block block = block_of(run, ends, 0);
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j)
        found[j] = i + j < ends.length ? number_at(run, ends.words, block, i + j) : 0;
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) found[j] = last += found[j];
}

/// Returns the ends that all lanes of a warp visit together: of each 32 adjacent edges from index `i` of the row on, one
/// per lane. `ends` contains them, and `i` is a multiple of 32 * AHEAD. Past the end of the segment, returns its last
/// end. All lanes must call this with the same arguments.
template <u32 AHEAD>
WP_FN void ends_together(const DeviceRun& run, const Ends& ends, u64 i, u32 (&found)[AHEAD]) {
    static_assert(SEGMENT_ENDS % (BLOCK_ENDS * AHEAD) == 0, "the edges that are visited at a time are in one segment");
    u32 first = (u32)(i % SEGMENT_ENDS);
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        bool has = first + BLOCK_ENDS * j + lane() < ends.length;
        found[j] = 0;
        if (has) found[j] = number_at(run, ends.words, block_of(run, ends, first / BLOCK_ENDS + j), lane());
    }
    u32 last = 0;
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) found[j] = end_of_number<1>(found[j], first + BLOCK_ENDS * j < ends.length, last);
}

/// Returns the end of the edge at `position`, which is in the row of `v`.
WP_FN u32 end_at(const DeviceRun& run, bool reverse, u32 v, u64 position) {
    Row row = row_of(reverse ? run.in_offsets : run.out_offsets, v);
    u32 index = (u32)((position - row.first) % SEGMENT_ENDS);
    Ends ends = ends_of(run, reverse, v, row, position - row.first);
    return end_in_block(run, ends.words, block_of(run, ends, index / BLOCK_ENDS), index % BLOCK_ENDS);
}

/// Returns the segment that contains an item along whose edges a vertex sends, and sets `index` to that of its first
/// edge in the segment. The item must have edges.
WP_FN Ends segment_of_item(const DeviceRun& run, const Item& item, u32& index) {
    bool reverse = is_reverse<SEND_ROWS>(item);
    Row row = row_of(reverse ? run.in_offsets : run.out_offsets, item.vertex);
    u64 from = item.first - row.first;
    index = (u32)(from % SEGMENT_ENDS);
    return ends_of(run, reverse, item.vertex, row, from);
}

#if WP_SCHEDULE == WP_PULL

/// Position of an item's ends. The item is a segment.
struct ItemEnds {
    u64 bit;
    u64 widths;
};

WP_FN ItemEnds ends_of_item(const DeviceRun& run, const Item& item) {
    u32 index = 0;
    Ends ends = segment_of_item(run, item, index);
    return ItemEnds{ends.bit, ends.widths};
}

/// Returns `true` if the number of the edge at `index` of an item is its end.
WP_FN bool is_head(u32 index) { return index % BLOCK_ENDS == 0; }

/// Returns the array from which an item's ends are read.
WP_FN const u32* words_of_item(const DeviceRun& run, bool reverse, const ItemEnds& item) {
    return words_at(run, reverse, item.bit / 8);
}

/// Returns the number of the edge at `index` of an item whose ends are in `words`.
WP_FN u32 number_in_item(const DeviceRun& run, const u32* words, const ItemEnds& item, u32 index) {
    Block block = block_of(run, Ends{words, item.bit, item.widths, SEGMENT_ENDS}, index / BLOCK_ENDS);
    return number_at(run, words, block, index % BLOCK_ENDS);
}

#else

/// Position of an item's ends. The item is a part of one block. There are two words, because lanes pass them to each other.
struct ItemEnds {
    u32 word;  // the word in which the block begins
    u32 rest;  // bits 0-4: the bit in the word; bits 5-9: index of the item's first edge in the block; others: the width
};

WP_FN ItemEnds ends_of_item(const DeviceRun& run, const Item& item) {
    u32 index = 0;
    Ends ends = segment_of_item(run, item, index);
    Block block = block_of(run, ends, index / BLOCK_ENDS);
    return ItemEnds{(u32)(block.bit >> 5), block.width << 10 | index % BLOCK_ENDS << 5 | (u32)(block.bit & 31)};
}

/// Returns `true` if the number of the edge at `index` of an item is its end.
WP_FN bool is_head(u32 index) { return index == 0; }

/// Returns the number of bytes of the ends of an item with `length` edges, from its word on.
WP_FN u32 bytes_of_item(const DeviceRun& run, const ItemEnds& item, u32 length) {
    u32 last = (item.rest >> 5 & 31) + length - 1;
    return ((item.rest & 31) + first_bits(run) + last * (item.rest >> 10) + 7) / 8;
}

/// Returns the array from which an item's ends are read.
WP_FN const u32* words_of_item(const DeviceRun& run, bool reverse, const ItemEnds& item) {
    return words_at(run, reverse, (u64)item.word * 4);
}

/// Returns the number of the edge at `index` of an item whose ends are in `words`; of the first edge, its end.
WP_FN u32 number_in_item(const DeviceRun& run, const u32* words, const ItemEnds& item, u32 index) {
    words += item.word;
    Block block = {item.rest & 31, item.rest >> 10};
    if constexpr (!WP_LOCAL_ROUNDS) return number_at(run, words, block, index);
    // Items that hops leave begin within a block.
    u32 first = item.rest >> 5 & 31;
    u32 number = number_at(run, words, block, first + index);
    if (index == 0 && first > 0) number += end_in_block(run, words, block, first - 1);
    return number;
}

#endif

/// Returns the end of the edge at index `lane()` of an item of up to 32 edges; past its end, the last one. All lanes must
/// call this with the same item.
WP_FN u32 end_in_item(const DeviceRun& run, const Item& item) {
    u32 number = 0, last = 0;
    if (lane() < (item.length & ITEM_LENGTH)) {
        ItemEnds ends = ends_of_item(run, item);
        const u32* words = words_of_item(run, is_reverse<SEND_ROWS>(item), ends);
        number = number_in_item(run, words, ends, lane());
    }
    return end_of_number<1>(number, 1, last);
}

#else

/// Ends of a row, or of an item.
struct Ends {
    const u32* ends;
    u64 length;
};

/// Returns the array from which the end at `position` is read, and up to 255 ends after it. If the ends live in host
/// memory, the first of them are also on the device. If they are streamed, they are in the ring.
WP_FN const u32* ends_at(const DeviceRun& run, bool reverse, u64 position) {
#if WP_STREAMED
    return in_ring<u32>(run, reverse, position, 0);
#else
    const u32* ends = reverse ? run.in_ends : run.out_ends;
#if WP_ROWS_ON_HOST
    if (position < (reverse ? run.in_resident : run.out_resident)) ends = reverse ? run.in_head : run.out_head;
#endif
    return ends;
#endif
}

/// Returns the ends of a row, to be read at `index` and at up to 255 indices after it.
WP_FN Ends ends_of(const DeviceRun& run, bool reverse, u32, Row row, u64 index) {
    return Ends{ends_at(run, reverse, row.first + index) + row.first, row.length};
}

/// Does nothing: all numbers are ends.
template <u32 TEAM, u32 AHEAD>
WP_FN void ends_of_numbers(u32 (&)[AHEAD], const bool (&)[AHEAD], u32&) {}

/// Returns the ends that a lane visits alone: those at `i` and after it. An index past the end is replaced by that of the
/// last edge, so that no branch is needed and all loads are in flight together.
template <u32 AHEAD>
WP_FN void ends_alone(const DeviceRun&, const Ends& ends, u32 i, u32&, u32 (&found)[AHEAD]) {
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) found[j] = ends.ends[i + j < ends.length ? i + j : ends.length - 1];
}

/// Returns the ends that all lanes of a warp visit together: of each 32 adjacent edges from `i` on, one per lane.
template <u32 AHEAD>
WP_FN void ends_together(const DeviceRun&, const Ends& ends, u64 i, u32 (&found)[AHEAD]) {
    const u32* from = ends.ends + i;
    u32 left = (u32)(ends.length - i < 32 * AHEAD ? ends.length - i : 32 * AHEAD);
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
        u32 at = 32 * j + lane();
        found[j] = from[at < left ? at : left - 1];
    }
}

/// Returns the end of the edge at `position`, which is in the row of `v`.
WP_FN u32 end_at(const DeviceRun& run, bool reverse, u32, u64 position) {
    return ends_at(run, reverse, position)[position];
}

/// Returns the end of the edge at index `lane()` of an item of up to 32 edges; 0 past its end.
WP_FN u32 end_in_item(const DeviceRun& run, const Item& item) {
    bool reverse = is_reverse<SEND_ROWS>(item);
    if (lane() >= (item.length & ITEM_LENGTH)) return 0;
    return end_at(run, reverse, item.vertex, item.first + lane());
}

#endif

/// In place of the first end of a row without edges.
constexpr u32 NO_END = 0xffffffffu;

/// Returns the first end of the row of `v`, which must have edges. The device can have an array of these ends (WP_FIRST_ENDS):
/// if rows live in host memory, or for union-find on several devices.
WP_FN u32 first_end(const DeviceRun& run, bool reverse, u32 v, Row row) {
#if WP_FIRST_ENDS
    return (reverse ? run.in_first_ends : run.out_first_ends)[v];
#else
    return end_at(run, reverse, v, row.first);
#endif
}

}  // namespace wp
