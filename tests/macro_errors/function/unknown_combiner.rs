//! An unknown combiner.
use wolfpath::prelude::*;

#[edge_program(combine = least)]
fn program(depth: u32) -> u32 {
    depth + 1
}

fn main() {}
