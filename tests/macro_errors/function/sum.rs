//! A sum, which the function form would count twice.
use wolfpath::prelude::*;

#[edge_program(combine = sum)]
fn paths(count: u64) -> u64 {
    count
}

fn main() {}
