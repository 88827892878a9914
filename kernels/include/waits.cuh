// The vertices that wait for a later bucket, and the best of their words, with which that bucket begins. Lanes note the
// words of vertices as they postpone them, and each block reports its best word to the device once per step. So the
// waiting vertices need not be searched for the best one.
#pragma once

namespace wp {

/// Best word of the vertices that began to wait for a later bucket, noted by one lane or by a block.
struct Waits {
    ValueWord best;
    u32 some;
};

WP_FN Waits no_waits() { return Waits{IDENTITY<ValueWord>, 0}; }

WP_FN Waits& waits_of_block() {
    __shared__ Waits waits;
    return waits;
}

/// Initializes the block's waits. A barrier follows before any vertex waits.
WP_FN void begin_waits() {
    if constexpr (WP_BUCKETS) {
        if (threadIdx.x == 0) waits_of_block() = no_waits();
    }
}

WP_FN void note(Waits& waits, ValueWord word) {
    if (improves(word, waits.best)) waits.best = word;
    waits.some = 1;
}

/// Combines the lanes' waits into those of their block. All lanes must call this.
WP_FN void tell_block(Waits waits) {
    if constexpr (WP_BUCKETS) {
        if (!__any_sync(ALL_LANES, waits.some)) return;
#pragma unroll
        for (u32 distance = 16; distance > 0; distance /= 2) {
            ValueWord other = shuffle_down(waits.best, distance);
            if (improves(other, waits.best)) waits.best = other;
        }
        if (lane() > 0) return;
        combine_atomically(&waits_of_block().best, waits.best);
        atomicOr(&waits_of_block().some, 1);
    }
}

/// Combines a block's waits into those of the device since `epoch`, and clears them. All threads call after all lanes
/// called `tell_block` and passed a barrier.
WP_FN void tell_device(Control* control, u64 epoch) {
    if constexpr (WP_BUCKETS) {
        // Only thread 0 may read: reads by other threads would race with its writes below, although their results are
        // unused.
        if (threadIdx.x > 0 || !*(const volatile u32*)&waits_of_block().some) return;
        control->waiting[epoch % 3] = 1;
        combine_atomically((ValueWord*)&control->best[epoch % 3], waits_of_block().best);
        waits_of_block() = no_waits();
    }
}

}  // namespace wp
