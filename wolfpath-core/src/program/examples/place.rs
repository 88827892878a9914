use wolfpath::prelude::*;

#[edge_program]
mod tokens {
    use wolfpath::prelude::*;

    /// Tokens walk from `from`: a vertex with n edges and k tokens sends k / n of them along each edge, and the rest along
    /// the edges in the first places.
    pub struct Tokens {
        pub from: u64,
        pub tokens: u64,
    }

    impl EdgeProgram for Tokens {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u64 {
            if v.id == self.from { self.tokens } else { 0 }
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value / e.out_degree + u64::from(e.place < e.value % e.out_degree)
        }
        fn apply(&self, v: Vertex<u64>, arriving: u64) -> u64 {
            if v.out_degree == 0 { v.value + arriving } else { arriving }
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let graph = LayeredGraph::from_edges([(1, 4), (1, 2), (1, 3)])?;
    let outcome = Engine::cpu().run(&graph, &tokens::Tokens { from: 1, tokens: 8 })?;
    let arrived = [2, 3, 4].map(|id| outcome.value(id).ok().flatten());
    assert_eq!(arrived, [Some(3), Some(3), Some(2)]);
    Ok(())
}
