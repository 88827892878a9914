//! A zero-sized value.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    pub struct Label {

    }

    impl EdgeProgram for Program {
        type Value = Label;
        type Message = Label;

        fn start(&self, v: Vertex) -> Option<Label> {
            None
        }
        fn edge(&self, e: Edge<Label>) -> Label {
            e.value
        }
        fn combine(&self, a: Label, b: Label) -> Label {
            a
        }
    }
}

fn main() {}
