//! Fields that an edge and a vertex do not have.
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
            v.degree as u32
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value + e.in_degree as u32
        }
    }
}

fn main() {}
