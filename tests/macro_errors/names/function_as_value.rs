//! A function that is not called.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    fn helper(x: u32) -> u32 {
        x
    }

    fn other(x: u32) -> u32 {
        let f = helper;
        x
    }

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
    }
}

fn main() {}
