//! A variant without its enum's name, which the macro would take for a new local.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use Side::*;
    use wolfpath::prelude::*;

    pub struct Program;

    enum Side {
        Left,
        Right,
    }

    fn number(side: Side) -> u32 {
        match side {
            Left => 1,
            Right => 2,
        }
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value + number(Side::Left)
        }
    }
}

fn main() {}
