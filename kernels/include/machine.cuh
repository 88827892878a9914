// Operations that CUDA C++ cannot express: instructions with memory ordering, the device's clock, and accesses to
// shared memory by 32-bit address. This file contains all inline assembly of the kernels, so that it can be replaced
// for another machine (`emulator/device/machine.h`).
#pragma once

namespace wp {

/// Adds with release semantics: everything that this thread wrote or saw before is visible to every thread that
/// acquires the sum.
WP_FN void add_release(u64* address, u64 amount) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(address), "l"(amount) : "memory");
}

/// Adds like `add_release`, and returns the value before. This thread also acquires what was added.
WP_FN u64 add_acquire_release(u64* address, u64 amount) {
    u64 before;
    asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(address), "l"(amount) : "memory");
    return before;
}

WP_FN u64 load_acquire(const u64* address) {
    u64 value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/// Begins to release what this thread has written or seen before to threads of other devices. `add_released_system` follows.
WP_FN void release_system() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

/// Adds to a word that threads of other devices acquire, in the memory of any device, after `release_system`. Additions that
/// each release by themselves, one after the other, wait once per device for everything before them.
WP_FN void add_released_system(u64* address, u64 amount) {
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(address), "l"(amount) : "memory");
}

/// Reads a word to which threads of other devices add.
WP_FN u64 load_acquire_system(const u64* address) {
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/// Ends the thread. Only whole blocks may leave, and only if the run has failed.
WP_FN void leave_kernel() { asm volatile("exit;"); }

/// Writes a word of host memory. The host sees everything that this thread wrote or saw before when it sees the word.
WP_FN void release_to_host(u64* address, u64 value) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

/// Reads a word of host memory. This thread then sees everything that the host knew when it wrote the word.
WP_FN u64 acquire_from_host(const u64* address) {
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/// Four words that are read and written at once.
struct __align__(16) Quad {
    u32 word[4];
};

/// Reads host memory that the host has written since the kernel began. A barrier has followed since a thread saw that the
/// host had (`acquire_from_host`), so that no line of L1 is older. A read past all caches (ld.global.cv) would request 32
/// bytes at a time, which the link carries at less than half of its rate.
WP_FN Quad load_from_host(const Quad* address) {
    Quad quad;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(quad.word[0]), "=r"(quad.word[1]), "=r"(quad.word[2]), "=r"(quad.word[3])
                 : "l"(address));
    return quad;
}

/// Reads global memory, bypassing this multiprocessor's L1, so that what other threads have written since the last
/// barrier is visible.
template <typename T>
WP_FN T load_fresh(const T* address) { return *(const volatile T*)address; }

/// Reads global memory that other threads may write between the same two barriers. The read may hit this
/// multiprocessor's L1, so the value may be old. kernels/README.md explains why an old value is harmless where this is
/// used.
template <typename T>
WP_FN T load_stale(const T* address) { return *address; }

/// Writes a word that other threads, also of other devices, may write or read between the same two barriers. Costs as much
/// as a plain write, and orders nothing.
template <typename T>
WP_FN void store_relaxed(T* address, T value) { *(volatile T*)address = value; }

/// Compiler barrier: keeps the compiler from moving earlier reads behind it. Without this barrier, the compiler moves a
/// read whose value is used conditionally into the conditional code, so that the thread waits for each read separately.
WP_FN void reads_are_under_way() { asm volatile("" ::: "memory"); }

/// Waits for about this many nanoseconds.
WP_FN void idle(u32 nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }

WP_FN u64 nanoseconds() {
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/// Returns the address of the dynamic shared memory that the launch requested. The address is a 32-bit number, because
/// the compiler would recompute the base of the block's shared memory at every access through a generic pointer.
WP_FN u32 requested_shared_memory() {
    extern __shared__ __align__(16) u8 requested[];
    return (u32)__cvta_generic_to_shared(requested);
}

/// Returns the same memory as a pointer, for code that uses atomics on it.
WP_FN u8* requested_room() {
    extern __shared__ __align__(16) u8 requested[];
    return requested;
}

WP_FN void store_two(u32 shared, const u32* words) {
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(shared), "r"(words[0]), "r"(words[1]) : "memory");
}

WP_FN void store_four(u32 shared, const u32* words) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(words[0]), "r"(words[1]), "r"(words[2]),
                 "r"(words[3]) : "memory");
}

WP_FN void load_two(u32 shared, u32* words) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "r"(shared) : "memory");
}

WP_FN void load_four(u32 shared, u32* words) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]),
                 "=r"(words[3]) : "r"(shared) : "memory");
}

/// Returns the word at an index of an array, of which the first `near` words also are in shared memory. It is read there if it
/// is among them. Several such reads are under way at a time. The array must not change while the calling function runs.
WP_FN u32 word_of_either(u32 shared, u32 near, const u32* array, u32 index) {
    u32 word;
    asm("{.reg .pred p; .reg .u32 a; .reg .u64 b; mov.u32 %0, 0; setp.lt.u32 p, %1, %2; mad.lo.u32 a, %1, 4, %3; "
        "mad.wide.u32 b, %1, 4, %4; @p ld.shared.u32 %0, [a]; @!p ld.global.u32 %0, [b];}"
        : "=&r"(word) : "r"(index), "r"(near), "r"(shared), "l"(array));
    return word;
}

WP_FN u64 word_of_either(u32 shared, u32 near, const u64* array, u32 index) {
    u64 word;
    asm("{.reg .pred p; .reg .u32 a; .reg .u64 b; mov.u64 %0, 0; setp.lt.u32 p, %1, %2; mad.lo.u32 a, %1, 8, %3; "
        "mad.wide.u32 b, %1, 8, %4; @p ld.shared.u64 %0, [a]; @!p ld.global.u64 %0, [b];}"
        : "=&l"(word) : "r"(index), "r"(near), "r"(shared), "l"(array));
    return word;
}

/// Returns a word in global memory if `at < count`, and otherwise 0. The word must not change while the calling function runs.
/// (The compiler might wait for each of several such reads before it begins the next one.) L1 does not keep the word, which
/// leaves room for what is read more than once: a step of PageRank takes 0.986 of the time on R-MAT 22, and 0.97 on R-MAT 26
/// (H200).
WP_FN u32 word_if_below(const u32* word, u32 at, u32 count) {
    u32 value;
    asm("{.reg .pred p; mov.u32 %0, 0; setp.lt.u32 p, %2, %3; @p ld.global.L1::no_allocate.u32 %0, [%1];}"
        : "=&r"(value) : "l"(word), "r"(at), "r"(count));
    return value;
}

}  // namespace wp
