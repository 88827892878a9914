//! An unknown direction.
use wolfpath::prelude::*;

#[edge_program(combine = min, along = up)]
fn program(depth: u32) -> u32 {
    depth + 1
}

fn main() {}
