//! Programs that cover the whole model: every combiner, every type, every optional function.

// Written as in a user's program.
#![allow(unreachable_pub, clippy::manual_clamp, reason = "the translation of `clamp` is not tested here")]

use wolfpath::prelude::*;

/// Depth of any in-neighbour, plus one. All messages to a vertex in the same step are equal.
#[edge_program(combine = any, uniform)]
pub fn any_depth(depth: u32) -> u32 {
    depth + 1
}

/// Depth with negative numbers, which need signed keys.
#[edge_program(combine = min)]
pub fn signed_depth(depth: i32, weight: u32) -> i32 {
    depth + weight as i32
}

/// Largest gain, with 64-bit signed numbers.
#[edge_program(combine = max)]
pub fn signed_gain(gain: i64, weight: u32) -> i64 {
    gain - weight as i64
}

/// Depth over edges that are wide enough. Other edges send nothing.
#[edge_program(combine = min)]
pub fn over_wide_edges(depth: u32, weight: u32) -> Option<u32> {
    if weight >= 3 { Some(depth + 1) } else { None }
}

/// Shortest paths against the direction of the edges.
#[edge_program(combine = min, along = in)]
pub fn backwards(distance: u64, weight: u64) -> u64 {
    distance + weight
}

/// Shortest paths in both directions of the edges.
#[edge_program(combine = min, along = both)]
pub fn both_ways(distance: u64, weight: u64) -> u64 {
    distance + weight
}

/// Every message is the largest number, which equals the combiner's identity.
#[edge_program(combine = min)]
pub fn identity_min(value: u32) -> u32 {
    value | 0xffff_ffff
}

/// Every message is the smallest number, which equals the combiner's identity.
#[edge_program(combine = max)]
pub fn identity_max(value: i64) -> i64 {
    if value > i64::MIN { i64::MIN } else { value }
}

/// Spreads `false`, the identity of `or`.
#[edge_program(combine = or)]
pub fn spread_or(value: bool) -> bool {
    value
}

/// Spreads `true`, the identity of `and`.
#[edge_program(combine = and)]
pub fn spread_and(value: bool) -> bool {
    value
}

/// Unions of sets of bits.
#[edge_program(combine = or)]
pub fn united(bits: u64) -> u64 {
    bits
}

/// Intersections of sets of bits.
#[edge_program(combine = and)]
pub fn intersected(bits: u32, weight: u32) -> u32 {
    bits & !(1 << (weight & 31))
}

/// Zeros of both signs, and NaN for certain weights.
#[edge_program(combine = min)]
pub fn zeros_min(value: f32, weight: f32) -> f32 {
    if weight == 4.0 {
        f32::NAN
    } else if weight > 10.0 {
        -0.0
    } else {
        value.min(0.0).max(-1.0) + weight * 0.0
    }
}

/// The same with `max` and `f64`.
#[edge_program(combine = max)]
pub fn zeros_max(value: f64, weight: f64) -> f64 {
    if weight == 4.0 { f64::NAN } else { value.max(-0.0) * 1.0 }
}

#[edge_program]
pub mod ways {
    //! Counts paths with integer sums, which wrap.
    use wolfpath::prelude::*;

    /// Sums of the messages of each step, for as many steps as requested.
    #[derive(Clone, Debug)]
    pub struct Ways {
        pub start: u64,
    }

    impl EdgeProgram for Ways {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.id == self.start { Some(0x9000_0001) } else { None }
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, _v: Vertex<Option<u32>>, incoming: u32) -> u32 {
            incoming
        }
    }
}

#[edge_program]
pub mod nearest {
    //! A struct as value and message, with a custom combiner.
    use wolfpath::prelude::*;

    /// Distance, and the origin that it is measured from.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Label {
        pub origin: u64,
        pub distance: u32,
        pub open: [bool; 4],
    }

    /// Nearest of several origins. If two are equally near, the one with the smaller id.
    #[derive(Clone, Debug)]
    pub struct Nearest {
        pub every: u64,
    }

    fn better(a: Label, b: Label) -> bool {
        a.distance < b.distance || (a.distance == b.distance && a.origin < b.origin)
    }

    impl EdgeProgram for Nearest {
        type Value = Label;
        type Message = Label;
        type Weight = u32;

        fn start(&self, v: Vertex) -> Option<Label> {
            if v.id % self.every == 0 {
                Some(Label { distance: 0, origin: v.id, open: [true; 4] })
            } else {
                None
            }
        }
        fn edge(&self, e: Edge<Label, u32>) -> Label {
            Label { distance: e.value.distance + e.weight + 1, origin: e.value.origin, open: e.value.open }
        }
        fn combine(&self, a: Label, b: Label) -> Label {
            if better(b, a) { b } else { a }
        }
    }
}

#[edge_program]
pub mod calm {
    //! `Senders::All` with a combiner that has no identity, so the incoming message is optional.
    use wolfpath::prelude::*;

    /// Smallest value among the neighbours, recomputed in every step.
    #[derive(Clone, Debug)]
    pub struct Calm;

    impl EdgeProgram for Calm {
        type Value = i32;
        type Message = i32;
        type Combine = Min;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> i32 {
            v.index as i32 - 5
        }
        fn edge(&self, e: Edge<i32>) -> i32 {
            e.value
        }
        fn apply(&self, v: Vertex<i32>, incoming: Option<i32>) -> i32 {
            match incoming {
                Some(least) => {
                    if least < v.value {
                        least
                    } else {
                        v.value
                    }
                }
                None => v.value,
            }
        }
    }
}

#[edge_program]
pub mod gossip {
    //! A sender sends the same message along all of its edges, or none at all. Some vertices start without a value, and
    //! some values are never sent.
    use wolfpath::prelude::*;

    #[derive(Clone, Copy, Debug)]
    pub struct Heard {
        pub least: u32,
        pub most: u32,
        pub times: u32,
    }

    /// A vertex keeps its own value or takes a smaller one from its messages. With more than two messages, it looks at
    /// the smallest message, otherwise at the largest.
    #[derive(Clone, Debug)]
    pub struct Gossip;

    impl EdgeProgram for Gossip {
        type Value = u32;
        type Message = Heard;
        const ALONG: Along = Along::Both;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.index % 3 == 0 { Some(v.index.wrapping_mul(2_654_435_761) >> 8) } else { None }
        }
        fn edge(&self, e: Edge<u32>) -> Option<Heard> {
            if e.value & 3 == 0 {
                return None;
            }
            let said = e.value ^ (e.out_degree as u32 & 1);
            Some(Heard { least: said, most: said, times: 1 })
        }
        fn combine(&self, a: Heard, b: Heard) -> Heard {
            let times = a.times.wrapping_add(b.times);
            Heard { least: a.least.min(b.least), most: a.most.max(b.most), times }
        }
        fn apply(&self, v: Vertex<Option<u32>>, incoming: Option<Heard>) -> u32 {
            let own = v.value.unwrap_or(1 << 24);
            match incoming {
                Some(heard) => own.min(if heard.times > 2 { heard.least } else { heard.most }),
                None => own,
            }
        }
    }
}

#[edge_program]
pub mod patient {
    //! A loop that ends along every edge, but would not end at a vertex without edges.
    use wolfpath::prelude::*;

    /// Multiplies a value by 1 plus the out-degree until it reaches 1, and sends it.
    #[derive(Clone, Debug)]
    pub struct Patient;

    impl EdgeProgram for Patient {
        type Value = f32;
        type Message = f32;
        type Combine = Max;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f32 {
            0.25 + (v.index % 8) as f32 / 16.0
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            let mut sent = e.value;
            while sent < 1.0 {
                sent *= 1.0 + e.out_degree as f32;
            }
            sent
        }
        fn apply(&self, v: Vertex<f32>, incoming: Option<f32>) -> f32 {
            v.value.max(incoming.unwrap_or(0.0))
        }
    }
}

#[edge_program]
pub mod fold_sum {
    //! Aggregates by addition.
    use wolfpath::prelude::*;

    /// Depth, mixed with the number of reached vertices.
    #[derive(Clone, Debug)]
    pub struct FoldSum;

    impl EdgeProgram for FoldSum {
        type Value = u64;
        type Message = u64;
        type Combine = Max;
        type Aggregate = Sum<u32>;

        fn start(&self, v: Vertex) -> Option<u64> {
            if v.index == 0 { Some(1) } else { None }
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value % 7
        }
        fn aggregate(&self, _v: Vertex<u64>) -> u32 {
            1
        }
        fn apply(&self, v: Vertex<Option<u64>>, incoming: u64) -> u64 {
            match v.value {
                Some(value) => value,
                None => incoming * 1000 + (v.aggregate as u64) % 1000 + v.step,
            }
        }
    }
}

#[edge_program]
pub mod fold_min {
    //! Aggregates by minimum, over floats.
    use wolfpath::prelude::*;

    /// Depth, mixed with the smallest value of all vertices.
    #[derive(Clone, Debug)]
    pub struct FoldMin;

    impl EdgeProgram for FoldMin {
        type Value = f64;
        type Message = f64;
        type Combine = Max;
        type Aggregate = Min<f32>;

        fn start(&self, v: Vertex) -> Option<f64> {
            if v.index == 0 { Some(8.5) } else { None }
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value - 1.0
        }
        fn aggregate(&self, v: Vertex<f64>) -> f32 {
            v.value as f32
        }
        fn apply(&self, v: Vertex<Option<f64>>, incoming: f64) -> f64 {
            match v.value {
                Some(value) => value,
                None => incoming + v.aggregate as f64 * 0.125,
            }
        }
    }
}

#[edge_program]
pub mod fold_or {
    //! Aggregates by logical or.
    use wolfpath::prelude::*;

    /// Continues until some vertex has reached depth three.
    #[derive(Clone, Debug)]
    pub struct FoldOr;

    impl EdgeProgram for FoldOr {
        type Value = u32;
        type Message = u32;
        type Combine = Min;
        type Aggregate = Or<bool>;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.index == 0 { Some(0) } else { None }
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value + 1
        }
        fn aggregate(&self, v: Vertex<u32>) -> bool {
            v.value >= 3
        }
        fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
            match v.value {
                Some(value) => value,
                None => {
                    if v.aggregate {
                        1000
                    } else {
                        incoming
                    }
                }
            }
        }
    }
}

#[edge_program]
pub mod coarse {
    //! A custom `changed`: small differences are not sent.
    use wolfpath::prelude::*;

    /// Distances that are sent only if they improved by more than a threshold.
    #[derive(Clone, Debug)]
    pub struct Coarse {
        pub least: u32,
    }

    impl EdgeProgram for Coarse {
        type Value = u32;
        type Message = u32;
        type Weight = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.index % 17 == 0 { Some(v.index + 100) } else { None }
        }
        fn edge(&self, e: Edge<u32, u32>) -> u32 {
            e.value + e.weight
        }
        fn changed(&self, before: u32, after: u32) -> bool {
            before > after + self.least
        }
    }
}

#[edge_program]
pub mod everything {
    //! Reads every field of edges and vertices.
    use wolfpath::prelude::*;

    /// Mixes all fields of edges and vertices.
    #[derive(Clone, Debug)]
    pub struct Everything {
        pub salt: u64,
        pub wide: bool,
        pub shift: u32,
    }

    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

    fn mix(a: u64, b: u64) -> u64 {
        (a ^ b).wrapping_mul(PRIME) ^ (b >> 7)
    }

    impl EdgeProgram for Everything {
        type Value = u64;
        type Message = u64;
        type Weight = u32;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> u64 {
            mix(mix(mix(v.id, v.index as u64), mix(v.out_degree, v.in_degree)), mix(v.vertices, v.edges))
                ^ self.salt
        }
        fn edge(&self, e: Edge<u64, u32>) -> u64 {
            let ends = mix(e.source, e.target);
            let indices = mix(e.source_index as u64, (e.target_index as u64) << self.shift);
            let own = mix(e.value, e.weight as u64);
            if self.wide { mix(mix(ends, indices), mix(own, e.out_degree)) } else { own }
        }
        fn apply(&self, v: Vertex<u64>, incoming: u64) -> u64 {
            mix(
                mix(v.value, incoming),
                mix(v.id ^ v.step, mix(v.index as u64, mix(v.out_degree, v.in_degree))),
            )
        }
    }
}

#[edge_program]
pub mod division {
    //! Divides by weights, which may be zero.
    use wolfpath::prelude::*;

    /// Faults along an edge of weight zero.
    #[derive(Clone, Debug)]
    pub struct Division;

    impl EdgeProgram for Division {
        type Value = u32;
        type Message = u32;
        type Weight = u32;
        type Combine = Max;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.id == 0 { Some(100) } else { None }
        }
        fn edge(&self, e: Edge<u32, u32>) -> u32 {
            e.value / e.weight
        }
    }
}

#[edge_program]
pub mod vertex_division {
    //! Divides at a vertex.
    use wolfpath::prelude::*;

    /// Faults at the vertex with a given id.
    #[derive(Clone, Debug)]
    pub struct VertexDivision {
        pub bad: u64,
    }

    impl EdgeProgram for VertexDivision {
        type Value = u64;
        type Message = u64;
        type Combine = Max;

        fn start(&self, v: Vertex) -> Option<u64> {
            if v.id == 0 { Some(100) } else { None }
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
        fn apply(&self, v: Vertex<Option<u64>>, incoming: u64) -> u64 {
            incoming / (v.id ^ self.bad)
        }
    }
}

#[edge_program]
pub mod endless {
    //! Never converges.
    use wolfpath::prelude::*;

    /// Flips its values forever.
    #[derive(Clone, Debug)]
    pub struct Endless;

    impl EdgeProgram for Endless {
        type Value = bool;
        type Message = bool;
        type Combine = Or;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> bool {
            v.index % 2 == 0
        }
        fn edge(&self, e: Edge<bool>) -> bool {
            e.value
        }
        fn apply(&self, v: Vertex<bool>, _incoming: bool) -> bool {
            !v.value
        }
    }
}

/// Overflows after a few steps.
#[edge_program(combine = max)]
pub fn overflowing(value: u32) -> u32 {
    value + 0x4000_0000
}

/// Declared `uniform`, although its messages differ.
#[edge_program(combine = min, uniform)]
pub fn dishonest(value: u32, weight: u32) -> u32 {
    value + weight
}
