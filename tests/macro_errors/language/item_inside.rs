//! An item inside a function.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    const ONE: u32 = 1;
    value + ONE
}

fn main() {}
