// Random delays, which make the order of threads' accesses differ from run to run: before and after barriers, and before
// atomics. They are compiled only for the soak test (WP_DELAYS), in which many random runs are compared with the CPU engine.
#pragma once

namespace wp {

#if WP_DELAYS

/// Waits for up to two microseconds in one of eight calls. The choice depends on the thread and on the time.
WP_FN void delay() {
    u64 x = (nanoseconds() + 1) * 0x9e3779b97f4a7c15ull + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * 0xd1342543de82ef95ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    if (x >> 61 == 0) idle((u32)(x >> 50) & 2047);
}

#else

WP_FN void delay() {}

#endif

}  // namespace wp
