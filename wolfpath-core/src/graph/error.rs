//! Errors from building a layered graph, and from reading its weights.

use crate::edge_list::EdgeListError;
use crate::program::DatumKind;
use crate::space::SpaceError;
use crate::store::StoreError;

/// Error from building a graph from edges in memory.
///
/// ```
/// use wolfpath::edge_list::EdgeListError;
/// use wolfpath::graph::GraphError;
/// use wolfpath::prelude::*;
///
/// let error = LayeredGraph::from_weighted_edges([(17, 5, f32::NAN)]).unwrap_err();
/// assert!(matches!(error, GraphError::Edges(EdgeListError::NanWeight { source_id: 17, .. })), "{error}");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The edges in memory are not a valid edge list.
    #[error(transparent)]
    Edges(#[from] EdgeListError),
    /// The edges could not be layered as requested.
    #[error(transparent)]
    Layer(#[from] LayerError),
}

/// Error from layering edges.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::graph::{GraphError, LayerError};
/// use wolfpath::prelude::*;
///
/// let options = LayerOptions::new().root(4);
/// let error = LayeredGraph::from_edge_list(EdgeList::from_edges([(17, 5)])?, &options).unwrap_err();
/// assert!(matches!(error, GraphError::Layer(LayerError::UnknownRoot { id: 4 })), "{error}");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// There is not enough memory or disk space.
    #[error("the graph cannot be layered here: {0}")]
    Space(#[from] SpaceError),
    /// The root is not a vertex of the graph.
    #[error(
        "the root {id} is not a vertex of the graph: specify the id of a vertex, or let the default rule choose a root"
    )]
    UnknownRoot {
        /// The requested id.
        id: u64,
    },
    /// The graph would have too many [paths](super::Paths).
    #[error(
        "the edges form {paths} paths, and at most 4294967295 paths and vertices are supported: allow longer paths, or \
         do without them"
    )]
    ManyPaths {
        /// Number of paths.
        paths: u64,
    },
    /// A row is too long for paths.
    #[error(
        "a vertex has {edges} edges in one direction, and paths allow at most 4294967294: do without paths"
    )]
    LongRow {
        /// Number of edges of the longest row.
        edges: u64,
    },
    /// The in-edges of the graph's file are not its out-edges, grouped by target.
    #[error("the in-edges are not the out-edges, grouped by target: build the file again from its input")]
    NotTransposed,
}

/// Error from reading weights in the form that a program requires.
///
/// ```
/// use wolfpath::graph::{Direction, WeightError};
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(17, 5, 0.1f64)])?;
/// let error = graph.weights_as::<u32>(Direction::Out, false).unwrap_err();
/// assert!(matches!(error, WeightError::Inexact { source_id: 17, target_id: 5, .. }), "{error}");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// The file that contains the weights is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A weight cannot be represented exactly in the program's type.
    #[error(
        "the weight {value} of the edge {source_id} -> {target_id} (stored as {from}) cannot be represented exactly \
         as {to}: use a program over {from}, or allow a lossy conversion",
        from = from.name(), to = to.name()
    )]
    Inexact {
        /// The id of the edge's source.
        source_id: u64,
        /// The id of the edge's target.
        target_id: u64,
        /// The weight, as text.
        value: String,
        /// The stored type.
        from: DatumKind,
        /// The requested type.
        to: DatumKind,
    },
    /// A number of a named column cannot be represented exactly in the field's type.
    #[error(
        "the number {value} in the column `{column}` of the edge {source_id} -> {target_id} (stored as {from}) cannot \
         be represented exactly as {to}: make the field `{column}` a {from}, or allow a lossy conversion",
        from = from.name(), to = to.name()
    )]
    InexactColumn {
        /// The column.
        column: String,
        /// The id of the edge's source.
        source_id: u64,
        /// The id of the edge's target.
        target_id: u64,
        /// The number, as text.
        value: String,
        /// The stored type.
        from: DatumKind,
        /// The requested type.
        to: DatumKind,
    },
    /// No column has the requested name. (If a program's weight is a struct, the names of its fields are requested.)
    #[error(
        "there is no column `{name}`: the graph has {known}; name one of its columns, or read the input with that \
         column"
    )]
    NoColumn {
        /// The requested name.
        name: String,
        /// A phrase that lists the existing columns.
        known: String,
    },
    /// There are several columns, and none was chosen as the weight.
    #[error(
        "no column was chosen as the weight: the graph has {known}, and none is called `weight`; choose one by its name"
    )]
    WhichColumn {
        /// A phrase that lists the existing columns.
        known: String,
    },
    /// Weights cannot have the program's type.
    #[error("weights can be u32, i32, u64, i64, f32 or f64, not {}", to.name())]
    NotANumber {
        /// The requested type.
        to: DatumKind,
    },
}
