//! A `match` without all arms and a refutable `let`: rustc reports each once.
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
            let Some(half) = e.value.checked_div(2);
            match half {
                0 => 1,
                1..=5 => 2,
            }
        }
    }
}

fn main() {}
