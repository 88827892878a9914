//! Programs for runs in sequence: some start from outcomes of others, or read them as inputs.

/// Integers and structs that every vertex mixes in every step, so that one wrong first value changes everything.
#[wolfpath::edge_program]
pub(crate) mod stirred {
    use wolfpath::prelude::*;

    pub(crate) struct Pair {
        pub(crate) count: u64,
        pub(crate) mixed: i32,
        pub(crate) odd: [bool; 4],
    }

    #[derive(Clone, Debug)]
    pub(crate) struct Stirred;

    impl EdgeProgram for Stirred {
        type Value = Pair;
        type Message = u32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Pair {
            Pair { count: 1, mixed: v.id as i32, odd: [false, v.id & 1 == 1, true, false] }
        }
        fn edge(&self, e: Edge<Pair>) -> u32 {
            (e.value.mixed as u32).wrapping_mul(3).wrapping_add(e.value.odd[1] as u32)
        }
        fn apply(&self, v: Vertex<Pair>, incoming: u32) -> Pair {
            let mixed = (incoming ^ incoming.unbounded_shr(7)).wrapping_add(v.value.mixed as u32);
            Pair {
                count: v.value.count.wrapping_add(1),
                mixed: mixed as i32,
                odd: [true, mixed & 4 == 4, false, true],
            }
        }
    }
}

/// The same for vertices of which some have no value, with messages that depend on the receiver.
#[wolfpath::edge_program]
pub(crate) mod seeded {
    use wolfpath::prelude::*;

    #[derive(Clone, Debug)]
    pub(crate) struct Seeded {
        pub(crate) every: u64,
    }

    impl EdgeProgram for Seeded {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.id.checked_rem(self.every) == Some(0)).then_some(v.id as u32)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value.wrapping_add(3) ^ (e.target as u32)
        }
    }
}

/// Values that are pushed: the sum of all that a vertex received.
#[wolfpath::edge_program]
pub(crate) mod poured {
    use wolfpath::prelude::*;

    #[derive(Clone, Debug)]
    pub(crate) struct Poured;

    impl EdgeProgram for Poured {
        type Value = u32;
        type Message = u32;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.id != 1).then_some((v.id & 0xff) as u32)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value.wrapping_mul(5) ^ 1
        }
        fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
            v.value.unwrap_or(1).wrapping_mul(7).wrapping_add(incoming)
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value & 3 != 0
        }
    }
}

/// Sums over in-neighbours that read inputs at both ends. Programs that read `index` have their inputs by rank.
macro_rules! totals {
    ($module:ident, |$v:ident| $index:expr) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Totals {
                pub(crate) hops: PerVertex<u32>,
                pub(crate) mixed: PerVertex<i32>,
                pub(crate) far: PerVertex<f64>,
                pub(crate) odd: PerVertex<bool>,
            }

            impl EdgeProgram for Totals {
                type Value = u64;
                type Message = u64;
                type Combine = Sum;
                const SENDERS: Senders = Senders::All;

                fn start(&self, $v: Vertex) -> u64 {
                    let far = self.far.of($v).min(1e6) as u64;
                    $index.wrapping_add(self.hops.of($v) as u64).wrapping_add(far.wrapping_mul(64))
                }
                fn edge(&self, e: Edge<u64>) -> u64 {
                    let odd = if self.odd.source(e) { 1 } else { 2 };
                    (e.value ^ self.mixed.target(e) as u64).wrapping_mul(odd)
                }
            }
        }
    };
}

totals!(totals, |v| v.id);
totals!(indexed_totals, |v| (v.index as u64));

/// The largest value that reaches a vertex. All vertices have one from the beginning.
#[wolfpath::edge_program]
pub(crate) mod counted {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Counted;

    impl EdgeProgram for Counted {
        type Value = u32;
        type Message = u32;
        type Combine = Max;
        type Aggregate = Sum<u64>;

        fn start(&self, v: Vertex) -> u32 {
            v.id as u32
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn aggregate(&self, v: Vertex<u32>) -> u64 {
            v.before.abs_diff(v.value) as u64
        }
    }
}
