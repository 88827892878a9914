//! A value taken by reference.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: &u32) -> u32 {
    *value
}

fn main() {}
