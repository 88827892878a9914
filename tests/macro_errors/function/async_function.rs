//! An async function.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
#[allow(unused)]
async fn program(value: u32) -> u32 {
    value
}

fn main() {}
