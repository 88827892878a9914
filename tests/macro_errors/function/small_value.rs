//! A value of a type that only locals can have.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u8) -> u8 {
    value
}

fn main() {}
