//! Two hundred random edge programs in eight modules, and six programs that have modules of their own. In the former, an
//! edge's target determines which of its module's programs the edge runs. The latter have functions at vertices, folds and
//! combiners of messages as well. `tests/corpus` runs all modules on complete engines, including the GPU's.
#![allow(missing_debug_implementations, reason = "the programs are random text")]
#![allow(
    missing_docs,
    warnings,
    clippy::all,
    arithmetic_overflow,
    unconditional_panic,
    reason = "programs are generated at random"
)]

use wolfpath::edge_program;

/// Number of random programs in a module. An edge runs the program with the index `target % PROGRAMS`.
pub const PROGRAMS: u64 = 25;

/// Number of senders: the vertices whose ids are below this number.
pub const SENDERS: u64 = 512;

include!(concat!(env!("OUT_DIR"), "/corpus.rs"));
