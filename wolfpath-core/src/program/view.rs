//! The arguments of a program's functions: an edge and a vertex.

use super::fault::{Checked, Fault};

/// One edge, the argument of `edge`: the sender's value, the edge's weight, and both endpoints.
///
/// *Source* is the sender. With messages along in-edges ([`Along::In`](super::Along::In)), the sender is therefore the
/// vertex that the edge points to. `V` is the program's `Value`, and `W` is its `Weight`, or `()` if the program reads
/// no weights. `A` is the type of the program's aggregate.
///
/// Tests set the relevant fields and fill in the rest with `default()`:
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
pub struct Edge<V, W = (), A = ()> {
    /// The sender's value before this step, or a newer value from the same step if this cannot change the program's
    /// answer.
    pub value: V,
    /// The edge's weight; 1 if the graph has no weights. If it is a struct, each field is the edge's number in the
    /// column of the same name.
    pub weight: W,
    /// The sender's id, as in the input.
    pub source: u64,
    /// The receiver's id, as in the input.
    pub target: u64,
    /// The sender's dense index, below the number of vertices: its rank by ascending id.
    pub source_index: u32,
    /// The receiver's dense index, below the number of vertices: its rank by ascending id.
    pub target_index: u32,
    /// Number of edges that leave the sender in the input's direction, even under `Along::In`.
    pub out_degree: u64,
    /// The number of the step in which the message is sent, from 1. A program that reads it runs step by step.
    pub step: u64,
    /// The fold of all values before this step. A program with an aggregate runs step by step.
    pub aggregate: A,
    /// `true` if the message travels in the direction of the edge, `false` if it travels against it. Only programs with
    /// [`Along::Both`](super::Along::Both) can read this field. In a symmetric graph, every edge has an opposite one,
    /// along which the message in the other direction travels, so it is always `true`.
    pub forward: bool,
    /// The edge's place among all edges along which the sender sends, from 0, by ascending id of the receiver. Parallel
    /// edges follow each other in the order of the input; with [`Along::Both`](super::Along::Both), edges that leave the
    /// sender come before those that arrive at it.
    ///
    /// Engines compute the places of all edges when a program first reads them, and keep them with the graph: 4 bytes
    /// per edge.
    ///
    /// ```
    #[doc = include_str!("examples/place.rs")]
    /// ```
    pub place: u64,
    /// The result of [`common_neighbours`](Edge::common_neighbours), which programs call. For tests.
    pub common_neighbours: u64,
    /// The result of [`common_edges`](Edge::common_edges), which programs call. For tests.
    pub common_edges: u64,
}

impl<V, W, A> Edge<V, W, A> {
    /// Returns the number of vertices that are adjacent to both the sender and the receiver. Requires
    /// [`Along::Neighbours`](super::Along::Neighbours). With [`ORIENTED`](super::EdgeProgram::ORIENTED), only vertices
    /// later than both ends count.
    ///
    /// An engine counts once per graph, for all edges; see the guide for the time and the memory that this takes.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// #[edge_program]
    /// mod clustering {
    ///     use wolfpath::prelude::*;
    ///
    ///     /// The number of triangles that contain a vertex, twice.
    ///     pub struct Triangles;
    ///
    ///     impl EdgeProgram for Triangles {
    ///         type Value = u64;
    ///         type Message = u64;
    ///         type Combine = Sum;
    ///         const SENDERS: Senders = Senders::All;
    ///         const ALONG: Along = Along::Neighbours;
    ///
    ///         fn start(&self, _: Vertex) -> u64 {
    ///             0
    ///         }
    ///         fn edge(&self, e: Edge<u64>) -> u64 {
    ///             e.common_neighbours()
    ///         }
    ///         fn apply(&self, _: Vertex<u64>, common: u64) -> u64 {
    ///             common
    ///         }
    ///     }
    /// }
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (1, 4)])?;
    /// let outcome = Engine::cpu().run(&graph, &clustering::Triangles)?;
    /// assert_eq!((outcome.value(1)?, outcome.value(4)?), (Some(2), Some(0)));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn common_neighbours(&self) -> u64 {
        self.common_neighbours
    }

    /// Returns the number of distinct targets of the sender, itself excluded, that are neighbours of the receiver.
    /// Requires [`Along::Neighbours`](super::Along::Neighbours). In a symmetric graph, this is
    /// [`common_neighbours`](Self::common_neighbours).
    ///
    /// The sum over all neighbours of a vertex is the number of directed edges between them, as in the local clustering
    /// coefficient of LDBC Graphalytics.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let between = Edge { value: 0.0, common_edges: 3, ..Edge::<f64>::default() };
    /// assert_eq!(between.common_edges(), 3);
    /// ```
    pub fn common_edges(&self) -> u64 {
        self.common_edges
    }
}

/// One vertex, the argument of `start`, `aggregate`, `apply`, `sends`, `halts` and `priority`.
///
/// `V` is the type of its value: `()` in `start`, because there is no value yet; [`Before`](super::EdgeProgram::Before)
/// in `apply`; the program's `Value` in the other functions. `A` is the type of the program's aggregate. `B` is the type
/// of [`before`](Vertex::before), which only `aggregate` can read; the macro adds it to the argument of an `aggregate`
/// that does.
///
/// Tests set the relevant fields and fill in the rest with `default()`:
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
pub struct Vertex<V: 'static = (), A = (), B = ()> {
    /// The vertex's id, as in the input.
    pub id: u64,
    /// The vertex's dense index, below the number of vertices: its rank by ascending id.
    pub index: u32,
    /// The vertex's value before this step; in `sends`, `halts` and `priority`, its new value.
    pub value: V,
    /// Number of edges that leave the vertex.
    pub out_degree: u64,
    /// Number of edges that arrive at the vertex.
    pub in_degree: u64,
    /// Number of vertices of the graph.
    pub vertices: u64,
    /// Number of edges of the graph; each direction of an undirected edge counts.
    pub edges: u64,
    /// The number of the step, from 1; 0 in `start`, and in the calls of `sends`, `halts` and `priority` that follow it.
    pub step: u64,
    /// The level of the step: the largest priority at which vertices have sent so far, including this step. 0 if
    /// `step` is 0, and in programs without [`priority`](super::EdgeProgram::priority).
    pub level: u64,
    /// The fold of all values before this step, also in `sends`, `halts` and `priority`; if `step` is 0, the fold of no
    /// values.
    pub aggregate: A,
    /// Number of distinct neighbours: vertices adjacent to this one in either direction, except itself. Only programs
    /// with [`Along::Neighbours`](super::Along::Neighbours) can read this field.
    pub neighbours: u64,
    /// In `aggregate`, the vertex's value before the step whose values are folded, so that a fold can measure change:
    /// [`Before`](super::EdgeProgram::Before), which is an `Option` if a vertex may be without a value. In the fold of
    /// the first values, it is the first value. Other functions cannot read it; it is `()` there.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// #[edge_program]
    /// mod halving {
    ///     use wolfpath::prelude::*;
    ///
    ///     pub struct Halving {
    ///         pub tolerance: f64,
    ///     }
    ///
    ///     impl EdgeProgram for Halving {
    ///         type Value = f64;
    ///         type Message = f64;
    ///         type Combine = Sum;
    ///         type Aggregate = Sum<f64>;
    ///         const SENDERS: Senders = Senders::All;
    ///
    ///         fn start(&self, v: Vertex) -> f64 {
    ///             v.id as f64
    ///         }
    ///         fn edge(&self, e: Edge<f64>) -> f64 {
    ///             e.value / 2.0
    ///         }
    ///         fn apply(&self, _: Vertex<f64>, incoming: f64) -> f64 {
    ///             incoming
    ///         }
    ///         fn aggregate(&self, v: Vertex<f64>) -> f64 {
    ///             (v.value - v.before).abs()
    ///         }
    ///         fn finished(&self, _before: f64, change: f64, _step: u64) -> bool {
    ///             change < self.tolerance
    ///         }
    ///     }
    /// }
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &halving::Halving { tolerance: 0.5 })?;
    /// assert_eq!((outcome.steps(), outcome.aggregate()), (3, 0.375)); // 0.25 and 0.5 became 0.25 and 0.125
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub before: B,
    /// The values that [`value_at`](Vertex::value_at) returns, by index. For tests: programs call the method, and engines
    /// leave this empty.
    pub values: &'static [V],
}

impl<V: Copy, A, B> Vertex<V, A, B> {
    /// Returns the value of any vertex before this step, given its dense index: in [`apply`](super::EdgeProgram::apply),
    /// the only function in which programs can call this, the type is [`Before`](super::EdgeProgram::Before).
    ///
    /// All vertices see the values before the step, whichever of them have been computed already. For this, an engine
    /// copies all values in every step.
    ///
    /// # Panics
    /// Panics if no vertex has this index; during a run, the run then ends with a fault.
    ///
    /// ```
    #[doc = include_str!("examples/value_at.rs")]
    /// ```
    pub fn value_at(&self, index: u32) -> V {
        *self.values.get(index as usize).expect("no vertex has this index")
    }
}

impl<V, A, B> Vertex<V, A, B> {
    /// Returns the same vertex, with its value replaced by the result of `value`.
    #[doc(hidden)]
    #[inline]
    pub fn map_value<U: 'static>(self, value: impl FnOnce(V) -> U) -> Vertex<U, A, B> {
        Vertex {
            id: self.id,
            index: self.index,
            value: value(self.value),
            out_degree: self.out_degree,
            in_degree: self.in_degree,
            vertices: self.vertices,
            edges: self.edges,
            step: self.step,
            level: self.level,
            aggregate: self.aggregate,
            neighbours: self.neighbours,
            before: self.before,
            values: &[],
        }
    }

    /// Returns the same vertex with another value before the step.
    #[doc(hidden)]
    #[inline]
    pub fn with_before<C>(self, before: C) -> Vertex<V, A, C> {
        Vertex {
            id: self.id,
            index: self.index,
            value: self.value,
            out_degree: self.out_degree,
            in_degree: self.in_degree,
            vertices: self.vertices,
            edges: self.edges,
            step: self.step,
            level: self.level,
            aggregate: self.aggregate,
            neighbours: self.neighbours,
            before,
            values: self.values,
        }
    }
}

/// The values of all vertices before a step, by dense index, as engines pass them to the twin of `apply`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Among<'a, V>(&'a [Option<V>]);

impl<'a, V: Copy> Among<'a, V> {
    /// Returns the values of these vertices; `None` for a vertex without a value.
    #[doc(hidden)]
    pub fn new(values: &'a [Option<V>]) -> Among<'a, V> {
        Among(values)
    }

    /// Returns the values of no vertices, for programs that do not read them.
    #[doc(hidden)]
    pub fn nobody() -> Among<'a, V> {
        Among(&[])
    }

    /// Returns the value of a vertex, if it has one. An index out of range is a fault at `site`.
    #[doc(hidden)]
    #[inline]
    pub fn option_at(self, index: u32, site: u32) -> Checked<Option<V>> {
        self.0.get(index as usize).copied().ok_or(Fault { site })
    }

    /// Returns the value of a vertex in a program in which all vertices have one.
    #[doc(hidden)]
    #[inline]
    pub fn value_at(self, index: u32, site: u32) -> Checked<V> {
        self.option_at(index, site)?.ok_or(Fault { site })
    }
}
