// Copies of nearby parts of an array in host memory to a warp's shared memory. The link carries aligned requests of 128
// bytes twice as fast as those of 32 bytes, and a warp that copies adjacent rows requests each byte once.
#pragma once

namespace wp {

/// Bytes of adjacent memory that the lanes `near` read; `base` is aligned.
struct Nearby {
    u32 near;
    u64 base;
    u32 length;
};

/// Returns the bytes of the lowest lane of `waiting`, which reads those from `begin` to `end`, and of all lanes of
/// `waiting` that are not far behind it: `room` bytes contain them all. All lanes must call this.
WP_FN Nearby nearby(u64 begin, u64 end, u32 waiting, u32 room) {
    constexpr u64 LINE = 128;
    u64 base = shuffle(begin, __ffs(waiting) - 1) / LINE * LINE;
    bool is_near = (waiting >> lane() & 1) && begin >= base && end <= base + room;
    return Nearby{__ballot_sync(ALL_LANES, is_near), base, max_of_lanes(is_near ? (u32)(end - base) : 0)};
}

/// Copies bytes to the requested shared memory, at `to`. All lanes must call this, and all lanes have read what was there
/// before.
WP_FN void copy_nearby(const Nearby& bytes, u32 to) {
#pragma unroll 4
    for (u32 at = lane() * 16; at < bytes.length; at += 32 * 16) {
        u32 words[4];
        memcpy(words, (const uint4*)(bytes.base + at), 16);
        store_four(requested_shared_memory() + to + at, words);
    }
}

// `true` if weights are copied, too. Wider ones take a request of 128 bytes per item anyway.
#define WP_COPIES_WEIGHTS (WP_COPIED && WP_READS_EDGE_WEIGHT && WP_HAS_WEIGHTS && WP_SIZE_STORED_WEIGHT <= 2)

#if WP_COPIED

/// Position of this warp's copies in the requested shared memory: first ends, then weights.
WP_FN u32 room_for_copies() { return warp_in_block() * (COPIED_ENDS + COPIED_WEIGHTS); }

#endif

#if WP_COPIES_WEIGHTS

/// Weights that a warp has copied.
struct CopiedWeights {
    u64 base;    // where they were copied from
    u64 length;  // in bytes; 0 if there are none
};

/// Returns the weights that this warp has copied.
WP_FN CopiedWeights& copied_weights() {
    __shared__ CopiedWeights copied[BLOCK_THREADS / 32];
    return copied[warp_in_block()];
}

/// Sets the weights that this warp has copied. All lanes must call this.
WP_FN void set_copied_weights(u64 base, u64 length) {
    __syncwarp();
    if (lane() == 0) copied_weights() = CopiedWeights{base, length};
    __syncwarp();
}

/// Forgets the copied weights. All lanes must call this.
WP_FN void forget_copies() { set_copied_weights(0, 0); }

/// Returns the address of a weight in the warp's copy, if it is there; otherwise `weight`.
template <typename W>
WP_FN const W* copied_weight(const W* weight) {
    u64 at = (u64)weight - copied_weights().base;
    bool is_copied = at < copied_weights().length;
    return is_copied ? (const W*)(requested_room() + room_for_copies() + COPIED_ENDS + at) : weight;
}

#else

WP_FN void forget_copies() {}

template <typename W>
WP_FN const W* copied_weight(const W* weight) { return weight; }

#endif

}  // namespace wp
