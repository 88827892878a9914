//! A struct that only locals can have, stored as a value.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    pub struct Stack {
        items: [u32; 4],
        length: usize,
    }

    impl EdgeProgram for Program {
        type Value = Stack;
        type Message = Stack;
        type Combine = Any;

        fn start(&self, v: Vertex) -> Option<Stack> {
            None
        }
        fn edge(&self, e: Edge<Stack>) -> Stack {
            e.value
        }
    }
}

fn main() {}
