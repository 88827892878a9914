//! A value of a type that is for locals only.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u8) -> u8 {
    value
}

fn main() {}
