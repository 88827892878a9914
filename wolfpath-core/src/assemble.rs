//! The interface for the crate `wolfpath-io`: building an [`EdgeList`](crate::edge_list::EdgeList) from edges by id,
//! reading the edges of a list in the order that a format needs, and keeping graphs for the input they were built from.
//!
//! It is not part of the public interface: the crate `wolfpath` does not re-export it, and any version may change it.

pub use crate::edge_list::csr::Csr;
pub use crate::edge_list::lines::{Lines, RankedEdge, Take};
pub use crate::edge_list::piece::{Piece, Spill};
pub use crate::edge_list::ranks::{NumberError, number};
pub use crate::graph::estimate::InputSize;
pub use crate::graph::kept::{Keeping, MadeFrom};
pub use crate::space::Space;
pub use crate::weights::builder::WeightBuilder;
pub use crate::weights::columns::{Named, check_names, find as find_name, is_name};
pub use crate::weights::number::{Number, integer_value};
