use wolfpath::prelude::*;

#[edge_program]
mod rumour {
    use wolfpath::prelude::*;

    /// Ends as soon as at least `enough` vertices know the rumour.
    pub struct Rumour {
        pub from: u64,
        pub enough: u64,
    }

    impl EdgeProgram for Rumour {
        type Value = bool;
        type Message = bool;
        type Combine = Or;
        type Aggregate = Sum<u64>;

        fn start(&self, v: Vertex) -> Option<bool> {
            (v.id == self.from).then_some(true)
        }
        fn edge(&self, e: Edge<bool>) -> bool {
            e.value
        }
        fn aggregate(&self, _: Vertex<bool>) -> u64 {
            1
        }
        fn finished(&self, _: u64, now: u64, _: u64) -> bool {
            now >= self.enough
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let path = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4), (4, 5)])?;
    let outcome = Engine::cpu().run(&path, &rumour::Rumour { from: 1, enough: 3 })?;
    assert_eq!((outcome.steps(), outcome.end(), outcome.aggregate()), (2, wolfpath::End::Finished, 3));
    Ok(())
}
