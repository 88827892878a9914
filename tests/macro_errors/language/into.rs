//! A conversion without a written target type.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let wide: u64 = value.into();
    value
}

fn main() {}
