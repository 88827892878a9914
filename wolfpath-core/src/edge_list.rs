//! Edges in input order, before layering, with the ranks of their endpoints.
//!
//! A vertex is represented by its *rank*: the position of its user id among all ids, ascending. Ranks are dense and
//! `u32`; ids are arbitrary `u64`s from the input. A *line* is an edge as stated in the input. If edges are undirected,
//! a line is stored once and represents both directions. Edge lists come from files (the crate `wolfpath-io`), from
//! memory ([`EdgeList::from_edges`]) or from generators ([`crate::generate`]).

mod columns;
mod counts;
pub(crate) mod csr;
pub(crate) mod duplicates;
pub(crate) mod lines;
mod named;
#[cfg(feature = "petgraph")]
mod petgraph;
pub(crate) mod piece;
pub(crate) mod ranks;
#[cfg(feature = "sprs")]
mod sprs;
mod symmetry;
mod transform;
mod vertex_ids;

pub use counts::EdgeCounts;
pub use duplicates::Duplicates;
pub(crate) use ranks::EdgeBuilder;
use ranks::NumberError;
pub use vertex_ids::VertexIds;

use crate::space::{Array, SpaceError};
use crate::weights::{ColumnError, Columns, WeightNumber, Weights};
use std::ops::Range;

/// Maximum number of vertices of a graph. Both ranks and the number of vertices are `u32`.
pub const MAX_VERTICES: u64 = u32::MAX as u64;

/// Edges in input order, with the user's ids and optional weights.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
///
/// let list = EdgeList::from_weighted_edges([(17, 42, 0.5), (42, 99, 2.0)])?.undirected();
/// assert_eq!((list.num_vertices(), list.num_lines(), list.num_edges()), (3, 2, 4));
/// assert_eq!(list.edge(1), (42, 99));
/// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeList {
    ids: VertexIds,
    sources: Array<u32>,
    targets: Array<u32>,
    weights: Option<Weights>,
    /// The columns other than the weight, and the name of the weight.
    columns: Columns<Weights>,
    symmetry: Symmetry,
    slope: Slope,
    notes: Vec<String>,
    /// `true` if the edges come from an input file, so that layering reports duplicates to the user.
    of_input: bool,
}

/// Counts of lines by direction: self-loops, and the difference between the lines to larger ranks and the lines to
/// smaller ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slope {
    /// Number of lines from a vertex to itself.
    self_loops: u64,
    /// Number of lines to a larger rank minus the number of lines to a smaller rank.
    rise: i64,
}

impl Slope {
    fn of(sources: &[u32], targets: &[u32]) -> Slope {
        let (mut loops, mut rise) = (0, 0);
        for (source, target) in sources.iter().zip(targets) {
            loops += u64::from(source == target);
            rise += i64::from(source < target) - i64::from(source > target);
        }
        Slope { self_loops: loops, rise }
    }

    /// Counts the lines of these lists, on all threads.
    fn of_lists(sources: &[u32], targets: &[u32]) -> Slope {
        use rayon::prelude::*;
        const CHUNK: usize = 1 << 16;
        let chunks = sources.par_chunks(CHUNK).zip(targets.par_chunks(CHUNK));
        chunks.map(|(sources, targets)| Slope::of(sources, targets)).reduce(Slope::default, Slope::plus)
    }

    fn plus(self, other: Slope) -> Slope {
        Slope { self_loops: self.self_loops + other.self_loops, rise: self.rise + other.rise }
    }
}

/// The symmetry of an edge list: whether every edge is known to have an opposite edge of the same weight, and why.
///
/// ```
/// use wolfpath::edge_list::{EdgeList, Symmetry};
///
/// let one_way = EdgeList::from_edges([(1, 2)])?;
/// assert_eq!(one_way.symmetry(), Symmetry::Directed);
/// assert_eq!(one_way.undirected().symmetry(), Symmetry::Doubled);
/// assert_eq!(EdgeList::from_edges([(1, 2), (2, 1)])?.undirected().symmetry(), Symmetry::Found);
/// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Edges are directed. They may happen to be symmetric, but this was not checked.
    Directed,
    /// Each line represents two edges, one in each direction. A self-loop represents one.
    Doubled,
    /// The input already contained both directions of every edge, and was not doubled.
    Found,
}

/// Error from building an edge list from edges in memory, or from converting one.
///
/// ```
/// use wolfpath::edge_list::{EdgeList, EdgeListError};
///
/// let error = EdgeList::from_weighted_edges([(1, 2, f64::NAN)]).unwrap_err();
/// assert_eq!(error, EdgeListError::NanWeight { position: 0, source_id: 1, target_id: 2 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgeListError {
    /// There are too many vertices for the type of ranks.
    #[error("a graph of {found} vertices is too large: at most 4294967295 are supported")]
    TooManyVertices {
        /// Number of vertices, or a lower bound.
        found: u64,
    },
    /// There is not enough memory for the edges.
    #[error("not enough memory for the edges: {reason}")]
    Memory {
        /// The required amount, and a remedy.
        reason: String,
    },
    /// A weight is NaN.
    #[error(
        "the weight of edge {position} ({source_id} -> {target_id}) is NaN; replace it with a number, or remove the edge"
    )]
    NanWeight {
        /// Position of the edge, from 0.
        position: u64,
        /// The id of the edge's source.
        source_id: u64,
        /// The id of the edge's target.
        target_id: u64,
    },
    /// Columns have different lengths.
    #[error(
        "a column has {sources} sources, but another has {other} targets or weights; columns must have equal lengths"
    )]
    Columns {
        /// Number of sources.
        sources: usize,
        /// Number of targets or weights.
        other: usize,
    },
    /// A column is invalid.
    #[error(transparent)]
    Column(#[from] ColumnError),
    /// There are too many edges for the index type of the graph library to which the list is converted.
    #[error("{found} edges are too many: the target graph type supports at most {most}")]
    TooManyEdges {
        /// Number of edges.
        found: u64,
        /// Maximum number of edges.
        most: u64,
    },
    /// There are parallel edges, but a matrix has only one entry for them.
    #[error(
        "several edges lead from {source_id} to {target_id}, but a matrix has only one entry for them; drop duplicates"
    )]
    ParallelEdges {
        /// The id of their source.
        source_id: u64,
        /// The id of their target.
        target_id: u64,
    },
    /// Duplicates cannot be merged by the requested rule, because of their columns.
    #[error(
        "duplicates cannot be merged: the edges have the columns {columns}; the smallest and the largest duplicate are \
         determined by a column called `weight`, and sums require a single column; read only the column that is needed"
    )]
    ColumnsOfDuplicates {
        /// The names of the columns.
        columns: String,
    },
    /// The sum of the weights of duplicates cannot be represented.
    #[error(
        "no number type represents both the sum of the weights of the edges {source_id} -> {target_id} and all other \
         weights exactly; scale the weights, or keep the duplicates"
    )]
    SumOfDuplicates {
        /// The id of their source.
        source_id: u64,
        /// The id of their target.
        target_id: u64,
    },
    /// A matrix is not square.
    #[error(
        "a matrix of {rows} rows and {columns} columns is not a graph; it must have as many rows as columns"
    )]
    NotSquare {
        /// Number of rows.
        rows: u64,
        /// Number of columns.
        columns: u64,
    },
    /// An edge has an id outside the declared range.
    #[error(
        "the id {id} is outside the declared range {first}..{end}; declare a larger range or correct the edge"
    )]
    OutsideRange {
        /// The id.
        id: u64,
        /// The first id of the range.
        first: u64,
        /// The id after the last id of the range.
        end: u64,
    },
}

impl From<SpaceError> for EdgeListError {
    fn from(error: SpaceError) -> EdgeListError {
        EdgeListError::Memory { reason: error.to_string() }
    }
}

impl EdgeList {
    /// Builds a list of edges without weights from pairs of ids. The vertices are the ids that occur;
    /// [`with_vertices`](Self::with_vertices) adds others.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_edges([(17, 42), (42, 17), (42, 99)])?;
    /// assert_eq!((list.num_vertices(), list.num_edges()), (3, 3));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn from_edges(edges: impl IntoIterator<Item = (u64, u64)>) -> Result<EdgeList, EdgeListError> {
        let mut builder = EdgeBuilder::default();
        for (source, target) in edges {
            builder.push(source, target);
        }
        builder.finish(None, None)
    }

    /// Builds a list of edges with weights from triples. Weights are stored in the narrowest type that represents all
    /// of them exactly. NaN is rejected.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_weighted_edges([(1, 2, 0.5), (2, 3, 4.0)])?;
    /// assert_eq!(list.weights().map(|weights| weights.get(1)), Some(4.0));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn from_weighted_edges<W: WeightNumber>(
        edges: impl IntoIterator<Item = (u64, u64, W)>,
    ) -> Result<EdgeList, EdgeListError> {
        let mut builder = EdgeBuilder::default();
        let mut weights = Vec::new();
        for (source_id, target_id, weight) in edges {
            if weight.is_nan() {
                return Err(EdgeListError::NanWeight {
                    position: weights.len() as u64,
                    source_id,
                    target_id,
                });
            }
            builder.push(source_id, target_id);
            weights.push(weight);
        }
        builder.finish(Some(W::into_weights(weights).narrowed()), None)
    }

    /// Returns the same edges, with every id in `range` as a vertex, including ids without edges. The range must
    /// contain the ids of all edges.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_edges([(3, 4)])?.with_vertices(1..9)?;
    /// assert_eq!(list.num_vertices(), 8);
    /// assert!(EdgeList::from_edges([(3, 9)])?.with_vertices(1..9).is_err());
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn with_vertices(mut self, range: Range<u64>) -> Result<EdgeList, EdgeListError> {
        let ids = VertexIds::range(range.clone())?;
        let outside = [0, self.num_vertices().saturating_sub(1)].map(|rank| self.ids.get(rank));
        if let Some(id) = outside.into_iter().flatten().find(|id| !range.contains(id)) {
            return Err(EdgeListError::OutsideRange { id, first: range.start, end: range.end });
        }
        let rank = |old: &u32| (self.ids.id(*old) - range.start) as u32;
        self.sources = self.sources.iter().map(rank).collect::<Vec<u32>>().into();
        self.targets = self.targets.iter().map(rank).collect::<Vec<u32>>().into();
        self.ids = ids;
        Ok(self)
    }

    /// Returns the same edges with additional vertices, whose ids are `ids`, in any order. Ids that are already
    /// vertices are ignored. Edges, columns and notes are unchanged.
    ///
    /// # Errors
    /// Returns an error if there would be more than [`MAX_VERTICES`] vertices.
    ///
    /// ```
    /// use wolfpath_core::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_edges([(3, 9)])?.with_more_vertices(&[5, 3, 20])?;
    /// assert_eq!(list.ids().iter().collect::<Vec<_>>(), [3, 5, 9, 20]);
    /// assert_eq!(list.edge(0), (3, 9));
    /// # Ok::<(), wolfpath_core::edge_list::EdgeListError>(())
    /// ```
    pub fn with_more_vertices(mut self, ids: &[u64]) -> Result<EdgeList, EdgeListError> {
        use rayon::prelude::*;
        let mut more: Vec<u64> = ids.par_iter().copied().filter(|&id| self.ids.rank(id).is_none()).collect();
        if more.is_empty() {
            return Ok(self);
        }
        more.par_sort_unstable();
        more.dedup();
        let (ids, ranks) = self.ids.with_more(&more)?;
        let rank = |end: &mut u32| *end = ranks[*end as usize];
        self.sources.par_iter_mut().for_each(rank);
        self.targets.par_iter_mut().for_each(rank);
        self.ids = ids;
        Ok(self)
    }

    /// Builds a list from lines whose endpoints are already ranks. Generators use it.
    pub(crate) fn from_ranks(
        ids: VertexIds,
        sources: impl Into<Array<u32>>,
        targets: impl Into<Array<u32>>,
        symmetry: Symmetry,
    ) -> EdgeList {
        let (sources, targets) = (sources.into(), targets.into());
        let slope = Slope::of_lists(&sources, &targets);
        EdgeList::from_counted(ids, sources, targets, symmetry, slope)
    }

    /// Returns the same edges with one weight per line. Generators use it.
    #[doc(hidden)]
    pub fn with_weight_column(mut self, weights: Weights) -> EdgeList {
        self.weights = Some(weights);
        self
    }

    /// Returns the same edges with the weights `weight(source id, target id)`, which replace all columns.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_edges([(1, 4), (4, 9)])?.with_weights_by(|source, target| target - source)?;
    /// assert_eq!(list.weights().map(|weights| weights.get(1)), Some(5.0));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn with_weights_by<W: WeightNumber>(
        mut self,
        weight: impl Fn(u64, u64) -> W + Sync,
    ) -> Result<EdgeList, EdgeListError> {
        use rayon::prelude::*;
        let ends = self.sources.par_iter().zip(&self.targets[..]);
        let weights: Vec<W> = ends.map(|(&u, &v)| weight(self.ids.id(u), self.ids.id(v))).collect();
        if let Some(position) = weights.iter().position(|weight| weight.is_nan()) {
            let (source_id, target_id) = self.edge(position);
            return Err(EdgeListError::NanWeight { position: position as u64, source_id, target_id });
        }
        (self.weights, self.columns) = (Some(W::into_weights(weights).narrowed()), Columns::default());
        Ok(self)
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u32 {
        self.ids.len()
    }

    /// Returns the number of edges. An undirected line counts as two edges, one per direction.
    pub fn num_edges(&self) -> u64 {
        match self.symmetry {
            Symmetry::Doubled => 2 * self.num_lines() - self.slope.self_loops,
            Symmetry::Directed | Symmetry::Found => self.num_lines(),
        }
    }

    /// Returns the number of lines: edges as stated in the input.
    pub fn num_lines(&self) -> u64 {
        self.sources.len() as u64
    }

    /// Returns the number of lines from a vertex to itself.
    pub fn num_self_loops(&self) -> u64 {
        self.slope.self_loops
    }

    /// Returns an iterator over all edges, as (rank of the source, rank of the target, index of the line). An
    /// undirected line yields both directions, one after the other.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let doubled = self.symmetry == Symmetry::Doubled;
        let lines = self.sources.iter().zip(&self.targets[..]).enumerate();
        lines.flat_map(move |(line, (&source, &target))| {
            let back = (doubled && source != target).then_some((target, source, line));
            [(source, target, line)].into_iter().chain(back)
        })
    }

    /// Returns the user's ids, indexed by rank.
    pub fn ids(&self) -> &VertexIds {
        &self.ids
    }

    /// Returns the rank of each line's source, in input order.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// Returns the rank of each line's target, in input order.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Returns the weight of each line, in input order: the column called `weight`, or the only
    /// [column](Self::columns). Returns `None` if there is no such column.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Returns the ids of a line's source and target.
    ///
    /// # Panics
    /// Panics if there is no such line.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// assert_eq!(EdgeList::from_edges([(17, 5), (5, 6)])?.edge(1), (5, 6));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn edge(&self, line: usize) -> (u64, u64) {
        (self.ids.id(self.sources[line]), self.ids.id(self.targets[line]))
    }

    /// Returns the symmetry of the list: whether every edge is known to have an opposite edge of the same weight, and
    /// why.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Returns `true` if every edge is known to have an opposite edge of the same weight.
    pub fn is_symmetric(&self) -> bool {
        self.symmetry != Symmetry::Directed
    }

    /// Returns notes to the user about how the edges were read, one line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Removes and returns the weights and all other columns.
    pub(crate) fn take_weights(&mut self) -> (Option<Weights>, Columns<Weights>) {
        (self.weights.take(), std::mem::take(&mut self.columns))
    }

    /// Returns the list without its lines, weights and columns, whose memory is freed.
    #[doc(hidden)]
    pub fn without_lines(mut self) -> EdgeList {
        (self.sources, self.targets, self.weights) = (Array::default(), Array::default(), None);
        self.columns = Columns::default();
        self
    }

    /// Marks the edges as read from an input file, and adds notes to the user about how they were read. For such edges,
    /// layering reports duplicates in a note.
    #[doc(hidden)]
    pub fn read_with_notes(mut self, notes: Vec<String>) -> EdgeList {
        self.notes.extend(notes);
        self.of_input = true;
        self
    }

    /// Returns `true` if the edges come from an input file.
    pub(crate) fn is_of_input(&self) -> bool {
        self.of_input
    }
}

/// Packs an edge into one number, with one endpoint in the high half and the other in the low half.
fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_ids() {
        let list = EdgeList::from_edges([(70, 5), (5, u64::MAX), (70, 70)]).unwrap();
        assert_eq!(list.num_vertices(), 3);
        assert_eq!(list.sources(), [1, 0, 1]);
        assert_eq!(list.targets(), [0, 2, 1]);
        assert_eq!(list.edge(1), (5, u64::MAX));
        assert_eq!(list.ids().rank(70), Some(1));
        assert_eq!(list.ids().rank(71), None);
    }

    #[test]
    fn no_edges_no_vertices() {
        let list = EdgeList::from_edges([]).unwrap();
        assert_eq!((list.num_vertices(), list.num_edges()), (0, 0));
        let list = list.with_vertices(3..5).unwrap();
        assert_eq!(list.num_vertices(), 2);
    }

    #[test]
    fn weights_are_narrowed_and_nan_is_refused() {
        let list = EdgeList::from_weighted_edges([(0, 1, 2.0), (1, 0, 3.0)]).unwrap();
        assert_eq!(list.weights(), Some(&Weights::U32(vec![2, 3])));
        let refused = EdgeList::from_weighted_edges([(0, 1, 2.0), (1, 7, f64::NAN)]).unwrap_err();
        assert_eq!(refused, EdgeListError::NanWeight { position: 1, source_id: 1, target_id: 7 });
    }

    #[test]
    fn declared_vertices_include_isolated_ones() {
        let list = EdgeList::from_edges([(12, 10)]).unwrap().with_vertices(10..15).unwrap();
        assert_eq!((list.num_vertices(), list.sources(), list.targets()), (5, &[2][..], &[0][..]));
        let outside = EdgeList::from_edges([(12, 10)]).unwrap().with_vertices(10..12).unwrap_err();
        assert_eq!(outside, EdgeListError::OutsideRange { id: 12, first: 10, end: 12 });
        let many = EdgeList::from_edges([]).unwrap().with_vertices(0..u64::MAX).unwrap_err();
        assert_eq!(many, EdgeListError::TooManyVertices { found: u64::MAX });
    }
}
