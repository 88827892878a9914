//! Programs with inputs in addition to the graph: inputs of every type, read at vertices and at both ends of edges.
//! Also a program with a long loop.

// Written as in a user's program.
#![allow(unreachable_pub, missing_docs, reason = "written as in a user's program")]

/// Smallest total climb from one vertex to every other vertex, avoiding closed vertices.
#[edge_program]
pub mod climb {
    use wolfpath::prelude::*;

    #[derive(Clone, Debug)]
    pub struct Climb {
        pub from: u64,
        pub altitude: PerVertex<i32>,
        pub closed: VertexSet,
    }

    impl EdgeProgram for Climb {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.id == self.from { Some(0) } else { None }
        }
        fn edge(&self, e: Edge<u32>) -> Option<u32> {
            if self.closed.contains_target(e) {
                return None;
            }
            let rise = self.altitude.target(e) - self.altitude.source(e);
            if rise > 0 { Some(e.value + rise as u32) } else { Some(e.value) }
        }
    }
}

/// PageRank that jumps only to some vertices, in proportion to their weights. It uses integers, whose sums do not
/// depend on the order.
#[edge_program]
pub mod personal {
    use wolfpath::prelude::*;

    pub struct Personal {
        pub losses: u64,
        pub home: VertexSet,
        pub weight: PerVertex<u64>,
        pub unread: PerVertex<u64>,
    }

    impl EdgeProgram for Personal {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> u64 {
            if self.home.contains(v) { self.weight.of(v) } else { 0 }
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value / e.out_degree
        }
        fn apply(&self, v: Vertex<u64>, incoming: u64) -> u64 {
            let jump = if self.home.contains(v) { self.weight.of(v) } else { 0 };
            jump + incoming / self.losses
        }
    }
}

/// Inputs of all types, and indices, which programs may read too. The program has an aggregate and runs step by step.
#[edge_program]
pub mod all_types {
    use wolfpath::prelude::*;

    pub struct Toll {
        pub price: f32,
        pub closed: bool,
        pub since: i64,
    }

    pub struct AllTypes {
        pub bias: bool,
        pub toll: PerVertex<Toll>,
        pub open: PerVertex<bool>,
        pub width: PerVertex<f32>,
        pub population: PerVertex<u64>,
        pub marked: VertexSet,
    }

    fn of_toll(toll: Toll) -> u64 {
        if toll.closed { 3 } else { toll.price as u64 + toll.since as u64 }
    }

    impl EdgeProgram for AllTypes {
        type Value = u64;
        type Message = u64;
        type Combine = Max;
        type Aggregate = Sum<u64>;

        fn start(&self, v: Vertex) -> u64 {
            self.population.of(v) + of_toll(self.toll.of(v)) + v.index as u64
        }
        fn edge(&self, e: Edge<u64>) -> Option<u64> {
            let sent = e.value / 2 + of_toll(self.toll.source(e)) + of_toll(self.toll.target(e));
            if self.open.source(e) && self.width.target(e) > 0.5 {
                Some(sent)
            } else if self.marked.contains_source(e) != self.bias {
                Some(sent / 2 + e.target_index as u64)
            } else {
                None
            }
        }
        fn aggregate(&self, v: Vertex<u64>) -> u64 {
            if self.marked.contains(v) { v.value } else { 1 }
        }
        fn apply(&self, v: Vertex<u64>, incoming: u64) -> u64 {
            let most = self.population.of(v) + 1000 + v.aggregate % 7;
            if incoming > v.value { incoming.min(most) } else { v.value }
        }
    }
}

/// Hops from a vertex, computed after a given number of loop iterations on every edge.
#[edge_program]
pub mod turning {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub struct Turning {
        pub from: u64,
        pub turns: u64,
    }

    impl EdgeProgram for Turning {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.id == self.from { Some(0) } else { None }
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            let mut turn = 0;
            while turn < self.turns {
                turn += 1;
            }
            e.value + 1
        }
    }
}

use wolfpath::prelude::edge_program;
