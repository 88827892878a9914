//! An accumulating program with what belongs to steps.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    impl EdgeProgram for Program {
        type Value = f32;
        type Message = f32;
        type Combine = Min;
        const SENDERS: Senders = Senders::All;
        const ACCUMULATES: bool = true;

        fn start(&self, v: Vertex) -> f32 {
            1.0
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            e.value / e.step as f32
        }
        fn apply(&self, v: Vertex<f32>, incoming: Option<f32>) -> f32 {
            v.value
        }
        fn changed(&self, before: f32, after: f32) -> bool {
            before != after
        }
    }
}

fn main() {}
