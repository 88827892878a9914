//! An assignment to several places.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let (mut a, mut b) = (1, 2);
    (a, b) = (b, a);
    value + a + b
}

fn main() {}
