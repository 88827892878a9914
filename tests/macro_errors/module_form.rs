//! The module form: what stands in the module, and the signatures of a program's functions.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod pieces {
    use wolfpath::prelude::*;

    pub struct Pieces(u32);

    enum Choice {
        Left,
    }

    #[cfg(unix)]
    const ONE: u32 = 1;

    impl Pieces {
        fn helper(&self) -> u32 {
            1
        }
    }

    impl EdgeProgram for Pieces {
        type Value = u32;
        type Message = u32;
        type Combine = Least;
        type Extra = u32;
        const SPEED: u32 = 1;

        fn step(&self) {}
    }
}

#[edge_program]
mod empty {}

#[edge_program(combine = min)]
mod signatures {
    use wolfpath::prelude::*;

    pub struct Signatures {
        name: &'static str,
    }

    impl EdgeProgram for Signatures {
        type Value = u32;
        type Message = u64;
        type Weight = bool;
        type Combine = Or;
        type Aggregate = f64;
        const SENDERS: Senders = self::ALL;

        fn start(&self, v: Vertex<u32>) -> f32 {
            0.0
        }
        fn edge(e: Edge<u32, f32>) -> u64 {
            0
        }
    }
}

#[edge_program]
mod shapes {
    use wolfpath::prelude::*;

    pub struct Shapes;

    impl EdgeProgram for Shapes {
        type Value = u32;
        type Message = u64;
        type Combine = Min;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Option<u32> {
            None
        }
        fn edge(&self, e: Edge<u32, f32>) -> u64 {
            0
        }
        fn apply(&self, v: Vertex<u32>, incoming: u64) -> u32 {
            0
        }
        fn changed(&self, before: u32) -> bool {
            true
        }
        fn aggregate(&self, v: Vertex<u32>) -> f64 {
            0.0
        }
    }
}

#[edge_program]
mod missing {
    use wolfpath::prelude::*;

    pub struct Missing;

    impl EdgeProgram for Missing {
        type Value = u32;
        type Message = u64;
    }
}

fn main() {}
