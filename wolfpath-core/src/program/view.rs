//! What a program sees of an edge and of a vertex.

/// One edge, as `edge` sees it: the sender's value, the edge's weight, and the vertices at both ends.
///
/// *Source* is the sender: with messages along in-edges ([`Along::In`](super::Along::In)) it is the vertex that
/// the edge points to. `V` is the program's `Value`, `W` its `Weight`, `()` when it has none.
///
/// Tests make one of the fields that matter and `default()`:
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::programs::{PageRank, sssp};
///
/// let road = Edge { value: 40, weight: 2, ..Edge::default() };
/// assert_eq!(sssp::starting_at(1).edge(road), 42);
/// let link = Edge { value: 0.5, out_degree: 4, ..Edge::default() };
/// assert_eq!(PageRank { damping: 0.85, tolerance: 1e-6 }.edge(link), 0.125);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Edge<V, W = ()> {
    /// The sender's value before this step (or a newer one, where the program allows that).
    pub value: V,
    /// The edge's weight; 1 where the graph has none. A struct has the edge's numbers in the columns of its fields' names.
    pub weight: W,
    /// The sender's id, as in the input.
    pub source: u64,
    /// The receiver's id, as in the input.
    pub target: u64,
    /// The sender's dense index, below the number of vertices: its rank by ascending id.
    pub source_index: u32,
    /// The receiver's dense index, below the number of vertices: its rank by ascending id.
    pub target_index: u32,
    /// How many edges leave the sender in the input's direction.
    pub out_degree: u64,
}

/// One vertex, as `start`, `aggregate` and `apply` see it.
///
/// `V` is `()` in `start`, where there is no value yet; the program's `Value` in `aggregate`; in `apply` its
/// `Value`, or `Option` of it when `start` returns an `Option`. `A` is what the program's aggregate folds to.
///
/// Tests make one of the fields that matter and `default()`:
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::programs::{Components, PageRank};
///
/// assert_eq!(Components.start(Vertex { id: 17, ..Vertex::default() }), 17);
/// let program = PageRank { damping: 0.5, tolerance: 1e-6 };
/// let v = Vertex { value: 0.1, vertices: 10, aggregate: 0.0, ..Vertex::default() };
/// assert_eq!(program.apply(v, 0.5), 0.3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex<V = (), A = ()> {
    /// The vertex's id, as in the input.
    pub id: u64,
    /// The vertex's dense index, below the number of vertices: its rank by ascending id.
    pub index: u32,
    /// The vertex's value before this step.
    pub value: V,
    /// How many edges leave the vertex.
    pub out_degree: u64,
    /// How many edges arrive at the vertex.
    pub in_degree: u64,
    /// How many vertices the graph has.
    pub vertices: u64,
    /// How many edges the graph has, each direction of an undirected edge counted.
    pub edges: u64,
    /// The number of the step, from 1; 0 in `start`.
    pub step: u64,
    /// The fold of all values before this step; the fold of nothing in `start`.
    pub aggregate: A,
}

impl<V, A> Vertex<V, A> {
    /// Returns the vertex with another value, made of this one.
    #[doc(hidden)]
    #[inline]
    pub fn map_value<U>(self, value: impl FnOnce(V) -> U) -> Vertex<U, A> {
        Vertex {
            id: self.id,
            index: self.index,
            value: value(self.value),
            out_degree: self.out_degree,
            in_degree: self.in_degree,
            vertices: self.vertices,
            edges: self.edges,
            step: self.step,
            aggregate: self.aggregate,
        }
    }
}
