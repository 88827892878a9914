//! The layered graph: vertices in breadth-first order, so that the edges of a layer are contiguous.
//!
//! A [`LayeredGraph`] is built from an [`EdgeList`](crate::edge_list::EdgeList) or opened from a file. A vertex has
//! three numbers:
//!
//! - its id, which the user chose;
//! - its *rank*, the position by ascending id, which is the same on every engine;
//! - its *internal index*, the position in layered order, which the engines compute with.

mod apart;
mod breadth_first;
mod build;
mod columns;
mod common;
mod degree_classes;
mod edges_again;
mod error;
pub(crate) mod estimate;
mod examine;
#[cfg(test)]
mod examine_tests;
pub(crate) mod explorer;
mod file_sections;
pub(crate) mod forest;
pub(crate) mod kept;
mod layer_histogram;
mod layered_graph;
mod length_bound;
mod neighbours;
mod open;
mod packing;
pub(crate) mod paths;
mod places;
mod prefetch;
mod profile;
pub(crate) mod root;
mod rows;
mod search;
mod shuffled;
mod size;
mod spread;
mod strong;
mod symmetry;
mod weight_pieces;
mod weighting;

pub use build::LayerOptions;
#[doc(hidden)]
pub use degree_classes::DegreeClasses;
pub use error::{GraphError, LayerError, WeightError};
pub use estimate::BuildEstimate;
pub use examine::{Examination, Examined};
pub use file_sections::FileSections;
pub use layer_histogram::{LayerClass, LayerHistogram};
pub use layered_graph::{LayeredGraph, Origin};
pub use length_bound::LengthBound;
#[doc(hidden)]
pub use length_bound::WeightLimits;
#[doc(hidden)]
pub use neighbours::visit_neighbours;
pub use paths::{EdgePath, PathIter, Paths};
#[doc(hidden)]
pub use prefetch::prefetch;
pub use profile::{DegreeCount, DegreeProfile, LayerProfile, Profile};
pub use rows::{Direction, Rows};

#[doc(hidden)]
pub use crate::packed::Packed;
pub use crate::packed::{PackedEnds, PackedRows};
#[doc(hidden)]
pub use weight_pieces::WeightPieces;
pub use weighting::WeightChoice;
