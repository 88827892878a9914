//! The field behind a count.

#[wolfpath::edge_program]
mod counting {
    use wolfpath::prelude::*;

    pub struct Counting;

    impl EdgeProgram for Counting {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;
        const ALONG: Along = Along::Neighbours;

        fn start(&self, _: Vertex) -> u64 {
            0
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.common_neighbours
        }
        fn apply(&self, v: Vertex<u64>, incoming: u64) -> u64 {
            v.value + incoming
        }
    }
}

fn main() {}
