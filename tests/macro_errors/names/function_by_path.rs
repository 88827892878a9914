//! A function of another module.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    other::outside(value)
}

mod other {
    pub fn outside(x: u32) -> u32 {
        x
    }
}

fn main() {}
