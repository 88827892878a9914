// Nearest first: `min` and `max` programs over numbers take their vertices bucket by bucket. A bucket holds the values
// between the best that waits and a bound; whoever is improved beyond the bound waits in a bitmap. When a bucket has come
// to rest, the bitmap is looked through for the best value and then for the next bucket's vertices.
//
// This is near-far (Davidson et al., "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", 2014) with a
// bitmap instead of a far pile, so that nobody waits twice and no room can run over.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX && WP_BUCKETS

/// Calls `visit(has, v)` for every pending vertex, with all lanes together. A warp's words lie far apart, since those
/// who wait lie close together; the lanes share a word, and so read neighbouring values.
template <typename Visit>
WP_FN void for_each_pending(const Run& run, Visit visit) {
    u64 words = ((u64)run.vertices + 31) / 32;
    for (u64 begin = warp(); begin < words; begin += (u64)warps() * 32) {
        u64 mine = begin + (u64)lane() * warps();
        u32 word = mine < words ? load_shared_by_all(&run.pending[mine]) : 0;
        for (u32 filled = __ballot_sync(ALL_LANES, word); filled; filled &= filled - 1) {
            u32 from = __ffs(filled) - 1;
            bool has = __shfl_sync(ALL_LANES, word, from) >> lane() & 1;
            visit(has, (u32)(begin + (u64)from * warps()) * 32 + lane());
        }
    }
}

/// The better of two words.
WP_FN ValueWord better(ValueWord a, ValueWord b) { return improves(b, a) ? b : a; }

/// The word that is `width` worse than `word`, at least the next one.
WP_FN ValueWord beyond(ValueWord word, f64 width) {
    constexpr bool rises = WP_COMBINE == WP_MIN;
    const ValueWord last = IDENTITY<ValueWord>;
    if (word == last) return last;
    ValueWord next = rises ? word + 1 : word - 1;
    if constexpr (IsFloat<Value>::value) {
        Value value = from_word<Value>(word);
        Value moved = rises ? value + (Value)width : value - (Value)width;
        if (moved != moved) return next;
        ValueWord bound = to_word(moved);
        return improves(next, bound) ? bound : next;
    } else {
        ValueWord room = rises ? last - word : word;
        f64 most = (f64)room;
        ValueWord step = width >= most ? room : (ValueWord)width;
        if (step == 0) step = 1;
        return rises ? word + step : word - step;
    }
}

/// The best word that waits, and whether anybody does. Every thread gets the same.
struct Best {
    bool waits;
    ValueWord word;
    u32 directive;
};

WP_CALL Best best_pending(const Run& run, u32 slot, const u32* directive) {
    Control* control = run.control;
    ValueWord best = IDENTITY<ValueWord>;
    bool waits = false;
    for_each_pending(run, [&](bool has, u32 v) {
        if (!has) return;
        waits = true;
        best = better(best, load_shared_by_all((const ValueWord*)run.values + v));
    });
    __shared__ ValueWord best_of_block;
    if (threadIdx.x == 0) best_of_block = IDENTITY<ValueWord>;
    bool anybody = __syncthreads_or(waits);
    for (u32 distance = 16; distance > 0; distance /= 2) best = better(best, shuffle_down(best, distance));
    if (lane() == 0 && improves(best, IDENTITY<ValueWord>)) combine_atomically(&best_of_block, best);
    __syncthreads();
    ValueWord* of_all = (ValueWord*)&control->best[slot];
    if (threadIdx.x == 0 && anybody) {
        control->waiting[slot] = 1;
        combine_atomically(of_all, best_of_block);
    }
    Decision found = grid_barrier(&control->ticket, &control->waiting[slot], directive);
    return Best{found.count != 0, load_shared_by_all(of_all), found.directive};
}

/// Queues who waits for a value within the bound, for `step`.
WP_CALL void take_bucket(const Run& run, const Way way, ValueWord last, bool all, u64 step) {
    Stage stage = make_stage();
    u64* counter = &run.control->frontier[step % 3];
    Item* queue = run.queues[step & 1];
    for_each_pending(run, [&](bool has, u32 v) {
        ValueWord word = has ? load_shared_by_all((const ValueWord*)run.values + v) : IDENTITY<ValueWord>;
        bool taken = has && (all || improves(word, way.bound));
        if (taken) atomicAnd(&run.pending[v >> 5], ~(1u << (v & 31)));
        // Whoever was improved into an earlier bucket has sent with it.
        bool sends = taken && (way.epoch == 0 || !improves(word, last));
        put_items<SEND_ROWS, false>(run, stage, sends, v, queue, counter);
    });
    flush_block(run, stage, queue, counter);
}

/// Begins the next bucket that has an edge: its items become the frontier of `step`. The decision counts none when nobody
/// waits any more.
WP_FN Decision next_bucket(const Run& run, Way& way, u64 step, Decision decision) {
    Control* control = run.control;
    const u32* directive = &control->directive[step & 1];
    // A launch that goes on where another paused still finds that one's directive.
    u32 going = decision.directive;
    while (decision.count == 0 && (decision.directive == DIRECTIVE_GO || decision.directive == DIRECTIVE_OVERRUN)) {
        u32 slot = way.epoch & 1;
        if (decides()) {
            if (run.watched) settle_edges(control, step);
            record(run, nanoseconds(), step, way.epoch + 1, 0, KIND_ADVANCE);
        }
        Best best = best_pending(run, slot, directive);
        if (!best.waits) break;
        if (decision.directive == DIRECTIVE_OVERRUN) {
            // Too many steps, and somebody would have gone on.
            decision.count = 1;
            break;
        }
        ValueWord last = way.bound;
        way.bound = beyond(best.word, way.width);
        take_bucket(run, way, last, best.word == IDENTITY<ValueWord>, step);
        if (thread() == 0) {
            // The other epoch's words were handed out before this one began.
            control->waiting[slot ^ 1] = 0;
            *(ValueWord*)&control->best[slot ^ 1] = IDENTITY<ValueWord>;
        }
        ++way.epoch;
        decision = grid_barrier(&control->ticket, &control->frontier[step % 3], directive);
        decision.directive = going;
        if (decision.count < FEW_ITEMS) way.width *= 2;
        else if (decision.count > MANY_BUCKET_ITEMS) way.width /= 2;
    }
    return decision;
}

#endif

}  // namespace wp
