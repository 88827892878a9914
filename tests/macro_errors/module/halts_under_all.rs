//! `halts` where every vertex computes in every step.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod rank {
    use wolfpath::prelude::*;

    pub struct Rank;

    impl EdgeProgram for Rank {
        type Value = f32;
        type Message = f32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> f32 {
            1.0
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            e.value
        }
        fn apply(&self, _: Vertex<f32>, incoming: f32) -> f32 {
            incoming
        }
        fn halts(&self, v: Vertex<f32>) -> bool {
            v.value < 0.1
        }
    }
}

fn main() {}
