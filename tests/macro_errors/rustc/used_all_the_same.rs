//! A rejected program can still be named.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    fn text() -> u32 {
        let text = "text";
        1
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let graph = LayeredGraph::open("graph.txt")?;
    let outcome = Engine::auto().run(&graph, &program::Program)?;
    println!("{:?}", outcome.value(1)?);
    Ok(())
}
