// The vertices that wait for a later bucket, and the best of their words, at which that bucket begins. A lane notes the
// word of each vertex that it postpones, and each block reports its best word to the device once per step. The waiting
// vertices therefore need not be searched for the best word.
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

/// Combines the best waiting words of a warp's lanes into the best word of their block. All lanes must call this.
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

/// Combines a block's best waiting word into the device's best word for `epoch` (the number of buckets begun), and
/// clears the block's word. All threads must call this after all lanes have called `tell_block` and passed a barrier.
WP_FN void tell_device(Control* control, u64 epoch) {
    if constexpr (WP_BUCKETS) {
        // Only thread 0 may read here. Although reads by other threads would be unused, they would race with thread 0's
        // writes below.
        if (threadIdx.x > 0 || !*(const volatile u32*)&waits_of_block().some) return;
        control->waiting[epoch % 3] = 1;
        combine_atomically((ValueWord*)&control->best[epoch % 3], waits_of_block().best);
        waits_of_block() = no_waits();
    }
}

}  // namespace wp
