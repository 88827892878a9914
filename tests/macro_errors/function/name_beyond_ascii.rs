//! Names that CUDA C does not allow.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(größe: u32) -> u32 {
    größe
}

fn main() {}
