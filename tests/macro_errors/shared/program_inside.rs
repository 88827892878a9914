//! A program in a module of types.
use wolfpath::prelude::*;

#[edge_types]
mod shared {
    use wolfpath::prelude::*;

    pub struct Inside;

    impl EdgeProgram for Inside {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
    }
}

fn main() {}
