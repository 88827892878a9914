//! Programs that go into the corners of the model: every combiner, every type, every optional function.

// Written as users write them.
#![allow(unreachable_pub, clippy::manual_clamp, reason = "a clamp is not what is to be translated here")]

use wolfpath::prelude::*;

/// The number of shortest ways is no traversal; this is: any in-neighbour's depth, plus one, all equal in a step.
#[edge_program(combine = any, uniform)]
pub fn any_depth(depth: u32) -> u32 {
    depth + 1
}

/// Depth with negative numbers: signed keys.
#[edge_program(combine = min)]
pub fn signed_depth(depth: i32, weight: u32) -> i32 {
    depth + weight as i32
}

/// The same over 64 bits.
#[edge_program(combine = max)]
pub fn signed_gain(gain: i64, weight: u32) -> i64 {
    gain - weight as i64
}

/// Sends only over edges that are wide enough.
#[edge_program(combine = min)]
pub fn over_wide_edges(depth: u32, weight: u32) -> Option<u32> {
    if weight >= 3 { Some(depth + 1) } else { None }
}

/// Against the edges.
#[edge_program(combine = min, along = in)]
pub fn backwards(distance: u64, weight: u64) -> u64 {
    distance + weight
}

/// Along edges both ways.
#[edge_program(combine = min, along = both)]
pub fn both_ways(distance: u64, weight: u64) -> u64 {
    distance + weight
}

/// Every message is the largest number, which the combiner's identity looks like.
#[edge_program(combine = min)]
pub fn identity_min(value: u32) -> u32 {
    value | 0xffff_ffff
}

/// Every message is the smallest number.
#[edge_program(combine = max)]
pub fn identity_max(value: i64) -> i64 {
    if value > i64::MIN { i64::MIN } else { value }
}

/// A false that travels: `or`'s identity.
#[edge_program(combine = or)]
pub fn spread_or(value: bool) -> bool {
    value
}

/// A true that travels: `and`'s identity.
#[edge_program(combine = and)]
pub fn spread_and(value: bool) -> bool {
    value
}

/// Sets of bits, united.
#[edge_program(combine = or)]
pub fn united(bits: u64) -> u64 {
    bits
}

/// Sets of bits, intersected.
#[edge_program(combine = and)]
pub fn intersected(bits: u32, weight: u32) -> u32 {
    bits & !(1 << (weight & 31))
}

/// Zeros of both signs, and NaN where a weight says so.
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

/// The same upward, in double.
#[edge_program(combine = max)]
pub fn zeros_max(value: f64, weight: f64) -> f64 {
    if weight == 4.0 { f64::NAN } else { value.max(-0.0) * 1.0 }
}

#[edge_program]
pub mod ways {
    //! Counts ways: integer sums, which wrap.
    use wolfpath::prelude::*;

    /// Adds up what comes, step by step, for as many steps as asked for.
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
    //! A struct as value and message, and a combiner of the program's own.
    use wolfpath::prelude::*;

    /// How far, and from whom.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Label {
        pub origin: u64,
        pub distance: u32,
        pub open: [bool; 4],
    }

    /// The nearest of several origins; of two as near, the smaller id.
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
    //! `Senders::All` with a combiner that has no identity: what comes is optional.
    use wolfpath::prelude::*;

    /// The least value among the neighbours, seen anew in every step.
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
    //! Messages that are the same along all edges of a sender, of those that have one: some vertices begin without a value,
    //! and some values are kept for oneself.
    use wolfpath::prelude::*;

    #[derive(Clone, Copy, Debug)]
    pub struct Heard {
        pub least: u32,
        pub most: u32,
        pub times: u32,
    }

    /// What is heard from at least three is believed if it is less, else the most of it.
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
    //! A loop that ends along every edge, and would not at a vertex without one.
    use wolfpath::prelude::*;

    /// Doubles or more what is sent until it is worth sending.
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
    //! Folds by addition.
    use wolfpath::prelude::*;

    /// Depth, mixed with how many have been reached.
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
    //! Folds by the least, over floats.
    use wolfpath::prelude::*;

    /// Depth, mixed with the least of all.
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
    //! Folds by logical or.
    use wolfpath::prelude::*;

    /// Goes on while nobody has come to depth three.
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
    //! A `changed` of its own: small differences do not travel.
    use wolfpath::prelude::*;

    /// Distances that are told on only when they improve by more than a little.
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
    //! Reads every field that there is.
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

    /// Faults along an edge.
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

    /// Faults at the vertex whose id is asked for.
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
    //! Never comes to rest.
    use wolfpath::prelude::*;

    /// Flips for ever.
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

/// Overflows soon.
#[edge_program(combine = max)]
pub fn overflowing(value: u32) -> u32 {
    value + 0x4000_0000
}

/// Says that its messages are equal; they are not.
#[edge_program(combine = min, uniform)]
pub fn dishonest(value: u32, weight: u32) -> u32 {
    value + weight
}
