//! The value before a step, read in other functions than `aggregate`.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    fn helper(v: Vertex<u32>) -> u32 {
        v.before
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;
        type Aggregate = Sum<u64>;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u32 {
            v.before
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
            v.before
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.before != v.value
        }
        fn aggregate(&self, v: Vertex<u32>) -> u64 {
            v.before as u64
        }
    }
}

fn main() {}
