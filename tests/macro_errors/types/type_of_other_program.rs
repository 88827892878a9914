//! A type of another program's module.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod first {
    use wolfpath::prelude::*;

    pub struct First;

    #[derive(PartialEq)]
    pub struct Label {
        pub cost: u32,
    }

    impl EdgeProgram for First {
        type Value = Label;
        type Message = Label;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> Label {
            Label { cost: v.index }
        }
        fn edge(&self, e: Edge<Label>) -> Label {
            e.value
        }
    }
}

#[edge_program]
mod second {
    use super::first::Label;
    use wolfpath::prelude::*;

    pub struct Second;

    impl EdgeProgram for Second {
        type Value = super::first::Label;
        type Message = Label;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> Label {
            Label { cost: v.index }
        }
        fn edge(&self, e: Edge<Label>) -> Label {
            e.value
        }
    }
}

fn main() {}
