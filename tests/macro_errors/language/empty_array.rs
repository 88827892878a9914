//! An empty array.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let none: [u32; 0] = [];
    value
}

fn main() {}
