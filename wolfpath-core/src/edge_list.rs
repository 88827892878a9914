//! Edges as they come in: in input order, by the rank of their ends, before anything is layered.
//!
//! A vertex is known by its *rank*: the place of its user id among all ids, ascending. Ranks are dense and `u32`;
//! ids are whatever `u64` the input holds. A *line* is an edge as the input states it; where edges are undirected, a
//! line is stored once and stands for both directions. Edge lists come from files (the crate `wolfpath-io`), from memory
//! ([`EdgeList::from_edges`]) or from generators ([`crate::generate`]).

mod columns;
mod counts;
pub(crate) mod csr;
mod duplicates;
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

/// The most vertices a graph may have: ranks are `u32`, and their number is one as well.
pub const MAX_VERTICES: u64 = u32::MAX as u64;

/// Edges in input order, with the user's ids and, perhaps, weights.
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
    /// Further columns, and the weight's name.
    columns: Columns<Weights>,
    symmetry: Symmetry,
    slope: Slope,
    notes: Vec<String>,
    /// The edges come from an input whose owner may not know of its duplicates.
    of_input: bool,
}

/// How lines lie between ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slope {
    /// How many lines lead from a vertex to itself.
    self_loops: u64,
    /// How many more lines lead to larger ranks than to smaller ones.
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

    /// The same, on all threads.
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

/// Whether every edge has its opposite of the same weight, and how that came about.
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
    /// Nobody asked: edges are one-way, even if they happen to be symmetric.
    Directed,
    /// Each line stands for two edges (a self-loop for one).
    Doubled,
    /// The input held both directions of every edge already and was not doubled.
    Found,
}

/// Why edges in memory are not an edge list.
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
    /// Ranks would not fit their type.
    #[error("a graph of {found} vertices is too large: at most 4294967295 are supported")]
    TooManyVertices {
        /// How many there are, or at least how many.
        found: u64,
    },
    /// They do not fit the memory.
    #[error("the edges do not fit: {reason}")]
    Memory {
        /// How much is needed, and what to do.
        reason: String,
    },
    /// A weight is no number.
    #[error(
        "the weight of edge {position} ({source_id} -> {target_id}) is NaN; give it a number or leave the edge out"
    )]
    NanWeight {
        /// Which edge, from 0.
        position: u64,
        /// The id of its source.
        source_id: u64,
        /// The id of its target.
        target_id: u64,
    },
    /// Columns of different lengths.
    #[error(
        "a column of {sources} sources and one of {other} targets or weights; give every edge one of each"
    )]
    Columns {
        /// How many sources there are.
        sources: usize,
        /// How many targets or weights.
        other: usize,
    },
    /// A column that cannot be had as asked.
    #[error(transparent)]
    Column(#[from] ColumnError),
    /// More edges than the other graph's indices reach.
    #[error("{found} edges are too many: the indices of the other graph reach {most}")]
    TooManyEdges {
        /// How many there are.
        found: u64,
        /// How many may be.
        most: u64,
    },
    /// Two edges where a matrix has one entry.
    #[error(
        "more than one edge leads from {source_id} to {target_id}, and a matrix has one entry for them; drop duplicates"
    )]
    ParallelEdges {
        /// The id of their source.
        source_id: u64,
        /// The id of their target.
        target_id: u64,
    },
    /// Duplicates whose columns cannot be merged as asked.
    #[error(
        "edges have the columns {columns}: of several columns the one called weight tells which duplicate is the smallest \
         or largest, and only a single one can be added up; read only the column that is meant"
    )]
    ColumnsOfDuplicates {
        /// The names of the columns.
        columns: String,
    },
    /// The sum of the weights of duplicates does not fit.
    #[error(
        "the weights of the edges {source_id} -> {target_id} add up to more than any number type holds exactly together with \
         the other weights; scale the weights, or keep the duplicates"
    )]
    SumOfDuplicates {
        /// The id of their source.
        source_id: u64,
        /// The id of their target.
        target_id: u64,
    },
    /// A matrix that is no graph.
    #[error("a matrix of {rows} rows and {columns} columns is no graph; it needs as many rows as columns")]
    NotSquare {
        /// Its rows.
        rows: u64,
        /// Its columns.
        columns: u64,
    },
    /// An edge ends outside the range of ids that was declared.
    #[error(
        "the id {id} is outside the declared range {first}..{end}; declare a larger range or correct the edge"
    )]
    OutsideRange {
        /// The id.
        id: u64,
        /// The first id of the range.
        first: u64,
        /// The id after the last of the range.
        end: u64,
    },
}

impl From<SpaceError> for EdgeListError {
    fn from(error: SpaceError) -> EdgeListError {
        EdgeListError::Memory { reason: error.to_string() }
    }
}

impl EdgeList {
    /// Makes a list of edges without weights from pairs of ids. The vertices are the ids that appear; see
    /// [`with_vertices`](Self::with_vertices) for more.
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

    /// Makes a list of edges with weights from triples. The weights end in the narrowest type that is exact; NaN is refused.
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

    /// Returns the same edges over all vertices of a range, isolated ones included. Every id of an edge must be in it.
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

    /// Returns the same edges over more vertices: `ids` are their ids, in any order; those that are vertices already
    /// change nothing. Edges, columns and notes stay as they are.
    ///
    /// # Errors
    /// If there would be more than [`MAX_VERTICES`] vertices.
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

    /// Lines whose ranks are known already: for generators.
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

    /// The same edges with a weight for each line: for generators.
    pub(crate) fn with_weight_column(mut self, weights: Weights) -> EdgeList {
        self.weights = Some(weights);
        self
    }

    /// Returns the same edges with computed weights: `weight(source id, target id)` for each. They replace all columns.
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

    /// How many vertices there are.
    pub fn num_vertices(&self) -> u32 {
        self.ids.len()
    }

    /// How many edges there are: each direction of an undirected line counts.
    pub fn num_edges(&self) -> u64 {
        match self.symmetry {
            Symmetry::Doubled => 2 * self.num_lines() - self.slope.self_loops,
            Symmetry::Directed | Symmetry::Found => self.num_lines(),
        }
    }

    /// How many lines there are: edges as the input states them.
    pub fn num_lines(&self) -> u64 {
        self.sources.len() as u64
    }

    /// How many lines lead from a vertex to itself.
    pub fn num_self_loops(&self) -> u64 {
        self.slope.self_loops
    }

    /// Every edge, both directions of an undirected line one after the other: source and target by rank, and the line.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let doubled = self.symmetry == Symmetry::Doubled;
        let lines = self.sources.iter().zip(&self.targets[..]).enumerate();
        lines.flat_map(move |(line, (&source, &target))| {
            let back = (doubled && source != target).then_some((target, source, line));
            [(source, target, line)].into_iter().chain(back)
        })
    }

    /// The user's ids, by rank.
    pub fn ids(&self) -> &VertexIds {
        &self.ids
    }

    /// The rank of each line's source, in input order.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// The rank of each line's target, in input order.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// The weight of each line, in input order: the column called `weight`, or the only [column](Self::columns). `None`
    /// when there is no such column.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Returns the ids of a line's two ends.
    ///
    /// # Panics
    /// When there is no such line.
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

    /// Whether every edge is known to have its opposite of the same weight, and how that came about.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Whether every edge is known to have its opposite of the same weight.
    pub fn is_symmetric(&self) -> bool {
        self.symmetry != Symmetry::Directed
    }

    /// What a reader should know about how the edges were read, one line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Takes the weights away, and all further columns.
    pub(crate) fn take_weights(&mut self) -> (Option<Weights>, Columns<Weights>) {
        (self.weights.take(), std::mem::take(&mut self.columns))
    }

    /// What is left when the lines are no longer needed.
    pub(crate) fn without_lines(mut self) -> EdgeList {
        (self.sources, self.targets, self.weights) = (Array::default(), Array::default(), None);
        self.columns = Columns::default();
        self
    }

    /// Marks the edges as those of an input, and adds what a reader should know about how they were read. Layering tells
    /// the reader of duplicates then.
    #[doc(hidden)]
    pub fn read_with_notes(mut self, notes: Vec<String>) -> EdgeList {
        self.notes.extend(notes);
        self.of_input = true;
        self
    }

    /// Returns `true` if the edges come from an input.
    pub(crate) fn is_of_input(&self) -> bool {
        self.of_input
    }
}

/// An edge as one number: one end above the other.
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
