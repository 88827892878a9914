// Hubs: vertices with so many items (parts of their rows) that a single warp would take too long to write them all. A
// hub is listed after the queue's items, and the whole device writes its items before the step that visits them.
#pragma once

namespace wp {

/// Lists a hub after a frontier's items. The hub's own items start at `base` and are written before the step that
/// visits them. Called by one lane.
template <typename Q>
WP_FN void list_hub(const DeviceRun& run, const Q& queue, u32 v, u32 items, u32 base) {
    u32 at = atomicAdd(&counter_of(run, queue).hubs, 1);
    if (at >= run.hub_room) return report(run.control, 1, PLACE_QUEUE, 0, 0);
    items_in(run, queue)[run.queue_items + at] = Item{v, items, base};
    atomicOr(&counter_of(run, queue).counted, HAS_HUBS);
    atomicOr(&told_by_block().more, 1u);
}

/// Writes the items of a queue's hubs. The whole device does this, because a single warp would need half a millisecond
/// for a star of ten million leaves. If there are few hubs, the device writes the items of one hub after the other. If
/// there are many, the hubs are divided among the blocks. Accesses are coalesced in both cases.
WP_CALL void write_hubs(Item* queue, u32 hubs) {
    const DeviceRun& run = run_of_block();
    bool many = hubs >= gridDim.x;
    u32 first = many ? blockIdx.x : 0, apart = many ? gridDim.x : 1;
    u32 own = many ? threadIdx.x : thread(), all = many ? BLOCK_THREADS : threads();
    for (u32 i = first; i < hubs; i += apart) {
        Item hub = queue[run.queue_items + i];
        write_items<SEND_ROWS>(run, queue + hub.first, hub.vertex, own, hub.length, all);
    }
}

/// Completes the queue of `step`, whose counter is at index `place`.
WP_FN void complete_queue(const DeviceRun& run, u64 step, u32 place, const Decision& decision) {
    if (!decision.hubs || decision.directive != DIRECTIVE_GO || !may_have_items(run, decision.count)) return;
    u32 hubs = load_fresh(&run.control->frontiers[place].hubs);
    // If there are more hubs than fit, a fault was reported when they were listed, and the run ends with this step.
    write_hubs(run.queues[step & 1], hubs < run.hub_room ? hubs : run.hub_room);
    await_device(run.control, &run.control->fault);
}

}  // namespace wp
