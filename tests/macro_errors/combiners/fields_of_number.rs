//! `Fields` over numbers.
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
        type Message = u32;
        type Combine = Fields<(Sum, Min)>;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
            v.value
        }
    }
}

fn main() {}
