//! A module in another file.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program;

fn main() {}
