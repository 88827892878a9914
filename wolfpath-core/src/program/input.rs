//! The inputs of a program as engines handle them: what the macro says of each, and how an input given by ids becomes
//! an array in the order of a graph's vertices.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::datum::DatumKind;
use super::model::Reads;
use crate::graph::LayeredGraph;

/// What an input holds for each vertex.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// [`PerVertex<T>`](super::PerVertex): a datum of this kind.
    Values(DatumKind),
    /// [`VertexSet`](super::VertexSet): one bit, in words of 32.
    Set,
}

#[doc(hidden)]
impl InputKind {
    /// Elements and bytes of the array for so many vertices, on host and device alike.
    pub const fn room(self, vertices: u64) -> (u64, u64) {
        match self {
            InputKind::Values(kind) => (vertices, vertices * kind.size() as u64),
            InputKind::Set => (vertices, vertices.div_ceil(32) * 4),
        }
    }
}

/// One input of a program: a field of its struct that holds something for each vertex.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputField {
    /// The field's name.
    pub name: &'static str,
    /// What plans call its array.
    pub array: &'static str,
    /// What it holds.
    pub kind: InputKind,
    /// Where the device's parameters hold the array's address: 8 bytes from here on.
    pub offset: usize,
}

/// An input speaks of a vertex that the graph does not have.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownVertex {
    /// The id.
    pub id: u64,
}

/// A [`PerVertex`](super::PerVertex) or a [`VertexSet`](super::VertexSet), whatever it holds.
#[doc(hidden)]
pub trait Input {
    /// The number of what was given. Clones share it, nothing else has it.
    fn number(&self) -> u64;

    /// The array for a graph as the device reads it.
    ///
    /// # Errors
    /// [`UnknownVertex`] when something was given for an id that the graph does not have.
    fn bytes(&self, order: VertexOrder<'_>) -> Result<Vec<u8>, UnknownVertex>;
}

/// An input that can be laid out for a graph.
#[doc(hidden)]
pub trait LayOut: Input + Sized {
    /// The array.
    type Array: Any + Send + Sync;

    /// Makes the array for a graph.
    ///
    /// # Errors
    /// [`UnknownVertex`] when something was given for an id that the graph does not have.
    fn lay_out(&self, order: VertexOrder<'_>) -> Result<Self::Array, UnknownVertex>;

    /// The same input, which reads the array.
    fn with(&self, array: Arc<Self::Array>) -> Self;
}

/// A number that no input had before.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The order in which the inputs of a program are laid out for a graph.
///
/// That is the order of the graph's own arrays, so that an engine looks an input up with the number of the vertex that
/// it has at hand. It then puts these numbers into the `index` fields that the program does not read itself. A program
/// that reads one gets ranks there, and its inputs are laid out by rank.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct VertexOrder<'a> {
    graph: &'a LayeredGraph,
    by_rank: bool,
}

#[doc(hidden)]
impl<'a> VertexOrder<'a> {
    /// The order for a program that reads these fields.
    pub fn new(graph: &'a LayeredGraph, reads: &Reads) -> VertexOrder<'a> {
        VertexOrder { graph, by_rank: reads.ranks() }
    }

    /// Whether places are ranks.
    pub fn is_by_rank(self) -> bool {
        self.by_rank
    }

    /// How many vertices there are.
    pub fn vertices(self) -> u32 {
        self.graph.num_vertices()
    }

    /// The id of the vertex at this place, which is below [`vertices`](Self::vertices).
    pub(super) fn id_at(self, place: u32) -> u64 {
        self.graph.id_of(if self.by_rank { self.graph.by_rank()[place as usize] } else { place })
    }

    /// The place of the vertex with this id.
    pub(super) fn place_of(self, id: u64) -> Result<u32, UnknownVertex> {
        let vertex = self.graph.vertex_of(id).ok_or(UnknownVertex { id })?;
        Ok(if self.by_rank { self.graph.rank_of(vertex) } else { vertex })
    }
}

/// Arrays that were laid out for one graph, kept for its next run.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct LaidOut(HashMap<(u64, bool), Arc<dyn Any + Send + Sync>>);

/// Lays the inputs of one program out for one graph, reusing what earlier runs left.
#[doc(hidden)]
#[derive(Debug)]
pub struct Binding<'a> {
    order: VertexOrder<'a>,
    before: &'a LaidOut,
    now: LaidOut,
}

#[doc(hidden)]
impl<'a> Binding<'a> {
    /// A binding to a graph in this order.
    pub fn new(order: VertexOrder<'a>, before: &'a LaidOut) -> Binding<'a> {
        Binding { order, before, now: LaidOut::default() }
    }

    /// The input of a field, which reads an array of the graph's vertices.
    ///
    /// # Errors
    /// The field's name and [`UnknownVertex`], when something was given for an id that the graph does not have.
    pub fn input<T: LayOut>(
        &mut self,
        field: &'static str,
        given: &T,
    ) -> Result<T, (&'static str, UnknownVertex)> {
        let key = (given.number(), self.order.by_rank);
        let kept = self.before.0.get(&key).or_else(|| self.now.0.get(&key)).cloned();
        let array = match kept.and_then(|array| array.downcast::<T::Array>().ok()) {
            Some(array) => array,
            None => Arc::new(given.lay_out(self.order).map_err(|unknown| (field, unknown))?),
        };
        self.now.0.insert(key, array.clone());
        Ok(given.with(array))
    }

    /// What this program's inputs were laid out as; what only other programs read is gone.
    pub fn laid_out(self) -> LaidOut {
        self.now
    }
}
