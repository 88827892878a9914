//! More parameters than a value and a weight.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: u32, more: u32) -> u32 {
    value + weight + more
}

fn main() {}
