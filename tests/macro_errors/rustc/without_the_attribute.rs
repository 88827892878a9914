//! An implementation without the attribute.
#![allow(unused, refining_impl_trait)]
use wolfpath::prelude::*;

struct Program;

impl EdgeProgram for Program {
    type Value = u32;
    type Message = u32;
    type Weight = ();
    type Combine = Min;
    type Aggregate = NoAggregate;
    type Before = Option<u32>;
    type Incoming = u32;

    fn start(&self, v: Vertex) -> Option<u32> {
        None
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value
    }
}

fn main() {}
