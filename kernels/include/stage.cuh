// The shared-memory stage through which a warp puts vertices into a queue: many at a time, since a queue's counter is one
// address for the whole device.
#pragma once

namespace wp {

/// Vertices a stage can hold: one round of 32 may come on top of STAGE_VERTICES - 1.
constexpr u32 STAGE_ROOM = STAGE_VERTICES + 32;

/// One warp's stage. `count` is the same in every lane.
struct Stage {
    u32* vertices;
    u32 count;
};

/// The stage of this warp.
WP_FN Stage make_stage() {
    __shared__ u32 room[BLOCK_THREADS / 32 * STAGE_ROOM];
    return Stage{room + warp_in_block() * STAGE_ROOM, 0};
}

/// Adds the vertices of the lanes that have one. All lanes call.
WP_FN void put(Stage& stage, bool has, u32 vertex) {
    u32 having = __ballot_sync(ALL_LANES, has);
    if (has) stage.vertices[stage.count + __popc(having & ((1u << lane()) - 1))] = vertex;
    stage.count += __popc(having);
    __syncwarp();
}

}  // namespace wp
