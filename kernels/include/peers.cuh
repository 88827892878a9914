// Several devices that run one loop (WP_SEVERAL). Each device owns some of the vertices, in units of consecutive ones, and
// has their rows. A unit has FOLD_VERTICES vertices, or 64 in the order of paths; in tests it may have fewer. All other
// arrays of vertices are complete on each device, as *replicas*: what a device has not been told about a vertex of another
// one may be old. This header knows the devices and their vertices; `mail.cuh` passes words to owners, and `grid.cuh`
// makes all devices wait for each other.
//
// One device, the first, is the leader: it decides when the run ends, and counts edges and faults for all.
#pragma once

namespace wp {

/// Counts and flags that a block tells at the next barrier.
struct Told {
    u32 items;  // items that it added to the frontier
    u32 pages;  // pages of their edges
    u32 more;   // nonzero if the frontier's counter holds what these numbers do not say: a flag
    u32 waits;  // nonzero if a vertex began to wait for a later bucket
    u32 stops;  // nonzero if the directive is another than DIRECTIVE_GO; told by the first block
#if WP_SEVERAL
    u32 flags;  // of TellFlag
    u32 posted; // parcels to all devices
    u32 chunks; // requested chunks (WP_STREAMED)
    u32 parcels[2][MOST_DEVICES];  // number of parcels to each device, on each side of its inbox (mail.cuh)
#endif
};

WP_FN Told& told_by_block() {
    __shared__ Told told;
    return told;
}

#if WP_SEVERAL

/// Facts that blocks tell the blocks of all devices, besides numbers.
enum TellFlag : u32 {
    TELLS_MAIL = 1,       // there are parcels
    TELLS_WAITS = 2,      // a vertex began to wait for a later bucket
    TELLS_WHOLE = 4,      // the next step pulls
    TELLS_EDGELESS = 8,   // vertices without edges would send
    TELLS_CHANGED = 16,   // a vertex makes the next step necessary
    TELLS_UNSENT = 32,    // an inbox had no room for a parcel
    TELLS_UNSETTLED = 64, // the value of a vertex that the run names may still change
};

/// The block's copy of the addresses of all devices.
struct Peers {
    u32 own;     // number of this device
    u32 count;
    u64 blocks;  // of all devices
    const u32* abort;
    Peer all[MOST_DEVICES];
};

WP_FN Peers& peers_of_block() {
    __shared__ Peers peers;
    return peers;
}

WP_FN void begin_peers(const DeviceRun& run) {
    Peers& peers = peers_of_block();
    if (threadIdx.x == 0) {
        peers.own = run.device;
        peers.count = run.devices;
        peers.blocks = 0;
        for (u32 d = 0; d < run.devices; ++d) peers.blocks += run.peers[d].blocks;
        peers.abort = run.abort;
    }
    if (threadIdx.x < run.devices) peers.all[threadIdx.x] = run.peers[threadIdx.x];
}

/// Calls `visit` for each device, or for each other one.
template <typename Visit>
WP_FN void for_each_device(Visit visit) {
    const Peers& peers = peers_of_block();
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) visit(peers.all[d]);
}

template <typename Visit>
WP_FN void for_each_other(Visit visit) {
    const Peers& peers = peers_of_block();
#pragma unroll 1
    for (u32 d = 0; d < peers.count; ++d) {
        if (d != peers.own) visit(peers.all[d]);
    }
}

WP_FN void tell_flag(TellFlag flag) { atomicOr(&told_by_block().flags, (u32)flag); }

/// Returns `true` on the device that leads.
WP_FN bool is_leader() { return peers_of_block().own == 0; }

/// Returns the control of the leader.
WP_FN Control* leading(Control*) { return peers_of_block().all[0].control; }

WP_FN u32 owner_of(const DeviceRun& run, u32 v) { return run.owners[v >> run.unit_shift]; }

WP_FN bool is_own(const DeviceRun& run, u32 v) { return owner_of(run, v) == run.device; }

/// Returns how many numbers `own_vertex` takes. The last unit may have fewer vertices.
WP_FN u64 own_vertices(const DeviceRun& run) { return (u64)run.own_count << run.unit_shift; }

/// Returns a vertex of this device. For vertices that the last unit lacks, this is `run.vertices` or more.
WP_FN u32 own_vertex(const DeviceRun& run, u64 number) {
    u32 within = (u32)number & ((1u << run.unit_shift) - 1);
    return (run.own_units[number >> run.unit_shift] << run.unit_shift) + within;
}

WP_FN u32 own_units(const DeviceRun& run) { return run.own_count; }
WP_FN u32 own_unit(const DeviceRun& run, u32 number) { return run.own_units[number]; }

#else

WP_FN bool is_leader() { return true; }
WP_FN Control* leading(Control* control) { return control; }
WP_FN bool is_own(const DeviceRun&, u32) { return true; }
WP_FN u64 own_vertices(const DeviceRun& run) { return run.vertices; }
WP_FN u32 own_vertex(const DeviceRun&, u64 number) { return (u32)number; }
WP_FN u32 own_units(const DeviceRun& run) { return (u32)(((u64)run.vertices + FOLD_VERTICES - 1) / FOLD_VERTICES); }
WP_FN u32 own_unit(const DeviceRun&, u32 number) { return number; }

#endif

/// Returns how many words of a bitmap contain this device's vertices, and the index of one of them.
WP_FN u32 own_words(const DeviceRun& run) { return (u32)((own_vertices(run) + 31) / 32); }

WP_FN u32 own_word(const DeviceRun& run, u32 number) {
    return WP_SEVERAL ? own_vertex(run, (u64)number * 32) / 32 : number;
}

}  // namespace wp
