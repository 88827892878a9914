//! `sends` beside `changed`, with a wrong result.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod spread {
    use wolfpath::prelude::*;

    pub struct Spread;

    impl EdgeProgram for Spread {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn changed(&self, before: u32, after: u32) -> bool {
            before != after
        }
        fn sends(&self, v: Vertex<u32>) -> u32 {
            v.value
        }
    }
}

fn main() {}
