//! What programs are written with, and what runs them: `use wolfpath::prelude::*;`.

pub use crate::edge_program;
pub use crate::graph::{LayeredGraph, OpenGraph};
pub use crate::program::{
    Along, And, Any, Combiner, Edge, EdgeProgram, Max, Min, NoAggregate, Or, PerVertex, Senders, Sum, Vertex,
    VertexSet,
};
pub use crate::{Engine, Outcome, RunOptions};
