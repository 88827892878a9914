//! A function that returns no message.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(_value: u32) {}

fn main() {}
