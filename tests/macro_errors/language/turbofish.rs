//! A method with type arguments.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value.pow::<u32>(2)
}

fn main() {}
