// Cooperation within a warp: lanes, shuffles of any trivially copyable type, prefix sums.
#pragma once

namespace wp {

WP_FN u32 lane() { return threadIdx.x & 31; }
WP_FN u32 warp_in_block() { return threadIdx.x >> 5; }
WP_FN u32 warps() { return gridDim.x * (BLOCK_THREADS / 32); }

/// Returns the warp's number in the grid. Warps with consecutive numbers run on different multiprocessors, so a thin
/// frontier is spread over all of them.
WP_FN u32 warp() { return warp_in_block() * gridDim.x + blockIdx.x; }

WP_FN u32 thread() { return blockIdx.x * BLOCK_THREADS + threadIdx.x; }
WP_FN u32 threads() { return gridDim.x * BLOCK_THREADS; }

/// A trivially copyable value as 32-bit words, which are the unit of shuffles.
template <typename T>
struct Words {
    u32 word[(sizeof(T) + 3) / 4];
};

/// Returns the value of lane `from`.
template <typename T>
WP_FN T shuffle(T value, u32 from) {
    Words<T> words = {};
    memcpy(&words, &value, sizeof(T));
#pragma unroll
    for (u32 i = 0; i < (sizeof(T) + 3) / 4; ++i) words.word[i] = __shfl_sync(ALL_LANES, words.word[i], from);
    memcpy(&value, &words, sizeof(T));
    return value;
}

/// Returns the value of the lane that is `distance` lanes higher, or the lane's own value if there is no such lane.
template <typename T>
WP_FN T shuffle_down(T value, u32 distance) {
    Words<T> words = {};
    memcpy(&words, &value, sizeof(T));
#pragma unroll
    for (u32 i = 0; i < (sizeof(T) + 3) / 4; ++i)
        words.word[i] = __shfl_down_sync(ALL_LANES, words.word[i], distance);
    memcpy(&value, &words, sizeof(T));
    return value;
}

/// Returns the inclusive prefix sum: the sum of `value` over this lane and all lower lanes.
WP_FN u32 inclusive_sum(u32 value) {
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
        u32 before = __shfl_up_sync(ALL_LANES, value, distance);
        if (lane() >= distance) value += before;
    }
    return value;
}

/// Returns the sum over all lanes, in each lane.
WP_FN u64 sum_of_lanes(u64 value) {
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

/// Returns the maximum over all lanes, in each lane.
WP_FN u32 max_of_lanes(u32 value) {
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) {
        u32 other = __shfl_xor_sync(ALL_LANES, value, distance);
        value = other > value ? other : value;
    }
    return value;
}

/// Returns the bits that are set in any lane's word, in each lane.
WP_FN u32 or_of_lanes(u32 word) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(ALL_LANES, word);
#else
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) word |= __shfl_xor_sync(ALL_LANES, word, distance);
    return word;
#endif
}

/// Returns the position of the set bit with index `number`, counted from the lowest one.
WP_FN u32 bit_of(u32 bits, u32 number) {
    u32 at = 0;
#pragma unroll
    for (u32 half = 16; half > 0; half /= 2) {
        u32 below = __popc(bits >> at & ((1u << half) - 1));
        if (number < below) continue;
        number -= below;
        at += half;
    }
    return at;
}

/// Returns the lane whose range of an inclusive prefix sum contains `position`: the number of lanes whose sum is at
/// most `position`.
WP_FN u32 owner(u32 inclusive, u32 position) {
    u32 low = 0;
#pragma unroll
    for (u32 half = 16; half > 0; half /= 2) {
        u32 sum = __shfl_sync(ALL_LANES, inclusive, low + half - 1);
        if (sum <= position) low += half;
    }
    return low;
}

}  // namespace wp
