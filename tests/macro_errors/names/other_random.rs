//! Another function with the name of the built-in one.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u64) -> u64 {
    random(value, 2, 3)
}

fn random(seed: u64, index: u64, step: u64) -> u64 {
    seed + index + step
}

fn main() {}
