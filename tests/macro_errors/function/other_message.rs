//! A message of another type than the value.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32) -> f32 {
    value as f32
}

fn main() {}
