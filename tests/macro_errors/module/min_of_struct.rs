//! A combiner of numbers over structs.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    pub struct Label {
        cost: u32,
    }

    impl EdgeProgram for Program {
        type Value = Label;
        type Message = Label;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Label {
            Label { cost: v.index }
        }
        fn edge(&self, e: Edge<Label>) -> Label {
            e.value
        }
    }
}

fn main() {}
