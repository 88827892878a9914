//! A `Vec` as a field.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program {
        limits: Vec<u32>,
    }

    pub struct Label {
        costs: Vec<u32>,
    }

    impl EdgeProgram for Program {
        type Value = Label;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Label {
            Label { costs: Vec::new() }
        }
        fn edge(&self, e: Edge<Label>) -> u32 {
            1
        }
        fn apply(&self, v: Vertex<Label>, incoming: u32) -> Label {
            v.value
        }
    }
}

fn main() {}
