//! A vector.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let all: Vec<u32> = Vec::new();
    value
}

fn main() {}
