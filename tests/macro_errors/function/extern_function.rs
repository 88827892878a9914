//! An extern function.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
extern "C" fn program(value: u32) -> u32 {
    value
}

fn main() {}
