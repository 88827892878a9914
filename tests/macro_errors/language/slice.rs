//! A slice of an array.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let all = [1u32, 2, 3];
    let some = &all[1..];
    value
}

fn main() {}
