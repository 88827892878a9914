// Gates: barriers of the whole device that also hand out how many items the next frontier has. Each block adds its own
// count to the word at which it arrives, so a thread that sees all blocks arrive knows the sum. A separate counter would
// have to be read after the barrier, which costs another round trip.
//
// A word has 64 bits. A block that has more to tell than its part of the fields can hold says so, and all blocks then read
// the exact counter.
#pragma once

namespace wp {

/// Number of bits of the fields of a word, from the lowest: the blocks that arrived, those that have more to tell, those in
/// which a vertex began to wait, their items, and pages of PAGE_EDGES edges. The highest bit is set if a directive must be
/// read.
constexpr u32 BLOCKS_BITS = 9, COUNT_BITS = 18;

static_assert(MOST_BLOCKS < 1u << BLOCKS_BITS && MOST_BLOCKS * MOST_TOLD < 1u << COUNT_BITS, "sums fit in their fields");
static_assert(3 * BLOCKS_BITS + 2 * COUNT_BITS == 63, "the fields fill a word");

/// Number of gates of this launch that the block has passed. Only thread 0 uses it.
WP_FN u64& gates_passed() {
    __shared__ u64 passed;
    return passed;
}

/// Prepares a block for its first gate. The host cleared the words before the launch. All threads must call this.
WP_FN void begin_gates() {
    if (!WP_SEVERAL && threadIdx.x == 0) {
        told_by_block() = Told{};
        gates_passed() = 0;
    }
    __syncthreads();
}

/// Adds to the counts that the block tells at the next gate. Called by one lane.
WP_FN void tell_gate(u32 items, u64 edges) {
    if (items > 0) atomicAdd(&told_by_block().items, items);
    if (WP_DIRECTION && edges > 0) atomicAdd(&told_by_block().pages, (u32)((edges + PAGE_EDGES - 1) / PAGE_EDGES));
}

/// Returns what a block adds to a gate's word.
WP_FN u64 word_of(const Told& told) {
    bool fits = !told.more && told.items <= MOST_TOLD && told.pages <= MOST_TOLD;
    u64 flags = 1 | (u64)!fits << BLOCKS_BITS | (u64)(told.waits != 0) << 2 * BLOCKS_BITS | (u64)(told.stops != 0) << 63;
    if (!fits) return flags;
    return flags | (u64)told.items << 3 * BLOCKS_BITS | (u64)told.pages << (3 * BLOCKS_BITS + COUNT_BITS);
}

/// Waits until every block has arrived, like `grid_barrier`. Returns what all blocks together have told. `counter` is the
/// counter of the frontier that the blocks have filled since the last gate; it is read only if the gate's word does not say
/// all. `before` is the number of items that it had then.
/// (Several devices have no gates' words: their barrier broadcasts what was told anyway.)
WP_FN Decision gate(Control* control, const Counter& counter, const u32* directive, u32 before) {
#if WP_SEVERAL
    return grid_barrier(&control->ticket, &counter.counted, directive);
#else
    __shared__ Decision decision;
    delay();
    __syncthreads();
    if (threadIdx.x == 0) {
        u64 number = gates_passed()++;
        u64* word = &control->gates[number % 3];
        add_release(word, word_of(told_by_block()));
        told_by_block() = Told{};
        u64 all;
        do {
            all = load_acquire(word);
        } while ((all & MOST_BLOCKS) < gridDim.x);
        decision.count = before + ((u32)(all >> 3 * BLOCKS_BITS) & ((1u << COUNT_BITS) - 1));
        decision.pages = (u32)(all >> (3 * BLOCKS_BITS + COUNT_BITS)) & ((1u << COUNT_BITS) - 1);
        decision.hubs = decision.whole = false;
        decision.told = (all >> BLOCKS_BITS & MOST_BLOCKS) == 0;
        decision.waits = (all >> 2 * BLOCKS_BITS & MOST_BLOCKS) != 0;
        if (!decision.told) set_counts(decision, load_fresh(&counter.counted));
        decision.directive = all >> 63 ? load_fresh(directive) : (u32)DIRECTIVE_GO;
        // All blocks have passed the gate before this one, whose word is needed again after the next one.
        if (blockIdx.x == 0) store_relaxed(&control->gates[(number + 2) % 3], (u64)0);
    }
    __syncthreads();
    delay();
    return decision;
#endif
}

/// Returns the number of items of a frontier on all devices, and of the parcels that may add to it.
WP_FN u32 all_items(const Decision& decision) {
#if WP_SEVERAL
    return decision.everywhere;
#else
    return decision.count;
#endif
}

WP_FN void set_all_items(Decision& decision, u32 items) {
#if WP_SEVERAL
    decision.everywhere = items;
#else
    decision.count = items;
#endif
}

/// Waits until every block of this device has arrived, and returns what a counter of this device counts.
template <typename Word>
WP_FN Decision await_device(Control* control, const Word* counter) {
#if WP_SEVERAL
    return device_barrier(control, counter);
#else
    return grid_barrier(&control->ticket, counter, &control->fault);
#endif
}

}  // namespace wp
