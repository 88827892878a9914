//! The value before a step as a number, where a vertex may have been without one.
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
        type Aggregate = Sum<u32>;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.index == 0).then_some(0)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn aggregate(&self, v: Vertex<u32>) -> u32 {
            let before: u32 = v.before;
            v.value - before
        }
    }
}

fn main() {}
