//! The attribute on another item.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
#[allow(dead_code)]
struct Program;

fn main() {}
