//! Errors of outcomes.

/// Reasons why an outcome cannot answer a question.
///
/// # Examples
///
/// ```
/// use wolfpath::OutcomeError;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2)])?;
/// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// assert_eq!(outcome.value(9), Err(OutcomeError::UnknownVertex { id: 9 }));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutcomeError {
    /// The id is not in the graph.
    #[error("vertex {id} is not in the graph")]
    UnknownVertex {
        /// Requested id.
        id: u64,
    },
    /// The id is not one of the vertices of this process of a cluster.
    #[error("vertex {id} is not in the graph, or is in the shards of another process")]
    Elsewhere {
        /// Requested id.
        id: u64,
    },
    /// The program's values do not travel along single edges, so it has no paths.
    #[error("{program} has no paths: its values do not travel along single edges ({reason})")]
    NoPaths {
        /// The program's name.
        program: &'static str,
        /// Reason why the values do not travel along single edges.
        reason: &'static str,
    },
    /// The values were on a device that was lost before they were read.
    #[error(
        "the values of {program} were lost with the device on which they were ({message}); run it again, and read an \
         outcome before other runs use the device"
    )]
    Lost {
        /// The program's name.
        program: &'static str,
        /// The device's message.
        message: String,
    },
    /// The values could not be copied from the device.
    #[error("the values of {program} could not be copied from the device: {message}")]
    Device {
        /// The program's name.
        program: &'static str,
        /// The device's message.
        message: String,
    },
    /// The graph's file was damaged after the run.
    #[error("the graph could not be read again: {message}")]
    Graph {
        /// Error message.
        message: String,
    },
    /// Another process of a cluster failed, or asked for something else.
    #[error("the processes of the cluster cannot find paths: {message}")]
    Peer {
        /// Error message.
        message: String,
    },
}
