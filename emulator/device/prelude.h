// The CUDA built-ins that the kernels use, implemented for a host compiler. Every CUDA thread is a fiber (a thread that
// the emulator schedules itself). All fibers of a launch run on one host thread, and only one runs at a time, so memory
// accesses need no atomics. The scheduler (`src/board.rs`) switches threads where they synchronize and, occasionally,
// where they access memory that other threads see.

#define __CUDACC__ 1
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) alignas(bytes)
// Shared memory is the module's zero-initialised data; the scheduler swaps it when another block runs.
#define __shared__ static

extern "C" {
void* memcpy(void*, const void*, __SIZE_TYPE__);
#define WP_ONE(name) float name##f(float); double name(double);
WP_ONE(sqrt) WP_ONE(floor) WP_ONE(ceil) WP_ONE(round) WP_ONE(rint) WP_ONE(trunc) WP_ONE(cbrt) WP_ONE(exp) WP_ONE(exp2)
WP_ONE(expm1) WP_ONE(log) WP_ONE(log1p) WP_ONE(log2) WP_ONE(log10) WP_ONE(sin) WP_ONE(cos) WP_ONE(tan) WP_ONE(asin)
WP_ONE(acos) WP_ONE(atan) WP_ONE(sinh) WP_ONE(cosh) WP_ONE(tanh) WP_ONE(fabs)
#undef WP_ONE
#define WP_TWO(name) float name##f(float, float); double name(double, double);
WP_TWO(fmod) WP_TWO(pow) WP_TWO(hypot) WP_TWO(atan2) WP_TWO(fmin) WP_TWO(fmax) WP_TWO(copysign)
#undef WP_TWO
float fmaf(float, float, float);
double fma(double, double, double);
}

namespace emulator {

typedef unsigned int u32;
typedef unsigned long long u64;

/// Collective operation of the lanes of a warp (`lockstep::KINDS`).
enum WarpKind : u32 { SYNC, SHUFFLE, BALLOT, MATCH, SUM, MIN, MAX, SIGNED_MIN, SIGNED_MAX, AND, OR, XOR };

/// Collective operation of the threads of a block (`lockstep::Barrier::complete`).
enum BlockKind : u32 { BLOCK_SYNC, BLOCK_OR, BLOCK_AND, BLOCK_COUNT };

/// Access to the device's memory, for the race detector (`races::Access`). Atomics are relaxed; RELEASE and ACQUIRE are
/// those of `machine.h`. The last three also order, or are strong for, threads of other devices; volatile accesses are.
enum Access : u32 {
    READ, WRITE, STRONG_READ, STRONG_WRITE, ATOMIC, RELEASE, ACQUIRE, SYSTEM_ATOMIC, SYSTEM_RELEASE, SYSTEM_ACQUIRE
};

/// Scope of a fence, for the race detector.
enum Scope : u32 { BLOCK_SCOPE, DEVICE_SCOPE, SYSTEM_SCOPE };

/// The running thread's position, and the scheduler's functions. `machine::Machine` has the same fields in the same
/// order.
struct Machine {
    u32 thread;
    u32 block;
    u32 threads;
    u32 blocks;
    int until_switch;
    u32 requested_bytes;
    unsigned char* requested;
    void* board;
    void (*change)(void* board);
    u64 (*warp)(void* board, u32 kind, u32 mask, u64 value, u32 from, u32 line, const char* file);
    u32 (*meet)(void* board, u32 kind, u32 predicate, u32 line, const char* file);
    void (*spin)(void* board, const u64* address);
    void (*wake)(void* board);
    u64 (*clock)(void* board);
    void (*fail)(void* board, const char* message, u32 line, const char* file);
    u64 arena;
    u64 arena_bytes;
    void (*access)(void* board, u32 kind, u64 address, u32 bytes, const void* from);
    u64 (*stale)(void* board, u64 address, u32 bytes);
    void (*fence)(void* board, u32 scope);
    void (*leave)(void* board);
};

// The initializer is nonzero, so that the variable is not in the same section as shared memory.
static Machine machine = {~0u};

}  // namespace emulator

#include "races.h"

namespace emulator {

struct Index {
    u32 x, y, z;
};

/// Called before a thread accesses memory that other threads see. Occasionally lets another thread run first.
WP_UNSEEN static inline void touch() {
    if (--machine.until_switch < 0) machine.change(machine.board);
}

#define WP_SITE_ unsigned line = __builtin_LINE(), const char* file = __builtin_FILE()

WP_UNSEEN static inline u64 warp(WarpKind kind, u32 mask, u64 value, u32 from, u32 line, const char* file) {
    return machine.warp(machine.board, kind, mask, value, from, line, file);
}

WP_UNSEEN static inline u32 meet(BlockKind kind, u32 predicate, u32 line, const char* file) {
    return machine.meet(machine.board, kind, predicate, line, file);
}

static inline u32 lane() { return machine.thread & 31; }

template <typename T>
static inline T shuffle(u32 mask, T value, u32 from, u32 line, const char* file) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    u64 bits = 0;
    memcpy(&bits, &value, sizeof(T));
    bits = warp(SHUFFLE, mask, bits, from, line, file);
    memcpy(&value, &bits, sizeof(T));
    return value;
}

/// Returns the lane at position `from` of this lane's segment. A segment has `width` lanes.
static inline u32 in_segment(u32 from, u32 width) { return (lane() & ~(width - 1)) | (from & (width - 1)); }

template <typename To, typename From>
static inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

/// Description of a kernel for the host.
struct Entry {
    u32 parameters;
    u32 most_threads;
    const u32* sizes;
    void (*call)(void* const* parameters);
};

template <typename>
struct Called;
template <typename... Parameters>
struct Called<void (*)(Parameters...)> {
    static constexpr u32 sizes[] = {(u32)sizeof(Parameters)..., 0};
    template <void (*kernel)(Parameters...), unsigned... at>
    static void with(void* const* values) { kernel(*(Parameters*)values[at]...); }
};
template <unsigned... numbers>
struct Numbers {};
template <unsigned count, unsigned... numbers>
struct UpTo : UpTo<count - 1, count - 1, numbers...> {};
template <unsigned... numbers>
struct UpTo<0, numbers...> {
    typedef Numbers<numbers...> Type;
};
template <auto kernel, typename... Parameters, unsigned... at>
static constexpr Entry entry_of(void (*)(Parameters...), Numbers<at...>, u32 most_threads) {
    typedef Called<void (*)(Parameters...)> Of;
    return Entry{(u32)sizeof...(Parameters), most_threads, Of::sizes, &Of::template with<kernel, at...>};
}
template <typename... Parameters>
static constexpr auto numbers_of(void (*)(Parameters...)) { return typename UpTo<sizeof...(Parameters)>::Type{}; }

}  // namespace emulator

/// Exports a kernel's entry to the host under a separate symbol.
#define WP_EMULATED(kernel, most_threads)                                                                           \
    extern "C" __attribute__((visibility("default"))) const emulator::Entry emulator_entry_##kernel =                \
        emulator::entry_of<&kernel>(&kernel, emulator::numbers_of(&kernel), most_threads);

// Bounds of the module's shared memory, which the linker defines.
extern "C" __attribute__((visibility("hidden"))) char __bss_start[], _end[];
extern "C" __attribute__((visibility("default"))) void emulator_module(void** machine, char** first, char** last) {
    *machine = &emulator::machine;
    *first = __bss_start;
    *last = _end;
}

#define threadIdx (emulator::Index{emulator::machine.thread, 0, 0})
#define blockIdx (emulator::Index{emulator::machine.block, 0, 0})
#define blockDim (emulator::Index{emulator::machine.threads, 1, 1})
#define gridDim (emulator::Index{emulator::machine.blocks, 1, 1})
constexpr int warpSize = 32;

struct uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };

// ---- a block, a warp ----------------------------------------------------------------------------------------------

static inline void __syncthreads(WP_SITE_) { emulator::meet(emulator::BLOCK_SYNC, 0, line, file); }
static inline int __syncthreads_or(int p, WP_SITE_) { return emulator::meet(emulator::BLOCK_OR, p != 0, line, file); }
static inline int __syncthreads_and(int p, WP_SITE_) { return emulator::meet(emulator::BLOCK_AND, p != 0, line, file); }
static inline int __syncthreads_count(int p, WP_SITE_) { return emulator::meet(emulator::BLOCK_COUNT, p != 0, line, file); }

static inline void __syncwarp(unsigned mask = ~0u, WP_SITE_) { emulator::warp(emulator::SYNC, mask, 0, 0, line, file); }
static inline unsigned __ballot_sync(unsigned mask, int p, WP_SITE_) {
    return (unsigned)emulator::warp(emulator::BALLOT, mask, p != 0, 0, line, file);
}
static inline int __any_sync(unsigned mask, int p, WP_SITE_) { return __ballot_sync(mask, p, line, file) != 0; }
static inline int __all_sync(unsigned mask, int p, WP_SITE_) { return __ballot_sync(mask, !p, line, file) == 0; }
static inline unsigned __activemask() { return 1u << emulator::lane(); }

template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32, WP_SITE_) {
    return emulator::shuffle(mask, value, emulator::in_segment(from, width), line, file);
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, WP_SITE_) {
    unsigned from = emulator::lane() ^ bits;
    // A lane keeps its own value if `from` is in a later segment.
    if ((from & ~(width - 1)) > (emulator::lane() & ~(width - 1))) from = emulator::lane();
    return emulator::shuffle(mask, value, from, line, file);
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, WP_SITE_) {
    unsigned place = emulator::lane() & (width - 1);
    return emulator::shuffle(mask, value, emulator::lane() - (place >= by ? by : 0), line, file);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, WP_SITE_) {
    unsigned place = emulator::lane() & (width - 1);
    return emulator::shuffle(mask, value, emulator::lane() + (place + by < (unsigned)width ? by : 0), line, file);
}
template <typename T>
static inline unsigned __match_any_sync(unsigned mask, T value, WP_SITE_) {
    emulator::u64 bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return (unsigned)emulator::warp(emulator::MATCH, mask, bits, 0, line, file);
}
#define WP_REDUCE(name, T, kind)                                                                      \
    static inline T __reduce_##name##_sync(unsigned mask, T value, WP_SITE_) {                        \
        return (T)emulator::warp(emulator::kind, mask, (unsigned)value, 0, line, file);               \
    }
WP_REDUCE(add, unsigned, SUM) WP_REDUCE(add, int, SUM) WP_REDUCE(min, unsigned, MIN) WP_REDUCE(min, int, SIGNED_MIN)
WP_REDUCE(max, unsigned, MAX) WP_REDUCE(max, int, SIGNED_MAX) WP_REDUCE(and, unsigned, AND)
WP_REDUCE(or, unsigned, OR) WP_REDUCE(xor, unsigned, XOR)
#undef WP_REDUCE

// ---- memory -------------------------------------------------------------------------------------------------------

static inline void __threadfence() { emulator::touch(); WP_FENCE(DEVICE_SCOPE); }
static inline void __threadfence_block() { emulator::touch(); WP_FENCE(BLOCK_SCOPE); }
static inline void __threadfence_system() { emulator::touch(); WP_FENCE(SYSTEM_SCOPE); }
static inline void __nanosleep(unsigned) { emulator::machine.change(emulator::machine.board); }
[[noreturn]] static inline void __trap(WP_SITE_) {
    emulator::machine.fail(emulator::machine.board, "__trap()", line, file);
    __builtin_unreachable();
}

template <typename T> static inline T __ldg(const T* address) { return *address; }
template <typename T> static inline T __ldcg(const T* address) { emulator::touch(); return *(const volatile T*)address; }
template <typename T> static inline T __ldcv(const T* address) { return __ldcg(address); }
template <typename T> static inline void __stcg(T* address, T value) { emulator::touch(); *(volatile T*)address = value; }

#define WP_ATOMIC_OF(name, kind, result)                          \
    template <typename T, typename U>                             \
    WP_UNSEEN static inline T name(T* address, U amount) {        \
        emulator::touch();                                        \
        WP_REPORT(kind, address, sizeof(T));                      \
        T before = *address, value = (T)amount;                   \
        *address = result;                                        \
        return before;                                            \
    }
#define WP_ATOMIC(name, result) WP_ATOMIC_OF(name, ATOMIC, result) WP_ATOMIC_OF(name##_system, SYSTEM_ATOMIC, result)
WP_ATOMIC(atomicAdd, before + value)
WP_ATOMIC(atomicSub, before - value)
WP_ATOMIC(atomicMin, value < before ? value : before)
WP_ATOMIC(atomicMax, value > before ? value : before)
WP_ATOMIC(atomicAnd, before & value)
WP_ATOMIC(atomicOr, before | value)
WP_ATOMIC(atomicXor, before ^ value)
WP_ATOMIC(atomicExch, value)
#undef WP_ATOMIC
#undef WP_ATOMIC_OF
#define WP_CAS(name, kind)                                                \
    template <typename T, typename U, typename V>                         \
    WP_UNSEEN static inline T name(T* address, U expected, V value) {     \
        emulator::touch();                                                \
        WP_REPORT(kind, address, sizeof(T));                              \
        T before = *address;                                              \
        if (before == (T)expected) *address = (T)value;                   \
        return before;                                                    \
    }
WP_CAS(atomicCAS, ATOMIC)
WP_CAS(atomicCAS_system, SYSTEM_ATOMIC)
#undef WP_CAS

// ---- numbers ------------------------------------------------------------------------------------------------------

static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }
static inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift < 32 ? shift : 32)) >> 32);
}
static inline int __clz(int bits) { return bits ? __builtin_clz((unsigned)bits) : 32; }
static inline int __clzll(long long bits) { return bits ? __builtin_clzll((unsigned long long)bits) : 64; }
static inline unsigned long long __brevll(unsigned long long bits) {
    unsigned long long reversed = 0;
    for (int i = 0; i < 64; ++i) reversed |= (bits >> i & 1) << (63 - i);
    return reversed;
}
static inline unsigned __brev(unsigned bits) { return (unsigned)(__brevll(bits) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline unsigned __float_as_uint(float x) { return emulator::bits_as<unsigned>(x); }
static inline int __float_as_int(float x) { return emulator::bits_as<int>(x); }
static inline float __uint_as_float(unsigned x) { return emulator::bits_as<float>(x); }
static inline float __int_as_float(int x) { return emulator::bits_as<float>(x); }
static inline long long __double_as_longlong(double x) { return emulator::bits_as<long long>(x); }
static inline double __longlong_as_double(long long x) { return emulator::bits_as<double>(x); }

#if WP_RACES
#define memcpy(to, from, bytes) emulator::copied(to, from, bytes)
#endif
