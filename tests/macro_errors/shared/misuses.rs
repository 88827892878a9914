//! Modules that are not marked, names that are taken, and combiners that shared structs cannot have.
use wolfpath::prelude::*;

#[edge_types]
mod shared {
    pub struct Pair {
        pub least: u32,
        pub sum: u32,
    }
}

#[edge_program(types = shared)]
mod by_fields {
    use wolfpath::prelude::*;

    pub struct ByFields;

    impl EdgeProgram for ByFields {
        type Value = Pair;
        type Message = Pair;
        type Combine = Fields<(Min, Sum)>;

        fn start(&self, _: Vertex) -> Pair {
            Pair { least: 0, sum: 0 }
        }
        fn edge(&self, e: Edge<Pair>) -> Pair {
            e.value
        }
    }
}

#[edge_program(types = shared)]
mod taken {
    use wolfpath::prelude::*;

    pub struct Pair {
        pub first: u32,
    }

    pub struct Taken;

    impl EdgeProgram for Taken {
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

#[edge_program(combine = min, types = shared)]
fn hops(depth: u32) -> u32 {
    depth + 1
}

fn main() {}
