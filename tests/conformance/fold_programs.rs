//! Programs with several folds, for every schedule that goes step by step.

/// Defines a program that folds into a tuple and reads it. `$item` are further items of its implementation.
macro_rules! folding {
    ($module:ident, $doc:literal, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Folding {
                /// Sum with which the run ends.
                pub(crate) at: f64,
            }

            impl EdgeProgram for Folding {
                type Value = u32;
                type Aggregate = (Sum<f64>, Min<u32>, Or<bool>);
                $($item)*

                fn start(&self, v: Vertex) -> u32 {
                    (v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24)
                }
                fn aggregate(&self, v: Vertex<u32>) -> (f64, u32, bool) {
                    (v.value as f64 / 4.0, v.value | 1, v.value % 16 == 3)
                }
                fn finished(&self, before: (f64, u32, bool), now: (f64, u32, bool), step: u64) -> bool {
                    let (sum, least, _) = now;
                    sum >= self.at && before.1 <= least || step > 30
                }
            }
        }
    };
}

folding!(pushed, "Sums are pushed.", {
    type Message = u32;
    type Combine = Sum;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value & 7
    }
    fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
        let (sum, _, some) = v.aggregate;
        (v.value.wrapping_mul(3) ^ incoming ^ sum as u32 ^ some as u32) & 0x3ff
    }
});

folding!(ordered, "Minima are pushed in order of priority.", {
    type Message = u32;
    type Combine = Min;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value.wrapping_add(1)
    }
    fn priority(&self, v: Vertex<u32>) -> u64 {
        v.value as u64 / 8 + (v.aggregate.1 as u64) % 2
    }
});

folding!(awake, "Vertices halt one after the other.", {
    type Message = u32;
    type Combine = Sum;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value & 3
    }
    fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
        (v.value ^ incoming ^ v.aggregate.1) & 0x1ff
    }
    fn sends(&self, v: Vertex<u32>) -> bool {
        v.value & 4 != v.aggregate.1 & 4
    }
    fn halts(&self, v: Vertex<u32>) -> bool {
        v.value % 3 == 0 || v.step > 20
    }
});

folding!(gathered, "Products are gathered from vertices that changed.", {
    type Message = u64;
    fn edge(&self, e: Edge<u32>) -> u64 {
        e.value as u64 | 1
    }
    fn combine(&self, a: u64, b: u64) -> u64 {
        a.wrapping_mul(b)
    }
    fn apply(&self, v: Vertex<u32>, incoming: u64) -> u32 {
        (v.value ^ incoming as u32 ^ v.aggregate.0 as u32) & 0x3ff
    }
});

folding!(everyone, "Every vertex sends in every step, the same message along all edges.", {
    type Message = u32;
    type Combine = Max;
    const SENDERS: Senders = Senders::All;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value ^ 1
    }
    fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
        (v.value.wrapping_mul(5) ^ incoming.unwrap_or(9) ^ v.aggregate.0 as u32) & 0x3ff
    }
});

#[wolfpath::edge_program]
pub(crate) mod totals {
    use wolfpath::prelude::*;

    /// Folds into a struct with fields of every size.
    #[derive(Default, PartialEq)]
    pub(crate) struct Totals {
        pub(crate) any: Or<bool>,
        pub(crate) sum: Sum<f64>,
        pub(crate) least: Min<i32>,
        pub(crate) all: And<u64>,
        pub(crate) most: Max<f32>,
    }

    impl Totals {
        fn is_even(&self) -> bool {
            self.any && self.least % 2 == 0
        }
    }

    #[derive(Clone, Debug)]
    pub(crate) struct Spreading {
        pub(crate) from: u64,
    }

    impl EdgeProgram for Spreading {
        type Value = u64;
        type Message = u64;
        type Combine = Min;
        type Aggregate = Totals;

        fn start(&self, v: Vertex) -> Option<u64> {
            (v.id % 5 == self.from).then_some(v.id)
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value + 1
        }
        fn apply(&self, v: Vertex<Option<u64>>, incoming: u64) -> u64 {
            let least = v.aggregate.least as u64;
            let incoming = if v.aggregate.is_even() { incoming } else { incoming + 1 };
            v.value.unwrap_or(incoming + least % 3).min(incoming)
        }
        fn aggregate(&self, v: Vertex<u64>) -> Totals {
            Totals {
                any: v.value > 40,
                sum: v.value as f64,
                least: -(v.value as i32),
                all: v.value | 6,
                most: v.out_degree as f32,
            }
        }
        fn finished(&self, before: Totals, now: Totals, _step: u64) -> bool {
            now.sum > 9_000.0 && before.most == now.most
        }
    }
}
