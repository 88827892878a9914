//! The programming model: what a user writes about one edge and one vertex.
//!
//! Users write a function or a module and mark it `#[edge_program]`; the macro writes the implementation of
//! [`EdgeProgram`] that the engines call.

mod combine;
mod datum;
mod edge_program;
mod fault;
mod input;
mod model;
mod per_vertex;
mod reading;
mod vertex_set;
mod view;

pub use combine::*;
pub use datum::{Datum, DatumKind};
pub use edge_program::{AggregateOf, EdgeProgram};
pub use fault::{Checked, Fault, FaultSite};
pub use input::{Binding, Input, InputField, InputKind, LaidOut, LayOut, UnknownVertex, VertexOrder};
pub use model::{Along, IndexUse, Model, Reads, Senders, Starts, WeightField};
pub use per_vertex::PerVertex;
pub use reading::{Reading, Readings};
pub use vertex_set::VertexSet;
pub use view::{Edge, Vertex};
