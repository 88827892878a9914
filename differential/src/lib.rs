//! The differential proof: random edge programs, compiled as Rust and as host C++, and compared.
//!
//! [`choices`] is a proptest strategy of lists of numbers; [`program`] makes an edge program of every such list, well
//! typed and sure to end. [`Proof::run`] writes batches of them into crates of one file each, compiles them with rustc
//! against the workspace's own wolfpath, has each batch print the CUDA text of its programs, compiles that with a C++
//! compiler through the headers of `wolfpath-kernels`, and asks all three (the user's function, its checked twin,
//! the C++) the same questions. Every answer must have the same bits, every panic the words, line and site of its fault.
//! A list of choices is all there is to a program, so the seed of a batch reproduces it, and a failing one is made
//! smaller by leaving numbers out.

mod batch;
mod choices;
mod error;
mod inputs;
mod proof;
mod shrink;
mod toolchain;
mod types;
mod write;

pub use batch::{Batch, Disagreement, Outcome};
pub use choices::{Choices, choices};
pub use error::Error;
pub use inputs::inputs;
pub use proof::{Failure, Proof, Report, draw};
pub use toolchain::Toolchain;
pub use write::{combined, program};
