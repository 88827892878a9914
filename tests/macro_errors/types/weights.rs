//! Weights that are not structs of numbers.

#[wolfpath::edge_program]
mod nested {
    use wolfpath::prelude::*;

    pub struct Time {
        pub hour: u32,
    }

    pub struct Ride {
        pub departure: Time,
        pub duration: u32,
        pub stops: Option<u32>,
    }

    pub struct Nested {}

    impl EdgeProgram for Nested {
        type Value = u32;
        type Message = u32;
        type Weight = Ride;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            Some(0)
        }
        fn edge(&self, e: Edge<u32, Ride>) -> u32 {
            e.value + e.weight.duration
        }
    }
}

#[wolfpath::edge_program]
mod nothing {
    use wolfpath::prelude::*;

    pub struct Ride {}

    pub struct Nothing {}

    impl EdgeProgram for Nothing {
        type Value = u32;
        type Message = u32;
        type Weight = Ride;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            Some(0)
        }
        fn edge(&self, e: Edge<u32, Ride>) -> u32 {
            e.value
        }
    }
}

fn main() {}
