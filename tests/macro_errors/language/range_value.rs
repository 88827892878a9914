//! A range that is stored.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let range = 0..value;
    value
}

fn main() {}
