// Copies the values of an earlier outcome, or one field of each, to the array of a program's input. This file forms a
// separate translation unit with types.cuh, so that one CUBIN serves all programs. Offsets and sizes are arguments.
#pragma once

namespace wp {

/// Arguments of the copy. wolfpath-runtime declares the same struct (`cuda/take.rs`).
struct Taking {
    const u8* values;
    const u32* present;   // one bit per vertex that has a value; for words, only for those that equal `nothing`
    const u32* ranks;     // position of each vertex in the input; null if it is the vertex
    const u8* otherwise;  // datum of vertices without a value; null if there is none
    u8* to;
    u32* missing;  // least vertex without a value
    u64 nothing;   // word of a vertex without a value
    u32 vertices;
    u32 each;    // size of a value in bytes
    u32 offset;  // offset of the datum in a value
    u32 size;    // size of the datum in bytes
    u32 form;    // a Form
    u32 reserved;
};

/// Representation of the values.
enum Form { VALUES, WORDS_OF_BITS, WORDS_OF_SIGNED_KEYS, WORDS_OF_FLOAT_KEYS };

WP_FN void copy(u8* to, const u8* from, u32 size) {
    if (((u64)to | (u64)from | size) % 4 == 0) {
        for (u32 at = 0; at < size; at += 4) *(u32*)(to + at) = *(const u32*)(from + at);
    } else {
        for (u32 at = 0; at < size; ++at) to[at] = from[at];
    }
}

/// Returns the bits of the number with this key.
WP_FN u64 bits_of_key(u64 key, u32 form, u32 bytes) {
    u64 sign = 1ull << (8 * bytes - 1);
    if (form == WORDS_OF_SIGNED_KEYS) return key ^ sign;
    if (form == WORDS_OF_FLOAT_KEYS) return key & sign ? key ^ sign : ~key;
    return key;
}

/// Copies the datum of vertex `v` to `to`. Returns `false` if the vertex has no value.
WP_FN bool take(const Taking& t, u32 v, u8* to) {
    bool has = t.present[v >> 5] >> (v & 31) & 1;
    const u8* from = t.values + (u64)v * t.each;
    if (t.form == VALUES) {
        if (has) copy(to, from + t.offset, t.size);
        return has;
    }
    u64 word = t.each == 4 ? *(const u32*)from : *(const u64*)from;
    if (word == t.nothing && !has) return false;
    u64 bits = bits_of_key(word, t.form, t.each);
    for (u32 at = 0; at < t.size; ++at) to[at] = (u8)(bits >> (8 * at));
    return true;
}

/// Arguments of the kernel that collects the values of several devices. wolfpath-runtime declares the same struct
/// (`cuda/collect.rs`).
struct Collecting {
    const u8* values;
    const u32* present;  // one bit per vertex
    u8* to_values;       // in the memory of another device, as is `to_present`
    u32* to_present;
    const u32* units;    // the units of vertices to copy
    u32 unit_count;
    u32 unit_vertices;   // a multiple of 32
    u32 vertices;
    u32 each;            // size of a value in bytes
};

}  // namespace wp

extern "C" __global__ void __launch_bounds__(WP_BLOCK_THREADS, 1)
    wolfpath_take(const __grid_constant__ wp::Taking t) {
    using namespace wp;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < t.vertices; i += (u64)gridDim.x * blockDim.x) {
        u32 v = (u32)i;
        u8* to = t.to + (u64)(t.ranks ? t.ranks[v] : v) * t.size;
        if (take(t, v, to)) continue;
        if (t.otherwise) copy(to, t.otherwise, t.size);
        else atomicMin(t.missing, v);
    }
}

/// Each warp copies a unit after the other: adjacent lanes copy adjacent words.
extern "C" __global__ void __launch_bounds__(WP_BLOCK_THREADS, 1)
    wolfpath_collect(const __grid_constant__ wp::Collecting c) {
    using namespace wp;
    u32 lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x / 32);
    for (u32 i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < c.unit_count; i += warps) {
        u64 first = (u64)c.units[i] * c.unit_vertices;
        u64 last = first + c.unit_vertices < c.vertices ? first + c.unit_vertices : c.vertices;
        u64 begin = first * c.each, end = last * c.each, whole = end / 4 * 4;
        for (u64 at = begin + 4 * lane; at < whole; at += 128) *(u32*)(c.to_values + at) = *(const u32*)(c.values + at);
        for (u64 at = whole + lane; at < end; at += 32) c.to_values[at] = c.values[at];
        for (u64 word = first / 32 + lane; word * 32 < last; word += 32) c.to_present[word] = c.present[word];
    }
}
