//! A combiner that does not combine the message's type.
use wolfpath::prelude::*;

#[edge_program(combine = min)]
fn program(value: bool) -> bool {
    value
}

fn main() {}
