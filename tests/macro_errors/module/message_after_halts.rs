//! An `apply` that expects a message, although vertices compute without one.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod awake {
    use wolfpath::prelude::*;

    pub struct Awake;

    impl EdgeProgram for Awake {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
            v.value.min(incoming)
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            v.value == 0
        }
    }
}

fn main() {}
