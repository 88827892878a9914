//! A change and a mutable borrow of a local without `mut`: rustc reports each once.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    fn bump(number: &mut u32) {
        *number += 1;
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            None
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            let hops = e.value;
            hops += 1;
            let other = 2;
            bump(&mut other);
            hops
        }
    }
}

fn main() {}
