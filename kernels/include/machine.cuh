// What CUDA C++ has no words for: instructions with an order of memory, the device's clock, and shared memory by its
// 32-bit address. All of the kernels' assembler stands here, so that another machine can take this file's place
// (`emulator/device/machine.h`).
#pragma once

namespace wp {

/// Adds, and orders: what this thread saw before is seen by whoever acquires the sum.
WP_FN u32 add_release(u32* address, u32 amount) {
    u32 before;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(amount) : "memory");
    return before;
}

WP_FN u32 load_acquire(const u32* address) {
    u32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

/// A read that other multiprocessors' writes of this step may reach: served by L2, never by this one's L1.
template <typename T>
WP_FN T load_shared_by_all(const T* address) { return *(const volatile T*)address; }

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
