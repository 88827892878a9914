//! An unknown constant of a number type.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    u32::HUGE
}

fn main() {}
