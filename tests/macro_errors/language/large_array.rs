//! An array that is too large for a thread.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let all = [0u32; 1_000_000];
    all[value as usize]
}

fn main() {}
