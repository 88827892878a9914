//! CUDA text that is compiled for a program: its configuration as `#define`s, the fixed headers, and the program's
//! generated code, which is inserted between them.

use std::fmt::Write;

use wolfpath_core::program::{Along, CombineKind, DatumKind, IndexUse, Starts};

use super::many::{AbreastBatch, BatchState, BitsBatch};
use super::state::{Control, DeviceRun};
use super::{records, stream};
use crate::plan::{ArrayName, Plan, RowUse, Schedule, Techniques, word_bytes};
use crate::shape::{Computes, Shape};
use crate::start::Carried;

/// Kernel of a translation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// One run.
    Run,
    /// One run that starts with the values of an earlier outcome.
    RunFrom(Carried),
    /// Up to 64 runs, one bit per run.
    Bits,
    /// Several runs abreast: each vertex stores their values contiguously.
    Abreast {
        /// Number of runs: 4, 8 or 16.
        runs: u32,
    },
}

impl Kernel {
    /// Returns the matching kernel of `wolfpath_kernels`, which owns the headers.
    fn of_headers(self) -> wolfpath_kernels::Kernel {
        match self {
            Kernel::Run | Kernel::RunFrom(_) => wolfpath_kernels::Kernel::Run,
            Kernel::Bits => wolfpath_kernels::Kernel::Bits,
            Kernel::Abreast { .. } => wolfpath_kernels::Kernel::Abreast,
        }
    }

    /// Returns the name of the kernel function.
    pub(crate) fn entry(self) -> &'static str {
        self.of_headers().entry()
    }

    /// Returns the size in bytes of the dynamic shared memory per block. Shared memory that the kernel declares
    /// statically is not included.
    pub(crate) fn shared_bytes(self, shape: &Shape, configuration: &Configuration) -> u32 {
        match self {
            Kernel::Run | Kernel::RunFrom(_) => configuration.shared_bytes(shape),
            Kernel::Bits | Kernel::Abreast { .. } => 0,
        }
    }

    /// Returns the properties of first values from an earlier outcome.
    fn carried(self) -> Option<Carried> {
        if let Kernel::RunFrom(carried) = self { Some(carried) } else { None }
    }

    /// Returns the defines that only this kernel has: the number of runs, and the layouts of the structs that it shares
    /// with the host.
    fn defines(self) -> String {
        let (runs, layouts) = match self {
            Kernel::Run => return String::new(),
            Kernel::RunFrom(carried) => {
                let combine = combine_number(carried.words.unwrap_or(CombineKind::Any));
                let words = u32::from(carried.words.is_some());
                return format!("#define WP_CARRIED_WORDS {words}\n#define WP_CARRIED_COMBINE {combine}\n");
            }
            Kernel::Bits => (
                64,
                offsets("BATCH", &BitsBatch::offsets()) + &offsets("BATCH_STATE", &BatchState::offsets()),
            ),
            Kernel::Abreast { runs } => (runs, offsets("BATCH", &AbreastBatch::offsets())),
        };
        format!("#define WP_RUNS {runs}\n{layouts}")
    }
}

/// Settings of a translation unit that do not come from the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// Schedule of the run.
    pub schedule: Schedule,
    /// Rows that the run traverses.
    pub rows: RowUse,
    /// `true` if every edge has its reverse.
    pub symmetric: bool,
    /// `true` if the graph has weights; otherwise every weight is 1.
    pub weighted: bool,
    /// Type of 8 or 16 bits in which the weights are stored, if they are.
    pub narrow_weights: Option<DatumKind>,
    /// `true` if all messages of a step are equal in this run.
    pub uniform: bool,
    /// `true` if the number of edges does not fit in 32 bits.
    pub wide_offsets: bool,
    /// Optional optimizations that the plan uses.
    pub techniques: Techniques,
    /// `true` if the rows are packed.
    pub packed: bool,
    /// `true` if the rows live in host memory.
    pub rows_on_host: bool,
    /// Bytes of shared memory per block for the first messages by slot; 0 without slots.
    pub hot_bytes: u32,
    /// `true` if queues have room for a part of a large frontier only; the other vertices are marked.
    pub overflows: bool,
    /// `true` if the first ends of rows that live in host memory are on the device.
    pub first_ends: bool,
    /// `true` if the rows are streamed.
    pub streamed: bool,
    /// `true` if the run ends when named vertices are settled.
    pub settles: bool,
    /// `true` if messages beyond a bound are dropped ([`Plan::bound`]).
    pub bounded: bool,
    /// `true` if several devices share the run.
    pub several: bool,
    /// `true` if threads wait for random times at barriers and atomics, for tests.
    pub delays: bool,
}

impl Configuration {
    /// Returns the settings of a plan.
    pub fn of(plan: &Plan) -> Configuration {
        Configuration {
            schedule: plan.schedule,
            rows: plan.rows,
            symmetric: plan.graph.symmetric,
            weighted: plan.graph.weighted,
            narrow_weights: plan.graph.narrow_weights,
            uniform: plan.uniform,
            wide_offsets: plan.own_graph().wide_offsets(),
            techniques: plan.techniques,
            packed: plan.packed,
            rows_on_host: plan.rows_on_host(),
            hot_bytes: plan.slots.map_or(0, |slots| slots.hot_bytes),
            overflows: plan.planned_bytes(ArrayName::OverflowBits) > 0,
            first_ends: plan.has_first_ends(),
            streamed: plan.ring.is_some(),
            settles: !plan.settles.is_empty(),
            bounded: plan.drops_beyond().is_some(),
            several: plan.share.is_some(),
            delays: false,
        }
    }

    /// Returns `true` if a run over plain rows on the device can use slots ([`slots`](super::slots)): every vertex sends in every
    /// step, its message is computed once, and receivers gather in one direction.
    pub fn can_have_slots(&self, shape: &Shape) -> bool {
        let in_advance = makes_messages_once(shape, self.schedule) && shape.everyone_sends();
        // Vertices are sorted by the edges along which they send, whose number is known in the direction of the edges.
        let has_degrees = self.symmetric || !self.rows.gather_out;
        let one_direction = self.rows.gather_out != self.rows.gather_in && shape.along != Along::Neighbours;
        in_advance
            && has_degrees
            && one_direction
            && !shape.combines_at_once()
            && !shape.model.reads.vertex_values
            && !self.packed
            && !self.rows_on_host
            && !self.streamed
    }

    /// Returns `true` if devices that share a run of an accumulating program take work from each other.
    fn lends(&self) -> bool {
        let on_devices = !self.rows_on_host && !self.streamed;
        self.several && self.schedule.walks() && self.techniques.lending && on_devices
    }

    /// Returns `true` if a single run copies ends and weights from host memory to shared memory before vertices that were
    /// marked, because a queue had no room for them, send along these edges.
    fn copies_edges(&self) -> bool {
        let sends = matches!(self.schedule, Schedule::Relax | Schedule::Bucket | Schedule::Frontier);
        sends && self.rows_on_host && self.packed && self.overflows
    }

    /// Returns the size in bytes of the dynamic shared memory per block of a single run. This memory holds the edges
    /// that each warp visits next (`wp::Hops`), ends and weights that are copied from host memory (`copy.cuh`), the
    /// messages that are counted (`frequent.cuh`), or the first messages by slot (`columns.cuh`).
    pub fn shared_bytes(&self, shape: &Shape) -> u32 {
        if shape.combines_at_once() {
            return wolfpath_kernels::BLOCK_THREADS * wolfpath_kernels::COUNTING_BYTES;
        }
        if self.hot_bytes > 0 {
            return self.hot_bytes;
        }
        if self.schedule == Schedule::Pull && self.packed && self.rows_on_host {
            return wolfpath_kernels::BLOCK_THREADS / 32 * wolfpath_kernels::COPIED_ROWS;
        }
        let hops = match self.schedule {
            Schedule::Relax | Schedule::Bucket if self.techniques.local_rounds => {
                wolfpath_kernels::hop_room(shape.value.size(), self.wide_offsets)
                    * hop_size(shape, self) as u32
            }
            _ => 0,
        };
        let copies = if self.copies_edges() { wolfpath_kernels::COPIED_EDGES } else { 0 };
        // A warp never holds both at the same time.
        wolfpath_kernels::BLOCK_THREADS / 32 * hops.max(copies)
    }
}

/// Returns the number that the kernels use for a combiner.
fn combine_number(kind: CombineKind) -> u32 {
    match kind {
        CombineKind::Min => 0,
        CombineKind::Max => 1,
        CombineKind::Sum => 2,
        CombineKind::Or => 3,
        CombineKind::And => 4,
        CombineKind::Any => 5,
        CombineKind::Custom => 6,
        CombineKind::Fields => 7,
        CombineKind::MostFrequent => 8,
    }
}

/// Returns the number that the kernels use for a schedule.
fn schedule_number(schedule: Schedule) -> u32 {
    match schedule {
        Schedule::Relax | Schedule::Bucket => 0,
        Schedule::Frontier => 1,
        Schedule::Pull => 2,
        Schedule::Sweep => 3,
        Schedule::Union => 4,
        Schedule::Paths | Schedule::Accumulate => 5,
    }
}

fn starts_number(starts: Starts) -> u32 {
    match starts {
        Starts::Sources => 0,
        Starts::Every => 1,
        Starts::Some => 2,
    }
}

fn computes_number(computes: Computes) -> u32 {
    match computes {
        Computes::Receivers => 0,
        Computes::Awake => 1,
        Computes::All => 2,
    }
}

fn index_number(index: IndexUse) -> u32 {
    match index {
        IndexUse::Unread => 0,
        IndexUse::Number => 1,
        IndexUse::Rank => 2,
    }
}

/// Returns the size of a type on the device in bytes. `wp::Unit` has 1 byte, like every empty struct in C++.
pub(crate) fn device_size(kind: DatumKind) -> usize {
    kind.size().max(1)
}

/// Returns the size in bytes of the partial result of one item (a part of a row that is gathered): a flag and an
/// accumulator.
pub(crate) fn partial_size(shape: &Shape) -> usize {
    shape.accumulator.align() + shape.accumulator.size().max(1)
}

/// Returns `true` if a run computes each sender's message once per step. This requires that the message is the same
/// along all edges of a sender, and that computing it cannot fault, because a fault report names the edge.
pub(crate) fn makes_messages_once(shape: &Shape, schedule: Schedule) -> bool {
    schedule == Schedule::Pull && shape.sends_alike() && !shape.model.edge_can_fault
}

/// Returns `true` if every vertex has a message to send in every step.
fn all_send(shape: &Shape, carried: Option<Carried>) -> bool {
    shape.model.always_sends && carried.map_or(shape.model.starts == Starts::Every, |carried| carried.all)
}

/// Returns the size in bytes of a message that is computed once per step (`wp::SentMessage`). The size includes a flag
/// if some vertices may have no message.
pub(crate) fn sent_size(shape: &Shape, carried: Option<Carried>) -> usize {
    let size = device_size(shape.message);
    let align = if let DatumKind::Struct { align, .. } = shape.message { align } else { size };
    if all_send(shape, carried) { size } else { size + align }
}

/// Returns the size in bytes of a value before the last step, which `aggregate` reads. The size includes a flag if a
/// vertex may be without a value.
pub(crate) fn before_size(shape: &Shape) -> usize {
    if shape.model.starts == Starts::Every { device_size(shape.value) } else { optional_size(shape.value) }
}

/// Returns the size in bytes of the folds of `vertices` vertices, and of what is necessary to compute them: the fold of
/// all values, the folds of units of vertices, the steps that wrote the units, and the values before the last step
/// (`vertex.cuh`). Each part begins at a multiple of 8 bytes.
pub(crate) fn fold_bytes(shape: &Shape, vertices: u64) -> u64 {
    let units = vertices.div_ceil(wolfpath_kernels::FOLD_VERTICES);
    let folds = (1 + units) * device_size(shape.aggregate) as u64;
    let written = if shape.folds_written() { 4 * units } else { 0 };
    let before = if shape.model.reads.vertex_before { vertices * before_size(shape) as u64 } else { 0 };
    if written + before == 0 {
        folds
    } else {
        folds.next_multiple_of(8) + written.next_multiple_of(8) + before
    }
}

/// Returns the size in bytes of a value that may be missing.
pub(crate) fn optional_size(kind: DatumKind) -> usize {
    let size = device_size(kind);
    size + if let DatumKind::Struct { align, .. } = kind { align } else { size }
}

/// Returns the size in bytes of an edge that a warp visits next (`wp::Hop`): a position, a sender, a word and a flag.
fn hop_size(shape: &Shape, configuration: &Configuration) -> usize {
    if word_bytes(shape.value) == 4 && !configuration.wide_offsets { 16 } else { 24 }
}

fn sums_floats(shape: &Shape) -> bool {
    shape.combine == CombineKind::Sum && shape.message.is_float()
}

/// Returns `true` if each of several devices needs the values of the vertices of the others: receivers gather along edges
/// whose messages are not computed in advance, or the program reads values of other vertices.
pub(crate) fn shares_values(shape: &Shape, schedule: Schedule) -> bool {
    let gathers = schedule == Schedule::Pull && !makes_messages_once(shape, schedule);
    gathers || shape.model.reads.vertex_values
}

/// Returns the size in bytes of a vertex and its word, as one of several devices posts them to another one (`wp::Parcel`).
pub(crate) fn parcel_size(shape: &Shape, schedule: Schedule) -> usize {
    let word = match schedule {
        Schedule::Pull => 4,
        _ if shape.accumulates => 4,
        Schedule::Frontier => word_bytes(shape.message),
        _ => word_bytes(shape.value),
    };
    2 * word as usize
}

/// Returns the complete translation unit for a single run.
pub fn translation_unit(shape: &Shape, configuration: &Configuration) -> String {
    kernel_unit(Kernel::Run, shape, configuration)
}

/// Returns the complete translation unit of any kernel.
pub fn kernel_unit(kernel: Kernel, shape: &Shape, configuration: &Configuration) -> String {
    let configuration = kernel.defines() + &defines(shape, configuration, kernel);
    wolfpath_kernels::translation_unit(kernel.of_headers(), &configuration, shape.model.cuda)
}

/// Returns a `#define` that lists the host's offsets of a struct's fields, for `layout.cuh`.
fn offsets(name: &str, offsets: &[usize]) -> String {
    let offsets: Vec<String> = offsets.iter().map(usize::to_string).collect();
    format!("#define WP_OFFSETS_{name} {}\n", offsets.join(","))
}

fn defines(shape: &Shape, configuration: &Configuration, kernel: Kernel) -> String {
    let carried = kernel.carried();
    let mut text = String::new();
    let mut define = |name: &str, value: u64| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "#define WP_{name} {value}");
    };
    let (rows, reads) = (configuration.rows, &shape.model.reads);
    for (name, number) in [("RELAX", 0), ("PUSH", 1), ("PULL", 2), ("SWEEP", 3), ("UNION", 4), ("WALK", 5)] {
        define(name, number);
    }
    for (name, number) in
        [("STARTS_SOURCES", 0), ("STARTS_EVERY", 1), ("STARTS_SOME", 2), ("STARTS_CARRIED", 3)]
    {
        define(name, number);
    }
    for (name, number) in [("RECEIVERS", 0), ("AWAKE", 1), ("ALL", 2)] {
        define(name, number);
    }
    for (name, number) in [("INDEX_UNREAD", 0), ("INDEX_NUMBER", 1), ("INDEX_RANK", 2)] {
        define(name, number);
    }
    let numbers = [
        ("SCHEDULE", schedule_number(configuration.schedule)),
        ("COMBINE", combine_number(shape.combine)),
        ("STARTS", carried.map_or(starts_number(shape.model.starts), |_| 3)),
        ("COMPUTES", computes_number(shape.computes())),
        ("AGGREGATE", shape.fold.map_or(0, combine_number)),
        ("EDGE_SOURCE_INDEX", index_number(reads.source_index())),
        ("EDGE_TARGET_INDEX", index_number(reads.target_index())),
        ("VERTEX_INDEX", index_number(reads.vertex_index())),
    ];
    numbers.iter().for_each(|&(name, number)| define(name, u64::from(number)));
    let flags = [
        ("CHECKED", shape.model.checked),
        ("HAS_LOOPS", shape.model.has_loops),
        ("SEND_OUT", rows.send_out),
        ("SEND_IN", rows.send_in),
        ("GATHER_OUT", rows.gather_out),
        ("GATHER_IN", rows.gather_in),
        ("EVERYONE_SENDS", shape.everyone_sends()),
        ("HAS_SENDS", shape.model.has_sends),
        ("HAS_HALTS", shape.model.has_halts),
        ("HAS_PRIORITY", shape.model.has_priority),
        ("HAS_FINISHED", shape.model.has_finished),
        ("MESSAGES_MADE_ONCE", makes_messages_once(shape, configuration.schedule)),
        ("ALL_SEND", all_send(shape, carried)),
        ("UNIFORM", configuration.uniform),
        ("HAS_APPLY", shape.model.has_apply),
        ("HAS_CHANGED", shape.model.has_changed),
        ("WIDE_OFFSETS", configuration.wide_offsets),
        ("IN_PLACE", shape.combines_words(configuration.schedule)),
        ("ACCUMULATES", shape.accumulates),
        ("ORDERED", configuration.schedule == Schedule::Paths),
        ("PROXIES", configuration.techniques.shared_window && shape.accumulates),
        ("BUCKETS", configuration.schedule == Schedule::Bucket),
        ("PACKED", configuration.packed),
        ("ROWS_ON_HOST", configuration.rows_on_host),
        ("OVERFLOWS", configuration.overflows),
        ("COPIED", matches!(kernel, Kernel::Run | Kernel::RunFrom(_)) && configuration.copies_edges()),
        ("SLOTS", matches!(kernel, Kernel::Run | Kernel::RunFrom(_)) && configuration.hot_bytes > 0),
        ("FIRST_ENDS", configuration.first_ends),
        ("STREAMED", configuration.streamed),
        ("SETTLES", configuration.settles),
        ("BOUNDED", configuration.bounded),
        ("SEVERAL", configuration.several),
        ("LENDS", shape.accumulates && configuration.lends()),
        ("SHARES_VALUES", configuration.several && shares_values(shape, configuration.schedule)),
        ("DELAYS", configuration.delays),
        ("DIRECTION", configuration.techniques.direction),
        ("LOCAL_ROUNDS", configuration.techniques.local_rounds),
        ("SHARED_WINDOW", configuration.techniques.shared_window),
        ("AGGREGATES", shape.fold.is_some()),
        ("FOLDS_WRITTEN", shape.folds_written()),
        ("SYMMETRIC", configuration.symmetric),
        ("NEIGHBOURS", shape.along == Along::Neighbours),
        // A missing weight defaults to 1, but a struct or a count has no such default. A program with struct weights always has
        // weights, since a graph without the columns that it needs is rejected earlier.
        ("HAS_WEIGHTS", configuration.weighted || shape.weight.is_struct() || reads.common().is_some()),
        ("SUMS_FLOATS", sums_floats(shape)),
        ("BY_FIELD", shape.combines_fields()),
        ("VALUE_IS_STRUCT", shape.value.is_struct()),
        ("READS_EDGE_VALUE", reads.edge_value),
        ("READS_EDGE_WEIGHT", reads.edge_load()),
        ("READS_EDGE_SOURCE", reads.edge_source),
        ("READS_EDGE_TARGET", reads.edge_target),
        ("READS_EDGE_OUT_DEGREE", reads.edge_out_degree),
        ("READS_EDGE_STEP", reads.edge_step),
        ("READS_EDGE_AGGREGATE", reads.edge_aggregate),
        ("READS_EDGE_FORWARD", reads.edge_forward),
        ("READS_EDGE_PLACE", reads.edge_place),
        ("READS_VERTEX_ID", reads.vertex_id),
        ("READS_VERTEX_OUT_DEGREE", reads.vertex_out_degree),
        ("READS_VERTEX_IN_DEGREE", reads.vertex_in_degree),
        ("READS_VERTEX_LEVEL", reads.vertex_level),
        ("READS_VERTEX_NEIGHBOURS", reads.vertex_neighbours),
        ("READS_VERTEX_BEFORE", reads.vertex_before),
        ("READS_VALUES_AT", reads.vertex_values),
        ("MAY_HAVE_NO_VALUE", shape.model.starts != Starts::Every),
    ];
    flags.iter().for_each(|&(name, flag)| define(name, u64::from(flag)));
    let sizes = [
        ("SIZE_PARTIAL", partial_size(shape)),
        ("SIZE_SENT", sent_size(shape, carried)),
        ("SIZE_HOP", hop_size(shape, configuration)),
        ("SIZE_PARCEL", parcel_size(shape, configuration.schedule)),
        ("SIZE_VALUE", device_size(shape.value)),
        ("SIZE_MESSAGE", device_size(shape.message)),
        ("SIZE_WEIGHT", device_size(shape.weight)),
        (
            "SIZE_STORED_WEIGHT",
            configuration.narrow_weights.map_or(device_size(shape.weight), DatumKind::size),
        ),
        ("SIZE_AGGREGATE", device_size(shape.aggregate)),
        ("SIZE_BEFORE", before_size(shape)),
        ("SIZE_PARAMS", shape.model.parameters.max(1)),
        ("PORTION_WORDS", shape.portion_words),
    ];
    sizes.iter().for_each(|&(name, size)| define(name, size as u64));
    let layouts = [
        ("CONTROL", Control::offsets()),
        ("RUN", DeviceRun::offsets()),
        ("RECORD", records::offsets_of_record()),
        ("STREAM", stream::offsets()),
    ];
    layouts.iter().for_each(|(name, layout)| text += &offsets(name, layout));
    text
}
