//! A wrong argument of `random`, and a missing one: rustc reports them as for any other function.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn wrong(value: u32) -> u32 {
    random(7, value, 0) as u32
}

#[edge_program(combine = min)]
fn missing(value: u32) -> u32 {
    random(7, 0) as u32
}

fn main() {}
