//! A constant from outside in a pattern. rustc compares with it; the macro would take it for a new local.
#![allow(unused)]
use wolfpath::prelude::*;

const LIMIT: u32 = 5;

#[edge_program(combine = min)]
fn program(value: u32) -> u32 {
    match value {
        LIMIT => 0,
        _ => value + 1,
    }
}

fn main() {}
