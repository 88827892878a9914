//! An unknown method of ranges.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    (0..value).sum::<u32>() + (0..value).count() as u32
}

fn main() {}
