use wolfpath::prelude::*;

#[edge_program]
mod nearby {
    use wolfpath::prelude::*;

    /// Hops from a vertex to all vertices that are at most `most` hops away.
    pub struct Nearby {
        pub from: u64,
        pub most: u32,
    }

    impl EdgeProgram for Nearby {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.id == self.from).then_some(0)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value + 1
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value as u64 == v.step && v.value < self.most // reached just now
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let ring = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 4), (4, 1)])?;
    let outcome = Engine::cpu().run(&ring, &nearby::Nearby { from: 1, most: 2 })?;
    assert_eq!((outcome.value(3)?, outcome.value(4)?), (Some(2), None));
    Ok(())
}
