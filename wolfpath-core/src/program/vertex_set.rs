//! A set of vertices, as a field of a program's struct.

use std::fmt;
use std::sync::Arc;

use super::input::{Input, InputError, LayOut, VertexOrder, next_number};
use super::view::{Edge, Vertex};

/// A set of vertices, which the user gives by id. It is used as a field of a program's own struct.
///
/// It is not tied to a graph. Clones share their data. A program's functions test a vertex (`self.targets.contains(v)`)
/// or either endpoint of an edge (`contains_source(e)`, `contains_target(e)`). In a run, the set is an array with one
/// bit per vertex. A run over a graph that lacks one of the ids returns an error that names the id.
///
/// ```
/// use wolfpath::prelude::*;
///
/// #[edge_program]
/// mod detour {
///     use wolfpath::prelude::*;
///
///     /// Hops around closed vertices.
///     pub struct Detour {
///         pub from: u64,
///         pub closed: VertexSet,
///     }
///
///     impl EdgeProgram for Detour {
///         type Value = u32;
///         type Message = u32;
///         type Combine = Min;
///
///         fn start(&self, v: Vertex) -> Option<u32> {
///             (v.id == self.from).then_some(0)
///         }
///         fn edge(&self, e: Edge<u32>) -> Option<u32> {
///             if self.closed.contains_target(e) { None } else { Some(e.value + 1) }
///         }
///     }
/// }
///
/// let streets = LayeredGraph::from_edges([(1, 2), (2, 5), (1, 3), (3, 4), (4, 5)])?;
/// let program = detour::Detour { from: 1, closed: VertexSet::from_ids([2]) };
/// assert_eq!(Engine::cpu().run(&streets, &program)?.value(5)?, Some(3));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone)]
pub struct VertexSet {
    given: Arc<Given>,
    /// One bit for each position; `None` unless an engine has laid out the set (stored it in the order of a graph's
    /// vertices).
    words: Option<Arc<Vec<u32>>>,
}

/// The distinct ids that the user gave, ascending.
struct Given {
    number: u64,
    ids: Vec<u64>,
}

impl VertexSet {
    /// Creates the set of the vertices with these ids.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// assert_eq!(VertexSet::from_ids([17, 4, 17]).ids(), [4, 17]);
    /// ```
    pub fn from_ids(ids: impl IntoIterator<Item = u64>) -> VertexSet {
        let mut ids: Vec<u64> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        VertexSet { given: Arc::new(Given { number: next_number(), ids }), words: None }
    }

    /// Returns the ids, ascending.
    pub fn ids(&self) -> &[u64] {
        &self.given.ids
    }

    /// Returns `true` if this id is in the set.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let closed = VertexSet::from_ids([17, 4]);
    /// assert!(closed.has(17) && !closed.has(5));
    /// ```
    pub fn has(&self, id: u64) -> bool {
        self.given.ids.binary_search(&id).is_ok()
    }

    /// Returns `true` if a vertex is in the set.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let homes: VertexSet = (10..20).collect();
    /// let v: Vertex = Vertex { id: 12, ..Vertex::default() };
    /// assert!(homes.contains(v));
    /// ```
    #[inline]
    pub fn contains<V: 'static, A>(&self, vertex: Vertex<V, A>) -> bool {
        self.at(vertex.index, vertex.id)
    }

    /// Returns `true` if an edge's source, which is the sender, is in the set.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let e: Edge<u32> = Edge { source: 1, target: 2, ..Edge::default() };
    /// assert!(VertexSet::from_ids([1]).contains_source(e));
    /// ```
    #[inline]
    pub fn contains_source<V, W, A>(&self, edge: Edge<V, W, A>) -> bool {
        self.at(edge.source_index, edge.source)
    }

    /// Returns `true` if an edge's target, which is the receiver, is in the set.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let e: Edge<u32> = Edge { source: 1, target: 2, ..Edge::default() };
    /// assert!(!VertexSet::from_ids([1]).contains_target(e));
    /// ```
    #[inline]
    pub fn contains_target<V, W, A>(&self, edge: Edge<V, W, A>) -> bool {
        self.at(edge.target_index, edge.target)
    }

    #[inline]
    fn at(&self, index: u32, id: u64) -> bool {
        match self.words.as_deref().and_then(|words| words.get(index as usize / 32)) {
            Some(word) => word >> (index % 32) & 1 != 0,
            None => self.has(id),
        }
    }
}

impl FromIterator<u64> for VertexSet {
    fn from_iter<I: IntoIterator<Item = u64>>(ids: I) -> VertexSet {
        VertexSet::from_ids(ids)
    }
}

impl Input for VertexSet {
    fn number(&self) -> u64 {
        self.given.number
    }

    fn bytes(&self, order: VertexOrder<'_>) -> Result<Vec<u8>, InputError> {
        Ok(self.lay_out(order)?.iter().flat_map(|word| word.to_ne_bytes()).collect())
    }

    fn ids(&self) -> Vec<u64> {
        self.given.ids.to_vec()
    }
}

impl LayOut for VertexSet {
    type Array = Vec<u32>;

    fn lay_out(&self, order: VertexOrder<'_>) -> Result<Vec<u32>, InputError> {
        let mut words = vec![0; order.positions().div_ceil(32) as usize];
        for &id in &self.given.ids {
            if let Some(place) = order.place_of(id)? {
                words[place as usize / 32] |= 1 << (place % 32);
            }
        }
        Ok(words)
    }

    fn with(&self, array: Arc<Vec<u32>>) -> VertexSet {
        VertexSet { given: self.given.clone(), words: Some(array) }
    }
}

impl fmt::Debug for VertexSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VertexSet({} ids)", self.given.ids.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::LayeredGraph;
    use crate::program::Reads;

    #[test]
    fn a_set_is_one_bit_a_vertex() {
        let graph = LayeredGraph::from_edges((0..100u64).map(|id| (id * 7 % 100, id))).expect("a graph");
        let set: VertexSet = (0..100).filter(|id| id % 3 == 0).collect();
        for reads in [Reads::default(), Reads { edge_target_index: true, ..Reads::default() }] {
            let order = VertexOrder::new(&graph, &reads);
            let bound = set.with(Arc::new(set.lay_out(order).expect("all ids in the set are vertices")));
            for v in 0..graph.num_vertices() {
                let place = if reads.edge_target_index { graph.rank_of(v) } else { v };
                let edge = Edge { target: 1, target_index: place, ..Edge::<u32>::default() };
                assert_eq!(bound.contains_target(edge), graph.id_of(v).is_multiple_of(3));
            }
            assert_eq!(set.bytes(order).map(|bytes| bytes.len()), Ok(16));
        }
        let order = VertexOrder::new(&graph, &Reads::default());
        assert_eq!(VertexSet::from_ids([5, 100]).lay_out(order), Err(InputError::UnknownVertex { id: 100 }));
    }
}
