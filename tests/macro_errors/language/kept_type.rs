//! An `Ordering`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    if value.cmp(&1) == std::cmp::Ordering::Less {
        return 1;
    }
    value
}

fn main() {}
