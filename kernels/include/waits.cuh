// The vertices that wait for a later bucket, and the best of their words, at which that bucket begins. In programs with
// a `priority`, vertices wait for their level instead, and their priorities take the place of words. A lane notes the
// word of each vertex that it postpones, and each block reports its best word to the device once per step. The waiting
// vertices therefore need not be searched for the best word.
#pragma once

namespace wp {

/// `true` if vertices wait, for a later bucket or level.
constexpr bool ANY_WAIT = WP_BUCKETS || WP_HAS_PRIORITY;

#if WP_HAS_PRIORITY

typedef u64 WaitWord;
constexpr WaitWord LAST_WAIT = ~(WaitWord)0;
WP_FN bool comes_before(WaitWord a, WaitWord b) { return a < b; }
WP_FN void note_atomically(WaitWord* held, WaitWord word) { atomicMin(held, word); }
WP_FN void note_for_device(WaitWord* held, WaitWord word) { atomicMin_system(held, word); }

#else

typedef ValueWord WaitWord;
constexpr WaitWord LAST_WAIT = IDENTITY<ValueWord>;
WP_FN bool comes_before(WaitWord a, WaitWord b) { return improves(a, b); }
WP_FN void note_atomically(WaitWord* held, WaitWord word) { combine_atomically(held, word); }
WP_FN void note_for_device(WaitWord* held, WaitWord word) {
    if constexpr (WP_COMBINE == WP_MIN) atomicMin_system(held, word);
    if constexpr (WP_COMBINE == WP_MAX) atomicMax_system(held, word);
}

#endif

/// Best word of the vertices that began to wait for a later bucket, noted by one lane or by a block. `left` is the number of
/// vertices that `take_bucket` left waiting: those of a warp, in each lane, or those of a block.
struct Waits {
    WaitWord best;
    u32 some;
    u32 left;
};

WP_FN Waits no_waits() { return Waits{LAST_WAIT, 0, 0}; }

WP_FN Waits& waits_of_block() {
    __shared__ Waits waits;
    return waits;
}

/// Initializes the block's waits. A barrier follows before any vertex waits.
WP_FN void begin_waits() {
    if constexpr (ANY_WAIT) {
        if (threadIdx.x == 0) waits_of_block() = no_waits();
    }
}

WP_FN void note(Waits& waits, WaitWord word) {
    if (comes_before(word, waits.best)) waits.best = word;
    waits.some = 1;
}

/// Combines the best waiting words of a warp's lanes into the best word of their block. All lanes must call this.
WP_FN void tell_block(Waits waits) {
    if constexpr (ANY_WAIT) {
        if (!__any_sync(ALL_LANES, waits.some)) return;
#pragma unroll
        for (u32 distance = 16; distance > 0; distance /= 2) {
            WaitWord other = shuffle_down(waits.best, distance);
            if (comes_before(other, waits.best)) waits.best = other;
        }
        if (lane() > 0) return;
        note_atomically(&waits_of_block().best, waits.best);
        if (waits.left > 0) atomicAdd(&waits_of_block().left, waits.left);
        atomicOr(&waits_of_block().some, 1);
    }
}

/// Combines a block's best waiting word into the device's best word for `epoch` (the number of buckets begun), and
/// clears the block's word. All threads must call this after all lanes have called `tell_block` and passed a barrier.
WP_FN void tell_device(Control* control, u64 epoch) {
    if constexpr (ANY_WAIT) {
        // Only thread 0 may read here. Although reads by other threads would be unused, they would race with thread 0's
        // writes below.
        Waits& waits = waits_of_block();
        if (threadIdx.x > 0 || !*(const volatile u32*)&waits.some) return;
        told_by_block().waits = 1;
#if WP_SEVERAL
        for_each_device([&](const Peer& peer) {
            store_relaxed(&peer.control->waiting[epoch % 3], 1u);
            if (waits.left > 0) atomicAdd_system(&peer.control->left[epoch % 3], waits.left);
            note_for_device((WaitWord*)&peer.control->best[epoch % 3], waits.best);
        });
#else
        store_relaxed(&control->waiting[epoch % 3], 1u);
        if (waits.left > 0) atomicAdd(&control->left[epoch % 3], waits.left);
        note_atomically((WaitWord*)&control->best[epoch % 3], waits.best);
#endif
        waits = no_waits();
    }
}

/// Number of words of the bitmap of waiting vertices whose vertices' data a warp loads before it visits the first of them.
constexpr u32 PENDING_AHEAD = 4;

/// Returns the word of the bitmap of waiting vertices that a warp visits in its turn number `turn`; there may be no such
/// word. Waiting vertices are clustered, so the words of a warp are far apart. Units of vertices are dealt to the devices in
/// turns, so the words of a warp also have different places in their rounds of units: otherwise some warps would only get
/// words of other devices. (In the order of paths, a device has only the places of its own vertices.)
WP_FN u64 pending_word(const DeviceRun& run, u32 turn) {
    u32 first = warp();
#if WP_SEVERAL && !WP_ORDERED
    first = (first + (turn << (run.unit_shift - 5))) % warps();
#endif
    return (u64)turn * warps() + first;
}

/// Bits of a bitmap: those from `first` on, before `end`.
struct BitRange {
    u32 first;
    u32 end;
};

/// Returns the bits of all vertices.
WP_FN BitRange all_bits(const DeviceRun& run) { return BitRange{0, run.vertices}; }

/// Returns those bits of a word of the bitmap of waiting vertices that are in a range, which begins or ends within it or lies
/// around it.
WP_FN u32 load_pending_word(const DeviceRun& run, BitRange range, u64 at) {
    u32 word = load_fresh(&run.pending[at]);
    // Only in the order of paths, a range may begin or end within a word that others share.
    if constexpr (WP_ORDERED) {
        if (at == range.first / 32) word &= ~0u << (range.first & 31);
        if (at == (range.end - 1) / 32) word &= ~0u >> (31 - ((range.end - 1) & 31));
    }
    return word;
}

/// Calls `visit(has, v, own, loaded)` for every pending vertex, with `loaded = load(v)`; `own` is true if this device owns
/// the vertex. In the order of paths, `v` is the place of the vertex. Only the vertices of a range of bits are visited. The
/// lanes of a warp make each call together, for the vertices of one word of the bitmap, so that they read adjacent data;
/// `has` is true in lanes with a vertex. The data of several words are loaded before the first of them is visited. `load`
/// must not compute anything from what it reads, since that would wait for it.
template <typename Load, typename Visit>
WP_FN void for_each_pending(const DeviceRun& run, BitRange range, Load load, Visit visit) {
    typedef decltype(load(0u)) Loaded;
    const u32 first_word = range.first / 32;
    u64 words = ((u64)range.end + 31) / 32 - first_word;
    auto word_of_turn = [&](u32 turn) {
        u64 at = pending_word(run, turn);
        return at < words ? load_pending_word(run, range, first_word + at) : 0;
    };
    u32 next = word_of_turn(lane());
    for (u32 turn = 0; (u64)turn * warps() < words; turn += 32) {
        u32 word = next;
        next = word_of_turn(turn + 32 + lane());
#if WP_SEVERAL && WP_SCHEDULE != WP_WALK
        u32 owns = __ballot_sync(ALL_LANES, word && is_own(run, (first_word + (u32)pending_word(run, turn + lane())) * 32));
#else
        constexpr u32 owns = ALL_LANES;
#endif
        for (u32 filled = __ballot_sync(ALL_LANES, word); filled;) {
            u32 bits[PENDING_AHEAD] = {}, vertices[PENDING_AHEAD] = {};
            Loaded loaded[PENDING_AHEAD] = {};
            u32 owned = 0;
#pragma unroll
            for (u32 j = 0; j < PENDING_AHEAD; ++j) {
                // In small graphs, a warp has only one or two words.
                if (filled == 0) continue;
                u32 from = __ffs(filled) - 1;
                bits[j] = __shfl_sync(ALL_LANES, word, from);
                owned |= (owns >> from & 1) << j;
                vertices[j] = (first_word + (u32)pending_word(run, turn + from)) * 32 + lane();
                if (bits[j] >> lane() & 1) loaded[j] = load(vertices[j]);
                filled &= filled - 1;
            }
            // There is one call for all words, because it is inlined. Moving the words up keeps them in registers.
#pragma unroll 1
            for (u32 j = 0; j < PENDING_AHEAD && bits[0]; ++j) {
                visit((bool)(bits[0] >> lane() & 1), vertices[0], (bool)(owned & 1), loaded[0]);
                owned >>= 1;
#pragma unroll
                for (u32 k = 1; k < PENDING_AHEAD; ++k) {
                    bits[k - 1] = bits[k];
                    vertices[k - 1] = vertices[k];
                    loaded[k - 1] = loaded[k];
                }
            }
        }
    }
}

/// Returns the best word of the vertices that began to wait in an epoch (the number of buckets or levels begun), or a better
/// word of a vertex that has sent meanwhile. If no vertex waits, returns LAST_WAIT. Every thread gets the same result.
WP_FN WaitWord best_waiting(const Control* control, u64 epoch) {
    __shared__ WaitWord best;
    __syncthreads();
    if (threadIdx.x == 0) best = load_fresh((const WaitWord*)&control->best[epoch % 3]);
    __syncthreads();
    return best;
}

/// Returns `true` if a vertex began to wait in an epoch. Every thread gets the same result.
WP_FN bool any_waits(const Control* control, u64 epoch) {
    return __syncthreads_or(threadIdx.x == 0 && load_fresh(&control->waiting[epoch % 3]));
}

/// Returns the index of the counter for the frontier with which a level begins. The step's own counter cannot be used: a
/// slow block may still be reading it, at the barrier at which the step's frontier was found empty.
WP_FN u32 place_of_level(u64 epoch) { return 3 + epoch % 3; }

/// Begins an epoch, whose notes and counter no thread uses before the next barrier. Called by one thread.
WP_FN void begin_epoch(Control* control, u64 epoch) {
    clear(control->frontiers[place_of_level(epoch + 1)]);
    control->waiting[(epoch + 1) % 3] = control->left[(epoch + 1) % 3] = 0;
    *(WaitWord*)&control->best[(epoch + 1) % 3] = LAST_WAIT;
}

}  // namespace wp
