//! The smallest of arrays.
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
        type Message = [f32; 3];
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> [f32; 3] {
            [0.5; 3]
        }
        fn apply(&self, v: Vertex<u32>, incoming: [f32; 3]) -> u32 {
            v.value
        }
    }
}

fn main() {}
