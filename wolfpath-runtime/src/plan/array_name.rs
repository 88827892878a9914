//! Names of the arrays of a plan. Engines find their arrays by them, so no name can be misspelt.

use std::fmt;

use wolfpath_core::graph::Direction;

/// The name of an array of a plan, which says what it holds. Prints as `wolfpath explain` shows it.
///
/// Unless noted otherwise an array has one element per vertex. A direction says whether the array belongs to the out-rows
/// or to the in-rows of a graph.
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
    /// The beginning of each row, and the number of edges.
    RowOffsets(Direction),
    /// The vertex at the other end of each edge.
    EdgeEnds(Direction),
    /// The weight of each edge, in the program's type.
    EdgeWeights(Direction),
    /// The vertex whose row each edge belongs to; for sweeps on a device.
    EdgeSources(Direction),
    /// The beginning of each group of a sweep, and the end of the last one.
    EdgeGroups(Direction),
    /// Ids.
    Ids,
    /// Ranks, which programs see as `index`.
    Ranks,
    /// An input of the program, by the text that is printed: "input " and the name of its field.
    Input(&'static str),

    /// Values; in a batch of runs abreast, one per vertex and run.
    Values,
    /// One bit per vertex: it has a value. Where values are combined in place, only values whose word is the combiner's
    /// identity set it.
    PresenceBits,
    /// The step for which a vertex was last claimed, to send or to receive.
    Marks,
    /// Combined messages of the current step.
    IncomingMessages,

    /// Items of the current frontier, and its hubs, on a device.
    Frontier,
    /// Items of the next frontier, and its hubs, on a device.
    NextFrontier,
    /// One bit per vertex: it is in the current frontier.
    FrontierBits,
    /// One bit per vertex: it is in the next frontier.
    NextFrontierBits,
    /// One bit per vertex: it waits for a later bucket.
    PendingBits,
    /// Vertices that received a message in the current step, on a device.
    Recipients,
    /// Items of the rows that are gathered over.
    RowsToGather,
    /// The result of each item of [`RowsToGather`](Self::RowsToGather).
    PartialResults,
    /// The step in which a vertex last became a sender, on a device.
    ActiveSteps,
    /// The message of each vertex, made once per step, on a device.
    SentMessages,
    /// One bit per group of a sweep: it is dirty.
    DirtyGroups,
    /// The record of each step of a traced run.
    StepRecords,
    /// Partial folds of the aggregate, one per block.
    Aggregates,
    /// The sources of a run, or of all runs of a batch.
    Sources,
    /// First values, one per source.
    SourceValues,
    /// The one state of the loop on a device.
    LoopState,

    /// The step in which a vertex sends, and for which runs; in a batch of runs abreast.
    SenderRuns,
    /// As [`SenderRuns`](Self::SenderRuns), for the next step.
    NextSenderRuns,
    /// The runs in which a vertex has the combiner's identity as its value.
    IdentityRuns,
    /// The runs for which a vertex waits for a later bucket.
    WaitingRuns,
    /// The runs that begin at each source.
    SourceRuns,
    /// The one count of edges, summed over the runs of a batch.
    RunEdges,

    /// One bit per vertex and run of a batch: the run reached the vertex.
    SeenRuns,
    /// One bit per vertex, run and binary digit: the step in which the run reached the vertex.
    StepDigits,
    /// As [`StepDigits`](Self::StepDigits) on the CPU, where the number of digits is estimated.
    EstimatedStepDigits,
    /// One bit per vertex and run: the vertex is in the run's frontier.
    FrontierRuns,
    /// One bit per vertex and run: the vertex is in the run's next frontier.
    NextFrontierRuns,
    /// The one state of a batch of bits.
    BatchState,

    /// Values as the outcome has them, on the CPU.
    ResultValues,
    /// The value that each vertex last sent, on the CPU.
    LastSentValues,
    /// One bit per vertex: it has sent a value whose word is the combiner's identity, on the CPU.
    SentBits,
    /// One bit per vertex: it was collected into the current bucket, on the CPU.
    CollectedBits,
    /// Vertices that wait for later buckets, on the CPU; their number is estimated.
    WaitingVertices,
    /// The step in which a vertex last became a sender, on the CPU.
    ActiveMarks,
    /// The step in which a vertex was found to be a receiver, on the CPU.
    ReceiverMarks,
    /// The receivers of a step, on the CPU.
    Receivers,
    /// The message of each sender, on the CPU.
    SenderMessages,
    /// The current and the next frontier, on the CPU; their size is estimated.
    Frontiers,
}

impl ArrayName {
    /// Returns the name as plans print it, for example "presence bits".
    pub const fn as_str(self) -> &'static str {
        use Direction::{In, Out};
        match self {
            ArrayName::RowOffsets(Out) => "out-row offsets",
            ArrayName::RowOffsets(In) => "in-row offsets",
            ArrayName::EdgeEnds(Out) => "out-edge ends",
            ArrayName::EdgeEnds(In) => "in-edge ends",
            ArrayName::EdgeWeights(Out) => "out-edge weights",
            ArrayName::EdgeWeights(In) => "in-edge weights",
            ArrayName::EdgeSources(Out) => "out-edge sources",
            ArrayName::EdgeSources(In) => "in-edge sources",
            ArrayName::EdgeGroups(Out) => "out-edge groups",
            ArrayName::EdgeGroups(In) => "in-edge groups",
            ArrayName::Ids => "ids",
            ArrayName::Ranks => "indices",
            ArrayName::Input(name) => name,
            ArrayName::Values => "values",
            ArrayName::PresenceBits => "presence bits",
            ArrayName::Marks => "marks",
            ArrayName::IncomingMessages => "incoming messages",
            ArrayName::Frontier => "frontier",
            ArrayName::NextFrontier => "next frontier",
            ArrayName::FrontierBits => "frontier bits",
            ArrayName::NextFrontierBits => "next frontier bits",
            ArrayName::PendingBits => "pending bits",
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
            ArrayName::LoopState => "loop state",
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
            ArrayName::ResultValues => "result",
            ArrayName::LastSentValues => "values sent",
            ArrayName::SentBits => "sent bits",
            ArrayName::CollectedBits => "collected bits",
            ArrayName::WaitingVertices => "waiting vertices, about",
            ArrayName::ActiveMarks => "active marks",
            ArrayName::ReceiverMarks => "receiver marks",
            ArrayName::Receivers => "receivers",
            ArrayName::SenderMessages => "messages sent",
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
                ArrayName::EdgeWeights(direction),
                ArrayName::EdgeSources(direction),
                ArrayName::EdgeGroups(direction),
            ]
        };
        assert!(of(Direction::Out).iter().all(|name| name.as_str().starts_with("out-")));
        assert!(of(Direction::In).iter().all(|name| name.as_str().starts_with("in-")));
        let texts: HashSet<_> =
            of(Direction::Out).into_iter().chain(of(Direction::In)).map(ArrayName::as_str).collect();
        assert_eq!(texts.len(), 10);
    }

    #[test]
    fn names_print_as_text_of_any_width() {
        assert_eq!(format!("{:>9}|{:<5}|", ArrayName::Values, ArrayName::Ids), "   values|ids  |");
        assert_eq!(ArrayName::Input("input altitude").to_string(), "input altitude");
    }
}
