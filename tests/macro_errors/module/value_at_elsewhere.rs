#[wolfpath::edge_program]
mod elsewhere {
    use wolfpath::prelude::*;

    pub struct Elsewhere;

    fn of_next(v: Vertex<u32>) -> u32 {
        v.value_at(v.value)
    }

    impl EdgeProgram for Elsewhere {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value_at(0) > 3
        }
        fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
            of_next(v) + incoming
        }
    }
}

fn main() {}
