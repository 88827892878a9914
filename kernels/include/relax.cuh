// The frontier in place: a message is combined straight into the receiver's value, and whoever improves it puts the
// receiver into the next frontier. One barrier a step. Only for programs whose values may be seen early
// (`min`, `max`, `or`, `and` with the default `apply` and `changed`).
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_RELAX

/// Combines a message into the receiver's value; true when the receiver must send, for one thread a step.
WP_FN bool relax(const Run& run, u32 receiver, Message message, u32 step) {
    if (is_dropped(message)) return false;
    ValueWord word = to_word(message);
    ValueWord* held = (ValueWord*)run.values + receiver;
    bool improved = false;
    // A plain read may be a little old, that is worse than what stands there; the atomic then finds out.
    if (improves(word, *held)) improved = improves(word, combine_atomically(held, word));
    else if (word == IDENTITY<ValueWord> && !is_present(run, receiver)) {
        // A first value that looks like none. Had a real one come before, the word would not be the identity.
        improved = load_shared_by_all(held) == IDENTITY<ValueWord> && make_present(run, receiver);
    }
    // All messages of a step of a uniform program are equal: the atomic has one winner, ever.
    if constexpr (WP_UNIFORM) return improved;
    else return improved && claim(run, receiver, step);
}

WP_FN void run_steps(const Run& run, const Params& params, Stage& stage, u64 launched, Decision decision) {
    Control* control = run.control;
    u64 step = load_shared_by_all(&control->step);
    u64 looked_at = 0;
    while (goes_on(run, decision)) {
        u32 next = (u32)((step + 1) % 3);
        Item* queue = run.queues[(step + 1) & 1];
        auto load = [&](u32 v) { return from_word<Value>(((const ValueWord*)run.values)[v]); };
        auto visit = [&](bool has, u32 sender, Value value, u32 receiver, u64 position, bool reverse) {
            bool improved = false;
            if (has) {
                auto edge = edge_view(run, value, sender, receiver, position, reverse);
                Option<Message> message = message_along(run, params, edge, sender, receiver);
                improved = message.some && relax(run, receiver, message.value, (u32)step);
            }
            put_items<SEND_ROWS, false>(run, stage, improved, receiver, queue, &control->frontier[next]);
        };
        looked_at += for_each_edge(run, run.queues[step & 1], decision.count, load, visit);
        flush<SEND_ROWS, false>(run, stage, queue, &control->frontier[next]);
        if (thread() == 0) {
            clear_frontier(control, step + 2);
            control->directive[(step + 1) & 1] = decide(run, step, launched);
        }
        ++step;
        decision = grid_barrier(&control->ticket, &control->frontier[step % 3], &control->directive[step & 1]);
    }
    count_edges(control, looked_at);
    if (thread() == 0) end_launch(control, step, decision);
}

#endif

}  // namespace wp
