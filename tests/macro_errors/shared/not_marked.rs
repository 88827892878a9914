//! A module without `#[edge_types]`.
use wolfpath::prelude::*;

mod plain {
    pub struct Label {
        pub cost: u32,
    }
}

#[edge_program(types = plain)]
mod unmarked {
    use wolfpath::prelude::*;

    pub struct Unmarked;

    impl EdgeProgram for Unmarked {
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
