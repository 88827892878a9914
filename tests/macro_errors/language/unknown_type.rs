//! A local whose type is not determined.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let nothing = None;
    value
}

fn main() {}
