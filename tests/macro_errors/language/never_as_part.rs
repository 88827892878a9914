//! A `return` as a part of a value.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value + return 1
}

fn main() {}
