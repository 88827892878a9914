//! A struct of folds as a value, a message, a weight, a parameter, a field and an input; folds elsewhere.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Totals {
        pub change: Sum<f64>,
        pub least: Min<u32>,
    }

    pub struct Wrapped {
        pub totals: Totals,
        pub sum: Sum<u32>,
    }

    pub struct Program {
        pub first: Totals,
        pub each: PerVertex<Totals>,
    }

    impl EdgeProgram for Program {
        type Value = Totals;
        type Message = Totals;
        type Weight = Totals;
        type Combine = Any;
        type Aggregate = Totals;

        fn start(&self, v: Vertex) -> Totals {
            Totals { change: 0.0, least: v.index }
        }
        fn edge(&self, e: Edge<Totals, Totals>) -> Totals {
            e.value
        }
    }
}

fn main() {}
