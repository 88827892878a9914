//! Compares the CUDA C of programs with golden files in `tests/cuda_text/`. So every change to the macro shows its
//! effect on the generated code. `WOLFPATH_BLESS=1 cargo test --test cuda_text` rewrites the files.
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::let_and_return,
    reason = "constructs to be translated, not style to imitate"
)]

use std::path::Path;

use wolfpath::program::EdgeProgram;
use wolfpath::programs::{Components, PageRank, bfs, reach, sssp, sssp_f32, widest_f64};

#[path = "cuda_text/everything.rs"]
mod constructs;
#[path = "cuda_text/seen.rs"]
mod views;

#[path = "cuda_text/folds.rs"]
mod several;

fn check<P: EdgeProgram>(name: &str) {
    let text = P::MODEL.cuda;
    let file = Path::new("tests/cuda_text").join(format!("{name}.cu"));
    if std::env::var_os("WOLFPATH_BLESS").is_some() {
        std::fs::write(&file, text).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(golden == text, "the CUDA C of `{name}` differs from {}; it is now:\n{text}", file.display());
}

#[test]
fn bundled_programs() {
    check::<bfs>("bfs");
    check::<sssp>("sssp");
    check::<sssp_f32>("sssp_f32");
    check::<widest_f64>("widest_f64");
    check::<reach>("reach");
    check::<Components>("components");
    check::<PageRank>("pagerank");
}

#[test]
fn every_construct() {
    check::<constructs::everything::Everything>("everything");
}

#[test]
fn several_folds() {
    check::<several::folds::Folds>("folds");
}

#[test]
fn what_edges_and_vertices_see() {
    check::<views::seen::Seen>("seen");
}
