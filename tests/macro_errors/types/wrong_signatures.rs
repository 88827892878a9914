//! Functions of the program with wrong signatures.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Or;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex<u32>) -> f32 {
            0.0
        }
        fn edge(e: Edge<u32>) -> u64 {
            0
        }
        fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
            0
        }
        fn changed(&self, before: u32) -> bool {
            true
        }
    }
}

fn main() {}
