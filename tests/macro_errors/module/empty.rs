//! A module without a program.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;
}

fn main() {}
