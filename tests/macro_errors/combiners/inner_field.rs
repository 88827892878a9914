//! A combiner that cannot combine a field of a field.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    pub struct Inner {
        left: [bool; 4],
        ratio: [f32; 2],
    }

    pub struct Label {
        count: u32,
        rank: f32,
        inner: Inner,
        words: Inner,
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = Label;
        type Combine = Fields<(Sum, Min, Fields<(Or, And)>, Or)>;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> Label {
            let inner = Inner { left: [true; 4], ratio: [0.5; 2] };
            Label { count: 1, rank: 1.0, inner, words: inner }
        }
        fn apply(&self, v: Vertex<u32>, incoming: Label) -> u32 {
            v.value
        }
    }
}

fn main() {}
