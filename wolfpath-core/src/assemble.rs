//! The interface for the crates `wolfpath-io` and `wolfpath-cluster`: building an [`EdgeList`](crate::edge_list::EdgeList) from edges whose
//! endpoints are ids, reading the edges of a list in the order that a format needs, and keeping the graph of an input
//! for later runs.
//!
//! It is not part of the public interface: the crate `wolfpath` does not re-export it, and any version may change it.

pub use crate::edge_list::csr::Csr;
pub use crate::edge_list::duplicates::MergedLines;
pub use crate::edge_list::lines::{Lines, RankedEdge, Take};
pub use crate::edge_list::piece::{Piece, Spill};
pub use crate::edge_list::ranks::{NumberError, number};
pub use crate::graph::estimate::InputSize;
pub use crate::graph::explorer::{Explorer, join};
pub use crate::graph::forest::{Layers, grow};
pub use crate::graph::kept::{Keeping, MadeFrom};
pub use crate::graph::root::{Root, choose as choose_root};
pub use crate::space::Space;
pub use crate::weights::builder::WeightBuilder;
pub use crate::weights::columns::{Named, check_names, find as find_name, is_name};
pub use crate::weights::number::{Number, integer_value};
