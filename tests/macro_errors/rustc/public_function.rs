//! A function that is `pub`, which a function of a trait cannot be.
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

        fn start(&self, v: Vertex) -> Option<u32> {
            None
        }
        pub fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
    }
}

fn main() {}
