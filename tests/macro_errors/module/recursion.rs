//! A function that calls itself.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    fn even(n: u32) -> bool {
        n == 0 || odd(n - 1)
    }

    fn odd(n: u32) -> bool {
        n != 0 && even(n - 1)
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
