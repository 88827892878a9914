//! A reference to one of two places.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let (a, b) = (1u32, 2u32);
    let one = if value > 1 { &a } else { &b };
    *one
}

fn main() {}
