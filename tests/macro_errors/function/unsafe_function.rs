//! An unsafe function.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
unsafe fn program(value: u32) -> u32 {
    value
}

fn main() {}
