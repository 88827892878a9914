//! What can go wrong between an input and a layered graph.

use crate::edge_list::EdgeListError;
use crate::program::DatumKind;
use crate::space::SpaceError;
use crate::store::StoreError;

/// Why edges are not a layered graph.
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
    /// Edges in memory are not an edge list.
    #[error(transparent)]
    Edges(#[from] EdgeListError),
    /// The edges could not be layered as asked.
    #[error(transparent)]
    Layer(#[from] LayerError),
}

/// Why edges cannot be layered.
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
    /// There is neither the memory nor the disk for it.
    #[error("the graph cannot be layered here: {0}")]
    Space(#[from] SpaceError),
    /// The root is no vertex of the graph.
    #[error("the root {id} is not in the graph: name the id of one of its vertices, or none")]
    UnknownRoot {
        /// The id that was asked for.
        id: u64,
    },
}

/// Why a program cannot have the weights it asks for.
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
    /// The file they lie in is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A weight has no equal in the program's type.
    #[error(
        "the weight {value} of the edge {source_id} -> {target_id} (stored as {from}) is not exactly a {to}: \
         use a program over {from}, or allow a lossy conversion",
        from = from.name(), to = to.name()
    )]
    Inexact {
        /// The id of the edge's source.
        source_id: u64,
        /// The id of the edge's target.
        target_id: u64,
        /// The weight, as text.
        value: String,
        /// The type it is stored in.
        from: DatumKind,
        /// The type that was asked for.
        to: DatumKind,
    },
    /// A number of a named column has no equal in the field's type.
    #[error(
        "the number {value} in the column `{column}` of the edge {source_id} -> {target_id} (stored as {from}) is not \
         exactly a {to}: make the field `{column}` a {from}, or allow a lossy conversion",
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
        /// The type it is stored in.
        from: DatumKind,
        /// The type that was asked for.
        to: DatumKind,
    },
    /// No column has the name of a field, or the name that was asked for.
    #[error(
        "there is no column `{name}`: the graph has {known}; name one of its columns, or read the input with it"
    )]
    NoColumn {
        /// The name.
        name: String,
        /// The columns that there are, in words.
        known: String,
    },
    /// Several columns, and nobody has said which is the weight.
    #[error("which column is the weight? The graph has {known}, none of them called `weight`: name one")]
    WhichColumn {
        /// The columns that there are, in words.
        known: String,
    },
    /// The program's type is not one that weights may have.
    #[error("weights can be u32, i32, u64, i64, f32 or f64, not {}", to.name())]
    NotANumber {
        /// The type that was asked for.
        to: DatumKind,
    },
}
