//! A `for` without an end.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    for i in 0.. {
        if i > value {
            return i;
        }
    }
    value
}

fn main() {}
