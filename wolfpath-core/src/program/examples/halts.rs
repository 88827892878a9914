use wolfpath::prelude::*;

#[edge_program]
mod flu {
    use wolfpath::prelude::*;

    pub const IMMUNE: u32 = u32::MAX;

    /// The number of days for which a person will still be ill. After `days` days, the person is immune.
    pub struct Flu {
        pub first: u64,
        pub days: u32,
    }

    impl EdgeProgram for Flu {
        type Value = u32;
        type Message = bool;
        type Combine = Or;

        fn start(&self, v: Vertex) -> u32 {
            if v.id == self.first { self.days } else { 0 }
        }
        fn edge(&self, _: Edge<u32>) -> bool {
            true
        }
        fn apply(&self, v: Vertex<u32>, infected: bool) -> u32 {
            match v.value {
                0 => {
                    if infected {
                        self.days
                    } else {
                        0
                    }
                }
                1 | IMMUNE => IMMUNE,
                days => days - 1,
            }
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value != 0 && v.value != IMMUNE
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            v.value == 0 || v.value == IMMUNE
        }
    }
}

fn main() -> wolfpath::Result<()> {
    let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    let outcome = Engine::cpu().run(&graph, &flu::Flu { first: 1, days: 3 })?;
    assert!(outcome.read()?.iter().all(|(_, days)| days == Some(flu::IMMUNE)));
    assert_eq!(outcome.steps(), 5); // 3 falls ill in step 2, and is immune 3 steps later
    Ok(())
}
