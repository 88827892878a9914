//! A binding by `ref`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    match Some(value) {
        Some(ref x) => *x,
        None => 0,
    }
}

fn main() {}
