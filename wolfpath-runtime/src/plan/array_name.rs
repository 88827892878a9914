//! Names of the arrays of a plan. Engines look up their arrays by these names, which are enum variants, so a misspelt
//! name does not compile.

use std::fmt;

use wolfpath_core::graph::Direction;

/// Name of an array of a plan, which identifies its contents. It prints as `wolfpath explain` shows it.
///
/// Unless noted otherwise, an array has one element per vertex. A direction specifies whether the array belongs to the
/// out-rows or to the in-rows of the graph. On a device, an item is a part of one vertex's row, and a hub is a vertex
/// with very many items.
///
/// # Examples
/// ```
/// use wolfpath::ArrayName;
/// use wolfpath::graph::Direction;
///
/// assert_eq!(ArrayName::EdgeEnds(Direction::Out).as_str(), "out-edge ends");
/// assert_eq!(ArrayName::PresenceBits.to_string(), "presence bits");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrayName {
    /// Index of the first edge of each row, then the number of edges.
    RowOffsets(Direction),
    /// Vertex at the other end of each edge.
    EdgeEnds(Direction),
    /// Position of each band of packed rows (64 rows), in bytes, then the end of the last one.
    PackedBands(Direction),
    /// Position of each packed row in its band, in bytes.
    PackedStarts(Direction),
    /// Width of each block of packed rows, on a device (one byte per block, and space).
    PackedWidths(Direction),
    /// Packed rows, in words of 32 bits: the ends of all edges in the form that
    /// [`PackedRows`](wolfpath_core::graph::PackedRows) describes. They take the place of
    /// [`EdgeEnds`](Self::EdgeEnds).
    PackedEnds(Direction),
    /// The beginning of [`EdgeEnds`](Self::EdgeEnds) that live in host memory, on the device as well.
    ResidentEnds(Direction),
    /// The beginning of [`PackedEnds`](Self::PackedEnds) that live in host memory, on the device as well.
    ResidentPackedEnds(Direction),
    /// The beginning of [`EdgeWeights`](Self::EdgeWeights) that live in host memory, on the device as well.
    ResidentWeights(Direction),
    /// First end of each row, on a device, if the rows live in host memory, or for union-find on several devices.
    FirstEnds(Direction),
    /// Parts of the rows that are streamed to a device (one element per part that fits).
    Ring,
    /// Parts of streamed rows that are in the [`Ring`](Self::Ring), and where (one element per part).
    ChunkTable,
    /// Weight of each edge, in the program's type; in runs between distinct neighbours, what its ends have in common.
    EdgeWeights(Direction),
    /// Place of each edge among those of its sender, for programs that read `e.place`.
    EdgePlaces(Direction),
    /// Vertex whose row each edge belongs to, for sweeps on a device.
    EdgeSources(Direction),
    /// Start of each group of a sweep, then the end of the last group.
    EdgeGroups(Direction),
    /// Place of each vertex's message among the messages, on a device: its *slot*. Vertices that send along more edges
    /// are approximately first.
    Slots,
    /// Place of the ends of each item of [`RowsToGather`](Self::RowsToGather) among the blocks.
    ItemBlocks,
    /// The ends of long rows as slots, in blocks of 32 ends.
    BlockEnds(Direction),
    /// The ends of short rows as slots. 32 rows of one length are side by side: their first ends, then their second ends, and
    /// so on.
    Columns(Direction),
    /// Vertices of the short rows, in the order of the columns.
    ShortRows(Direction),
    /// First slot of the vertices of each degree, and first place of the short rows of each length.
    DegreeOrder(Direction),
    /// Number of edges that leave each vertex, in runs between distinct neighbours or on several devices.
    OutDegrees,
    /// Number of edges that arrive at each vertex, in runs between distinct neighbours or on several devices.
    InDegrees,
    /// Number of distinct neighbours of each vertex.
    NeighbourCounts,
    /// Bitmaps of a device that counts what the ends of edges have in common; possibly the distinct targets of all vertices;
    /// and, on one of several devices, the rows of all vertices. They are needed only in the first run over a graph (one
    /// element per block).
    Counting,
    /// Ids of the vertices.
    Ids,
    /// Ranks of the vertices, which programs read as `index`.
    Ranks,
    /// Input of the program. The text is the printed name: "input " and the name of the field.
    Input(&'static str),

    /// Values. A batch of runs abreast has one element per vertex and run.
    Values,
    /// One bit per vertex, set if the vertex has a value. If values are combined in place, the bit is set only for
    /// values whose word is the combiner's identity.
    PresenceBits,
    /// Step in which each vertex was last claimed, to send or to receive.
    Marks,
    /// Parent of each vertex in the trees of union-find.
    Parents,
    /// Best first value of each tree of union-find, at the tree's root, on the CPU. On a device it is among the values.
    BestValues,
    /// Combined messages of the current step.
    IncomingMessages,

    /// Items of the current frontier and its hubs, on a device.
    Frontier,
    /// Items of the next frontier and its hubs, on a device.
    NextFrontier,
    /// One bit per vertex, set if the vertex is in the current frontier but finds no room in its queue, on a device.
    OverflowBits,
    /// One bit per vertex, set if the vertex is in the next frontier but finds no room in its queue, on a device.
    NextOverflowBits,
    /// One bit per vertex, set if the vertex is in the current frontier.
    FrontierBits,
    /// One bit per vertex, set if the vertex is in the next frontier.
    NextFrontierBits,
    /// One bit per vertex, set if the vertex is waiting for a later bucket, for its priority, or for its turn (by place).
    PendingBits,
    /// One bit per vertex, set if the vertex has not halted.
    AwakeBits,
    /// Device of each unit of vertices, if several devices share a run (one element per unit).
    Owners,
    /// Units of vertices of one of several devices (one element per unit).
    OwnUnits,
    /// Vertices that other devices have improved, with their words, in steps of even numbers (one element per vertex and
    /// device that fits).
    Inbox,
    /// Like [`Inbox`](Self::Inbox), in steps of odd numbers.
    NextInbox,
    /// One bit per vertex, set if an inbox of another device has had no room for the vertex.
    UnsentBits,
    /// Addresses of the arrays of all devices that share a run (one element per device).
    Peers,
    /// Descriptions of the run on all devices, which may take work from each other (one element per device).
    Lenders,
    /// Priority of each vertex that waits to send.
    Priorities,
    /// Vertices that received a message in the current step, on a device.
    Recipients,
    /// Items of the rows over which receivers gather.
    RowsToGather,
    /// Result of each item of [`RowsToGather`](Self::RowsToGather).
    PartialResults,
    /// Step in which each vertex last became a sender, on a device.
    ActiveSteps,
    /// Message of each vertex, computed once per step, on a device.
    SentMessages,
    /// One bit per group of a sweep, set if the group is dirty: a source of its edges was improved since its last
    /// sweep.
    DirtyGroups,
    /// Record of each step of a traced run.
    StepRecords,
    /// Fold of all values, then the folds of a few vertices each, on a device. If only some of these are computed in a
    /// step, also the steps that last wrote their values. If the program reads values before the last step, also these.
    Aggregates,
    /// Sources of a run, or of all runs of a batch.
    Sources,
    /// First values, one per source.
    SourceValues,
    /// Vertices whose values end the run when they are settled, on a device.
    SettledVertices,
    /// State of the loop on a device (a single element).
    LoopState,
    /// Datum of vertices without a value, if an input takes its data from an outcome, on a device (a single element).
    Otherwise,
    /// First vertex without a datum, if an input takes its data from an outcome, on a device (a single element).
    MissingVertex,
    /// Values of the outcomes of earlier runs on the same device (one element per byte). They move to the host if the
    /// run needs their memory.
    Outcomes,

    /// Step in which each vertex sends, and the runs for which the vertex sends, in a batch of runs abreast.
    SenderRuns,
    /// Like [`SenderRuns`](Self::SenderRuns), for the next step.
    NextSenderRuns,
    /// Runs in which each vertex has the combiner's identity as its value.
    IdentityRuns,
    /// Runs for which each vertex is waiting for a later bucket.
    WaitingRuns,
    /// Runs that start at each source.
    SourceRuns,
    /// Number of edges, summed over the runs of a batch (a single element).
    RunEdges,

    /// One bit per vertex and run of a batch, set if the run reached the vertex.
    SeenRuns,
    /// Binary digits of the step in which each run reached each vertex, one bit per vertex, run and digit.
    StepDigits,
    /// Like [`StepDigits`](Self::StepDigits) on the CPU, where the number of digits is estimated.
    EstimatedStepDigits,
    /// One bit per vertex and run, set if the vertex is in the run's frontier.
    FrontierRuns,
    /// One bit per vertex and run, set if the vertex is in the run's next frontier.
    NextFrontierRuns,
    /// State of a batch of bits (a single element).
    BatchState,

    /// Values of all vertices before a step, in the order of indices, for programs that read `v.value_at`.
    ValuesBefore,
    /// Values in the type of the outcome, on the CPU.
    ResultValues,
    /// Values that the current step writes while the values before it are read, on the CPU.
    NextValues,
    /// One bit per vertex, set if the vertex has a value after the current step, on the CPU.
    NextPresenceBits,
    /// One byte per vertex, on the CPU: whether its value was improved since it last sent, and when it last sent.
    UnsentFlags,
    /// Sums that vertices of an accumulating program have received and sent, in words of 8 bytes.
    HeldSums,
    /// Sums that vertices of an accumulating program have received and not sent, in words of 8 bytes.
    PendingSums,
    /// Sums of each thread for busy vertices, in words of 8 bytes, in an accumulating program on the CPU. The number of these
    /// vertices is the largest possible one.
    Proxies,
    /// Edge-disjoint paths, unless the graph stores them, and the in-rows from which they are computed, if the run does not use
    /// them otherwise (one element per edge). The number of paths is estimated.
    Paths,
    /// Vertices in the order of paths, and the place of each in this order; on a device also where groups of layers begin, and
    /// on the CPU also what finding the order takes.
    PathOrder,
    /// Three bits per vertex, on the CPU, if all vertices may send in every step: whether it sends in this step, whether
    /// it sends in the next one, and whether it has edges along which to send.
    SentBits,
    /// Vertices that are waiting for later buckets, or for their priorities, on the CPU. Their number is estimated.
    WaitingVertices,
    /// Step in which each vertex last became a sender, on the CPU.
    ActiveMarks,
    /// Step in which each vertex was last found to be a receiver, on the CPU.
    ReceiverMarks,
    /// Message of each sender in this step and in the next one, on the CPU.
    SenderMessages,
    /// Different messages to one vertex, and how often each arrived, for each thread of the CPU. Their number is
    /// estimated.
    MessageCounts,
    /// Current and next frontier, on the CPU. Their size is estimated.
    Frontiers,
}

impl ArrayName {
    /// Returns the name of the beginning of this array that is on the device although the array lives in host memory, if
    /// such a beginning can be there.
    pub(crate) const fn resident(self) -> Option<ArrayName> {
        match self {
            ArrayName::EdgeEnds(direction) => Some(ArrayName::ResidentEnds(direction)),
            ArrayName::PackedEnds(direction) => Some(ArrayName::ResidentPackedEnds(direction)),
            ArrayName::EdgeWeights(direction) => Some(ArrayName::ResidentWeights(direction)),
            _ => None,
        }
    }

    /// Returns `true` if the array has one element per edge of the graph, or packs them. Such arrays can stay in host
    /// memory.
    pub(crate) const fn is_of_edges(self) -> bool {
        matches!(
            self,
            ArrayName::EdgeEnds(_)
                | ArrayName::PackedEnds(_)
                | ArrayName::EdgeWeights(_)
                | ArrayName::EdgePlaces(_)
                | ArrayName::EdgeSources(_)
        )
    }

    /// Returns `true` if the array is streamed if rows are: it has the same number of elements per edge in every chunk.
    pub(crate) const fn is_streamed(self) -> bool {
        matches!(self, ArrayName::EdgeEnds(_) | ArrayName::EdgeWeights(_) | ArrayName::EdgePlaces(_))
    }

    /// Returns the name as plans print it, for example "presence bits".
    pub const fn as_str(self) -> &'static str {
        use Direction::{In, Out};
        match self {
            ArrayName::RowOffsets(Out) => "out-row offsets",
            ArrayName::RowOffsets(In) => "in-row offsets",
            ArrayName::EdgeEnds(Out) => "out-edge ends",
            ArrayName::EdgeEnds(In) => "in-edge ends",
            ArrayName::PackedBands(Out) => "out-row bands",
            ArrayName::PackedBands(In) => "in-row bands",
            ArrayName::PackedStarts(Out) => "out-row starts",
            ArrayName::PackedStarts(In) => "in-row starts",
            ArrayName::PackedWidths(Out) => "out-row widths",
            ArrayName::PackedWidths(In) => "in-row widths",
            ArrayName::ResidentEnds(Out) => "out-edge ends, the first",
            ArrayName::ResidentEnds(In) => "in-edge ends, the first",
            ArrayName::ResidentPackedEnds(Out) => "out-edge ends, packed, the first",
            ArrayName::ResidentPackedEnds(In) => "in-edge ends, packed, the first",
            ArrayName::ResidentWeights(Out) => "out-edge weights, the first",
            ArrayName::ResidentWeights(In) => "in-edge weights, the first",
            ArrayName::FirstEnds(Out) => "out-edge ends, one per row",
            ArrayName::FirstEnds(In) => "in-edge ends, one per row",
            ArrayName::Ring => "ring",
            ArrayName::ChunkTable => "chunk table",
            ArrayName::PackedEnds(Out) => "out-edge ends, packed",
            ArrayName::PackedEnds(In) => "in-edge ends, packed",
            ArrayName::EdgeWeights(Out) => "out-edge weights",
            ArrayName::EdgeWeights(In) => "in-edge weights",
            ArrayName::EdgePlaces(Out) => "out-edge places",
            ArrayName::EdgePlaces(In) => "in-edge places",
            ArrayName::EdgeSources(Out) => "out-edge sources",
            ArrayName::EdgeSources(In) => "in-edge sources",
            ArrayName::EdgeGroups(Out) => "out-edge groups",
            ArrayName::EdgeGroups(In) => "in-edge groups",
            ArrayName::Slots => "slots",
            ArrayName::ItemBlocks => "blocks of items",
            ArrayName::BlockEnds(Out) => "out-edge blocks",
            ArrayName::BlockEnds(In) => "in-edge blocks",
            ArrayName::Columns(Out) => "out-edge columns",
            ArrayName::Columns(In) => "in-edge columns",
            ArrayName::ShortRows(Out) => "out-edge short rows",
            ArrayName::ShortRows(In) => "in-edge short rows",
            ArrayName::DegreeOrder(Out) => "out-edge degree order",
            ArrayName::DegreeOrder(In) => "in-edge degree order",
            ArrayName::OutDegrees => "out-degrees",
            ArrayName::InDegrees => "in-degrees",
            ArrayName::NeighbourCounts => "neighbour counts",
            ArrayName::Counting => "counting, at first",
            ArrayName::Ids => "ids",
            ArrayName::Ranks => "indices",
            ArrayName::Input(name) => name,
            ArrayName::Values => "values",
            ArrayName::PresenceBits => "presence bits",
            ArrayName::Marks => "marks",
            ArrayName::Parents => "parents",
            ArrayName::BestValues => "best values",
            ArrayName::IncomingMessages => "incoming messages",
            ArrayName::Frontier => "frontier",
            ArrayName::NextFrontier => "next frontier",
            ArrayName::OverflowBits => "overflow bits",
            ArrayName::NextOverflowBits => "next overflow bits",
            ArrayName::FrontierBits => "frontier bits",
            ArrayName::NextFrontierBits => "next frontier bits",
            ArrayName::PendingBits => "pending bits",
            ArrayName::AwakeBits => "awake bits",
            ArrayName::Owners => "devices of vertices",
            ArrayName::OwnUnits => "own vertices",
            ArrayName::Inbox => "inbox",
            ArrayName::NextInbox => "next inbox",
            ArrayName::UnsentBits => "unsent bits",
            ArrayName::Peers => "addresses of the devices",
            ArrayName::Lenders => "the run on each device",
            ArrayName::Priorities => "priorities",
            ArrayName::Recipients => "recipients",
            ArrayName::RowsToGather => "rows to gather",
            ArrayName::PartialResults => "partial results",
            ArrayName::ActiveSteps => "active steps",
            ArrayName::SentMessages => "sent messages",
            ArrayName::DirtyGroups => "groups to sweep",
            ArrayName::StepRecords => "step records",
            ArrayName::Aggregates => "aggregates",
            ArrayName::Sources => "sources",
            ArrayName::SourceValues => "source values",
            ArrayName::SettledVertices => "vertices to settle",
            ArrayName::LoopState => "loop state",
            ArrayName::Otherwise => "datum without a value",
            ArrayName::MissingVertex => "missing vertex",
            ArrayName::Outcomes => "earlier outcomes",
            ArrayName::SenderRuns => "runs of senders",
            ArrayName::NextSenderRuns => "runs of next senders",
            ArrayName::IdentityRuns => "runs with identities",
            ArrayName::WaitingRuns => "waiting runs",
            ArrayName::SourceRuns => "runs of sources",
            ArrayName::RunEdges => "edges of runs",
            ArrayName::SeenRuns => "runs seen",
            ArrayName::StepDigits => "digits of steps",
            ArrayName::EstimatedStepDigits => "digits of steps, about",
            ArrayName::FrontierRuns => "runs of the frontier",
            ArrayName::NextFrontierRuns => "runs of the next frontier",
            ArrayName::BatchState => "batch state",
            ArrayName::ValuesBefore => "values before a step",
            ArrayName::ResultValues => "result",
            ArrayName::NextValues => "next values",
            ArrayName::NextPresenceBits => "next presence bits",
            ArrayName::UnsentFlags => "unsent flags",
            ArrayName::HeldSums => "held sums",
            ArrayName::PendingSums => "pending sums",
            ArrayName::Proxies => "proxies, at most",
            ArrayName::Paths => "paths",
            ArrayName::PathOrder => "order of paths",
            ArrayName::SentBits => "sent bits",
            ArrayName::WaitingVertices => "waiting vertices, about",
            ArrayName::ActiveMarks => "active marks",
            ArrayName::ReceiverMarks => "receiver marks",
            ArrayName::SenderMessages => "messages sent",
            ArrayName::MessageCounts => "message counts, about",
            ArrayName::Frontiers => "frontiers, about",
        }
    }
}

impl fmt::Display for ArrayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn directions_are_told_apart() {
        let of = |direction| {
            [
                ArrayName::RowOffsets(direction),
                ArrayName::EdgeEnds(direction),
                ArrayName::PackedBands(direction),
                ArrayName::PackedStarts(direction),
                ArrayName::PackedWidths(direction),
                ArrayName::PackedEnds(direction),
                ArrayName::ResidentEnds(direction),
                ArrayName::ResidentPackedEnds(direction),
                ArrayName::ResidentWeights(direction),
                ArrayName::EdgeWeights(direction),
                ArrayName::EdgePlaces(direction),
                ArrayName::EdgeSources(direction),
                ArrayName::EdgeGroups(direction),
                ArrayName::BlockEnds(direction),
                ArrayName::Columns(direction),
                ArrayName::ShortRows(direction),
                ArrayName::DegreeOrder(direction),
            ]
        };
        assert!(of(Direction::Out).iter().all(|name| name.as_str().starts_with("out-")));
        assert!(of(Direction::In).iter().all(|name| name.as_str().starts_with("in-")));
        let texts: HashSet<_> =
            of(Direction::Out).into_iter().chain(of(Direction::In)).map(ArrayName::as_str).collect();
        assert_eq!(texts.len(), 34);
    }

    #[test]
    fn names_print_as_text_of_any_width() {
        assert_eq!(format!("{:>9}|{:<5}|", ArrayName::Values, ArrayName::Ids), "   values|ids  |");
        assert_eq!(ArrayName::Input("input altitude").to_string(), "input altitude");
    }
}
