//! Inputs: where they are allowed and how they are read.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod misplaced {
    use wolfpath::prelude::*;

    pub struct Misplaced {
        pub byte: PerVertex<u8>,
        pub optional: PerVertex<Option<u32>>,
        pub nested: Option<VertexSet>,
        pub deep: PerVertex<PerVertex<u32>>,
    }

    fn at(altitude: PerVertex<f32>, x: u32) -> u32 {
        x
    }

    impl EdgeProgram for Misplaced {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
    }
}

#[edge_program]
mod misread {
    use wolfpath::prelude::*;

    pub struct Misread {
        pub altitude: PerVertex<u32>,
        pub closed: VertexSet,
    }

    impl EdgeProgram for Misread {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            self.altitude.get(v.id)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            if self.closed.has(e.source) { 1 } else { 2 }
        }
    }
}

fn main() {}
