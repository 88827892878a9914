//! A combiner that does not take the message.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: bool) -> bool {
    value
}

fn main() {}
