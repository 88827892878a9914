//! A constant outside the program.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value + LIMIT
}

const LIMIT: u32 = 7;

fn main() {}
