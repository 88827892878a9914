// Random numbers for programs: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// The same function in Rust is `wolfpath::program::random`, whose documentation defines the result. A call needs 20
// multiplications of 32-bit numbers. It reads no memory and keeps no state. Also compiles as host C++.
#pragma once

namespace rust {

/// Returns the pseudo-random number of a seed and two counters.
WP_FN u64 random(u64 seed, u64 index, u64 step) {
    u32 counter[4] = {(u32)index, (u32)(index >> 32), (u32)step, (u32)(step >> 32)};
    u32 key[2] = {(u32)seed, (u32)(seed >> 32)};
#ifdef __CUDACC__
#pragma unroll
#endif
    for (u32 round = 0; round < 10; round++) {
        const u64 first = (u64)0xd2511f53u * counter[0];
        const u64 second = (u64)0xcd9e8d57u * counter[2];
        counter[0] = (u32)(second >> 32) ^ counter[1] ^ key[0];
        counter[1] = (u32)second;
        counter[2] = (u32)(first >> 32) ^ counter[3] ^ key[1];
        counter[3] = (u32)first;
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return counter[0] | (u64)counter[1] << 32;
}

}  // namespace rust
