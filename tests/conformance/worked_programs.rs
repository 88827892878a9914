//! The programs of `docs/programs.md`, which contains the same text: `tests/guide.rs` compares the two.

// Written as users write them.
#![allow(unreachable_pub, missing_docs, reason = "the same text as in docs/programs.md")]

use wolfpath::prelude::*;

/// Width of the widest path to every vertex: the largest bottleneck over all paths.
#[edge_program(combine = max, first = f32::INFINITY)]
pub fn widest_path(width: f32, capacity: f32) -> f32 {
    width.min(capacity)
}

/// Reliability of the most reliable path: the largest product of probabilities.
#[edge_program(combine = max, first = 1.0)]
pub fn reliability(certainty: f64, works: f64) -> f64 {
    certainty * works.clamp(0.0, 1.0)
}

/// Vertices within a number of hops. A value is the number of hops left; start with `from_source(id, limit)`.
#[edge_program(combine = max)]
pub fn hops_left(left: u32) -> Option<u32> {
    left.checked_sub(1)
}

/// The four nearest sources of every vertex, with their distances.
#[edge_program]
pub mod nearest {
    use wolfpath::prelude::*;

    const K: usize = 4;
    const NONE: u64 = u64::MAX;

    /// Sources in ascending order of distance, then of id; unused slots contain `NONE`.
    #[derive(PartialEq)]
    pub struct Near {
        pub sources: [u64; K],
        pub distances: [u32; K],
    }

    impl Near {
        fn nothing() -> Near {
            Near { sources: [NONE; K], distances: [0; K] }
        }

        fn has(&self, source: u64) -> bool {
            self.sources[0] == source
                || self.sources[1] == source
                || self.sources[2] == source
                || self.sources[3] == source
        }

        fn is_before(&self, at: usize, other: &Near, place: usize) -> bool {
            let (a, b) = (self.sources[at], other.sources[place]);
            a != NONE && (b == NONE || (self.distances[at], a) < (other.distances[place], b))
        }
    }

    pub struct NearestSources {
        pub sources: VertexSet,
    }

    impl EdgeProgram for NearestSources {
        type Value = Near;
        type Message = Near;
        type Weight = u32;

        fn start(&self, v: Vertex) -> Option<Near> {
            self.sources.contains(v).then(|| {
                let mut near = Near::nothing();
                near.sources[0] = v.id;
                near
            })
        }
        fn edge(&self, e: Edge<Near, u32>) -> Near {
            let mut near = e.value;
            for at in 0..K {
                if near.sources[at] != NONE {
                    near.distances[at] += e.weight;
                }
            }
            near
        }
        /// Merges two ascending lists. If a source is in both, its nearer occurrence comes first and is kept.
        fn combine(&self, a: Near, b: Near) -> Near {
            let mut merged = Near::nothing();
            let (mut i, mut j, mut n) = (0, 0, 0);
            while n < K && (i < K || j < K) {
                let from_a = j == K || (i < K && a.is_before(i, &b, j));
                let (source, distance) = if from_a {
                    i += 1;
                    (a.sources[i - 1], a.distances[i - 1])
                } else {
                    j += 1;
                    (b.sources[j - 1], b.distances[j - 1])
                };
                if source != NONE && !merged.has(source) {
                    merged.sources[n] = source;
                    merged.distances[n] = distance;
                    n += 1;
                }
            }
            merged
        }
    }
}

/// Label propagation from seeds: a vertex takes the most frequent label of its neighbours, the smallest if tied.
#[edge_program]
pub mod labels {
    use wolfpath::prelude::*;

    const LABELS: usize = 8;

    /// Number of neighbours with each label.
    pub struct Votes {
        counts: [u32; LABELS],
    }

    pub struct Propagation {
        /// Labels of the seeds, below 8. Any larger number marks a vertex that is not a seed.
        pub seeds: PerVertex<u32>,
    }

    impl EdgeProgram for Propagation {
        type Value = u32;
        type Message = Votes;
        const ALONG: Along = Along::Both;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Option<u32> {
            let seed = self.seeds.of(v);
            if (seed as usize) < LABELS { Some(seed) } else { None }
        }
        fn edge(&self, e: Edge<u32>) -> Votes {
            let mut votes = Votes { counts: [0; LABELS] };
            votes.counts[e.value as usize] = 1;
            votes
        }
        fn combine(&self, a: Votes, b: Votes) -> Votes {
            let mut sum = a;
            for label in 0..LABELS {
                sum.counts[label] += b.counts[label];
            }
            sum
        }
        fn apply(&self, v: Vertex<Option<u32>>, incoming: Option<Votes>) -> u32 {
            let seed = self.seeds.of(v);
            let Some(votes) = incoming else { return v.value.unwrap_or(0) };
            if (seed as usize) < LABELS {
                return seed;
            }
            let mut best = 0;
            for label in 1..LABELS {
                if votes.counts[label] > votes.counts[best] {
                    best = label;
                }
            }
            best as u32
        }
    }
}

/// Earliest arrival in a timetable: each edge is a ride with one departure time.
#[edge_program]
pub mod arrival {
    use wolfpath::prelude::*;

    /// A ride. Each field is read from the column of the same name.
    pub struct Ride {
        pub departure: u32,
        pub duration: u32,
    }

    pub struct EarliestArrival {
        pub from: u64,
        pub at: u32,
    }

    impl EdgeProgram for EarliestArrival {
        type Value = u32;
        type Message = u32;
        type Weight = Ride;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.id == self.from).then_some(self.at)
        }
        fn edge(&self, e: Edge<u32, Ride>) -> Option<u32> {
            (e.value <= e.weight.departure).then(|| e.weight.departure + e.weight.duration)
        }
    }
}

/// Shortest path to every vertex, with the fewest hops among equally short ones.
#[edge_program]
pub mod fewest {
    use wolfpath::prelude::*;

    /// Length of a path. Compared field by field, in this order.
    #[derive(PartialEq, PartialOrd)]
    pub struct Trip {
        pub distance: u32,
        pub hops: u32,
    }

    pub struct FewestHops {
        pub from: u64,
    }

    impl EdgeProgram for FewestHops {
        type Value = Trip;
        type Message = Trip;
        type Weight = u32;

        fn start(&self, v: Vertex) -> Option<Trip> {
            (v.id == self.from).then_some(Trip { distance: 0, hops: 0 })
        }
        fn edge(&self, e: Edge<Trip, u32>) -> Trip {
            Trip { distance: e.value.distance + e.weight, hops: e.value.hops + 1 }
        }
        fn combine(&self, a: Trip, b: Trip) -> Trip {
            if b < a { b } else { a }
        }
    }
}

/// Bipartiteness: a component is bipartite unless one vertex is reached over both an even and an odd number of edges.
#[edge_program]
pub mod bipartite {
    use wolfpath::prelude::*;

    /// Smallest index in the component. Bit 0 is set if a path of even length leads from it, bit 1 for odd length.
    pub struct Sides {
        pub root: u32,
        pub sides: u32,
    }

    pub struct TwoColours;

    impl EdgeProgram for TwoColours {
        type Value = Sides;
        type Message = Sides;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> Sides {
            Sides { root: v.index, sides: 1 }
        }
        fn edge(&self, e: Edge<Sides>) -> Sides {
            let sides = e.value.sides;
            Sides { sides: (sides & 1) << 1 | sides >> 1, ..e.value }
        }
        fn combine(&self, a: Sides, b: Sides) -> Sides {
            if a.root == b.root {
                return Sides { sides: a.sides | b.sides, ..a };
            }
            if a.root < b.root { a } else { b }
        }
    }
}

/// Longest path to every vertex of an acyclic graph. If the graph has a cycle, the run ends with `Overrun`.
#[edge_program]
pub mod longest {
    use wolfpath::prelude::*;

    pub struct LongestPath;

    impl EdgeProgram for LongestPath {
        type Value = u64;
        type Message = u64;
        type Weight = u32;
        type Combine = Max;

        fn start(&self, v: Vertex) -> Option<u64> {
            (v.in_degree == 0).then_some(0)
        }
        fn edge(&self, e: Edge<u64, u32>) -> u64 {
            e.value + e.weight as u64
        }
        /// Makes the run go step by step. Running in place would give wrong answers: a longer path is better, so `edge`
        /// improves on its input.
        fn apply(&self, v: Vertex<Option<u64>>, incoming: u64) -> u64 {
            v.value.map_or(incoming, |longest| longest.max(incoming))
        }
    }
}

/// Personalised PageRank: a random surfer who stops following links restarts at one of the home vertices.
#[edge_program]
pub mod personalised {
    use wolfpath::prelude::*;

    pub struct Personalised {
        pub damping: f64,
        pub tolerance: f64,
        pub home: VertexSet,
        /// Number of home vertices.
        pub homes: u32,
    }

    impl EdgeProgram for Personalised {
        type Value = f64;
        type Message = f64;
        type Combine = Sum;
        type Aggregate = Sum<f64>;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f64 {
            if self.home.contains(v) { 1.0 / self.homes as f64 } else { 0.0 }
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value / e.out_degree as f64
        }
        /// Returns the rank of vertices without out-edges, which is sent home too.
        fn aggregate(&self, v: Vertex<f64>) -> f64 {
            if v.out_degree == 0 { v.value } else { 0.0 }
        }
        fn apply(&self, v: Vertex<f64>, incoming: f64) -> f64 {
            let home = if self.home.contains(v) {
                (1.0 - self.damping + self.damping * v.aggregate) / self.homes as f64
            } else {
                0.0
            };
            home + self.damping * incoming
        }
        fn changed(&self, before: f64, after: f64) -> bool {
            (after - before).abs() > self.tolerance
        }
    }
}
