use wolfpath::prelude::*;

#[edge_program]
mod counting {
    use wolfpath::prelude::*;

    /// The smallest number of hops to a vertex, and the number of paths with that many hops.
    pub struct Paths {
        pub hops: u32,
        pub count: u32,
    }

    pub struct CountPaths {
        pub from: u64,
    }

    impl EdgeProgram for CountPaths {
        type Value = Paths;
        type Message = Paths;

        fn start(&self, v: Vertex) -> Option<Paths> {
            (v.id == self.from).then_some(Paths { hops: 0, count: 1 })
        }
        fn edge(&self, e: Edge<Paths>) -> Paths {
            Paths { hops: e.value.hops + 1, ..e.value }
        }
        fn combine(&self, a: Paths, b: Paths) -> Paths {
            if a.hops == b.hops {
                return Paths { count: a.count + b.count, ..a };
            }
            if a.hops < b.hops { a } else { b }
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let graph = LayeredGraph::from_edges([(1, 2), (1, 3), (2, 4), (3, 4)])?;
    let outcome = Engine::cpu().run(&graph, &counting::CountPaths { from: 1 })?;
    assert_eq!(outcome.value(4)?.map(|paths| (paths.hops, paths.count)), Some((2, 2)));
    Ok(())
}
