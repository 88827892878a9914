//! A reference that is changed to another place.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let (a, b) = (1u32, 2u32);
    let mut one = &a;
    one = &b;
    *one
}

fn main() {}
