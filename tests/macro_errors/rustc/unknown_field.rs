//! An unknown field: rustc reports it once.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let pair = (value, 1);
    pair.2
}

fn main() {}
