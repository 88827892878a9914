//! Two mutable borrows at once. rustc checks the twin too, and points at the same tokens.
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
        fn edge(&self, e: Edge<u32>) -> u32 {
            let mut numbers = [1, 2, e.value];
            let first = &mut numbers;
            let second = &mut numbers;
            first[0] = 3;
            second[0]
        }
    }
}

fn main() {}
