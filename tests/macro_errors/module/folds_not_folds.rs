//! Parts of a tuple that are not folds.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Inner {
        pub sum: u64,
    }

    pub struct Program;

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;
        type Aggregate = (u64, Sum<u64>, (Min<u32>, Max<u32>), Inner, Sum<bool>, Or<f32>, Sum<Inner>, Sum);

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
    }
}

fn main() {}
