//! Programs for combiners that work field by field, and for the most frequent message. Floats are small integers and
//! halves, so that their sums are exact in any order.

/// Sums of eight floats, one of which starts at one vertex in eight.
#[wolfpath::edge_program]
pub(crate) mod sums {
    use wolfpath::prelude::*;

    pub(crate) struct Sums;

    impl EdgeProgram for Sums {
        type Value = [f32; 8];
        type Message = [f32; 8];
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> [f32; 8] {
            let mut all = [0.0; 8];
            all[(v.id % 8) as usize] = (v.id % 5) as f32;
            all
        }
        fn edge(&self, e: Edge<[f32; 8]>) -> [f32; 8] {
            e.value
        }
        fn apply(&self, _v: Vertex<[f32; 8]>, incoming: [f32; 8]) -> [f32; 8] {
            incoming
        }
    }
}

/// One combiner per field, all of which have a neutral message.
#[wolfpath::edge_program]
pub(crate) mod summary {
    use wolfpath::prelude::*;

    pub(crate) struct Inner {
        pub(crate) bits: u64,
        pub(crate) total: i32,
        pub(crate) rows: [u32; 3],
    }

    pub(crate) struct Summary {
        pub(crate) count: u32,
        pub(crate) total: f32,
        pub(crate) exact: f64,
        pub(crate) inner: [Inner; 2],
        pub(crate) common: [i64; 2],
    }

    #[derive(Clone, Debug)]
    pub(crate) struct Summaries {
        /// A vertex sends if its count is not a multiple.
        pub(crate) silent: u32,
    }

    fn of(id: u64) -> Summary {
        let inner = Inner { bits: id, total: id as i32, rows: [id as u32, 1, u32::MAX] };
        Summary {
            count: id as u32 | 1,
            total: (id % 9) as f32 * 0.5,
            exact: (id % 7) as f64,
            inner: [inner; 2],
            common: [-1, id as i64],
        }
    }

    impl EdgeProgram for Summaries {
        type Value = Summary;
        type Message = Summary;
        type Combine = Fields<(Sum, Sum, Sum, Sum, And)>;

        fn start(&self, v: Vertex) -> Summary {
            of(v.id)
        }
        fn edge(&self, e: Edge<Summary>) -> Summary {
            e.value
        }
        fn apply(&self, v: Vertex<Summary>, incoming: Summary) -> Summary {
            let mut after = of(v.id);
            after.count = incoming.count;
            after.total += incoming.exact as f32 % 16.0 - incoming.total % 8.0;
            after.exact = (incoming.total % 8.0) as f64;
            after.inner[0].total = incoming.inner[1].total;
            after.inner[1].bits = incoming.inner[0].bits.wrapping_add(incoming.inner[0].rows[2] as u64);
            after.inner[1].rows[0] = incoming.inner[0].rows[1];
            after.common[1] = incoming.common[1] ^ incoming.common[0];
            after
        }
        fn sends(&self, v: Vertex<Summary>) -> bool {
            v.value.count.checked_rem(self.silent) != Some(0)
        }
    }
}

/// Fields without a neutral message: `incoming` is an `Option`.
#[wolfpath::edge_program]
pub(crate) mod extremes {
    use wolfpath::prelude::*;

    pub(crate) struct Bits {
        pub(crate) any: [bool; 2],
        pub(crate) all: [bool; 2],
    }

    pub(crate) struct Extremes {
        pub(crate) most: f64,
        pub(crate) oldest: i64,
        pub(crate) step: [u64; 2],
        pub(crate) least: f32,
        pub(crate) bits: Bits,
    }

    pub(crate) struct Extreme;

    fn is_multiple(value: u64, of: u64) -> bool {
        value.checked_rem(of) == Some(0)
    }

    impl EdgeProgram for Extreme {
        type Value = u64;
        type Message = Extremes;
        type Combine = Fields<(Max, Min, Any, Min, Fields<(Or, And)>)>;
        type Weight = u32;
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64, u32>) -> Option<Extremes> {
            // NaN, and zeros of both signs.
            let least = if is_multiple(e.value, 3) { f32::NAN } else { (e.value % 5) as f32 * -0.0 };
            let bits = Bits { any: [is_multiple(e.value, 4), false], all: [true, !is_multiple(e.value, 6)] };
            (e.value % 11 != 7).then_some(Extremes {
                least,
                most: e.value as f64 + e.weight as f64,
                oldest: e.value as i64 - 40,
                step: [3, 4],
                bits,
            })
        }
        fn apply(&self, v: Vertex<u64>, incoming: Option<Extremes>) -> u64 {
            let Some(all) = incoming else { return v.value + 1 };
            let sign = if all.least.is_nan() { 2 } else { all.least.to_bits() as u64 >> 31 };
            let bits = all.bits.any[0] as u64 * 2 + all.bits.all[1] as u64;
            let most = all.most as u64 % 65536;
            (most * 64 + sign * 16 + bits * 4 + all.step[0] + (all.oldest & 0xff) as u64) % 1_000_003
        }
    }
}

/// Union of three words of bits, with the default `apply`.
#[wolfpath::edge_program]
pub(crate) mod origins {
    use wolfpath::prelude::*;

    pub(crate) struct Origins;

    impl EdgeProgram for Origins {
        type Value = [u32; 3];
        type Message = [u32; 3];
        type Combine = Or;

        fn start(&self, v: Vertex) -> [u32; 3] {
            let mut bits = [0; 3];
            bits[(v.id % 3) as usize] = 1 << (v.id / 3 % 32);
            bits
        }
        fn edge(&self, e: Edge<[u32; 3]>) -> [u32; 3] {
            e.value
        }
    }
}

/// Sets of several sources in function form, combined where a source is listed twice.
#[wolfpath::edge_program(combine = or)]
pub(crate) fn marked(marks: [bool; 12]) -> [bool; 12] {
    marks
}

/// Intersection over a struct, with the default `apply`; vertices compute until they halt.
#[wolfpath::edge_program]
pub(crate) mod commons {
    use wolfpath::prelude::*;

    pub(crate) struct Common {
        pub(crate) bits: [i32; 2],
        pub(crate) all: [bool; 4],
    }

    pub(crate) struct Commons;

    impl EdgeProgram for Commons {
        type Value = Common;
        type Message = Common;
        type Combine = And;
        const ALONG: Along = Along::In;

        fn start(&self, v: Vertex) -> Option<Common> {
            let odd = v.id as i32 | 1;
            (v.id % 4 != 3)
                .then_some(Common { bits: [odd, -odd], all: [v.id % 5 != 0, v.id % 2 == 0, true, false] })
        }
        fn edge(&self, e: Edge<Common>) -> Common {
            e.value
        }
        fn halts(&self, v: Vertex<Common>) -> bool {
            v.step >= 3
        }
    }
}

/// Floats whose sums round: the average of the neighbours, weighted.
#[wolfpath::edge_program]
pub(crate) mod averages {
    use wolfpath::prelude::*;

    pub(crate) struct Weighted {
        pub(crate) weights: f64,
        pub(crate) total: f32,
        pub(crate) third: [f32; 1],
    }

    pub(crate) struct Averages;

    impl EdgeProgram for Averages {
        type Value = Weighted;
        type Message = Weighted;
        type Combine = Sum;
        type Weight = f32;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Weighted {
            Weighted {
                total: 0.1 + (v.id % 100) as f32 / 7.0,
                weights: 1.0 / (1 + v.id % 13) as f64,
                third: [0.3],
            }
        }
        fn edge(&self, e: Edge<Weighted, f32>) -> Weighted {
            let share = e.weight / 3.0 + 0.1;
            Weighted {
                total: e.value.total * share,
                weights: e.value.weights * share as f64,
                third: [e.value.third[0] / e.out_degree as f32],
            }
        }
        fn apply(&self, v: Vertex<Weighted>, incoming: Weighted) -> Weighted {
            let total = 0.1 + incoming.total / (incoming.weights as f32 + 1.0);
            Weighted {
                total,
                weights: 1.0 / (1.0 + incoming.weights),
                third: [0.5 * (incoming.third[0] + v.value.third[0])],
            }
        }
    }
}

/// LDBC Graphalytics' community detection by label propagation (CDLP).
#[wolfpath::edge_program]
pub(crate) mod cdlp {
    use wolfpath::prelude::*;

    pub(crate) struct Communities;

    impl EdgeProgram for Communities {
        type Value = u64;
        type Message = u64;
        type Combine = MostFrequent<u64>;
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
        fn apply(&self, v: Vertex<u64>, incoming: Option<u64>) -> u64 {
            incoming.unwrap_or(v.value)
        }
    }
}

/// Defines a program in which vertices count labels of 32 bits. `$item` are further items of its implementation.
macro_rules! voting {
    ($module:ident, $doc:literal, $incoming:ty, |$message:ident| $voted:expr; { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Voting {
                /// Number of labels.
                pub(crate) labels: u32,
                /// A vertex sends if its label is not a multiple.
                pub(crate) silent: u32,
            }

            fn is_silent(label: u32, silent: u32) -> bool {
                label.checked_rem(silent) == Some(0)
            }

            impl EdgeProgram for Voting {
                type Value = u32;
                type Message = u32;
                type Combine = MostFrequent<u32>;
                $($item)*

                fn start(&self, v: Vertex) -> u32 {
                    // The largest label is one of them.
                    !((v.id as u32).wrapping_mul(0x9e37_79b9) % self.labels)
                }
                fn apply(&self, v: Vertex<u32>, $message: $incoming) -> u32 {
                    let voted: Option<u32> = $voted;
                    match voted {
                        Some(label) => !((!label).wrapping_add(v.step as u32 + (v.id % 2) as u32) % self.labels),
                        None => v.value.rotate_left(1),
                    }
                }
            }
        }
    };
}

voting!(votes, "Only some vertices send; receivers compute.", u32, |incoming| Some(incoming); {
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value
    }
    fn sends(&self, v: Vertex<u32>) -> bool {
        !is_silent(v.value, self.silent)
    }
});

voting!(weighed_votes, "Messages depend on the edge, and some edges carry none; vertices halt.", Option<u32>, |incoming| incoming; {
    type Weight = u32;
    const ALONG: Along = Along::Both;
    fn edge(&self, e: Edge<u32, u32>) -> Option<u32> {
        if e.weight % 5 == 4 { None } else { Some(!((!e.value).wrapping_add(e.weight) % self.labels)) }
    }
    fn halts(&self, v: Vertex<u32>) -> bool {
        v.step >= 4 && v.id & 1 == 0
    }
});

voting!(all_votes, "All vertices compute, and some send nothing.", Option<u32>, |incoming| incoming; {
    const SENDERS: Senders = Senders::All;
    const ALONG: Along = Along::In;
    fn edge(&self, e: Edge<u32>) -> Option<u32> {
        if is_silent(e.value, self.silent) { None } else { Some(e.value) }
    }
});
