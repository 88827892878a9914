//! A `return` inside a closure.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> u32 {
    Some(value).map(|x| return x).unwrap_or(1)
}

fn main() {}
