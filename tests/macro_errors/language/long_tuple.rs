//! A tuple of more than eight parts.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let all = (1, 2, 3, 4, 5, 6, 7, 8, 9);
    value + all.0
}

fn main() {}
