//! Programs whose `apply` reads the values of other vertices before the step, one for each way in which engines run
//! them.

/// Defines a program that mixes the values of three vertices. `$item` are further items of its implementation.
macro_rules! jumping {
    ($module:ident, $doc:literal, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Debug)]
            pub(crate) struct Jumping {
                pub(crate) seed: u32,
            }

            fn mix(a: u32, b: u64) -> u32 {
                let mixed = (a as u64).wrapping_mul(0x9e37_79b9).wrapping_add(b.wrapping_mul(31));
                (mixed ^ mixed.unbounded_shr(15)) as u32
            }

            impl EdgeProgram for Jumping {
                type Value = u32;
                type Message = u32;
                $($item)*

                fn start(&self, v: Vertex) -> Option<u32> {
                    (v.index % 3 != 1).then_some(mix(self.seed, v.id))
                }
                fn edge(&self, e: Edge<u32>) -> u32 {
                    e.value & 0xffff
                }
                fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
                    let n = v.vertices as u32;
                    let before = v.value.unwrap_or(v.index);
                    let there = v.value_at(before % n);
                    let last = v.value_at(n - 1).unwrap_or(3);
                    let next = match v.value_at((v.index + 1) % n) {
                        Some(next) => next,
                        None => 9,
                    };
                    mix(before ^ incoming, mix(there.unwrap_or(7), last as u64 ^ (next as u64) << 20) as u64)
                }
            }
        }
    };
}

jumping!(pushed, "Integers are pushed.", {
    type Combine = Sum;
});
jumping!(gathered, "An own combiner is gathered.", {
    fn combine(&self, a: u32, b: u32) -> u32 {
        (a | 1).wrapping_mul(b | 1)
    }
});
jumping!(all, "All vertices send.", {
    type Combine = Sum;
    const SENDERS: Senders = Senders::All;
});
jumping!(awake, "Vertices compute without a message.", {
    type Combine = Sum;
    fn halts(&self, v: Vertex<u32>) -> bool {
        v.value % 5 == 3
    }
});
jumping!(ordered, "Vertices wait to send.", {
    type Combine = Sum;
    fn priority(&self, v: Vertex<u32>) -> u64 {
        v.level + (v.value % 4) as u64
    }
});

/// The root of each vertex's tree. Each vertex jumps to the parent of its parent.
#[wolfpath::edge_program]
pub(crate) mod roots {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Roots {
        /// The parent of each vertex, by index.
        pub(crate) parent: PerVertex<u32>,
    }

    /// A parent, and how far it is.
    #[derive(Debug, PartialEq)]
    pub(crate) struct Above {
        pub(crate) root: u32,
        pub(crate) distance: u32,
    }

    impl EdgeProgram for Roots {
        type Value = Above;
        type Message = bool;
        type Combine = Or;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Above {
            let root = self.parent.of(v);
            Above { root, distance: (root != v.index) as u32 }
        }
        fn edge(&self, _: Edge<Above>) -> Option<bool> {
            None
        }
        fn apply(&self, v: Vertex<Above>, _: bool) -> Above {
            let above = v.value_at(v.value.root);
            Above { root: above.root, distance: v.value.distance + above.distance }
        }
    }
}
