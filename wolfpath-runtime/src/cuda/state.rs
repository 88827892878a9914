//! Data shared by host and device. The structs match those of `kernels/include/run.cuh` field for field.

use bytemuck::{Pod, Zeroable};
use cudarc::driver::DeviceRepr;

/// Lists the offsets of the given fields, then the size of the struct. The kernels compare these numbers with their own
/// layout (`layout.cuh`).
macro_rules! offsets {
    ($type:ty: $($field:ident)*) => {
        [$(std::mem::offset_of!($type, $field),)* size_of::<$type>()]
    };
}
pub(super) use offsets;

/// Reasons why the kernel returned (`Directive` in `run.cuh`).
pub(crate) mod directive {
    pub(crate) const PAUSE: u32 = 1;
    pub(crate) const OVERRUN: u32 = 3;
    /// Values of `BatchDirective` in `bits.cuh`.
    pub(crate) const UNSTEADY: u32 = 5;
    pub(crate) const DIGITS: u32 = 6;
    pub(crate) const FINISHED: u32 = 7;
    pub(crate) const SETTLED: u32 = 8;
}

/// Location of a fault (`Place` in `run.cuh`).
pub(crate) mod place {
    pub(crate) const VERTEX: u32 = 1;
    pub(crate) const QUEUE: u32 = 2;
    pub(crate) const STEP: u32 = 3;
    pub(crate) const ROWS: u32 = 4;
}

/// Counter of a queue's items (`Counter` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Counter {
    pub(crate) counted: u64,
    pub(crate) edgeless: u32,
    pub(crate) hubs: u32,
}

/// Largest number of devices of an engine.
// `MOST_DEVICES` in `run.cuh`.
pub const MOST_DEVICES: usize = 8;

/// Sums of the counts and flags that the blocks of several devices have told at a barrier (`News` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct News {
    pub(crate) counted: u64,
    pub(crate) flags: u32,
    pub(crate) posted: u32,
    pub(crate) chunks: u64,
}

/// Number of teams of blocks at a barrier of several devices (`run.cuh`).
const BLOCK_TEAMS: usize = 8;

/// Number of blocks of several devices that have arrived at barriers (`Arrivals` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Arrivals {
    pub(crate) counts: [u64; 2],
    pub(crate) line: [u64; 14],
}

/// Number of times that blocks of a team have arrived at a barrier (`Team` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Team {
    pub(crate) arrivals: u64,
    pub(crate) line: [u64; 15],
}

/// Addresses in the memory of one of several devices (`Peer` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Peer {
    pub(crate) control: u64,
    pub(crate) inboxes: [u64; 2],
    pub(crate) values: u64,
    pub(crate) present: u64,
    pub(crate) active: u64,
    pub(crate) bitmaps: [u64; 2],
    pub(crate) sent: u64,
    pub(crate) folds: u64,
    pub(crate) message_slots: u64,
    pub(crate) parents: u64,
    pub(crate) pending: u64,
    pub(crate) amounts: u64,
    pub(crate) blocks: u64,
}

/// Counts and sums of the vertices that wait for their turn, as a device has seen them (`Census` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Census {
    pub(crate) urgency: f64,
    pub(crate) taken: f64,
    pub(crate) total: f64,
    pub(crate) waiting: u64,
    pub(crate) senders: u64,
    pub(crate) items: u64,
}

/// State of the rounds over vertices that wait for their turn (`WalkState` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct WalkState {
    pub(crate) scans: u64,
    pub(crate) updates: u64,
    pub(crate) borrowed: u64,
    pub(crate) taken: f64,
    pub(crate) total: f64,
    pub(crate) left: f64,
    pub(crate) first: f64,
    pub(crate) last: f64,
    pub(crate) group: u32,
    pub(crate) looks: u32,
    pub(crate) is_exact: u32,
    pub(crate) reserved: u32,
}

impl WalkState {
    /// Returns the share of the sizes of all values that was not sent when the run ended.
    pub(crate) fn pending(&self) -> f64 {
        if self.left > 0.0 { self.left / self.total } else { 0.0 }
    }
}

/// State of a run's loop (`Control` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Control {
    pub(crate) ticket: u64,
    pub(crate) gates: [u64; 3],
    pub(crate) ticket_line: [u64; 12],
    pub(crate) news: [News; 3],
    pub(crate) news_line: [u64; 7],
    pub(crate) arrivals: Arrivals,
    pub(crate) teams: [Team; BLOCK_TEAMS],
    pub(crate) step: u64,
    pub(crate) edges: u64,
    pub(crate) frontiers: [Counter; 6],
    pub(crate) received: [Counter; 2],
    pub(crate) changed: [u64; 2],
    pub(crate) best: [u64; 3],
    pub(crate) bound: u64,
    pub(crate) width: f64,
    pub(crate) epoch: u64,
    pub(crate) sent: u64,
    pub(crate) launched: u64,
    pub(crate) ended: u64,
    pub(crate) step_edges: [u64; 3],
    pub(crate) chunks: u64,
    pub(crate) taken: [u64; 2],
    pub(crate) recorded: u64,
    pub(crate) outcome: u32,
    pub(crate) fault: u32,
    pub(crate) fault_place: u32,
    pub(crate) fault_a: u32,
    pub(crate) fault_b: u32,
    pub(crate) directive: [u32; 2],
    pub(crate) waiting: [u32; 3],
    pub(crate) pulling: u32,
    pub(crate) group: u32,
    pub(crate) largest: u32,
    pub(crate) left: [u32; 3],
    pub(crate) posted: [[u32; MOST_DEVICES]; 2],
    pub(crate) arrived: [[u32; MOST_DEVICES]; 2],
    pub(crate) sent_word: [u64; 2],
    pub(crate) seen: [Census; 3],
    pub(crate) walk: WalkState,
}

/// Description of a run for its kernel (`DeviceRun` in `run.cuh`): limits and device addresses. The address of an array
/// that the run does not need is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct DeviceRun {
    pub(crate) out_offsets: u64,
    pub(crate) out_ends: u64,
    pub(crate) out_weights: u64,
    pub(crate) in_offsets: u64,
    pub(crate) in_ends: u64,
    pub(crate) in_weights: u64,
    pub(crate) out_bands: u64,
    pub(crate) out_starts: u64,
    pub(crate) in_bands: u64,
    pub(crate) in_starts: u64,
    pub(crate) out_widths: u64,
    pub(crate) in_widths: u64,
    pub(crate) out_head: u64,
    pub(crate) in_head: u64,
    pub(crate) out_weights_head: u64,
    pub(crate) in_weights_head: u64,
    pub(crate) out_first_ends: u64,
    pub(crate) in_first_ends: u64,
    pub(crate) out_resident: u64,
    pub(crate) in_resident: u64,
    pub(crate) out_resident_weights: u64,
    pub(crate) in_resident_weights: u64,
    pub(crate) out_degrees: u64,
    pub(crate) in_degrees: u64,
    pub(crate) neighbours: u64,
    pub(crate) out_places: u64,
    pub(crate) in_places: u64,
    pub(crate) ids: u64,
    pub(crate) ranks: u64,
    pub(crate) values: u64,
    pub(crate) incoming: u64,
    pub(crate) present: u64,
    pub(crate) marks: u64,
    pub(crate) parents: u64,
    pub(crate) active: u64,
    pub(crate) queues: [u64; 2],
    pub(crate) overflows: [u64; 2],
    pub(crate) gather: u64,
    pub(crate) bitmaps: [u64; 2],
    pub(crate) pending: u64,
    pub(crate) held: u64,
    pub(crate) amounts: u64,
    pub(crate) places: u64,
    pub(crate) path_vertices: u64,
    pub(crate) path_groups: u64,
    pub(crate) path_ends: u64,
    pub(crate) proxies: u64,
    pub(crate) priorities: u64,
    pub(crate) awake: u64,
    pub(crate) before: u64,
    pub(crate) recipients: u64,
    pub(crate) partials: u64,
    pub(crate) message_slots: u64,
    pub(crate) item_blocks: u64,
    pub(crate) item_ends: u64,
    pub(crate) columns: u64,
    pub(crate) short_rows: u64,
    pub(crate) next_slots: u64,
    pub(crate) next_rows: u64,
    pub(crate) next_block: u64,
    pub(crate) first_slices: u64,
    pub(crate) sent: u64,
    pub(crate) folds: u64,
    pub(crate) edge_sources: u64,
    pub(crate) groups: u64,
    pub(crate) dirty: u64,
    pub(crate) source_vertices: u64,
    pub(crate) source_values: u64,
    pub(crate) control: u64,
    pub(crate) stop: u64,
    pub(crate) progress: u64,
    pub(crate) records: u64,
    pub(crate) record_room: u64,
    pub(crate) edges: u64,
    pub(crate) input_edges: u64,
    pub(crate) max_steps: u64,
    pub(crate) steps: u64,
    pub(crate) slice: u64,
    pub(crate) width: f64,
    pub(crate) vertices: u32,
    pub(crate) sources: u32,
    pub(crate) queue_items: u32,
    pub(crate) hub_room: u32,
    pub(crate) watched: u32,
    pub(crate) group_count: u32,
    pub(crate) derives: u32,
    pub(crate) laid_out: u32,
    pub(crate) settle_count: u32,
    pub(crate) staging_count: u32,
    pub(crate) settles: u64,
    pub(crate) largest: u64,
    pub(crate) ring: u64,
    pub(crate) staging: u64,
    pub(crate) slots: u64,
    pub(crate) slot_chunks: u64,
    pub(crate) slot_rounds: u64,
    pub(crate) request_slots: u64,
    pub(crate) needed: u64,
    pub(crate) state: u64,
    pub(crate) requests: u64,
    pub(crate) chunk_shift: u32,
    pub(crate) in_chunks: u32,
    pub(crate) chunk_count: u32,
    pub(crate) slot_count: u32,
    pub(crate) round_chunks: u32,
    pub(crate) slot_bytes: u32,
    pub(crate) weights_part: u32,
    pub(crate) places_part: u32,
    pub(crate) gather_items: u32,
    pub(crate) hot_count: u32,
    pub(crate) slice_count: u32,
    pub(crate) device: u32,
    pub(crate) devices: u32,
    pub(crate) own_count: u32,
    pub(crate) inbox_room: u32,
    pub(crate) unit_shift: u32,
    pub(crate) all_edges: u64,
    pub(crate) owners: u64,
    pub(crate) own_units: u64,
    pub(crate) unsent: u64,
    pub(crate) own_slots: u64,
    pub(crate) peers: u64,
    pub(crate) abort: u64,
    pub(crate) tolerance: f64,
    pub(crate) place_count: u64,
    pub(crate) lenders: u64,
    pub(crate) least_lent: u64,
}

/// Maximum size of a program's parameters in bytes.
pub(crate) const MAX_PARAMETERS: usize = 1024;

/// A program's parameters as the kernel's second argument. The kernel reads only the first `sizeof(Params)` bytes.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(crate) struct Parameters(pub(crate) [u8; MAX_PARAMETERS]);

// SAFETY: the struct consists of plain integers in `repr(C)` and has the layout of `wp::DeviceRun`. The kernels check
// the offsets of all fields.
unsafe impl DeviceRepr for DeviceRun {}

// SAFETY: the struct consists of plain bytes.
unsafe impl DeviceRepr for Parameters {}

impl Control {
    /// Returns the state with which a launch begins.
    pub(crate) fn for_launch(self) -> Control {
        let (news, gates, arrivals, teams) = Default::default();
        Control { ticket: 0, gates, news, arrivals, teams, outcome: 0, recorded: 0, ..self }
    }

    /// Returns the offsets for `layout.cuh`: the fields of `Control`, of `Census`, of `WalkState`, of `News`, of `Peer` and of
    /// `Counter`, and the sizes.
    pub(crate) fn offsets() -> Vec<usize> {
        let fields = offsets!(Control: ticket gates news arrivals teams step edges frontiers received changed best bound width epoch sent launched
            ended step_edges chunks taken recorded outcome fault fault_place fault_a fault_b directive waiting pulling group largest left posted arrived sent_word seen walk);
        let (size, fields) = fields.split_last().expect("the size is the last");
        let seen = offsets!(Census: urgency taken total waiting senders items);
        let walk =
            offsets!(WalkState: scans updates borrowed taken total left first last group looks is_exact);
        let news = offsets!(News: counted flags posted chunks);
        let peer = offsets!(Peer: control inboxes values present active bitmaps sent folds message_slots parents pending amounts blocks);
        let counter = offsets!(Counter: counted edgeless hubs);
        fields
            .iter()
            .chain(&seen)
            .chain(&walk)
            .chain(&news)
            .chain(&peer)
            .chain(&counter)
            .chain([size])
            .copied()
            .collect()
    }
}

impl DeviceRun {
    /// Returns the offsets for `layout.cuh`: all fields, then the size.
    pub(crate) fn offsets() -> Vec<usize> {
        offsets!(DeviceRun: out_offsets out_ends out_weights in_offsets in_ends in_weights out_bands out_starts in_bands
            in_starts out_widths in_widths out_head in_head out_weights_head in_weights_head out_first_ends in_first_ends out_resident in_resident out_resident_weights in_resident_weights out_degrees in_degrees neighbours out_places in_places ids ranks values incoming present marks parents active queues overflows gather
            bitmaps pending held amounts places path_vertices path_groups path_ends proxies priorities awake before recipients partials message_slots item_blocks item_ends columns short_rows next_slots next_rows next_block first_slices sent folds edge_sources groups dirty
            source_vertices source_values control stop progress records record_room edges input_edges max_steps steps
            slice width vertices sources queue_items hub_room watched group_count derives laid_out settle_count settles
            largest ring staging slots slot_chunks slot_rounds request_slots staging_count needed state requests chunk_shift in_chunks chunk_count slot_count
            round_chunks slot_bytes weights_part places_part gather_items hot_count slice_count device devices own_count inbox_room
            unit_shift all_edges owners own_units unsent own_slots peers abort tolerance place_count lenders least_lent)
        .to_vec()
    }
}
