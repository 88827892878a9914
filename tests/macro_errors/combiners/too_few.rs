//! Fewer combiners than fields.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    pub struct Label {
        count: u32,
        rank: f32,
        near: [bool; 4],
        words: [u32; 2],
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = Label;
        type Combine = Fields<(Sum, Min)>;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> Label {
            Label { count: 1, rank: 1.0, near: [true; 4], words: [0; 2] }
        }
        fn apply(&self, v: Vertex<u32>, incoming: Label) -> u32 {
            v.value
        }
    }
}

fn main() {}
