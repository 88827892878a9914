use wolfpath::prelude::*;

#[edge_program]
mod peeling {
    use wolfpath::prelude::*;

    /// The core number of a vertex: vertices with the fewest neighbours left are removed first.
    pub struct Core;

    impl EdgeProgram for Core {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> u64 {
            v.out_degree
        }
        fn edge(&self, _: Edge<u64>) -> u64 {
            1
        }
        fn apply(&self, v: Vertex<u64>, removed: u64) -> u64 {
            // A vertex of the current level or below is removed already.
            if v.value <= v.level { v.value } else { (v.value - removed).max(v.level) }
        }
        fn priority(&self, v: Vertex<u64>) -> u64 {
            v.value
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let friends = [(1, 2), (2, 3), (3, 1), (3, 4)]; // a triangle, and one more
    let graph = LayeredGraph::from_edges(friends.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]))?;
    let outcome = Engine::cpu().run(&graph, &peeling::Core)?;
    assert_eq!((outcome.value(3)?, outcome.value(4)?), (Some(2), Some(1)));
    Ok(())
}
