//! A method on a number whose type is not known yet.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let root = 2.0.sqrt();
    value
}

fn main() {}
