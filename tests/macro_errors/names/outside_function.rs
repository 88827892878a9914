//! A function outside the program.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    outside(value)
}

fn outside(x: u32) -> u32 {
    x
}

fn main() {}
