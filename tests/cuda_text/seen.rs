//! A program that reads what an edge knows besides its ends, and the values of other vertices.

#[wolfpath::edge_program]
pub(crate) mod seen {
    use wolfpath::prelude::*;

    pub(crate) struct Seen;

    impl EdgeProgram for Seen {
        type Value = u32;
        type Message = u32;
        type Combine = Max;
        type Aggregate = Sum<u32>;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            if e.forward { e.place as u32 } else { e.aggregate ^ e.step as u32 }
        }
        fn aggregate(&self, v: Vertex<u32>) -> u32 {
            v.value
        }
        fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
            v.value_at(incoming).max(v.value_at(v.index))
        }
    }
}
