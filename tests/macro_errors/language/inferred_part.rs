//! A type with `_`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let pair: (u32, _) = (value, 1);
    pair.0
}

fn main() {}
