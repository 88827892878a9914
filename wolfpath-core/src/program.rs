//! The programming model: the code that a user writes about one edge and one vertex.
//!
//! Users write a function, or a module with an implementation of [`EdgeProgram`], and mark it `#[edge_program]`. The
//! page of [`EdgeProgram`] lists the items of a program. [`Edge`] and [`Vertex`] are the arguments of its functions,
//! [`PerVertex`] and [`VertexSet`] hold additional data for each vertex, and [`random`] returns random numbers. The
//! combiners are [`Min`], [`Max`], [`Sum`], [`Or`], [`And`], [`Any`], [`Fields`] and [`MostFrequent`]. [`Model`] is the
//! result of the macro's analysis of a program.
//!
//! # A complete program
//!
//! In module form, the struct holds the parameters:
//!
//! ```
//! use wolfpath::prelude::*;
//!
//! #[edge_program]
//! mod pagerank {
//!     use wolfpath::prelude::*;
//!
//!     /// The fraction of time that a random surfer spends at each vertex.
//!     pub struct PageRank {
//!         pub damping: f32,
//!         pub tolerance: f32,
//!     }
//!
//!     impl EdgeProgram for PageRank {
//!         type Value = f32;
//!         type Message = f32;
//!         type Combine = Sum;
//!         type Aggregate = Sum<f64>;
//!         const SENDERS: Senders = Senders::All;
//!
//!         fn start(&self, v: Vertex) -> f32 {
//!             1.0 / v.vertices as f32
//!         }
//!         fn edge(&self, e: Edge<f32>) -> f32 {
//!             e.value / e.out_degree as f32
//!         }
//!         fn aggregate(&self, v: Vertex<f32>) -> f64 {
//!             if v.out_degree == 0 { v.value as f64 } else { 0.0 }
//!         }
//!         fn apply(&self, v: Vertex<f32>, incoming: f32) -> f32 {
//!             let n = v.vertices as f32;
//!             (1.0 - self.damping) / n + self.damping * (incoming + v.aggregate as f32 / n)
//!         }
//!         fn changed(&self, before: f32, after: f32) -> bool {
//!             (after - before).abs() > self.tolerance * after
//!         }
//!     }
//! }
//!
//! let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (3, 1)])?;
//! let program = pagerank::PageRank { damping: 0.85, tolerance: 1e-6 };
//! let outcome = Engine::cpu().run(&graph, &program)?;
//! assert!(outcome.value(1)? > outcome.value(2)?);
//! # Ok::<(), wolfpath::Error>(())
//! ```
//!
//! # Distinct neighbours
//!
//! With [`Along::Neighbours`] and `ORIENTED`, each pair of neighbours is visited once, and every triangle is counted at
//! one edge:
//!
//! ```
//! use wolfpath::prelude::*;
//!
//! #[edge_program]
//! mod triangles {
//!     use wolfpath::prelude::*;
//!
//!     /// The number of triangles in which a vertex is the second one.
//!     pub struct Triangles;
//!
//!     impl EdgeProgram for Triangles {
//!         type Value = u64;
//!         type Message = u64;
//!         type Combine = Sum;
//!         const SENDERS: Senders = Senders::All;
//!         const ALONG: Along = Along::Neighbours;
//!         const ORIENTED: bool = true;
//!
//!         fn start(&self, _: Vertex) -> u64 {
//!             0
//!         }
//!         fn edge(&self, e: Edge<u64>) -> u64 {
//!             e.common_neighbours()
//!         }
//!         fn apply(&self, _: Vertex<u64>, triangles: u64) -> u64 {
//!             triangles
//!         }
//!     }
//! }
//!
//! let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (1, 4), (4, 2)])?;
//! let outcome = Engine::cpu().run(&graph, &triangles::Triangles)?;
//! assert_eq!(outcome.read()?.iter().filter_map(|(_, triangles)| triangles).sum::<u64>(), 2);
//! # Ok::<(), wolfpath::Error>(())
//! ```

mod combine;
mod combine_fields;
mod datum;
mod edge_program;
mod executable;
mod fault;
mod folds;
mod held;
mod input;
mod model;
mod most_frequent;
#[cfg(test)]
mod page_tests;
mod per_vertex;
mod portions;
mod random;
mod reading;
mod vertex_set;
mod view;

pub use combine::*;
pub use combine_fields::Fields;
pub use datum::{Datum, DatumKind};
pub use edge_program::EdgeProgram;
pub use executable::{AccumulatorOf, AggregateOf, Executable};
pub use fault::{Checked, Fault, FaultSite};
pub use held::{HeldValues, HostValues, RunValues, TakenField};
pub use input::{Binding, Input, InputError, InputField, InputKind, LaidOut, LayOut, PartNames, VertexOrder};
pub use model::{Along, Common, IndexUse, Messages, Model, Reads, Senders, Starts, WeightField};
pub use most_frequent::{Frequent, MostFrequent};
pub use per_vertex::PerVertex;
pub use random::random;
pub use reading::{Reading, Readings};
pub use vertex_set::VertexSet;
pub use view::{Among, Edge, Vertex};
