//! The layered graph, and opening graphs by their paths.
//!
//! A [`LayeredGraph`] is built from an [`EdgeList`](crate::edge_list::EdgeList) or [opened](OpenGraph) from a file.

pub use wolfpath_core::graph::{
    BuildEstimate, DegreeCount, DegreeProfile, Direction, EdgePath, Examination, Examined, FileSections,
    GraphError, LayerClass, LayerError, LayerHistogram, LayerOptions, LayerProfile, LayeredGraph,
    LengthBound, Origin, PackedEnds, PackedRows, PathIter, Paths, Profile, Rows, WeightChoice, WeightError,
};
pub use wolfpath_io::{OpenError, OpenGraph, OpenOptions};
