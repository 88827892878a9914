//! A program without a combiner.
use wolfpath::prelude::*;

#[edge_program]
fn program(depth: u32) -> u32 {
    depth + 1
}

fn main() {}
