//! An `apply` that returns an `Option`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, incoming: u32) -> Option<u32> {
            Some(incoming)
        }
    }
}

fn main() {}
