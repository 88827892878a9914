//! The fixed CUDA C of wolfpath's layer-iteration runtime, exported as strings. `README.md` beside this crate
//! describes the order of the headers and the slot that a program's generated text fills.

/// Numbers, `Option`, `Edge`, `Vertex` and `Context`: what every other header and every program shares.
pub const TYPES: &str = include_str!("../include/types.cuh");
