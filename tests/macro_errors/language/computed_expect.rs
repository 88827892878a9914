//! An `expect` whose text is not in quotes.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value.checked_add(1).expect(TEXT)
}

const TEXT: &str = "fits";

fn main() {}
