// The work between steps. These functions select the thread that decides whether the run continues, count the edges
// visited, record the steps, report progress, and end a launch.
#pragma once

namespace wp {

/// Nanoseconds between two progress reports to the host.
constexpr u64 TELL_AFTER = 5000000;

/// Time when the launch began, and time of the last report to the host. Only the thread that decides uses these fields.
struct Clock {
    u64 launched;
    u64 told;
};

/// Returns `true` in the one thread that decides whether the run continues. This is the last thread of the first block.
/// Its warp is among the last to get work if a frontier is small, so its extra work rarely delays the other threads.
WP_FN bool decides() { return blockIdx.x == 0 && threadIdx.x == BLOCK_THREADS - 1; }

/// Adds the counts of a block's threads to a device-wide total with a single atomic. Atomics on one address are
/// serialized, and one per warp would take as long as four barriers. All threads must call this.
WP_CALL void add_by_block(u64* total, u64 amount) {
    __shared__ u64 of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    amount = sum_of_lanes(amount);
    if (lane() == 0 && amount > 0) atomicAdd(&of_block, amount);
    __syncthreads();
    if (threadIdx.x > 0) return;
    // Volatile, so that no other thread reads it: if another sum follows, thread 0 resets the word meanwhile.
    u64 sum = *(const volatile u64*)&of_block;
    if (sum == 0) return;
#if WP_SEVERAL
    atomicAdd_system(total, sum);
#else
    atomicAdd(total, sum);
#endif
}

/// Adds the edges that each thread visited to the run's count.
WP_FN void count_edges(Control* control, u64 looked_at) { add_by_block(&leading(control)->edges, looked_at); }

/// Counts the edges that this thread visited in a step. If the run is watched, adds them to the step's counter
/// immediately; otherwise adds them to `so_far`, which is added to the run's count at the end of the launch.
WP_FN void tally(const DeviceRun& run, u64& so_far, u64 looked_at, u64 step) {
    if (run.watched) add_by_block(&leading(run.control)->step_edges[step % 3], looked_at);
    else so_far += looked_at;
}

/// Adds the edges that were counted in the previous step to the run's count. Called by one thread. Needs no atomics:
/// all additions to that step's counter are finished, and no other thread adds to the run's count until the launch
/// ends.
WP_FN void settle_edges(Control* control, u64 step) {
    u64* counted_before = &control->step_edges[(step + 2) % 3];
    control->edges = load_fresh(&control->edges) + load_fresh(counted_before);
    *counted_before = 0;
}

/// Records the beginning of a step or of an advance to the next bucket. Called by the thread that decides. If there is
/// no space left, the record is counted but not written.
WP_FN void record(const DeviceRun& run, u64 now, u64 step, u64 bucket, u32 active, Kind kind) {
    if (!run.records) return;
    u64 at = run.control->recorded;
    if (at < run.record_room)
        run.records[at] = Record{now, load_fresh(&run.control->edges), step, bucket, chunks_requested(run), active, kind};
    run.control->recorded = at + 1;
}

/// Reports the run's progress to the host, by writing to host memory.
WP_FN void tell(const DeviceRun& run, Clock& clock, u64 now, u64 step, u32 active) {
    if (!run.progress || now - clock.told < TELL_AFTER) return;
    clock.told = now;
    volatile u64* progress = run.progress;
    progress[0] = step - 1;
    progress[1] = load_fresh(&run.control->edges);
    progress[2] = active;
}

/// Returns the directive after this step: the reason why the run stops, or DIRECTIVE_GO.
WP_FN u32 decide(const DeviceRun& run, u64 step, u64 since_launch) {
    if (load_fresh(&run.control->fault)) return DIRECTIVE_FAULT;
    if (step >= run.steps) return DIRECTIVE_END;
    if (step >= run.max_steps) return DIRECTIVE_OVERRUN;
    return since_launch > run.slice ? DIRECTIVE_PAUSE : DIRECTIVE_GO;
}

/// Stores the directive for `step`, for all devices. Called by one thread.
WP_FN void set_directive(Control* control, u64 step, u32 directive) {
#if WP_SEVERAL
    for_each_device([&](const Peer& peer) { store_relaxed(&peer.control->directive[step & 1], directive); });
#else
    told_by_block().stops = directive != DIRECTIVE_GO;
    control->directive[step & 1] = directive;
#endif
}

/// Begins a step. `active` is its amount of work: the number of items of the queue, or of vertices. One thread does all
/// the work that the other threads need not wait for. Everything that it reads was made visible by the last barrier,
/// and everything that it writes is read only after the next one.
WP_FN void open_step(const DeviceRun& run, Clock& clock, u64 step, u32 active, Kind kind, u64 bucket) {
    if (!decides()) return;
    u64 now = nanoseconds();
    Control* control = run.control;
    // Clears the counter for the step after the next one.
    clear(control->frontiers[(step + 2) % 3]);
    control->taken[(step + 1) & 1] = 0;
#if WP_SEVERAL
    forget_posted(control, (u32)(step + 1) & 1);
    if (!is_leader()) return;
#endif
    if (run.watched) settle_edges(run.control, step);
    record(run, now, step, bucket, active, kind);
    tell(run, clock, now, step, active);
    u32 directive = decide(run, step, now - clock.launched);
    set_directive(control, step + 1, directive);
}

/// Returns `true` if there is work for `step`: a vertex sends, or has not halted. Under `Senders::All`, it depends on
/// whether a vertex changed. The step before it noted the latter two in `Control::changed`.
WP_FN bool has_work(const DeviceRun& run, u64 step, const Decision& decision) {
#if WP_SEVERAL
    bool noted = decision.flags & TELLS_CHANGED;
    if constexpr (WP_EVERYONE_SENDS) return noted;
    if constexpr (WP_COMPUTES == WP_RECEIVERS) return all_items(decision) > 0;
#else
    if constexpr (WP_COMPUTES == WP_RECEIVERS || WP_EVERYONE_SENDS) return decision.count > 0;
    bool noted = load_fresh(&run.control->changed[(step - 1) & 1]) != 0;
#endif
    return noted || (WP_COMPUTES == WP_AWAKE && all_items(decision) > 0);
}

/// Notes that a vertex makes the step after `step` necessary. Called by one lane.
WP_FN void note_changed(const DeviceRun& run, u64 step) {
#if WP_SEVERAL
    tell_flag(TELLS_CHANGED);
#else
    store_relaxed(&run.control->changed[step & 1], (u64)1);
#endif
}

/// Clears the note for `step`. Called by one thread.
WP_FN void forget_changed(Control* control, u64 step) {
    if (!WP_SEVERAL) control->changed[step & 1] = 0;
}

/// Returns `true` if another step begins, given whether there is work for it.
WP_FN bool goes_on(const DeviceRun& run, Decision decision, bool has_work) {
    bool may_go_on = WP_SEVERAL || may_have_items(run, decision.count);
    return has_work && decision.directive == DIRECTIVE_GO && may_go_on;
}

WP_FN bool goes_on(const DeviceRun& run, Decision decision) { return goes_on(run, decision, all_items(decision) > 0); }

/// Waits until every block has read the state with which a launch begins, in a launch that takes no step. (Otherwise the
/// barrier of the first step suffices.) Only then may thread 0 store the state with which the launch ends. All threads
/// must call this.
WP_FN void await_readers(const DeviceRun& run) {
    grid_barrier(&run.control->ticket, &run.control->fault, &run.control->fault);
}

/// Returns `true` if vertices without edges would send in the step whose frontier's counter is at `place`.
WP_FN bool has_edgeless(const Control* control, const Decision& decision, u64 place) {
#if WP_SEVERAL
    return decision.flags & TELLS_EDGELESS;
#else
    return load_fresh(&control->frontiers[place].edgeless);
#endif
}

/// Stores before which step a launch ends, and why.
WP_FN void set_end(Control* control, u64 step, bool rests, const Decision& decision) {
    control->step = step;
    control->outcome = rests ? (u32)DIRECTIVE_END : decision.directive;
}

/// Tells what all devices had told at the end of the last launch. Called by one thread, before the barrier with which a
/// launch begins.
WP_FN void tell_again(const DeviceRun& run, u64 step) {
#if WP_SEVERAL
    const Control* control = run.control;
    u64 counted = load_fresh(&control->frontiers[step % 3].counted);
    told_by_block().items = (u32)counted;
    told_by_block().pages = pages_of(counted);
    if (counted & IS_WHOLE) tell_flag(TELLS_WHOLE);
    if (load_fresh(&control->frontiers[step % 3].edgeless)) tell_flag(TELLS_EDGELESS);
    if (load_fresh(&control->changed[(step - 1) & 1])) tell_flag(TELLS_CHANGED);
#endif
}

/// Records where a launch ends: before `step`, for which there was no work or whose directive stopped the run. Called
/// by one thread. If there is no work only because none of the vertices that would send has edges, the step counts as
/// taken, although it changed nothing.
WP_FN void end_launch(const DeviceRun& run, u64 step, Decision decision, bool has_work) {
    Control* control = run.control;
    // Vertices that wait for a later bucket or level are not counted as work, so a lack of work does not prove that the run is
    // over. After a pause, the next launch finds out.
    bool rests = !has_work && !((WP_BUCKETS || WP_HAS_PRIORITY) && decision.directive == DIRECTIVE_PAUSE);
    // An expired slice must not suppress the final, edgeless step; that step is free.
    bool may_step = decision.directive == DIRECTIVE_GO || decision.directive == DIRECTIVE_PAUSE;
    bool steps_once_more = rests && may_step && WP_COMPUTES != WP_ALL && has_edgeless(control, decision, step % 3);
#if WP_SEVERAL
    // What all devices have told, for the next launch and for the host.
    control->changed[(step - 1) & 1] = (decision.flags & TELLS_CHANGED) != 0;
    control->frontiers[step % 3].edgeless = (decision.flags & TELLS_EDGELESS) != 0;
    if (decision.directive != DIRECTIVE_PAUSE && all_items(decision) > 0) control->frontiers[step % 3].edgeless = 1;
    if (!is_leader()) return set_end(control, step + (steps_once_more ? 1 : 0), rests, decision);
#endif
    set_end(control, step + (steps_once_more ? 1 : 0), rests, decision);
    if (run.watched) settle_edges(control, step);
    if (steps_once_more) record(run, nanoseconds(), step, 0, 0, KIND_PUSH);
    control->chunks = chunks_requested(run);
    control->ended = nanoseconds();
}

WP_FN void end_launch(const DeviceRun& run, u64 step, Decision decision) {
    end_launch(run, step, decision, all_items(decision) > 0);
}

}  // namespace wp
