//! A `?` inside a closure.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: u32, weight: f32) -> Option<u32> {
    Some(value).and_then(|x| Some(x.checked_add(1)? + 1))
}

fn main() {}
