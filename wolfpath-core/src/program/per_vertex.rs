//! Additional data: a value for every vertex, as a field of a program's struct.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use super::datum::Datum;
use super::input::{Input, LayOut, UnknownVertex, VertexOrder, next_number};
use super::view::{Edge, Vertex};

/// A value for every vertex, which the user gives by id. It is used as a field of a program's own struct.
///
/// It is built from [pairs](Self::from_pairs) with a default for all other vertices, from a [function](Self::from_fn)
/// of the id, or from one [constant](Self::constant). It is not tied to a graph, so one input can be used in runs over
/// several graphs. Clones share their data.
///
/// A program's functions read it at a vertex (`self.altitude.of(v)`) or at either endpoint of an edge
/// (`self.altitude.source(e)`, `self.altitude.target(e)`). When such a function is called by hand, as in a test, the
/// value is looked up by the id in `v` or `e`. In a run, the engine uses an array of all values in the order of the
/// graph's vertices, which it builds once per loaded graph.
///
/// ```
/// use wolfpath::prelude::*;
///
/// #[edge_program]
/// mod climb {
///     use wolfpath::prelude::*;
///
///     /// The least climb from one vertex to every other.
///     pub struct Climb {
///         pub from: u64,
///         pub altitude: PerVertex<i32>,
///     }
///
///     impl EdgeProgram for Climb {
///         type Value = u32;
///         type Message = u32;
///         type Combine = Min;
///
///         fn start(&self, v: Vertex) -> Option<u32> {
///             (v.id == self.from).then_some(0)
///         }
///         fn edge(&self, e: Edge<u32>) -> u32 {
///             let rise = self.altitude.target(e) - self.altitude.source(e);
///             e.value + rise.max(0) as u32
///         }
///     }
/// }
///
/// let altitude = PerVertex::from_pairs([(1, 400), (2, 650), (3, 500)], 0);
/// let paths = LayeredGraph::from_edges([(1, 2), (2, 4), (1, 3), (3, 4)])?;
/// let outcome = Engine::cpu().run(&paths, &climb::Climb { from: 1, altitude })?;
/// assert_eq!(outcome.value(4)?, Some(100));
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub struct PerVertex<T> {
    given: Arc<Given<T>>,
    /// The value at each position; `None` unless an engine has laid out the input (stored it in the order of a graph's
    /// vertices).
    values: Option<Arc<Vec<T>>>,
}

/// The data that the user gave.
struct Given<T> {
    number: u64,
    source: Source<T>,
}

/// The form in which the user gave the data.
enum Source<T> {
    Constant(T),
    /// Pairs with distinct ids, ascending, and the value of all other vertices.
    Pairs(Vec<(u64, T)>, T),
    Function(Box<dyn Fn(u64) -> T + Send + Sync>),
}

impl<T: Datum> PerVertex<T> {
    fn new(source: Source<T>) -> PerVertex<T> {
        PerVertex { given: Arc::new(Given { number: next_number(), source }), values: None }
    }

    /// Creates an input that holds the same value for every vertex.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// assert_eq!(PerVertex::constant(2.5f32).get(17), 2.5);
    /// ```
    pub fn constant(value: T) -> PerVertex<T> {
        PerVertex::new(Source::Constant(value))
    }

    /// Creates an input from the values of some vertices, by id, and a default for all others. If an id occurs more
    /// than once, its last value is used. A run over a graph that lacks one of the ids returns an error that names the
    /// id.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let altitude = PerVertex::from_pairs([(17, 420), (4, 97), (17, 421)], 0);
    /// assert_eq!((altitude.get(17), altitude.get(5)), (421, 0));
    /// ```
    pub fn from_pairs(pairs: impl IntoIterator<Item = (u64, T)>, default: T) -> PerVertex<T> {
        let mut pairs: Vec<(u64, T)> = pairs.into_iter().collect();
        // For each id, the pair that was given last must remain. The stable sort keeps that pair last among those with
        // the same id. Reversing puts it first, and `dedup_by_key` keeps the first.
        pairs.sort_by_key(|&(id, _)| id);
        pairs.reverse();
        pairs.dedup_by_key(|&mut (id, _)| id);
        pairs.reverse();
        PerVertex::new(Source::Pairs(pairs, default))
    }

    /// Creates an input from a function of the id. The function is called once for every vertex of a graph, from
    /// several threads.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let parity = PerVertex::from_fn(|id| id % 2);
    /// assert_eq!(parity.get(7), 1);
    /// ```
    pub fn from_fn(function: impl Fn(u64) -> T + Send + Sync + 'static) -> PerVertex<T> {
        PerVertex::new(Source::Function(Box::new(function)))
    }

    /// Returns the value for this id. The id need not be in any graph.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let open = PerVertex::from_pairs([(4, false)], true);
    /// assert!(!open.get(4) && open.get(5));
    /// ```
    pub fn get(&self, id: u64) -> T {
        match &self.given.source {
            Source::Constant(value) => *value,
            Source::Pairs(pairs, default) => {
                pairs.binary_search_by_key(&id, |&(id, _)| id).map_or(*default, |at| pairs[at].1)
            }
            Source::Function(function) => function(id),
        }
    }

    /// Returns the value of a vertex.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let altitude = PerVertex::from_pairs([(4, 97.5)], 0.0);
    /// let v: Vertex = Vertex { id: 4, ..Vertex::default() };
    /// assert_eq!(altitude.of(v), 97.5);
    /// ```
    #[inline]
    pub fn of<V, A>(&self, vertex: Vertex<V, A>) -> T {
        self.at(vertex.index, vertex.id)
    }

    /// Returns the value of an edge's source, which is the sender.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let speed = PerVertex::from_pairs([(1, 50), (2, 130)], 100);
    /// let e: Edge<u32> = Edge { source: 1, target: 2, ..Edge::default() };
    /// assert_eq!(speed.source(e), 50);
    /// ```
    #[inline]
    pub fn source<V, W>(&self, edge: Edge<V, W>) -> T {
        self.at(edge.source_index, edge.source)
    }

    /// Returns the value of an edge's target, which is the receiver.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let delay = PerVertex::from_pairs([(2, 15)], 0);
    /// let e: Edge<u32> = Edge { source: 1, target: 2, ..Edge::default() };
    /// assert_eq!(delay.target(e), 15);
    /// ```
    #[inline]
    pub fn target<V, W>(&self, edge: Edge<V, W>) -> T {
        self.at(edge.target_index, edge.target)
    }

    #[inline]
    fn at(&self, index: u32, id: u64) -> T {
        match self.values.as_deref().and_then(|values| values.get(index as usize)) {
            Some(&value) => value,
            None => self.get(id),
        }
    }
}

impl<T: Datum> Input for PerVertex<T> {
    fn number(&self) -> u64 {
        self.given.number
    }

    fn bytes(&self, order: VertexOrder<'_>) -> Result<Vec<u8>, UnknownVertex> {
        let values = self.lay_out(order)?;
        let size = T::KIND.size().max(1);
        let mut bytes = vec![0; values.len() * size];
        bytes
            .par_chunks_exact_mut(size)
            .with_min_len(1 << 12)
            .zip(&values)
            .for_each(|(to, value)| value.write(to));
        Ok(bytes)
    }
}

impl<T: Datum> LayOut for PerVertex<T> {
    type Array = Vec<T>;

    fn lay_out(&self, order: VertexOrder<'_>) -> Result<Vec<T>, UnknownVertex> {
        let vertices = order.vertices();
        match &self.given.source {
            Source::Constant(value) => Ok(vec![*value; vertices as usize]),
            Source::Pairs(pairs, default) => {
                let mut values = vec![*default; vertices as usize];
                for &(id, value) in pairs {
                    values[order.place_of(id)? as usize] = value;
                }
                Ok(values)
            }
            Source::Function(function) => {
                let places = (0..vertices).into_par_iter().with_min_len(1 << 12);
                Ok(places.map(|place| function(order.id_at(place))).collect())
            }
        }
    }

    fn with(&self, array: Arc<Vec<T>>) -> PerVertex<T> {
        PerVertex { given: self.given.clone(), values: Some(array) }
    }
}

impl<T> Clone for PerVertex<T> {
    fn clone(&self) -> PerVertex<T> {
        PerVertex { given: self.given.clone(), values: self.values.clone() }
    }
}

impl<T: Datum> fmt::Debug for PerVertex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given.source {
            Source::Constant(value) => write!(f, "PerVertex({value:?})"),
            Source::Pairs(pairs, default) => {
                write!(f, "PerVertex({} pairs, else {default:?})", pairs.len())
            }
            Source::Function(_) => write!(f, "PerVertex(function of the id)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::LayeredGraph;
    use crate::program::{Binding, LaidOut, Reads};

    fn graph() -> LayeredGraph {
        LayeredGraph::from_edges([(10, 40), (40, 30), (30, 20), (99, 10)]).expect("a graph")
    }

    fn vertex(graph: &LayeredGraph, v: u32, by_rank: bool) -> Vertex<(), ()> {
        // All ids are set to 0, so that only the index can identify the vertex.
        Vertex { id: 0, index: if by_rank { graph.rank_of(v) } else { v }, ..Vertex::default() }
    }

    #[test]
    fn inputs_are_laid_out_in_the_order_of_the_graph() {
        let graph = graph();
        let by_rank = Reads { vertex_index: true, ..Reads::default() };
        for reads in [Reads::default(), by_rank] {
            let order = VertexOrder::new(&graph, &reads);
            let laid_out = LaidOut::default();
            let mut binding = Binding::new(order, &laid_out);
            let pairs = PerVertex::from_pairs([(30, 1), (20, 2), (30, 3)], 7u32);
            let function = PerVertex::from_fn(|id| id * 2);
            let bound = binding.input("pairs", &pairs).expect("all ids in the pairs are vertices");
            let computed = binding.input("function", &function).expect("a function has no unknown ids");
            for v in 0..graph.num_vertices() {
                let (id, seen) = (graph.id_of(v), vertex(&graph, v, reads.vertex_index));
                assert_eq!(bound.of(seen), pairs.get(id));
                assert_eq!(computed.of(seen), id * 2);
            }
            let bytes = pairs.bytes(order).expect("all ids in the pairs are vertices");
            let laid_out = pairs.lay_out(order).expect("all ids in the pairs are vertices");
            assert!(laid_out.iter().zip(bytes.chunks(4)).all(|(value, bytes)| u32::read(bytes) == *value));
        }
        assert_eq!(PerVertex::from_pairs([(30, 1), (30, 3)], 7u32).get(30), 3);
    }

    #[test]
    fn arrays_are_made_once_and_unknown_ids_are_named() {
        let (graph, reads) = (graph(), Reads::default());
        let order = VertexOrder::new(&graph, &reads);
        let calls = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counted = calls.clone();
        let input = PerVertex::from_fn(move |id| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            id
        });
        let nothing = LaidOut::default();
        let mut binding = Binding::new(order, &nothing);
        binding.input("input", &input).expect("it has no ids");
        let kept = binding.laid_out();
        Binding::new(order, &kept).input("input", &input.clone()).expect("it has no ids");
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), graph.num_vertices());
        let unknown = PerVertex::from_pairs([(11, true)], false);
        let refused = Binding::new(order, &kept).input("open", &unknown);
        assert_eq!(refused.err(), Some(("open", UnknownVertex { id: 11 })));
    }
}
