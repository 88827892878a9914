//! Arrays of a run and their sizes: the rows that it traverses, and the parts of the graph that it needs.

use wolfpath_core::graph::{Direction, PackedRows};
use wolfpath_core::program::{Along, DatumKind};

use super::{ArrayName, GraphSize, Schedule, Share, Techniques};
use crate::cuda::{SlotPlan, counts_on_device};
use crate::shape::Shape;
use crate::start::Carried;

/// Array that a run needs.
///
/// # Examples
///
/// ```
/// use wolfpath::ArrayName;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::bfs::starting_at(1), &RunOptions::new())?;
/// let values = plan.arrays.iter().find(|array| array.name == ArrayName::Values).unwrap();
/// assert_eq!((values.elements, values.bytes), (3, 12));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedArray {
    /// Name of the array, which identifies its contents.
    pub name: ArrayName,
    /// Number of elements.
    pub elements: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Home of the array.
    pub home: Home,
}

/// Bytes at the end of the beginning of an array of ends that are not read first: a segment of packed rows, or the ends
/// of an item that gathers, can begin before them.
pub(crate) const HEAD_SLACK: u64 = 1280;

/// Memory that contains an array of a run.
///
/// # Examples
///
/// ```
/// use wolfpath::Home;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let plan = Engine::cpu().plan(&graph, &wolfpath::programs::bfs::starting_at(1), &RunOptions::new())?;
/// assert!(plan.arrays.iter().all(|array| array.home == Home::Host));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Home {
    /// Memory of the device.
    Device,
    /// Memory of the host. If the run is on a device, the memory is page-locked, and kernels read it in place over the
    /// link.
    Host,
    /// The file of the graph. During a run on a device, host threads read the parts that the device asks for and copy
    /// them to it. Data that are not in the file as the device needs them are computed, or copied from host memory.
    File,
}

impl Home {
    /// Returns the text with which the command names the home: "device", "host" or "file".
    ///
    /// ```
    /// assert_eq!(wolfpath::Home::Host.name(), "host");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Home::Device => "device",
            Home::Host => "host",
            Home::File => "file",
        }
    }
}

impl PlannedArray {
    /// Returns an array of `elements` elements of `each` bytes.
    pub(crate) fn new(name: ArrayName, elements: u64, each: u64) -> PlannedArray {
        PlannedArray::of_bytes(name, elements, elements * each)
    }

    /// Returns an array of `bytes` bytes.
    pub(crate) fn of_bytes(name: ArrayName, elements: u64, bytes: u64) -> PlannedArray {
        PlannedArray { name, elements, bytes, home: Home::Host }
    }
}

/// Rows of a graph that senders and receivers traverse. On a symmetric graph both use the out-rows.
///
/// # Examples
///
/// ```
/// use wolfpath::RowUse;
/// use wolfpath::program::Along;
///
/// let rows = RowUse::new(Along::Out, false);
/// assert!(rows.send_out && rows.gather_in && !rows.send_in && !rows.gather_out);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowUse {
    /// `true` if senders traverse their out-rows.
    pub send_out: bool,
    /// `true` if senders traverse their in-rows.
    pub send_in: bool,
    /// `true` if receivers gather over their out-rows.
    pub gather_out: bool,
    /// `true` if receivers gather over their in-rows.
    pub gather_in: bool,
}

impl RowUse {
    /// Returns the rows that a run traverses if messages travel `along` the edges. `symmetric` is a property of the
    /// graph.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::RowUse;
    /// use wolfpath::program::Along;
    ///
    /// assert_eq!(RowUse::new(Along::In, true), RowUse::new(Along::Out, true));
    /// ```
    pub fn new(along: Along, symmetric: bool) -> RowUse {
        let (out, inward) = match along {
            _ if symmetric => {
                return RowUse { send_out: true, send_in: false, gather_out: true, gather_in: false };
            }
            // Edges between neighbours are rows of their own. If these are not symmetric, they are oriented, or the
            // counts of an edge differ from those of its reverse.
            Along::Out | Along::Neighbours => (true, false),
            Along::In => (false, true),
            Along::Both => (true, true),
        };
        RowUse { send_out: out, send_in: inward, gather_out: inward, gather_in: out }
    }
}

/// Properties of a run that determine the sizes of its arrays. On a device, a queue item takes 16 bytes and represents
/// at most `SEGMENT` edges.
pub(crate) struct Budget<'a> {
    pub(crate) shape: &'a Shape,
    /// Size of the graph, with the edges that a device has.
    pub(crate) graph: GraphSize,
    /// The part that each device has, if several devices share the run.
    pub(crate) share: Option<Share>,
    pub(crate) rows: RowUse,
    pub(crate) schedule: Schedule,
    pub(crate) uniform: bool,
    pub(crate) techniques: Techniques,
    /// Number of threads of the CPU engine; 0 for a device.
    pub(crate) threads: usize,
    /// `true` if the run reads packed rows.
    pub(crate) packed: bool,
    /// Sizes of the arrays of slots, if the run uses slots.
    pub(crate) slots: Option<SlotPlan>,
    /// Number of items that a queue has room for, if there can be more.
    pub(crate) queue_room: Option<u64>,
    pub(crate) sources: u64,
    /// First values that the run takes from an earlier outcome, if it does.
    pub(crate) carried: Option<Carried>,
    /// Number of warps that are resident on the device at a time; 0 for the CPU engine.
    pub(crate) warps: u64,
    pub(crate) traced: bool,
    /// Number of vertices whose values end the run when they are settled.
    pub(crate) settles: u64,
    /// Value beyond which messages are dropped, if the run drops any.
    pub(crate) drops_beyond: Option<u64>,
}

/// Returns the size in bytes of a value that atomics combine: a word of 4 or 8 bytes.
pub(crate) fn word_bytes(kind: DatumKind) -> u64 {
    if kind.size() <= 4 { 4 } else { 8 }
}

impl Budget<'_> {
    /// Returns the arrays of the graph that the run reads.
    pub(crate) fn graph_arrays(&self) -> Vec<PlannedArray> {
        let (n, m) = (self.graph.vertices, self.graph.edges);
        let reads = &self.shape.model.reads;
        // The CPU engine converts narrow weights; a device widens each when it is read.
        let kind = if self.warps > 0 { self.graph.device_weight(self.shape) } else { self.shape.weight };
        let weights = if reads.edge_load() && self.graph.weighted { kind.size() as u64 } else { 0 };
        // The graph's file on the host always has offsets of 64 bits.
        let offset = if self.warps > 0 && !self.graph.wide_offsets() { 4 } else { 8 };
        let uses_in = self.uses_in_rows();
        let neighbours = self.shape.along == Along::Neighbours;
        let reads_in_degree = reads.vertex_in_degree && !self.graph.symmetric && !neighbours;
        let mut arrays = vec![];
        let mut add = |name, elements, each: u64, needed: bool| {
            if needed {
                arrays.push(PlannedArray::new(name, elements, each));
            }
        };
        add(ArrayName::RowOffsets(Direction::Out), n + 1, offset, true);
        let mut add_ends = |direction, needed: bool| match self.graph.packed_words(direction) {
            Some(words) if self.packed => {
                add(ArrayName::PackedBands(direction), n.div_ceil(PackedRows::BAND as u64) + 1, 8, needed);
                add(ArrayName::PackedStarts(direction), n, 2, needed);
                add(ArrayName::PackedEnds(direction), words, 4, needed);
            }
            _ => add(ArrayName::EdgeEnds(direction), m, 4, needed),
        };
        add_ends(Direction::Out, self.uses_out_rows());
        add_ends(Direction::In, uses_in);
        let out_weights = ArrayName::EdgeWeights(self.order_of_out_weights());
        add(out_weights, m, weights, self.loads_out_rows() && weights > 0);
        add(ArrayName::RowOffsets(Direction::In), n + 1, offset, uses_in || reads_in_degree);
        add(ArrayName::EdgeWeights(Direction::In), m, weights, uses_in && weights > 0);
        add(ArrayName::EdgePlaces(Direction::Out), m, 4, reads.edge_place && self.visits_out_rows());
        add(ArrayName::EdgePlaces(Direction::In), m, 4, reads.edge_place && self.visits_in_rows());
        let (outs, ins) = self.reads_degrees();
        add(ArrayName::OutDegrees, n, 8, outs);
        add(ArrayName::InDegrees, n, 8, ins);
        add(ArrayName::NeighbourCounts, n, 8, reads.vertex_neighbours);
        add(ArrayName::Ids, n, 8, self.reads_ids());
        add(ArrayName::Ranks, n, 4, self.reads_ranks());
        arrays.extend(self.counting());
        arrays.extend(self.shape.model.inputs.iter().map(|input| {
            let (elements, bytes) = input.kind.room(n);
            PlannedArray::of_bytes(ArrayName::Input(input.array), elements, bytes)
        }));
        arrays
    }

    /// Returns whether a device reads the degrees of vertices from arrays of their own: between distinct neighbours, whose
    /// rows are others, and on one of several devices, which does not have all rows. Such a device also counts the edges of
    /// vertices that it posts, and sorts vertices by degree.
    fn reads_degrees(&self) -> (bool, bool) {
        let reads = &self.shape.model.reads;
        let outs = reads.vertex_out_degree || reads.edge_out_degree;
        if self.shape.along == Along::Neighbours {
            return (outs, reads.vertex_in_degree);
        }
        if self.share.is_none() {
            return (false, false);
        }
        let (direction, symmetric) = (self.techniques.direction, self.graph.symmetric);
        let counts_out = direction && (self.rows.send_out || symmetric) || self.slots.is_some();
        (
            outs || counts_out || symmetric && reads.vertex_in_degree,
            !symmetric && (reads.vertex_in_degree || direction && self.rows.send_in),
        )
    }

    /// Returns what a device needs while it counts what the ends of edges have in common: one bitmap per block, the distinct
    /// targets of all vertices if the counts of an edge differ from those of its reverse, and, on one of several devices, the
    /// rows of all vertices.
    fn counting(&self) -> Option<PlannedArray> {
        let n = self.graph.vertices;
        let m = self.share.map_or(self.graph.edges, |share| share.all_edges);
        if self.warps == 0 || !counts_on_device(self) {
            return None;
        }
        let blocks = self.warps / u64::from(wolfpath_kernels::BLOCK_THREADS / 32);
        let one_sided = !self.shape.oriented && !self.graph.symmetric;
        let targets = if one_sided { 8 * (n + 1) + 4 * m } else { 0 };
        // Oriented rows of both directions differ. The starts of counts are as many as those of rows.
        let copies = self.share.map_or(0, |_| 1 + u64::from(self.shape.oriented && self.uses_in_rows()));
        let bytes = blocks * n.div_ceil(32) * 4 + targets + copies * (16 * (n + 1) + 4 * m);
        Some(PlannedArray::of_bytes(ArrayName::Counting, blocks, bytes))
    }

    /// Returns `true` if all rows that the run uses are stored in packed form, too, and the run can read that form.
    /// Counting what the ends of edges have in common cannot.
    pub(crate) fn can_be_packed(&self) -> bool {
        // Kernels number the words in 32 bits.
        let has = |direction| self.graph.packed_words(direction).is_some_and(|words| words <= 1 << 32);
        self.warps > 0
            && self.shape.model.reads.common().is_none()
            && (!self.uses_out_rows() || has(Direction::Out))
            && (!self.uses_in_rows() || has(Direction::In))
    }

    /// Returns `true` if the run uses the out-rows: it traverses them, or a device needs them to count what the ends of
    /// oriented edges have in common.
    pub(crate) fn uses_out_rows(&self) -> bool {
        self.loads_out_rows() || self.warps > 0 && self.shape.oriented && counts_on_device(self)
    }

    /// Returns `true` if the run traverses the out-rows, and reads the weights of their edges if the program does.
    pub(crate) fn loads_out_rows(&self) -> bool {
        match self.schedule {
            Schedule::Pull if self.shape.everyone_sends() => self.rows.gather_out,
            Schedule::Pull => self.rows.gather_out || self.rows.send_out,
            _ => self.rows.send_out || self.techniques.direction && self.rows.gather_out,
        }
    }

    pub(crate) fn uses_in_rows(&self) -> bool {
        match self.schedule {
            // Before it computes a vertex's message, the CPU engine looks whether there is an edge to send it along.
            Schedule::Pull if self.shape.everyone_sends() => {
                let on_cpu = self.warps == 0;
                self.rows.gather_in
                    || (on_cpu && self.rows.send_in && self.shape.message_depends_on_sender_alone())
            }
            Schedule::Pull => self.rows.gather_in || self.rows.send_in,
            _ => self.rows.send_in || self.techniques.direction && self.rows.gather_in,
        }
    }

    /// Returns the rows in whose order weights along out-rows are. In a symmetric graph, out-rows serve as in-rows too,
    /// but parallel edges can have their weights in another order in the opposite row. If the program reads places as
    /// well, the weight that a receiver finds must be that of the edge whose place it finds: the sender's.
    pub(crate) fn order_of_out_weights(&self) -> Direction {
        let reads = &self.shape.model.reads;
        let gathers = self.schedule == Schedule::Pull;
        let both = reads.edge_place && reads.edge_weight;
        if both && gathers && self.graph.symmetric { Direction::In } else { Direction::Out }
    }

    /// Returns `true` if messages travel along edges that are found in out-rows.
    pub(crate) fn visits_out_rows(&self) -> bool {
        if self.schedule == Schedule::Pull { self.rows.gather_out } else { self.rows.send_out }
    }

    /// Returns `true` if messages travel along edges that are found in in-rows.
    pub(crate) fn visits_in_rows(&self) -> bool {
        if self.schedule == Schedule::Pull { self.rows.gather_in } else { self.rows.send_in }
    }

    pub(crate) fn reads_ids(&self) -> bool {
        self.shape.model.reads.ids()
    }

    pub(crate) fn reads_ranks(&self) -> bool {
        self.shape.model.reads.ranks()
    }
}
