//! A macro that the language does not have.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    println!("{value}");
    value
}

fn main() {}
