//! Programs that propagate labels: `edge` returns the sender's value unchanged. The plan finds their values by
//! union-find if messages travel in both directions of every edge.

// Written as in a user's program.
#![allow(unreachable_pub, reason = "the functions are as public as a user's")]

use wolfpath::prelude::*;

/// Defines a program for `min` and one for `max`, which start from sources.
macro_rules! labels {
    ($($least:ident, $greatest:ident: $number:ty),*) => {$(
        #[edge_program(combine = min, along = both)]
        pub fn $least(label: $number) -> $number {
            label
        }

        #[edge_program(combine = max, along = both)]
        pub fn $greatest(label: $number) -> $number {
            label
        }
    )*};
}

labels! {
    least_u32, greatest_u32: u32,
    least_i32, greatest_i32: i32,
    least_u64, greatest_u64: u64,
    least_i64, greatest_i64: i64,
    least_f32, greatest_f32: f32,
    least_f64, greatest_f64: f64
}

/// Travels along out-edges only, so this is union-find on symmetric graphs only.
#[edge_program(combine = min)]
pub fn outward(label: u32) -> u32 {
    label
}

#[edge_program]
pub mod scattered {
    use wolfpath::prelude::*;

    /// The least label among the vertices whose id is a multiple of `apart`.
    #[derive(Clone, Debug)]
    pub struct Scattered {
        pub apart: u64,
    }

    impl EdgeProgram for Scattered {
        type Value = i64;
        type Message = i64;
        type Combine = Min;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> Option<i64> {
            if v.id % self.apart == 0 { Some(7 - (v.id % 11) as i64) } else { None }
        }
        fn edge(&self, e: Edge<i64>) -> Option<i64> {
            Some(e.value)
        }
    }
}

#[edge_program]
pub mod degrees {
    use wolfpath::prelude::*;

    /// The greatest number of edges of any vertex in the component. Many vertices start with the same value.
    #[derive(Clone, Debug)]
    pub struct GreatestDegree;

    impl EdgeProgram for GreatestDegree {
        type Value = u64;
        type Message = u64;
        type Combine = Max;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u64 {
            v.out_degree + v.in_degree
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
    }
}

#[edge_program]
pub mod nan_labels {
    use wolfpath::prelude::*;

    /// Numbers of both signs, with NaN at every vertex whose id is a multiple of `nan_at`.
    #[derive(Clone, Debug)]
    pub struct NanLabels {
        pub nan_at: u64,
    }

    impl EdgeProgram for NanLabels {
        type Value = f32;
        type Message = f32;
        type Combine = Min;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> f32 {
            if v.id % self.nan_at == 0 { f32::NAN } else { -0.0 * (v.id % 3) as f32 + (v.id % 2) as f32 }
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            e.value
        }
    }
}

#[edge_program]
pub mod quotients {
    use wolfpath::prelude::*;

    /// Divides by zero at the vertex 3.
    #[derive(Clone, Debug)]
    pub struct Quotients;

    impl EdgeProgram for Quotients {
        type Value = u64;
        type Message = u64;
        type Combine = Min;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u64 {
            100 / (v.id ^ 3)
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
    }
}
