//! A `cfg` inside the program.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32) -> u32 {
    #[cfg(unix)]
    let value = value + 1;
    value
}

fn main() {}
