//! What programs are written with: `use wolfpath::prelude::*;`.

pub use crate::edge_program;
pub use crate::program::{
    Along, And, Any, Combiner, Edge, EdgeProgram, Max, Min, NoAggregate, Or, Senders, Sum, Vertex,
};
