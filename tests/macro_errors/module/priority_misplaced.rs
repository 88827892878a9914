//! `priority` in programs in which no vertex waits to send, and one that returns the wrong type.
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
        fn priority(&self, v: Vertex<f32>) -> u64 {
            v.value as u64
        }
    }
}

#[edge_program]
mod awake {
    use wolfpath::prelude::*;

    pub struct Awake;

    impl EdgeProgram for Awake {
        type Value = u64;
        type Message = u64;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
        fn halts(&self, v: Vertex<u64>) -> bool {
            v.step > 3
        }
        fn priority(&self, v: Vertex<u64>) -> u64 {
            v.value
        }
    }
}

#[edge_program]
mod float {
    use wolfpath::prelude::*;

    pub struct Float;

    impl EdgeProgram for Float {
        type Value = f32;
        type Message = f32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> f32 {
            0.0
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            e.value
        }
        fn priority(&self, v: Vertex<f32>) -> f32 {
            v.value
        }
    }
}

fn main() {}
