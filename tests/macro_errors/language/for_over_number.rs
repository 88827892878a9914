//! A `for` over a number.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    for x in Some(value) {
        return x;
    }
    value
}

fn main() {}
