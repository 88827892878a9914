//! The inputs of a program as engines handle them: the macro's description of each, and the conversion of an input
//! given by ids to an array in the order of a graph's vertices.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::datum::DatumKind;
use super::held::TakenField;
use super::model::Reads;
use crate::graph::LayeredGraph;

/// The kind of data that an input has for each vertex.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// [`PerVertex<T>`](super::PerVertex): a datum of this kind.
    Values(DatumKind),
    /// [`VertexSet`](super::VertexSet): one bit per vertex, in 32-bit words.
    Set,
}

#[doc(hidden)]
impl InputKind {
    /// Returns the length of the array for this many vertices, in elements and in bytes. It is the same on host and
    /// device.
    pub const fn room(self, vertices: u64) -> (u64, u64) {
        match self {
            InputKind::Values(kind) => (vertices, vertices * kind.size() as u64),
            InputKind::Set => (vertices, vertices.div_ceil(32) * 4),
        }
    }
}

/// One input of a program: a field of its struct that has data for each vertex.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputField {
    /// The field's name.
    pub name: &'static str,
    /// The name of its array in plans.
    pub array: &'static str,
    /// The data for each vertex.
    pub kind: InputKind,
    /// Offset of the array's address (8 bytes) in the device's parameters.
    pub offset: usize,
}

/// Reasons why an input cannot be laid out for a graph.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputError {
    /// The input has data for an id that is not in the graph.
    UnknownVertex {
        /// The id.
        id: u64,
    },
    /// The input takes its data from an outcome, in which this vertex has no value.
    NoValue {
        /// The id.
        id: u64,
    },
    /// The outcome from which the input takes its data cannot be read.
    Unreadable {
        /// The outcome's message.
        message: String,
    },
}

/// A [`PerVertex`](super::PerVertex) of any type, or a [`VertexSet`](super::VertexSet).
#[doc(hidden)]
pub trait Input {
    /// Returns a number that identifies the data of this input. Clones have the same number; all other inputs have
    /// different numbers.
    fn number(&self) -> u64;

    /// Returns the array for a graph in the device's layout.
    ///
    /// # Errors
    /// Returns [`InputError`] if the graph lacks an id, or an outcome a value.
    fn bytes(&self, order: VertexOrder<'_>) -> Result<Vec<u8>, InputError>;

    /// Returns the ids that the user gave, which must be in the graph; none if the data is given by something else.
    fn ids(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns the data for an engine that can take it from the values of an earlier run over the same vertices, on its
    /// device; `None` if the input has other data.
    fn taken(&self, graph: &LayeredGraph) -> Option<TakenField> {
        let _ = graph;
        None
    }
}

/// An input that can be laid out for a graph: stored as an array in the order of the graph's vertices.
#[doc(hidden)]
pub trait LayOut: Input + Sized {
    /// The type of the array.
    type Array: Any + Send + Sync;

    /// Builds the array for a graph.
    ///
    /// # Errors
    /// Returns [`InputError`] if the graph lacks an id, or an outcome a value.
    fn lay_out(&self, order: VertexOrder<'_>) -> Result<Self::Array, InputError>;

    /// Returns a copy of the input that reads its data from `array`.
    fn with(&self, array: Arc<Self::Array>) -> Self;
}

/// Returns a number that no other input has.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The order in which the inputs of a program are laid out for a graph.
///
/// If the program itself reads no `index`, this is the order of the graph's own arrays. In this case only the inputs
/// read the `index` fields, so the engine fills these with its own vertex numbers. If the program does read an `index`,
/// the field must contain the vertex's rank, so the inputs are laid out by rank.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct VertexOrder<'a> {
    names: Names<'a>,
    by_rank: bool,
}

/// The vertices that an order has.
#[derive(Clone, Copy, Debug)]
enum Names<'a> {
    Whole(&'a LayeredGraph),
    Part(PartNames<'a>),
}

/// Names of the vertices of a part of a graph, by their numbers in the part.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PartNames<'a> {
    /// Number of vertices of the whole graph.
    pub vertices: u32,
    /// The id and the rank of each number.
    pub ids: &'a [u64],
    pub ranks: &'a [u32],
    /// Numbers that stand for no vertices.
    pub gap: (u32, u32),
    /// The numbers that stand for vertices, by ascending rank.
    pub by_rank: &'a [u32],
}

#[doc(hidden)]
impl<'a> VertexOrder<'a> {
    /// Returns the order for a program that reads the fields in `reads`.
    pub fn new(graph: &'a LayeredGraph, reads: &Reads) -> VertexOrder<'a> {
        VertexOrder { names: Names::Whole(graph), by_rank: reads.ranks() }
    }

    /// Returns the order of a part of a graph, for a program that reads the fields in `reads`.
    pub fn of_part(names: PartNames<'a>, reads: &Reads) -> VertexOrder<'a> {
        VertexOrder { names: Names::Part(names), by_rank: reads.ranks() }
    }

    /// Returns `true` if positions are ranks.
    pub fn is_by_rank(self) -> bool {
        self.by_rank
    }

    /// Returns the number of positions: of a whole graph, that of its vertices.
    pub fn positions(self) -> u32 {
        match self.names {
            Names::Whole(graph) => graph.num_vertices(),
            Names::Part(names) if self.by_rank => names.vertices,
            Names::Part(names) => names.ids.len() as u32,
        }
    }

    /// Returns the id of the vertex at this position, which must be below [`positions`](Self::positions); `None` if the part
    /// has no vertex there.
    pub(super) fn id_at(self, place: u32) -> Option<u64> {
        match self.names {
            Names::Whole(graph) => Some(graph.id_of(self.vertex_at(graph, place))),
            Names::Part(names) if self.by_rank => {
                let at = names.by_rank.binary_search_by_key(&place, |&v| names.ranks[v as usize]).ok()?;
                Some(names.ids[names.by_rank[at] as usize])
            }
            Names::Part(PartNames { gap: (first, end), ids, .. }) => {
                (!(first..end).contains(&place)).then(|| ids[place as usize])
            }
        }
    }

    /// Returns the internal index of the vertex at this position of a whole graph.
    fn vertex_at(self, graph: &LayeredGraph, place: u32) -> u32 {
        if self.by_rank { graph.by_rank()[place as usize] } else { place }
    }

    /// Returns the internal index in `graph` of the vertex at this position; `None` if `graph` does not have it, or the position
    /// has no vertex.
    pub(super) fn vertex_in(self, graph: &LayeredGraph, place: u32) -> Option<u32> {
        match self.names {
            Names::Whole(own) if own.has_order_of(graph) => Some(self.vertex_at(own, place)),
            _ => graph.vertex_of(self.id_at(place)?),
        }
    }

    /// Returns the position of the vertex with this id; `None` if another part of the graph has it.
    pub(super) fn place_of(self, id: u64) -> Result<Option<u32>, InputError> {
        match self.names {
            Names::Whole(graph) => {
                let vertex = graph.vertex_of(id).ok_or(InputError::UnknownVertex { id })?;
                Ok(Some(if self.by_rank { graph.rank_of(vertex) } else { vertex }))
            }
            Names::Part(names) => {
                let at = names.by_rank.binary_search_by_key(&id, |&v| names.ids[v as usize]).ok();
                let vertex = at.map(|at| names.by_rank[at]);
                Ok(vertex.map(|v| if self.by_rank { names.ranks[v as usize] } else { v }))
            }
        }
    }
}

/// The arrays of a program's inputs for one graph, which are cached for the next run over that graph.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct LaidOut(HashMap<(u64, bool), Arc<dyn Any + Send + Sync>>);

/// Builder that lays out the inputs of one program for one graph. It reuses the arrays of earlier runs.
#[doc(hidden)]
#[derive(Debug)]
pub struct Binding<'a> {
    order: VertexOrder<'a>,
    before: &'a LaidOut,
    now: LaidOut,
}

#[doc(hidden)]
impl<'a> Binding<'a> {
    /// Returns a binding to a graph in this order.
    pub fn new(order: VertexOrder<'a>, before: &'a LaidOut) -> Binding<'a> {
        Binding { order, before, now: LaidOut::default() }
    }

    /// Returns the input of a field, backed by an array in the order of the graph's vertices.
    ///
    /// # Errors
    /// Returns the field's name and [`InputError`] if the graph lacks an id, or an outcome a value.
    pub fn input<T: LayOut>(
        &mut self,
        field: &'static str,
        given: &T,
    ) -> Result<T, (&'static str, InputError)> {
        let key = (given.number(), self.order.by_rank);
        let kept = self.before.0.get(&key).or_else(|| self.now.0.get(&key)).cloned();
        let array = match kept.and_then(|array| array.downcast::<T::Array>().ok()) {
            Some(array) => array,
            None => Arc::new(given.lay_out(self.order).map_err(|error| (field, error))?),
        };
        self.now.0.insert(key, array.clone());
        Ok(given.with(array))
    }

    /// Returns the arrays of this program's inputs. Arrays that only earlier programs read are dropped.
    pub fn laid_out(self) -> LaidOut {
        self.now
    }
}
