//! Two hundred random edge programs in eight modules: an edge's target decides which of a module's it runs. Whole
//! engines run them in `tests/corpus.rs`, the GPU's among them.
#![allow(missing_debug_implementations, reason = "the programs are random text")]
#![allow(
    missing_docs,
    warnings,
    clippy::all,
    arithmetic_overflow,
    unconditional_panic,
    reason = "programs made at random"
)]

use wolfpath::edge_program;

/// Random programs in a module; target % this is the one that an edge runs.
pub const PROGRAMS: u64 = 25;

/// Vertices from 0 to below this send.
pub const SENDERS: u64 = 512;

include!(concat!(env!("OUT_DIR"), "/corpus.rs"));
