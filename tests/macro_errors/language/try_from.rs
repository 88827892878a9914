//! A conversion that returns a `Result`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    u8::try_from(value).unwrap_or(255) as u32
}

fn main() {}
