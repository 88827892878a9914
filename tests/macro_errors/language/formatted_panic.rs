//! A text that is formatted at run time.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    assert!(value < 7, "{value} is large");
    value
}

fn main() {}
