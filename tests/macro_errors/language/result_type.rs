//! A `Result`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    let result: Result<u32, u32> = Ok(value);
    value
}

fn main() {}
