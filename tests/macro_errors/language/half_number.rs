//! A 16-bit float.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let half: f16 = weight;
    value
}

fn main() {}
