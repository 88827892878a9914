//! A closure that is stored.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let twice = |x: u32| x * 2;
    twice(value)
}

fn main() {}
