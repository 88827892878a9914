// What happens between steps: who decides, what is counted and recorded, and how a launch ends.
#pragma once

namespace wp {

/// Nanoseconds between two times that the host is told how far the run has come.
constexpr u64 TELL_AFTER = 5000000;

/// When the launch began, and when the host was last told. Only the thread that decides looks at it.
struct Clock {
    u64 launched;
    u64 told;
};

/// Returns `true` if this thread is the one that decides. It is the last of the first block, whose warp is among the last to
/// get work in a thin step: what it waits for, hardly anybody else waits for.
WP_FN bool decides() { return blockIdx.x == 0 && threadIdx.x == BLOCK_THREADS - 1; }

/// Adds what the threads of a block have counted to a total of the device, once for all of them: additions to one word come
/// one after the other, and those of every warp would take as long as four barriers. All threads call.
WP_CALL void add_by_block(u64* total, u64 amount) {
    __shared__ u64 of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    amount = sum_of_lanes(amount);
    if (lane() == 0 && amount > 0) atomicAdd(&of_block, amount);
    __syncthreads();
    if (threadIdx.x == 0 && of_block > 0) atomicAdd(total, of_block);
}

/// Adds what every thread looked at to the run's count.
WP_FN void count_edges(Control* control, u64 looked_at) { add_by_block(&control->edges, looked_at); }

/// Counts what this thread looked at in a step: at once when somebody watches, else with the rest at the launch's end.
WP_FN void tally(const DeviceRun& run, u64& so_far, u64 looked_at, u64 step) {
    if (run.watched) add_by_block(&run.control->step_edges[step % 3], looked_at);
    else so_far += looked_at;
}

/// Adds what was counted in the step before to the run's count, by one thread. Nobody adds to that slot any more, nor to
/// the run's count before the launch ends.
WP_FN void settle_edges(Control* control, u64 step) {
    u64* counted_before = &control->step_edges[(step + 2) % 3];
    control->edges = load_fresh(&control->edges) + load_fresh(counted_before);
    *counted_before = 0;
}

/// Notes a step, or the way to the next bucket, as it begins; by the thread that decides. Without room it is only counted.
WP_FN void record(const DeviceRun& run, u64 now, u64 step, u64 bucket, u32 active, Kind kind) {
    if (!run.records) return;
    u64 at = run.control->recorded;
    if (at < run.record_room)
        run.records[at] = Record{now, load_fresh(&run.control->edges), step, bucket, active, kind};
    run.control->recorded = at + 1;
}

/// Tells the host how far the run has come, in its own memory.
WP_FN void tell(const DeviceRun& run, Clock& clock, u64 now, u64 step, u32 active) {
    if (!run.progress || now - clock.told < TELL_AFTER) return;
    clock.told = now;
    volatile u64* progress = run.progress;
    progress[0] = step - 1;
    progress[1] = load_fresh(&run.control->edges);
    progress[2] = active;
}

/// What stops the run after this step.
WP_FN u32 decide(const DeviceRun& run, u64 step, u64 since_launch) {
    if (load_fresh(&run.control->fault)) return DIRECTIVE_FAULT;
    if (step >= run.steps) return DIRECTIVE_END;
    if (step >= run.max_steps) return DIRECTIVE_OVERRUN;
    return since_launch > run.slice ? DIRECTIVE_PAUSE : DIRECTIVE_GO;
}

/// Begins a step over a frontier of `active`: one thread sees to all that the others need not wait for. Whatever it reads
/// was handed out by the barrier before, and what it writes is read behind the next one.
WP_FN void open_step(const DeviceRun& run, Clock& clock, u64 step, u32 active, Kind kind, u64 bucket) {
    if (!decides()) return;
    u64 now = nanoseconds();
    if (run.watched) settle_edges(run.control, step);
    record(run, now, step, bucket, active, kind);
    tell(run, clock, now, step, active);
    Control* control = run.control;
    // That of the step after next.
    clear(control->frontiers[(step + 2) % 3]);
    control->directive[(step + 1) & 1] = decide(run, step, now - clock.launched);
}

/// Returns `true` if another step begins. A count past the queue's room means that a thread found no room and reported
/// that.
WP_FN bool goes_on(const DeviceRun& run, Decision decision) {
    return decision.count > 0 && decision.directive == DIRECTIVE_GO && decision.count <= run.queue_items;
}

/// Writes down where a launch ends, by one thread: before `step`, whose frontier was empty or whose directive stopped
/// the run. A frontier of nothing but vertices without edges is a step that was taken and changed nothing.
WP_FN void end_launch(const DeviceRun& run, u64 step, Decision decision) {
    Control* control = run.control;
    // Who waits for a later bucket is not counted: a launch that pauses leaves it to the next to find out.
    bool rests = decision.count == 0 && !(WP_BUCKETS && decision.directive == DIRECTIVE_PAUSE);
    // Nor does a slice that is over keep it from its last step, which costs nothing.
    bool may_step = decision.directive == DIRECTIVE_GO || decision.directive == DIRECTIVE_PAUSE;
    bool steps_once_more = rests && may_step && !WP_SENDERS_ALL && load_fresh(&control->frontiers[step % 3].edgeless);
    control->step = step + (steps_once_more ? 1 : 0);
    control->outcome = rests ? (u32)DIRECTIVE_END : decision.directive;
    if (run.watched) settle_edges(control, step);
    if (steps_once_more) record(run, nanoseconds(), step, 0, 0, KIND_PUSH);
    control->ended = nanoseconds();
}

}  // namespace wp
