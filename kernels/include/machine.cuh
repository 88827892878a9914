// What CUDA C++ has no words for: instructions with an order of memory, the device's clock, and shared memory by its
// 32-bit address. All of the kernels' assembler stands here, so that another machine can take this file's place
// (`emulator/device/machine.h`).
#pragma once

namespace wp {

/// Adds, and orders: what this thread wrote and saw before is seen by every thread that acquires the sum.
WP_FN void add_release(u64* address, u64 amount) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(address), "l"(amount) : "memory");
}

WP_FN u64 load_acquire(const u64* address) {
    u64 value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
}

/// Reads global memory past this multiprocessor's L1, so that writes of others in this phase are seen.
template <typename T>
WP_FN T load_fresh(const T* address) { return *(const volatile T*)address; }

/// Reads global memory that others write in this phase, perhaps from this multiprocessor's L1: the value may be an old one.
/// kernels/README.md says why an old value does no harm where this is used.
template <typename T>
WP_FN T load_stale(const T* address) { return *address; }

/// Reads that stand before this are not put off behind it: the compiler moves one whose value is used under a condition to
/// where that is known, and then waits for each alone.
WP_FN void reads_are_under_way() { asm volatile("" ::: "memory"); }

WP_FN u64 nanoseconds() {
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/// Where the shared memory begins that the launch asked for. It is addressed by 32 bits here: the compiler would look up
/// where the block's lies at every access.
WP_FN u32 requested_shared_memory() {
    extern __shared__ __align__(16) u8 requested[];
    return (u32)__cvta_generic_to_shared(requested);
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

}  // namespace wp
