//! An accumulating program whose values are not sums of its messages.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    impl EdgeProgram for Program {
        type Value = f64;
        type Message = f32;
        type Combine = Sum;
        const ACCUMULATES: bool = true;

        fn start(&self, v: Vertex) -> f64 {
            1.0
        }
        fn edge(&self, e: Edge<f64>) -> f32 {
            e.value as f32
        }
    }
}

#[edge_program]
mod other {
    use wolfpath::prelude::*;

    const YES: bool = true;

    pub struct Other;

    impl EdgeProgram for Other {
        type Value = f64;
        type Message = f64;
        type Combine = Sum;
        const ACCUMULATES: bool = YES;

        fn start(&self, v: Vertex) -> f64 {
            1.0
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value / 2.0
        }
    }
}

fn main() {}
