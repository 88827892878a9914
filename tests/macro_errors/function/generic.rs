//! A generic function.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program<T: Copy>(value: T) -> T {
    value
}

fn main() {}
