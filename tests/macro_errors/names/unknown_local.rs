//! An unknown local.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let distance = value;
    distanse
}

fn main() {}
