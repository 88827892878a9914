// Replaces `machine.cuh` on the emulated device. Provides the same functions without inline assembly.

namespace wp {

WP_UNSEEN WP_FN void add_release(u64* address, u64 amount) {
    emulator::touch();
    WP_REPORT(RELEASE, address, sizeof(u64));
    *address += amount;
    emulator::machine.wake(emulator::machine.board);
}

WP_UNSEEN WP_FN u64 add_acquire_release(u64* address, u64 amount) {
    emulator::touch();
    WP_REPORT(ACQUIRE, address, sizeof(u64));
    WP_REPORT(RELEASE, address, sizeof(u64));
    u64 before = *address;
    *address += amount;
    emulator::machine.wake(emulator::machine.board);
    return before;
}

/// Reads a word. First calls the scheduler, which thereby detects threads that wait for other threads: such threads
/// read the same word repeatedly.
WP_UNSEEN WP_FN u64 load_acquire(const u64* address) {
    emulator::machine.spin(emulator::machine.board, address);
    WP_REPORT(ACQUIRE, address, sizeof(u64));
    return *(const volatile u64*)address;
}

/// Does nothing, because the additions that follow release.
WP_FN void release_system() {}

WP_UNSEEN WP_FN void add_released_system(u64* address, u64 amount) {
    emulator::touch();
    WP_REPORT(SYSTEM_RELEASE, address, sizeof(u64));
    *address += amount;
    emulator::machine.wake(emulator::machine.board);
}

WP_UNSEEN WP_FN u64 load_acquire_system(const u64* address) {
    emulator::machine.spin(emulator::machine.board, address);
    WP_REPORT(SYSTEM_ACQUIRE, address, sizeof(u64));
    return *(const volatile u64*)address;
}

WP_FN void leave_kernel() { emulator::machine.leave(emulator::machine.board); }

WP_UNSEEN WP_FN void release_to_host(u64* address, u64 value) {
    emulator::touch();
    WP_REPORT(RELEASE, address, sizeof(u64));
    *(volatile u64*)address = value;
}

/// Lets another thread run.
WP_UNSEEN WP_FN void idle(u32) { emulator::machine.change(emulator::machine.board); }

extern "C" int usleep(unsigned microseconds);

/// Reads a word that the host writes. First lets another thread run, and the host: the caller may be waiting for it, and
/// each turn takes time by the device's clock.
WP_UNSEEN WP_FN u64 acquire_from_host(const u64* address) {
    usleep(10);
    emulator::machine.change(emulator::machine.board);
    WP_REPORT(ACQUIRE, address, sizeof(u64));
    return *(const volatile u64*)address;
}

struct __align__(16) Quad {
    u32 word[4];
};

WP_FN Quad load_from_host(const Quad* address) { return *address; }

template <typename T>
WP_FN T load_fresh(const T* address) {
    emulator::touch();
    return *(const volatile T*)address;
}

/// Reads a word that other threads may write. The race detector may replace it by an older word that the thread is
/// allowed to see.
template <typename T>
WP_UNSEEN WP_FN T load_stale(const T* address) {
#if WP_RACES
    if ((u64)address - emulator::machine.arena < emulator::machine.arena_bytes) {
        T value;
        for (u32 at = 0; at < sizeof(T); at += 8) {
            u32 bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
            u64 bits = emulator::machine.stale(emulator::machine.board, (u64)address + at, bytes);
            __builtin_memcpy((u8*)&value + at, &bits, bytes);
        }
        return value;
    }
#endif
    return *address;
}

template <typename T>
WP_FN void store_relaxed(T* address, T value) {
    emulator::touch();
    *(volatile T*)address = value;
}

WP_FN void reads_are_under_way() {}

WP_FN u64 nanoseconds() { return emulator::machine.clock(emulator::machine.board); }

/// Smallest address of the requested shared memory. It is above 0, so that 0 is not a valid address.
constexpr u32 REQUESTED = 1024;

WP_FN u32 requested_shared_memory() { return REQUESTED; }

WP_FN u8* requested_room() { return emulator::machine.requested; }

WP_FN u8* requested_at(u32 shared, u32 bytes) {
    if (shared < REQUESTED || shared - REQUESTED + bytes > emulator::machine.requested_bytes)
        emulator::machine.fail(emulator::machine.board, "an access outside the shared memory that the launch requested",
                               0, "machine.h");
    if (shared % bytes != 0)
        emulator::machine.fail(emulator::machine.board, "a misaligned access to shared memory", 0, "machine.h");
    return emulator::machine.requested + (shared - REQUESTED);
}

WP_FN void store_two(u32 shared, const u32* words) { memcpy(requested_at(shared, 8), words, 8); }
WP_FN void store_four(u32 shared, const u32* words) { memcpy(requested_at(shared, 16), words, 16); }
WP_FN void load_two(u32 shared, u32* words) { memcpy(words, requested_at(shared, 8), 8); }
WP_FN void load_four(u32 shared, u32* words) { memcpy(words, requested_at(shared, 16), 16); }

template <typename Word>
WP_FN Word word_of_either(u32 shared, u32 near, const Word* array, u32 index) {
    if (index >= near) return array[index];
    Word word;
    memcpy(&word, requested_at(shared + index * (u32)sizeof(Word), sizeof(Word)), sizeof(Word));
    return word;
}

WP_FN u32 word_if_below(const u32* word, u32 at, u32 count) { return at < count ? *word : 0; }

}  // namespace wp
