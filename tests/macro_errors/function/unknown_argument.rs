//! An unknown argument of the attribute.
use wolfpath::prelude::*;

#[edge_program(combine = min, unifrom)]
fn program(depth: u32) -> u32 {
    depth + 1
}

fn main() {}
