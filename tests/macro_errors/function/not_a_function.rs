//! The attribute on something else.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
#[allow(dead_code)]
struct Program;

fn main() {}
