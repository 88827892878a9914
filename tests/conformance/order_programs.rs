//! Programs with a `priority`: every combiner, direction and kind of priority. Most mix their values so thoroughly that
//! one message too many, too few or too early changes everything.

#[wolfpath::edge_program]
pub(crate) mod cores {
    use wolfpath::prelude::*;

    /// Core numbers.
    #[derive(Clone, Debug)]
    pub(crate) struct Core;

    impl EdgeProgram for Core {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> u64 {
            v.out_degree
        }
        fn edge(&self, e: Edge<u64>) -> Option<u64> {
            (e.source != e.target).then_some(1)
        }
        fn apply(&self, v: Vertex<u64>, removed: u64) -> u64 {
            if v.value <= v.level { v.value } else { v.value.saturating_sub(removed).max(v.level) }
        }
        fn priority(&self, v: Vertex<u64>) -> u64 {
            v.value
        }
    }
}

#[wolfpath::edge_program]
pub(crate) mod stepping {
    use wolfpath::prelude::*;

    /// Shortest paths by delta-stepping. With a width of 1, a parallel Dijkstra.
    #[derive(Clone, Debug)]
    pub(crate) struct Stepping {
        pub(crate) from: u64,
        pub(crate) width: u64,
    }

    impl EdgeProgram for Stepping {
        type Value = u64;
        type Message = u64;
        type Weight = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u64> {
            (v.id == self.from).then_some(0)
        }
        fn edge(&self, e: Edge<u64, u32>) -> u64 {
            e.value + e.weight as u64
        }
        fn priority(&self, v: Vertex<u64>) -> u64 {
            v.value.checked_div(self.width).unwrap_or(0)
        }
    }
}

/// Defines a program that mixes values. `$item` are further items of its implementation.
macro_rules! ordered {
    ($module:ident, $doc:literal, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Ordered {
                /// Number of priorities.
                pub(crate) levels: u64,
                /// A vertex has a first value if its id is a multiple.
                pub(crate) starts: u64,
            }

            fn mix(value: u32, incoming: u64, step: u64, level: u64) -> u32 {
                let mixed = incoming.wrapping_mul(5) ^ step ^ (value as u64).wrapping_mul(0x9e37_79b9) ^ (level & 31);
                (mixed ^ mixed.unbounded_shr(17)) as u32 & 0xffff
            }

            impl EdgeProgram for Ordered {
                type Value = u32;
                $($item)*

                fn start(&self, v: Vertex) -> Option<u32> {
                    (v.id.checked_rem(self.starts) == Some(0)).then_some(v.id as u32)
                }
            }
        }
    };
}

ordered!(pushed, "Integers are pushed. Priorities rise and fall, also below the level.", {
    type Message = u32;
    type Combine = Sum;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value.wrapping_add(3)
    }
    fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
        mix(v.value.unwrap_or(7), incoming as u64, v.step, v.level)
    }
    fn changed(&self, before: u32, after: u32) -> bool {
        before & 7 != after & 7
    }
    fn priority(&self, v: Vertex<u32>) -> u64 {
        (v.value as u64).wrapping_mul(11).checked_rem(self.levels).unwrap_or(u64::MAX)
    }
});

ordered!(
    gathered,
    "Messages are gathered, along in-edges. `sends` decides who waits, and few levels are ever empty.",
    {
        type Message = u64;
        type Aggregate = Sum<u64>;
        const ALONG: Along = Along::In;
        fn edge(&self, e: Edge<u32>) -> Option<u64> {
            if e.value == 5 { None } else { Some(e.value as u64 | 1) }
        }
        fn combine(&self, a: u64, b: u64) -> u64 {
            a.wrapping_mul(b)
        }
        fn apply(&self, v: Vertex<Option<u32>, u64>, incoming: u64) -> u32 {
            mix(v.value.unwrap_or(7), incoming ^ v.aggregate, v.step, v.level)
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value % 3 != 1
        }
        fn aggregate(&self, v: Vertex<u32>) -> u64 {
            (v.value as u64 & 3).wrapping_mul(v.level & 15)
        }
        fn priority(&self, v: Vertex<u32>) -> u64 {
            v.level.saturating_add((v.value as u64).checked_rem(self.levels).unwrap_or(1 << 62))
        }
    }
);

ordered!(both_ways, "Booleans are pushed in both directions, and very large priorities occur.", {
    type Message = bool;
    type Combine = Or;
    const ALONG: Along = Along::Both;
    fn edge(&self, e: Edge<u32>) -> bool {
        e.value & 7 > 1
    }
    fn apply(&self, v: Vertex<Option<u32>>, incoming: bool) -> u32 {
        mix(v.value.unwrap_or(7), incoming as u64, v.step, v.level)
    }
    fn priority(&self, v: Vertex<u32>) -> u64 {
        match (v.value as u64).checked_rem(self.levels) {
            Some(0) => u64::MAX,
            Some(1) => u64::MAX - 1,
            Some(level) => level.wrapping_mul(level) << 20,
            None => 0,
        }
    }
});

#[wolfpath::edge_program]
pub(crate) mod failing {
    use wolfpath::prelude::*;

    /// Faults in `priority`, at one vertex.
    #[derive(Clone, Debug)]
    pub(crate) struct Failing {
        pub(crate) at: u64,
    }

    impl EdgeProgram for Failing {
        type Value = u64;
        type Message = u64;
        type Combine = Max;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value + 1
        }
        fn priority(&self, v: Vertex<u64>) -> u64 {
            assert!(v.id != self.at, "the place in the order is known");
            v.value
        }
    }
}
