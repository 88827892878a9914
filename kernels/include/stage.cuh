// A warp's stage: a small array in shared memory that collects vertices, so that the warp adds many of them to a queue
// at a time. A queue's counter is one address for the whole device, so single additions would be slow.
#pragma once

namespace wp {

/// Capacity of a stage. A round may add 32 vertices to a stage that already holds STAGE_VERTICES - 1.
constexpr u32 STAGE_ROOM = STAGE_VERTICES + 32;

/// Stage of a warp. `count` is the same in every lane.
struct Stage {
    u32* vertices;
    u32 count;
};

/// Returns this warp's stage.
WP_FN Stage make_stage() {
    __shared__ u32 room[BLOCK_THREADS / 32 * STAGE_ROOM];
    return Stage{room + warp_in_block() * STAGE_ROOM, 0};
}

/// Adds the vertices of the lanes in which `has` is true. All lanes must call this.
WP_FN void put(Stage& stage, bool has, u32 vertex) {
    u32 having = __ballot_sync(ALL_LANES, has);
    if (has) stage.vertices[stage.count + __popc(having & ((1u << lane()) - 1))] = vertex;
    stage.count += __popc(having);
    __syncwarp();
}

}  // namespace wp
