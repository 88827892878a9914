//! Programs whose weights are structs: rides of a timetable, and fields of every type and size.

// Written as in a user's program.
#![allow(unreachable_pub)]

use wolfpath::prelude::*;

/// Earliest arrival. Each ride departs at one time.
#[edge_program]
pub(crate) mod earliest {
    use wolfpath::prelude::*;

    pub struct Ride {
        pub departure: u32,
        pub duration: u32,
    }

    pub struct Earliest {}

    impl EdgeProgram for Earliest {
        type Value = u32;
        type Message = u32;
        type Weight = Ride;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            if v.id == 0 { Some(300) } else { None }
        }
        fn edge(&self, e: Edge<u32, Ride>) -> Option<u32> {
            if e.value <= e.weight.departure { Some(e.weight.departure + e.weight.duration) } else { None }
        }
    }
}

/// Weights of twelve bytes, aligned to four. Edges are used in both directions and messages are summed, so receivers
/// gather.
#[edge_program]
pub(crate) mod tolls {
    use wolfpath::prelude::*;

    pub struct Road {
        pub length: f32,
        pub toll: i32,
        pub lanes: u32,
    }

    pub struct Tolls {}

    impl EdgeProgram for Tolls {
        type Value = i64;
        type Message = i64;
        type Weight = Road;
        type Combine = Sum;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> Option<i64> {
            if v.id == 0 { Some(1) } else { None }
        }
        fn edge(&self, e: Edge<i64, Road>) -> Option<i64> {
            if e.weight.lanes == 0 {
                return None;
            }
            Some(e.value / 2 + (e.weight.length * 2.0) as i64 - e.weight.toll as i64 * e.weight.lanes as i64)
        }
        fn apply(&self, v: Vertex<Option<i64>>, incoming: i64) -> i64 {
            match v.value {
                Some(value) => value,
                None => incoming,
            }
        }
    }
}

/// Weights of twenty-four bytes, aligned to eight, with every type other than `u32`. Messages go against the edges.
#[edge_program]
pub(crate) mod wide {
    use wolfpath::prelude::*;

    pub struct Wide {
        pub mass: f64,
        pub delta: i64,
        pub open: bool,
        pub toll: bool,
        pub slow: bool,
        pub steep: bool,
        pub width: f32,
    }

    pub struct Widest {}

    impl EdgeProgram for Widest {
        type Value = i64;
        type Message = i64;
        type Weight = Wide;
        type Combine = Max;
        const ALONG: Along = Along::In;

        fn start(&self, v: Vertex) -> Option<i64> {
            if v.id % 7 == 0 { Some(1000) } else { None }
        }
        fn edge(&self, e: Edge<i64, Wide>) -> Option<i64> {
            let w = e.weight;
            if !w.open || (w.toll && w.steep) {
                return None;
            }
            let less = if w.slow { 3 } else { 2 };
            let cost = w.delta.abs() + less + w.mass as i64 + w.width as i64;
            if e.value > cost { Some(e.value - cost) } else { None }
        }
    }
}
