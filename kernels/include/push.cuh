// The frontier step by step: messages are combined in a separate array, then applied to the vertices that received any.
// A step has two barriers, or three if vertices listen (search their rows for senders). For programs whose messages an
// atomic can combine and whose values must not be seen early.
#pragma once

namespace wp {

#if WP_SCHEDULE == WP_PUSH

/// Combines a message with the messages that the receiver has received in this step. Returns `true` if this message is
/// the first.
WP_FN bool deliver(const DeviceRun& run, u32 receiver, Message message, u32 step) {
    if (is_dropped(message)) return false;
    MessageWord word = to_word(message);
    MessageWord* held = (MessageWord*)run.incoming + receiver;
    if constexpr (WP_COMBINE == WP_ANY) {
        bool first = claim(run, receiver, step);
        if (first) *held = word;
        return first;
    }
    if (improves(word, load_stale(held))) combine_atomically(held, word);
    return claim(run, receiver, step);
}

/// Executes the first half of a step: sends along every edge of the frontier. Returns the number of edges that this
/// lane visited.
WP_FN u64 send_step(const DeviceRun& run, const Params& params, Stage& stage, u32 count, u64 step) {
    Counter& counter = run.control->received[step & 1];
    auto load = [&](u32 v) { return ((const Value*)run.values)[v]; };
    auto look = [&](const Passing& e) {
        if (!e.has) return None<Message>();
        auto edge = edge_view(run, e.value, e.sender, e.receiver, e.position, e.reverse);
        return message_along(run, params, edge, e.sender, e.receiver);
    };
    auto use = [&](const u32 (&receivers)[1], const Option<Message> (&messages)[1], u32) {
        put(stage, messages[0].some && deliver(run, receivers[0], messages[0].value, (u32)step), receivers[0]);
        if (stage.count >= STAGE_VERTICES) flush_vertices(stage, run.recipients, counter);
    };
    u64 looked_at = for_each_edge<1>(run, step & 1, count, load, look, use);
    flush_vertices_of_block(stage, run.recipients, counter);
    return looked_at;
}

#if WP_DIRECTION

/// Executes the same half as `send_step`, but every vertex searches for its senders.
WP_FN u64 listen_step(const DeviceRun& run, const Params& params, Stage& stage, u64 step) {
    Counter& counter = run.control->received[step & 1];
    auto hear = [&](Heard<MessageWord>& heard, u32 sender, u32 v, u64 position, bool reverse) {
        Value value = {};
        if constexpr (WP_READS_EDGE_VALUE) value = ((const Value*)run.values)[sender];
        auto edge = edge_view(run, value, sender, v, position, reverse);
        Option<Message> message = message_along(run, params, edge, sender, v);
        if (message.some && !is_dropped(message.value)) add_heard(heard, to_word(message.value));
    };
    u64 looked_at = 0;
    for (u64 begin = (u64)warp() * 32; begin < run.vertices; begin += (u64)warps() * 32) {
        u32 v = (u32)begin + lane();
        Heard<MessageWord> heard =
            listen<MessageWord>(run, run.bitmaps[step & 1], v < run.vertices, v, hear);
        looked_at += heard.looked_at;
        if (heard.some) ((MessageWord*)run.incoming)[v] = heard.word;
        if (WP_COMPUTES != WP_RECEIVERS && heard.some) run.marks[v] = (u32)step;
        put(stage, heard.some, v);
        if (stage.count >= STAGE_VERTICES) flush_vertices(stage, run.recipients, counter);
    }
    flush_vertices_of_block(stage, run.recipients, counter);
    return looked_at;
}

#endif

/// Executes the first half of a step. If `listens`, vertices search for their senders.
WP_FN u64 exchange_step(const DeviceRun& run, const Params& params, Stage& stage, bool listens, u32 count, u64 step) {
#if WP_DIRECTION
    if (listens) return listen_step(run, params, stage, step);
#endif
    return send_step(run, params, stage, count, step);
}

#if WP_SEVERAL

/// Posts the messages for vertices of other devices, which this device has combined for each vertex.
WP_CALL void post_messages(u32 count, u64 step) {
    const DeviceRun& run = run_of_block();
    for (u64 i = thread(); i - lane() < count; i += threads()) {
        u32 v = i < count ? run.recipients[i] : 0;
        bool away = i < count && !is_own(run, v);
        if (!__any_sync(ALL_LANES, away)) continue;
        MessageWord* held = (MessageWord*)run.incoming + v;
        MessageWord word = away ? *held : MessageWord{};
        if (away) *held = IDENTITY<MessageWord>;
        post(away, v, word, (u32)step & 1);
    }
}

/// Combines the messages that arrived in the inbox with those of this device.
WP_CALL void merge_messages(u64 step) {
    const DeviceRun& run = run_of_block();
    Stage stage = make_stage();
    Counter& counter = run.control->received[step & 1];
    for_each_parcel(run, (u32)step & 1, [&](bool has, const Parcel& parcel) {
        put(stage, has && deliver(run, parcel.vertex, from_word<Message>(parcel.word), (u32)step), parcel.vertex);
        if (stage.count >= STAGE_VERTICES) flush_vertices(stage, run.recipients, counter);
    });
    flush_vertices_of_block(stage, run.recipients, counter);
}

#endif

/// Waits until all messages of a step were sent. Returns the number of this device's recipients.
WP_FN Decision end_exchange(const DeviceRun& run, Stage& stage, u64 step) {
    Control* control = run.control;
    const u64* received = &control->received[step & 1].counted;
#if WP_SEVERAL
    post_messages(device_barrier(control, received).count, step);
    Decision sent = grid_barrier(&control->ticket, received, &control->fault);
    if (has_mail(sent, (u32)step & 1)) {
        merge_messages(step);
        recount(sent, device_barrier(control, received));
        if (thread() == 0) empty_inbox(control, (u32)step & 1);
    }
    return sent;
#else
    return grid_barrier(&control->ticket, received, &control->fault);
#endif
}

/// Executes the second half: computes at every vertex that received a message, and at those that compute without one.
/// The vertices that send form the next frontier.
WP_FN void apply_step(const DeviceRun& run, const Params& params, Stage& stage, u64 epoch, u32 count, u64 step,
                      Aggregate aggregate) {
    bool goes_on = false;
    Waits waits = no_waits();
    for (u64 i = thread(); i - lane() < count; i += threads()) {
        Wishes wishes = {};
        u32 v = 0;
        if (i < count) {
            v = run.recipients[i];
        }
        if (i < count && is_own(run, v)) {
            MessageWord* held = (MessageWord*)run.incoming + v;
            Option<Message> incoming = Some(from_word<Message>(*held));
            *held = IDENTITY<MessageWord>;
            wishes = compute_at(run, params, waits, v, incoming, step, aggregate);
        }
        goes_on |= wishes.goes_on;
        send_later(run, stage, wishes.sends, v, step);
    }
    note_work(run, goes_on, step);
    compute_alone(run, params, stage, step, aggregate);
    tell_block(waits);
    flush_block(run, stage, frontier_of(step + 1));
    tell_device(run.control, epoch);
}

WP_FN void run_steps(const DeviceRun& run, const Params& params, Stage& stage, Clock clock, Decision decision) {
    Control* control = run.control;
    u64 step = load_fresh(&control->step);
    u64 looked_at = 0;
    Work work = first_work(run, step, decision);
    Aggregate last = first_fold(run, params, work, step);
    if (!goes_on(run, work.decision, work.some)) await_readers(run);
    while (goes_on(run, work.decision, work.some)) {
        decision = work.decision;
        complete_queue(run, step, work.place, decision);
        bool listens = false;
#if WP_DIRECTION
        listens = is_listened_to(run, decision);
        if (listens) {
            mark_frontier(decision.count, step);
            grid_barrier(&control->ticket, &control->fault, &control->fault);
        }
#endif
        open_step(run, clock, step, decision.count, listens ? KIND_PULL : KIND_PUSH, level_of_step(run));
        Aggregate aggregate = fold_before(run, params, last, step);
        set_moment(step, aggregate);
        keep_values(run);
        tally(run, looked_at, exchange_step(run, params, stage, listens, decision.count, step), step);
        Decision sent = end_exchange(run, stage, step);
        apply_step(run, params, stage, work.epoch, sent.count, step, aggregate);
#if WP_DIRECTION
        if (listens) forget_frontier(step);
#endif
        if (thread() == 0) control->received[(step + 1) & 1].counted = 0;
        // A slow block may still read this word until the barrier in the middle of the step.
        if (WP_COMPUTES != WP_RECEIVERS && thread() == 0) forget_changed(control, step + 1);
        ++step;
        decision = grid_barrier(&control->ticket, &control->frontiers[step % 3].counted, &control->directive[step & 1]);
        work = work_of(run, work, step, decision);
        ask_finished(run, params, work, last, step);
    }
    keep_fold(run, params, work, last, step);
    count_edges(control, looked_at);
    if (thread() == 0) end_work(run, step, work);
}

#endif

}  // namespace wp
