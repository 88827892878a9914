//! Additional data: a value for every vertex, as a field of a program's struct.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use super::datum::Datum;
use super::held::{FieldOf, RunValues, Take, TakenField, nothing};
use super::input::{Input, InputError, LayOut, VertexOrder, next_number};
use super::view::{Edge, Vertex};
use crate::graph::LayeredGraph;

/// A value for every vertex, which the user gives by id. It is used as a field of a program's own struct.
///
/// It is built from [pairs](Self::from_pairs) with a default for all other vertices, from a [function](Self::from_fn)
/// of the id, from one [constant](Self::constant), or from the [outcome](Self::from_outcome) of an earlier run. It is
/// not tied to a graph, so one input can be used in runs over several graphs. Clones share their data.
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
    /// The values of a run, or one field of each, and the datum of vertices without a value.
    Outcome(Arc<dyn Take<T>>, Option<T>),
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

    /// Creates an input from the values of an outcome. If the next run is on the outcome's device and over the same
    /// loaded graph, the values are copied there and never reach the host. The input keeps the outcome's values, so the
    /// outcome may be dropped.
    ///
    /// Vertices are matched by id. If the next run's graph has a vertex that has no value in the outcome, the run returns
    /// an error that names the vertex, unless there is a value for such vertices ([`or`](Self::or)).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let hops = Engine::cpu().run(&graph, &wolfpath::programs::bfs::starting_at(2))?;
    /// let hops = PerVertex::from_outcome(&hops).or(u32::MAX);
    /// assert_eq!((hops.get(3), hops.get(1)), (1, u32::MAX));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn from_outcome(outcome: &impl RunValues<Value = T>) -> PerVertex<T> {
        PerVertex::from_field(outcome, |value| value)
    }

    /// Creates an input from one field of the values of an outcome, like [`from_outcome`](Self::from_outcome). `field`
    /// returns that field of a value, which must be the same field of every value.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// #[edge_program]
    /// mod nearest {
    ///     use wolfpath::prelude::*;
    ///
    ///     pub struct Found {
    ///         pub hops: u32,
    ///         pub source: u32,
    ///     }
    ///
    ///     /// The fewest hops from vertex 1 or 9, and which of them they are from.
    ///     pub struct Nearest;
    ///
    ///     impl EdgeProgram for Nearest {
    ///         type Value = Found;
    ///         type Message = Found;
    ///
    ///         fn start(&self, v: Vertex) -> Option<Found> {
    ///             (v.id == 1 || v.id == 9).then_some(Found { hops: 0, source: v.id as u32 })
    ///         }
    ///         fn edge(&self, e: Edge<Found>) -> Found {
    ///             Found { hops: e.value.hops + 1, source: e.value.source }
    ///         }
    ///         fn combine(&self, a: Found, b: Found) -> Found {
    ///             if b.hops < a.hops || b.hops == a.hops && b.source < a.source { b } else { a }
    ///         }
    ///     }
    /// }
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (9, 8), (8, 2)])?;
    /// let found = Engine::cpu().run(&graph, &nearest::Nearest)?;
    /// let hops = PerVertex::from_field(&found, |found| &found.hops);
    /// assert_eq!((hops.get(2), hops.get(8)), (1, 1));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn from_field<O: RunValues>(
        outcome: &O,
        field: impl Fn(&O::Value) -> &T + Send + Sync + 'static,
    ) -> PerVertex<T> {
        PerVertex::new(Source::Outcome(Arc::new(FieldOf { held: outcome.held(), field }), None))
    }

    /// Returns the input with a value for vertices that have none in the outcome from which it takes its data. Other
    /// inputs are returned unchanged.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2)])?;
    /// let reached = Engine::cpu().run(&graph, &wolfpath::programs::reach::starting_at(2))?;
    /// assert!(!PerVertex::from_outcome(&reached).or(false).get(1));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn or(self, otherwise: T) -> PerVertex<T> {
        match &self.given.source {
            Source::Outcome(taken, _) => PerVertex::new(Source::Outcome(taken.clone(), Some(otherwise))),
            _ => self,
        }
    }

    /// Returns the value for this id. The id need not be in any graph.
    ///
    /// # Panics
    /// Panics if the input takes its data from an outcome that cannot be read or has no value for the vertex, unless
    /// there is another value for such vertices ([`or`](Self::or)).
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
            Source::Outcome(taken, otherwise) => match taken.get(id) {
                Ok(found) => found
                    .or(*otherwise)
                    .unwrap_or_else(|| panic!("vertex {id} has no value in the outcome; use `or`")),
                Err(message) => panic!("{message}"),
            },
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
    pub fn of<V: 'static, A>(&self, vertex: Vertex<V, A>) -> T {
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
    pub fn source<V, W, A>(&self, edge: Edge<V, W, A>) -> T {
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
    pub fn target<V, W, A>(&self, edge: Edge<V, W, A>) -> T {
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

    fn bytes(&self, order: VertexOrder<'_>) -> Result<Vec<u8>, InputError> {
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

    fn ids(&self) -> Vec<u64> {
        match &self.given.source {
            Source::Pairs(pairs, _) => pairs.iter().map(|&(id, _)| id).collect(),
            _ => Vec::new(),
        }
    }

    fn taken(&self, graph: &LayeredGraph) -> Option<TakenField> {
        match &self.given.source {
            Source::Outcome(taken, otherwise) => taken.field(graph, *otherwise),
            _ => None,
        }
    }
}

impl<T: Datum> LayOut for PerVertex<T> {
    type Array = Vec<T>;

    fn lay_out(&self, order: VertexOrder<'_>) -> Result<Vec<T>, InputError> {
        let positions = order.positions();
        match &self.given.source {
            Source::Constant(value) => Ok(vec![*value; positions as usize]),
            Source::Pairs(pairs, default) => {
                let mut values = vec![*default; positions as usize];
                for &(id, value) in pairs {
                    if let Some(place) = order.place_of(id)? {
                        values[place as usize] = value;
                    }
                }
                Ok(values)
            }
            Source::Function(function) => {
                let places = (0..positions).into_par_iter().with_min_len(1 << 12);
                Ok(places.map(|place| order.id_at(place).map_or_else(nothing, function)).collect())
            }
            Source::Outcome(taken, otherwise) => taken.lay_out(order, *otherwise),
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
            Source::Outcome(..) => write!(f, "PerVertex(values of an outcome)"),
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
        assert_eq!(refused.err(), Some(("open", InputError::UnknownVertex { id: 11 })));
    }
}
