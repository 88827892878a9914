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
        v.value.is_multiple_of(3) || v.step > 20
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

/// Defines a program whose fold measures how values change, and whose values depend on that. `$item` are further items
/// of its implementation.
macro_rules! changing {
    ($module:ident, $doc:literal, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            pub(crate) struct Change {
                pub(crate) moved: Sum<f64>,
                pub(crate) fresh: Sum<u32>,
                pub(crate) farthest: Max<i64>,
            }

            #[derive(Clone, Debug)]
            pub(crate) struct Changing {
                /// Movement with which the run ends.
                pub(crate) until: f64,
            }

            fn change(value: u32, before: Option<u32>) -> Change {
                match before {
                    Some(before) => {
                        let farthest = (value as i64).wrapping_sub(before as i64);
                        Change { moved: (farthest * farthest) as f64 / 8.0, fresh: 0, farthest }
                    }
                    None => Change { moved: 0.0, fresh: 1, farthest: -1_000_000 },
                }
            }

            fn mixed(value: u32, change: Change) -> u32 {
                (value ^ change.moved as u32 ^ change.fresh ^ (change.farthest as u32 & 3)) & 0x3ff
            }

            impl EdgeProgram for Changing {
                type Value = u32;
                type Aggregate = Change;
                $($item)*

                fn finished(&self, before: Change, now: Change, step: u64) -> bool {
                    now.moved <= self.until && now.fresh <= before.fresh && step > 4 || step > 30
                }
            }
        }
    };
}

changing!(moving, "Sums are pushed, and more and more vertices get a value.", {
    type Message = u32;
    type Combine = Sum;
    fn start(&self, v: Vertex) -> Option<u32> {
        (v.id % 7 == 2).then_some((v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24))
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value, v.before)
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value & 7
    }
    fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
        mixed(v.value.unwrap_or(77).wrapping_mul(3) ^ incoming, v.aggregate)
    }
});

changing!(nearing, "Minima are pushed, and the frontier is thin.", {
    type Message = u32;
    type Combine = Min;
    fn start(&self, v: Vertex) -> Option<u32> {
        (v.id == 40).then_some(0)
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        let Vertex { value, before, .. } = v;
        change(value, before)
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value.wrapping_add(1)
    }
    fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
        v.value.unwrap_or(5_000).min(incoming + (v.aggregate.fresh & 1))
    }
    fn sends(&self, v: Vertex<u32>) -> bool {
        v.value % 50 != 49 || v.aggregate.moved > 0.0
    }
});

changing!(queueing, "Vertices send in order of priority, which depends on the fold.", {
    type Message = u32;
    type Combine = Min;
    fn start(&self, v: Vertex) -> Option<u32> {
        (v.id % 7 == 2).then_some((v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24))
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value, v.before)
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value.wrapping_add(e.target as u32 & 3)
    }
    fn priority(&self, v: Vertex<u32>) -> u64 {
        v.value as u64 / 8 + (v.aggregate.moved as u64) % 2
    }
});

changing!(waking, "Vertices compute without a message until they halt, and the fold reads the step.", {
    type Message = u32;
    type Combine = Sum;
    fn start(&self, v: Vertex) -> u32 {
        v.id as u32 & 0xff
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value ^ v.step as u32, Some(v.before))
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value & 3
    }
    fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
        mixed(v.value ^ incoming, v.aggregate)
    }
    fn halts(&self, v: Vertex<u32>) -> bool {
        v.value.is_multiple_of(3) || v.step > 12
    }
});

changing!(collecting, "Products are gathered from vertices that changed.", {
    type Message = u64;
    fn start(&self, v: Vertex) -> Option<u32> {
        (v.id % 7 == 2).then_some((v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24))
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value, v.before)
    }
    fn edge(&self, e: Edge<u32>) -> u64 {
        e.value as u64 | 1
    }
    fn combine(&self, a: u64, b: u64) -> u64 {
        a.wrapping_mul(b)
    }
    fn apply(&self, v: Vertex<Option<u32>>, incoming: u64) -> u32 {
        mixed(v.value.unwrap_or(9) ^ incoming as u32 & 0xff, v.aggregate)
    }
});

changing!(choosing, "All vertices compute, and few send.", {
    type Message = u32;
    type Combine = Max;
    const SENDERS: Senders = Senders::All;
    fn start(&self, v: Vertex) -> u32 {
        (v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24)
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value, Some(v.before))
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value ^ 1
    }
    fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
        mixed(v.value.wrapping_mul(5) ^ incoming.unwrap_or(9), v.aggregate)
    }
    fn sends(&self, v: Vertex<u32>) -> bool {
        v.value.is_multiple_of(4)
    }
});

changing!(alike, "Every vertex sends in every step, the same message along all edges.", {
    type Message = u32;
    type Combine = Max;
    const SENDERS: Senders = Senders::All;
    fn start(&self, v: Vertex) -> u32 {
        (v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24)
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value, Some(v.before))
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value ^ 1
    }
    fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
        mixed(v.value.wrapping_mul(5) ^ incoming.unwrap_or(9), v.aggregate)
    }
});

changing!(weighed, "Every vertex sends in every step, other messages along other edges.", {
    type Message = u32;
    type Weight = u32;
    type Combine = Or;
    const SENDERS: Senders = Senders::All;
    fn start(&self, v: Vertex) -> Option<u32> {
        (v.id % 7 == 2).then_some((v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24))
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        change(v.value, v.before)
    }
    fn edge(&self, e: Edge<u32, u32>) -> u32 {
        e.value.wrapping_mul(e.weight) & 0xff
    }
    fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
        mixed(v.value.unwrap_or(3).wrapping_mul(5) ^ incoming, v.aggregate)
    }
});

changing!(looping, "Every vertex sends in every step, and the fold has a loop.", {
    type Message = u32;
    type Combine = Max;
    const SENDERS: Senders = Senders::All;
    fn start(&self, v: Vertex) -> u32 {
        v.id as u32 & 0xff
    }
    fn aggregate(&self, v: Vertex<u32>) -> Change {
        let (mut before, mut left) = (v.before, 3);
        while left > 0 {
            before = before.wrapping_add(left);
            left -= 1;
        }
        change(v.value, Some(before))
    }
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value ^ 1
    }
    fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
        mixed(v.value.wrapping_mul(5) ^ incoming.unwrap_or(9), v.aggregate)
    }
});

#[wolfpath::edge_program]
pub(crate) mod together {
    use wolfpath::prelude::*;

    /// Nothing can fail, so that the CPU engine computes many vertices together. Sums of floats have other bits in
    /// another order.
    #[derive(Clone, Debug)]
    pub(crate) struct Together;

    impl EdgeProgram for Together {
        type Value = f64;
        type Message = f64;
        type Combine = Sum;
        type Aggregate = (Sum<f64>, Max<f64>);
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f64 {
            v.id as f64 * 1e-3
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value
        }
        fn apply(&self, v: Vertex<f64>, incoming: f64) -> f64 {
            0.3 + 0.4 * v.value + 0.02 * incoming
        }
        fn aggregate(&self, v: Vertex<f64>) -> (f64, f64) {
            let change = (v.value - v.before).abs();
            (change, change)
        }
        fn finished(&self, _before: (f64, f64), now: (f64, f64), step: u64) -> bool {
            step > 2 && now.1 < 1e-3
        }
    }
}

#[wolfpath::edge_program]
pub(crate) mod thin {
    use wolfpath::prelude::*;

    /// Folds floats of very different sizes while few vertices change.
    #[derive(Clone, Debug)]
    pub(crate) struct Thin;

    impl EdgeProgram for Thin {
        type Value = f64;
        type Message = f64;
        type Combine = Max;
        type Aggregate = (Sum<f64>, Sum<f64>);

        fn start(&self, v: Vertex) -> f64 {
            let mixed = v.id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed >> 40) as f64 * 10.0_f64.powi((mixed & 15) as i32)
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value
        }
        fn aggregate(&self, v: Vertex<f64>) -> (f64, f64) {
            (v.value, v.value - v.before)
        }
    }
}
