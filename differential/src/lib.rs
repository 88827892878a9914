//! Differential tests: random edge programs are compiled as Rust and as host C++, and their results are compared.
//!
//! [`choices`] is a proptest strategy for lists of numbers. [`program`] converts every such list into an edge program
//! that is well typed and always terminates. [`Proof::run`] compares batches of these programs:
//!
//! 1. It writes the batch into a crate with one file, and compiles it with rustc against the workspace's own wolfpath.
//! 2. The compiled crate prints the CUDA text of its programs. A C++ compiler compiles this text with the headers of
//!    `wolfpath-kernels`.
//! 3. All three forms of a program (the user's functions, their checked twins, the C++) compute the answers for the same
//!    inputs: the result of each function, two combined messages, and the fold of two vertices. For each input, the
//!    answers must have the same bits. If a function panics, its twin must return a fault with the same message and line,
//!    and the C++ a fault at the same site.
//!
//! A program depends only on its list of choices. So the seed of a batch reproduces the batch, and a failing program is
//! made smaller by removing numbers from its list.

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
pub use write::{combined, exact_program, program};
