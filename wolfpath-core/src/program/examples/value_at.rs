use wolfpath::prelude::*;

#[edge_program]
mod jumping {
    use wolfpath::prelude::*;

    /// The root of each vertex in a forest, by index. `parent` holds the index of each vertex's parent, and roots are their
    /// own parents. In each step, every vertex jumps to the parent of its parent, so paths halve.
    pub struct Roots {
        pub parent: PerVertex<u32>,
    }

    impl EdgeProgram for Roots {
        type Value = u32;
        type Message = bool;
        type Combine = Or;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u32 {
            self.parent.of(v)
        }
        fn edge(&self, _: Edge<u32>) -> Option<bool> {
            None
        }
        fn apply(&self, v: Vertex<u32>, _: bool) -> u32 {
            v.value_at(v.value)
        }
    }
}

fn main() -> wolfpath::Result<()> {
    // In tests, `values` has the values of all vertices.
    let program = jumping::Roots { parent: PerVertex::from_pairs([(1, 0), (2, 0), (3, 1), (4, 2)], 0) };
    let v = Vertex { value: 2, values: &[0, 0, 1, 2], ..Vertex::default() };
    assert_eq!(program.apply(v, false), 1);

    let path = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4)])?;
    let outcome = Engine::cpu().run(&path, &program)?;
    assert_eq!(outcome.value(4)?, Some(0));
    Ok(())
}
