//! A 128-bit number.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    (value as u128 >> 3) as u32
}

fn main() {}
