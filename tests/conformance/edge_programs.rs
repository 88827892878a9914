//! Programs that read what an edge knows besides its ends: the step, the fold, the direction of the message, and the
//! place. There is one for each way in which engines run them.

/// Defines a program that mixes what it reads at the edge `$e`. `$item` are further items of its implementation.
macro_rules! mixing {
    ($module:ident, $doc:literal, |$e:ident| $seen:expr, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Debug)]
            pub(crate) struct Mixing {
                pub(crate) seed: u32,
            }

            fn mix(a: u32, b: u64) -> u32 {
                let mixed = (a as u64).wrapping_mul(0x9e37_79b9).wrapping_add(b.wrapping_mul(31));
                (mixed ^ mixed.unbounded_shr(15)) as u32
            }

            impl EdgeProgram for Mixing {
                type Value = u32;
                type Message = u32;
                $($item)*

                fn start(&self, v: Vertex) -> Option<u32> {
                    (v.index % 3 != 1).then_some(mix(self.seed, v.id))
                }
                fn edge(&self, $e: Edge<u32>) -> Option<u32> {
                    let mixed = mix($e.value, $seen);
                    if mixed % 7 == 3 { None } else { Some(mixed & 0xffff) }
                }
                fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
                    mix(v.value.unwrap_or(5), incoming as u64)
                }
            }
        }
    };
}

mixing!(step_pushed, "The step; integers are pushed.", |e| e.step, {
    type Combine = Sum;
});
mixing!(step_gathered, "The step; an own combiner is gathered.", |e| e.step, {
    fn combine(&self, a: u32, b: u32) -> u32 {
        (a | 1).wrapping_mul(b | 1)
    }
});
mixing!(fold_pushed, "The fold and the step; integers are pushed.", |e| e.aggregate.wrapping_add(e.step), {
    type Combine = Max;
    type Aggregate = Sum<u64>;
    fn aggregate(&self, v: Vertex<u32>) -> u64 {
        v.value as u64
    }
});
mixing!(fold_all, "The fold; all vertices send.", |e| e.aggregate, {
    type Combine = Sum;
    type Aggregate = Max<u64>;
    const SENDERS: Senders = Senders::All;
    fn aggregate(&self, v: Vertex<u32>) -> u64 {
        v.value as u64
    }
});
mixing!(place_pushed, "The place; integers are pushed.", |e| e.place, {
    type Combine = Sum;
});
mixing!(
    place_in,
    "The place; integers are pushed along in-edges, with the step.",
    |e| e.place ^ (e.step << 3),
    {
        type Combine = Sum;
        const ALONG: Along = Along::In;
    }
);
mixing!(place_gathered, "The place; an own combiner is gathered.", |e| e.place, {
    fn combine(&self, a: u32, b: u32) -> u32 {
        (a | 1).wrapping_mul(b | 1)
    }
});
mixing!(place_all, "The place; all vertices send.", |e| e.place, {
    type Combine = Sum;
    const SENDERS: Senders = Senders::All;
});
mixing!(place_frequent, "The place; the most frequent message is gathered.", |e| e.place % 3, {
    type Combine = MostFrequent<u32>;
});
mixing!(place_neighbours, "The place; integers are pushed between neighbours.", |e| e.place, {
    type Combine = Sum;
    const ALONG: Along = Along::Neighbours;
});
mixing!(
    place_oriented,
    "The place and a count; all send between oriented neighbours.",
    |e| e.place ^ e.common_neighbours(),
    {
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Neighbours;
        const ORIENTED: bool = true;
    }
);
mixing!(
    both_pushed,
    "Direction and place; integers are pushed both ways.",
    |e| e.place ^ (e.forward as u64) << 9,
    {
        type Combine = Sum;
        const ALONG: Along = Along::Both;
    }
);
mixing!(
    both_all,
    "Direction and place; all vertices send both ways.",
    |e| e.place ^ (e.forward as u64) << 9,
    {
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Both;
    }
);
mixing!(direction_gathered, "The direction; an own combiner is gathered.", |e| e.forward as u64, {
    const ALONG: Along = Along::Both;
    fn combine(&self, a: u32, b: u32) -> u32 {
        (a | 1).wrapping_mul(b | 1)
    }
});

/// The least sum of places and weights along a path. Its values may be seen early.
#[wolfpath::edge_program]
pub(crate) mod turns {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Turns {
        pub(crate) from: u64,
    }

    impl EdgeProgram for Turns {
        type Value = u64;
        type Message = u64;
        type Weight = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u64> {
            (v.id == self.from).then_some(0)
        }
        fn edge(&self, e: Edge<u64, u32>) -> u64 {
            e.value.wrapping_add(e.place).wrapping_add(e.weight as u64)
        }
    }
}

/// The least number of edges that are passed against their direction. Its values may be seen early.
#[wolfpath::edge_program]
pub(crate) mod against {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Against {
        pub(crate) from: u64,
    }

    impl EdgeProgram for Against {
        type Value = u32;
        type Message = u32;
        type Combine = Min;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.id == self.from).then_some(0)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            if e.forward { e.value } else { e.value.wrapping_add(1) }
        }
    }
}

/// Tells if a vertex was reached at an even step. The message is the step itself, which is equal for all edges.
#[wolfpath::edge_program]
pub(crate) mod reached {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Reached {
        pub(crate) from: u64,
    }

    impl EdgeProgram for Reached {
        type Value = u64;
        type Message = u64;
        type Combine = Min;
        const UNIFORM: bool = true;

        fn start(&self, v: Vertex) -> Option<u64> {
            (v.id == self.from).then_some(0)
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.step
        }
    }
}
