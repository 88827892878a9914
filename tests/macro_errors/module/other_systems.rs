//! Names from other systems.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod pregel {
    use wolfpath::prelude::*;

    pub struct Pregel;

    impl EdgeProgram for Pregel {
        type Value = u32;
        type Message = u32;
        type Combine = Min;
        const MAX_STEPS: u64 = 30;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn vote_to_halt(&self, v: Vertex<u32>) -> bool {
            v.value == 0
        }
    }
}

fn main() {}
