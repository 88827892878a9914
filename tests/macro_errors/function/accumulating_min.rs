//! A function that accumulates, but does not add.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min, accumulates)]
fn least(value: u32) -> u32 {
    value
}

fn main() {}
