// Who waits for a later bucket: how good the best of them is, which is where that bucket begins. Lanes note it as they go,
// and each block tells the device once a step, so that nobody must look through all who wait.
#pragma once

namespace wp {

/// Who began to wait for a later bucket, of one lane or of a block.
struct Waits {
    ValueWord best;
    u32 some;
};

WP_FN Waits no_waits() { return Waits{IDENTITY<ValueWord>, 0}; }

WP_FN Waits& waits_of_block() {
    __shared__ Waits waits;
    return waits;
}

/// Nobody waits so far. A barrier follows before anybody does.
WP_FN void begin_waits() {
    if constexpr (WP_BUCKETS) {
        if (threadIdx.x == 0) waits_of_block() = no_waits();
    }
}

WP_FN void note(Waits& waits, ValueWord word) {
    if (improves(word, waits.best)) waits.best = word;
    waits.some = 1;
}

/// Adds what the lanes noted to what their block did. All lanes call.
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

/// Adds what a block noted to what waits since `epoch`, and forgets it. All threads call when all have told their block;
/// a barrier follows.
WP_FN void tell_device(Control* control, u64 epoch) {
    if constexpr (WP_BUCKETS) {
        // Only that thread may look: others' reads would race with what it writes below, if for nothing.
        if (threadIdx.x > 0 || !*(const volatile u32*)&waits_of_block().some) return;
        control->waiting[epoch % 3] = 1;
        combine_atomically((ValueWord*)&control->best[epoch % 3], waits_of_block().best);
        waits_of_block() = no_waits();
    }
}

}  // namespace wp
