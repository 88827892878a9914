//! A constant of another module.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value + other::LIMIT
}

mod other {
    pub const LIMIT: u32 = 7;
}

fn main() {}
