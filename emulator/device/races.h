// The calls that the race detector needs from a kernel. The host's compiler instruments the kernel for ThreadSanitizer
// (`-fsanitize=thread`), but the functions that it calls are defined here. They report accesses to the device's memory
// to the scheduler (`src/races.rs`) and ignore all others. Without the detector, nothing is reported.

#if WP_RACES
/// Marks a function whose accesses the compiler must not report: it reports them itself, or they are the emulator's own.
/// The function is not inlined, so its return address is a position in the kernel.
#define WP_UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define WP_REPORT(kind, address, bytes) emulator::report(emulator::kind, address, bytes, __builtin_return_address(0))
#define WP_FENCE(scope) emulator::machine.fence(emulator::machine.board, emulator::scope)

namespace emulator {

/// Reports an access, which the caller makes next.
__attribute__((no_sanitize("thread"), always_inline)) static inline void report(Access kind, const volatile void* address,
                                                                               u64 bytes, const void* from) {
    if ((u64)address - machine.arena < machine.arena_bytes)
        machine.access(machine.board, kind, (u64)address, (u32)bytes, from);
}

WP_UNSEEN static void report_copy(const void* to, const void* from, u64 bytes) {
    if (to) WP_REPORT(WRITE, to, bytes);
    if (from) WP_REPORT(READ, from, bytes);
}

/// `memcpy`, which the compiler does not always report. It need not be reported if it is within known objects: those are
/// on the stack or in shared memory.
__attribute__((always_inline)) static inline void* copied(void* to, const void* from, u64 bytes) {
    bool is_own = __builtin_object_size(to, 0) != ~0ull, is_of_own = __builtin_object_size(from, 0) != ~0ull;
    if (!is_own || !is_of_own) report_copy(is_own ? nullptr : to, is_of_own ? nullptr : from, bytes);
    return __builtin_memcpy(to, from, bytes);
}

}  // namespace emulator

#define WP_TSAN extern "C" __attribute__((visibility("hidden"), no_sanitize("thread"), used)) void
#define WP_TSAN_SIZE(bytes)                                                                                   \
    WP_TSAN __tsan_read##bytes(void* address) { WP_REPORT(READ, address, bytes); }                            \
    WP_TSAN __tsan_write##bytes(void* address) { WP_REPORT(WRITE, address, bytes); }                          \
    WP_TSAN __tsan_unaligned_read##bytes(void* address) { WP_REPORT(READ, address, bytes); }                  \
    WP_TSAN __tsan_unaligned_write##bytes(void* address) { WP_REPORT(WRITE, address, bytes); }                \
    WP_TSAN __tsan_volatile_read##bytes(void* address) { WP_REPORT(STRONG_READ, address, bytes); }            \
    WP_TSAN __tsan_volatile_write##bytes(void* address) { WP_REPORT(STRONG_WRITE, address, bytes); }          \
    WP_TSAN __tsan_unaligned_volatile_read##bytes(void* address) { WP_REPORT(STRONG_READ, address, bytes); }  \
    WP_TSAN __tsan_unaligned_volatile_write##bytes(void* address) { WP_REPORT(STRONG_WRITE, address, bytes); }
WP_TSAN_SIZE(1) WP_TSAN_SIZE(2) WP_TSAN_SIZE(4) WP_TSAN_SIZE(8) WP_TSAN_SIZE(16)
WP_TSAN __tsan_read_range(void* address, unsigned long bytes) { WP_REPORT(READ, address, bytes); }
WP_TSAN __tsan_write_range(void* address, unsigned long bytes) { WP_REPORT(WRITE, address, bytes); }
WP_TSAN __tsan_func_entry(void*) {}
WP_TSAN __tsan_func_exit() {}
WP_TSAN __tsan_init() {}
#undef WP_TSAN_SIZE
#undef WP_TSAN
#else
#define WP_UNSEEN
#define WP_REPORT(kind, address, bytes)
#define WP_FENCE(scope)
#endif
