//! Several mistakes are reported together.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32) -> u32 {
    let text = "text";
    let wide = value as u128;
    let root = value.sqrt();
    outside(value)
}

fn main() {}
