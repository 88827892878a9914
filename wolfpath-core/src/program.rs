//! The programming model: the code that a user writes about one edge and one vertex.
//!
//! Users write a function, or a module with an implementation of [`EdgeProgram`], and mark it `#[edge_program]`. The
//! page of [`EdgeProgram`] lists the items of a program. [`Edge`] and [`Vertex`] are the arguments of its functions,
//! and [`PerVertex`] and [`VertexSet`] hold additional data for each vertex. The combiners are [`Min`], [`Max`],
//! [`Sum`], [`Or`], [`And`] and [`Any`]. [`Model`] is the result of the macro's analysis of a program.

mod combine;
mod datum;
mod edge_program;
mod executable;
mod fault;
mod input;
mod model;
#[cfg(test)]
mod page_tests;
mod per_vertex;
mod reading;
mod vertex_set;
mod view;

pub use combine::*;
pub use datum::{Datum, DatumKind};
pub use edge_program::EdgeProgram;
pub use executable::{AggregateOf, Executable};
pub use fault::{Checked, Fault, FaultSite};
pub use input::{Binding, Input, InputField, InputKind, LaidOut, LayOut, UnknownVertex, VertexOrder};
pub use model::{Along, IndexUse, Model, Reads, Senders, Starts, WeightField};
pub use per_vertex::PerVertex;
pub use reading::{Reading, Readings};
pub use vertex_set::VertexSet;
pub use view::{Edge, Vertex};
