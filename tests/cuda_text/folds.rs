//! A program with several folds, which measure change.

#[wolfpath::edge_program]
pub(crate) mod folds {
    use wolfpath::prelude::*;

    pub(crate) struct Totals {
        pub(crate) change: Sum<f64>,
        pub(crate) least: Min<u32>,
        pub(crate) all: And<bool>,
    }

    pub(crate) struct Folds {
        pub(crate) tolerance: f64,
    }

    impl EdgeProgram for Folds {
        type Value = f32;
        type Message = f32;
        type Combine = Max;
        type Aggregate = Totals;

        fn start(&self, v: Vertex) -> Option<f32> {
            (v.out_degree > 0).then_some(v.out_degree as f32)
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            e.value / 2.0
        }
        fn apply(&self, v: Vertex<Option<f32>>, incoming: f32) -> f32 {
            v.value.unwrap_or(v.aggregate.change as f32) + incoming
        }
        fn aggregate(&self, v: Vertex<f32>) -> Totals {
            let change = v.before.map_or(0.0, |before| (v.value - before) as f64);
            Totals { change, least: v.index, all: v.before.is_some() }
        }
        fn finished(&self, before: Totals, now: Totals, step: u64) -> bool {
            now.all && before.all && now.change < self.tolerance || step > 100
        }
    }
}
