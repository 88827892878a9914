//! Programs that end runs themselves, for every schedule that goes step by step.

/// Defines a program whose run ends when the fold reaches a number. `$item` are further items of its implementation.
macro_rules! ending {
    ($module:ident, $doc:literal, { $($item:item)* }) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Ending {
                /// Fold with which the run ends.
                pub(crate) at: u64,
                /// Number of the step after which `finished` faults.
                pub(crate) faults: u64,
            }

            impl EdgeProgram for Ending {
                type Value = u32;
                type Aggregate = Sum<u64>;
                $($item)*

                fn start(&self, v: Vertex) -> u32 {
                    (v.id as u32).wrapping_mul(0x9e37_79b9).unbounded_shr(24)
                }
                fn aggregate(&self, v: Vertex<u32>) -> u64 {
                    v.value as u64 + v.step + v.level.wrapping_mul(7)
                }
                fn finished(&self, before: u64, now: u64, step: u64) -> bool {
                    assert!(step != self.faults, "the end is known");
                    now >= self.at && before <= now || step > 30
                }
            }
        }
    };
}

ending!(pushed, "Sums are pushed.", {
    type Message = u32;
    type Combine = Sum;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value & 7
    }
    fn apply(&self, v: Vertex<u32, u64>, incoming: u32) -> u32 {
        (v.value.wrapping_mul(3) ^ incoming ^ v.aggregate as u32) & 0x3ff
    }
});

ending!(ordered, "Minima are pushed in order of priority.", {
    type Message = u32;
    type Combine = Min;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value.wrapping_add(1)
    }
    fn priority(&self, v: Vertex<u32, u64>) -> u64 {
        v.value as u64 / 8
    }
});

ending!(gathered, "Products are gathered from vertices that changed.", {
    type Message = u64;
    fn edge(&self, e: Edge<u32>) -> u64 {
        e.value as u64 | 1
    }
    fn combine(&self, a: u64, b: u64) -> u64 {
        a.wrapping_mul(b)
    }
    fn apply(&self, v: Vertex<u32, u64>, incoming: u64) -> u32 {
        (v.value ^ incoming as u32 ^ v.aggregate as u32) & 0x3ff
    }
});

ending!(everyone, "Every vertex sends in every step, the same message along all edges.", {
    type Message = u32;
    type Combine = Max;
    const SENDERS: Senders = Senders::All;
    fn edge(&self, e: Edge<u32>) -> u32 {
        e.value ^ 1
    }
    fn apply(&self, v: Vertex<u32, u64>, incoming: Option<u32>) -> u32 {
        (v.value.wrapping_mul(5) ^ incoming.unwrap_or(9) ^ v.aggregate as u32) & 0x3ff
    }
});

ending!(weighed, "Every vertex sends in every step, other messages along other edges.", {
    type Message = u32;
    type Weight = u32;
    type Combine = Or;
    const SENDERS: Senders = Senders::All;
    fn edge(&self, e: Edge<u32, u32>) -> u32 {
        e.value.wrapping_mul(e.weight) & 0xff
    }
    fn apply(&self, v: Vertex<u32, u64>, incoming: u32) -> u32 {
        (v.value.wrapping_mul(5) ^ incoming ^ v.aggregate as u32) & 0x3ff
    }
});

#[wolfpath::edge_program]
pub(crate) mod floats {
    use wolfpath::prelude::*;

    /// Folds floats of very different sizes, so that another order gives another sum.
    #[derive(Clone, Debug)]
    pub(crate) struct Floats;

    impl EdgeProgram for Floats {
        type Value = f64;
        type Message = f64;
        type Combine = Max;
        type Aggregate = Sum<f64>;

        fn start(&self, v: Vertex) -> f64 {
            let mixed = v.id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed >> 40) as f64 * 10.0_f64.powi((mixed & 15) as i32)
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value
        }
        fn aggregate(&self, v: Vertex<f64>) -> f64 {
            v.value
        }
    }
}
