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
    graph: &'a LayeredGraph,
    by_rank: bool,
}

#[doc(hidden)]
impl<'a> VertexOrder<'a> {
    /// Returns the order for a program that reads the fields in `reads`.
    pub fn new(graph: &'a LayeredGraph, reads: &Reads) -> VertexOrder<'a> {
        VertexOrder { graph, by_rank: reads.ranks() }
    }

    /// Returns `true` if positions are ranks.
    pub fn is_by_rank(self) -> bool {
        self.by_rank
    }

    /// Returns the number of vertices.
    pub fn vertices(self) -> u32 {
        self.graph.num_vertices()
    }

    /// Returns the id of the vertex at this position, which must be below [`vertices`](Self::vertices).
    pub(super) fn id_at(self, place: u32) -> u64 {
        self.graph.id_of(self.vertex_at(place))
    }

    /// Returns the internal index of the vertex at this position.
    pub(super) fn vertex_at(self, place: u32) -> u32 {
        if self.by_rank { self.graph.by_rank()[place as usize] } else { place }
    }

    /// Returns `true` if internal indices of `graph` and of the order's graph mean the same vertices.
    pub(super) fn has_order_of(self, graph: &LayeredGraph) -> bool {
        self.graph.has_order_of(graph)
    }

    /// Returns the position of the vertex with this id.
    pub(super) fn place_of(self, id: u64) -> Result<u32, InputError> {
        let vertex = self.graph.vertex_of(id).ok_or(InputError::UnknownVertex { id })?;
        Ok(if self.by_rank { self.graph.rank_of(vertex) } else { vertex })
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
