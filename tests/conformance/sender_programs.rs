//! Programs that decide who sends and who computes: every combination of senders, combiner and direction. Most mix
//! their values so thoroughly that one message too many or too few changes everything.

/// Defines a program that mixes values. `$item` are further items of its implementation, such as the combiner.
macro_rules! mixing {
    ($module:ident, $doc:literal, |$v:ident: $vertex:ty, $incoming:ident: $message:ty| $mixed:expr; { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Mixing {
                /// A vertex sends if its value is a multiple.
                pub(crate) sends: u32,
                /// A vertex halts if its value is a multiple.
                pub(crate) halts: u32,
                /// A vertex has a first value if its id is a multiple.
                pub(crate) starts: u64,
            }

            fn mix(value: u32, incoming: u64, step: u64) -> u32 {
                let mixed = incoming.wrapping_mul(5) ^ step ^ (value as u64).wrapping_mul(0x9e37_79b9);
                (mixed ^ mixed.unbounded_shr(17)) as u32 & 0xffff
            }

            fn is_multiple(value: u32, of: u32) -> bool {
                value.checked_rem(of) == Some(0)
            }

            impl EdgeProgram for Mixing {
                type Value = u32;
                $($item)*

                fn start(&self, v: Vertex) -> Option<u32> {
                    (v.id.checked_rem(self.starts) == Some(0)).then_some(v.id as u32)
                }
                fn apply(&self, $v: $vertex, $incoming: $message) -> u32 {
                    $mixed
                }
            }
        }
    };
}

mixing!(pushed, "Integers are pushed; receivers compute.",
    |v: Vertex<Option<u32>>, incoming: u32| mix(v.value.unwrap_or(7), incoming as u64, v.step);
    {
        type Message = u32;
        type Combine = Sum;
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value.wrapping_add(3)
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value, self.sends)
        }
    }
);

mixing!(gathered, "Messages are gathered; receivers compute.",
    |v: Vertex<Option<u32>>, incoming: u64| mix(v.value.unwrap_or(7), incoming, v.step);
    {
        type Message = u64;
        fn edge(&self, e: Edge<u32>) -> Option<u64> {
            if e.value == 5 { None } else { Some(e.value as u64 | 1) }
        }
        fn combine(&self, a: u64, b: u64) -> u64 {
            a.wrapping_mul(b)
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value, self.sends)
        }
    }
);

mixing!(awake_pushed, "Integers are pushed; vertices compute until they halt.",
    |v: Vertex<Option<u32>>, incoming: Option<u32>| mix(v.value.unwrap_or(7), incoming.unwrap_or(11) as u64, v.step);
    {
        type Message = u32;
        type Combine = Min;
        const ALONG: Along = Along::Both;
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value.wrapping_mul(3)
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value, self.sends)
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value, self.halts)
        }
    }
);

mixing!(awake_gathered, "Messages are gathered; vertices compute until they halt, and send if they changed.",
    |v: Vertex<Option<u32>>, incoming: Option<u64>| mix(v.value.unwrap_or(7), incoming.unwrap_or(11), v.step);
    {
        type Message = u64;
        const ALONG: Along = Along::In;
        fn edge(&self, e: Edge<u32>) -> Option<u64> {
            is_multiple(e.value, self.sends).then_some(e.value as u64 | 1)
        }
        fn combine(&self, a: u64, b: u64) -> u64 {
            a.wrapping_mul(b)
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value, self.halts)
        }
    }
);

mixing!(all_pushed, "Integers are pushed; every vertex computes.",
    |v: Vertex<Option<u32>>, incoming: u32| mix(v.value.unwrap_or(7), incoming as u64, v.step);
    {
        type Message = u32;
        type Combine = Or;
        const SENDERS: Senders = Senders::All;
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value.wrapping_mul(3)
        }
        fn changed(&self, before: u32, after: u32) -> bool {
            before & 0xff != after & 0xff
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value, self.sends)
        }
    }
);

mixing!(all_gathered, "Messages are gathered; every vertex computes. The aggregate is read by all functions that may.",
    |v: Vertex<Option<u32>, u64>, incoming: Option<u64>| mix(
        v.value.unwrap_or(7),
        incoming.unwrap_or(v.aggregate),
        v.step
    );
    {
        type Message = u64;
        type Aggregate = Sum<u64>;
        const SENDERS: Senders = Senders::All;
        fn edge(&self, e: Edge<u32>) -> u64 {
            e.value as u64 | 1
        }
        fn combine(&self, a: u64, b: u64) -> u64 {
            a.wrapping_mul(b)
        }
        fn aggregate(&self, v: Vertex<u32>) -> u64 {
            v.value as u64 & 3
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            is_multiple(v.value.wrapping_add(v.aggregate as u32), self.sends)
        }
    }
);

/// Defines a program without an `apply`. `$item` are further items of its implementation.
macro_rules! settling {
    ($module:ident, $program:ident, $doc:literal, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct $program;

            impl EdgeProgram for $program {
                type Value = u32;
                type Message = u32;

                fn start(&self, v: Vertex) -> u32 {
                    (v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(20)
                }
                fn edge(&self, e: Edge<u32>) -> u32 {
                    e.value
                }
                $($item)*
            }
        }
    };
}

settling!(
    odd_senders,
    OddSenders,
    "Only odd values are passed on: labels that stop at vertices with even values.",
    {
        type Combine = Min;
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value % 2 == 1 && v.step < 40
        }
    }
);

settling!(
    eager,
    Eager,
    "A vertex that computes always counts as changed, unless it got no message; vertices halt after some steps.",
    {
        type Combine = Max;
        fn changed(&self, before: u32, after: u32) -> bool {
            before <= after
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            v.step >= 6
        }
    }
);

settling!(talkative, Talkative, "Every vertex computes and sends, but the run ends once nothing changes.", {
    type Combine = Or;
    const SENDERS: Senders = Senders::All;
    fn sends(&self, _: Vertex<u32>) -> bool {
        true
    }
});

settling!(late_senders, LateSenders, "Vertices compute without messages, and send in the sixth step.", {
    type Combine = Min;
    fn sends(&self, v: Vertex<u32>) -> bool {
        v.step == 5
    }
    fn halts(&self, v: Vertex<u32>) -> bool {
        v.step >= 5
    }
});

#[wolfpath::edge_program]
pub(crate) mod failing {
    //! A program that never halts, and fails where it is told to.
    use wolfpath::prelude::*;

    #[derive(Clone, Debug)]
    pub(crate) struct Failing {
        /// Id of the vertex at which `sends` fails in the third step.
        pub(crate) sends: u64,
        /// Id of the vertex at which `halts` fails after `start`.
        pub(crate) halts: u64,
    }

    impl EdgeProgram for Failing {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            assert!(v.id != self.sends || v.step != 3, "the sender is known");
            true
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            assert!(v.id != self.halts, "it may halt");
            false
        }
    }
}
