//! A cast to a type other than a number.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    value as bool as u32
}

fn main() {}
