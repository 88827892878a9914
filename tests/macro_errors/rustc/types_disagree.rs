//! Mismatched types: rustc reports them once.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value + weight
}

fn main() {}
