//! Programs whose messages travel between distinct neighbours, one for each way in which engines run them.

/// The local clustering coefficient of LDBC Graphalytics.
#[wolfpath::edge_program]
pub(crate) mod clustering {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Clustering;

    impl EdgeProgram for Clustering {
        type Value = f64;
        type Message = u64;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Neighbours;

        fn start(&self, _: Vertex) -> f64 {
            0.0
        }
        fn edge(&self, e: Edge<f64>) -> u64 {
            e.common_edges()
        }
        fn apply(&self, v: Vertex<f64>, edges: u64) -> f64 {
            let k = v.neighbours as f64;
            if v.neighbours < 2 { 0.0 } else { edges as f64 / (k * (k - 1.0)) }
        }
    }
}

/// The number of triangles in which a vertex is the one in the middle, by number of neighbours.
#[wolfpath::edge_program]
pub(crate) mod triangles {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Triangles;

    impl EdgeProgram for Triangles {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Neighbours;
        const ORIENTED: bool = true;

        fn start(&self, _: Vertex) -> u64 {
            0
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.common_neighbours()
        }
        fn apply(&self, _: Vertex<u64>, triangles: u64) -> u64 {
            triangles
        }
    }
}

/// Defines a program that mixes everything it can read. `$item` are further items of its implementation.
macro_rules! mixing {
    ($module:ident, $edge:ident, $doc:literal, { $($item:item)* }) => {
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

            fn common(e: &Edge<u32>) -> u64 {
                let Edge { out_degree, target_index, .. } = *e;
                $edge(e).wrapping_add(out_degree).wrapping_mul(3).wrapping_add(target_index as u64)
            }

            fn neighbours(e: &Edge<u32>) -> u64 {
                e.common_neighbours()
            }

            fn edges(e: &Edge<u32>) -> u64 {
                e.common_edges()
            }

            fn both(e: &Edge<u32>) -> u64 {
                e.common_neighbours().wrapping_mul(1000).wrapping_add(e.common_edges())
            }

            fn nothing(_: &Edge<u32>) -> u64 {
                7
            }

            impl EdgeProgram for Mixing {
                type Value = u32;
                type Message = u32;
                const ALONG: Along = Along::Neighbours;
                $($item)*

                fn start(&self, v: Vertex) -> Option<u32> {
                    let mixed = mix(self.seed, v.neighbours.wrapping_add(v.in_degree.wrapping_mul(5)));
                    (v.index % 3 != 1).then_some(mixed)
                }
                fn edge(&self, e: Edge<u32>) -> Option<u32> {
                    let mixed = mix(e.value, common(&e));
                    if mixed % 7 == 3 { None } else { Some(mixed & 0xffff) }
                }
                fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
                    let degrees = v.neighbours.wrapping_mul(11).wrapping_add(v.out_degree ^ v.edges);
                    mix(v.value.unwrap_or(5) ^ incoming, degrees.wrapping_add(v.in_degree).wrapping_add(v.step))
                }
            }
        }
    };
}

mixing!(pushed, neighbours, "Integers are pushed.", {
    type Combine = Sum;
});
mixing!(pushed_edges, edges, "Integers are pushed along counts that differ by direction.", {
    type Combine = Max;
});
mixing!(gathered, both, "An own combiner is gathered, along both counts.", {
    fn combine(&self, a: u32, b: u32) -> u32 {
        (a | 1).wrapping_mul(b | 1)
    }
});
mixing!(all, both, "All vertices send, along both counts.", {
    type Combine = Sum;
    const SENDERS: Senders = Senders::All;
});
mixing!(all_plain, nothing, "All vertices send, and nothing is counted.", {
    type Combine = Sum;
    const SENDERS: Senders = Senders::All;
});
mixing!(oriented, neighbours, "Oriented: integers are pushed.", {
    type Combine = Sum;
    const ORIENTED: bool = true;
});
mixing!(oriented_all, both, "Oriented: all vertices send, along both counts.", {
    type Combine = Sum;
    const SENDERS: Senders = Senders::All;
    const ORIENTED: bool = true;
});

/// Defines a program whose values may be seen early.
macro_rules! settling {
    ($module:ident, $edge:ident, $oriented:literal, $doc:literal) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            #[derive(Debug)]
            pub(crate) struct Least {
                pub(crate) every: u32,
            }

            impl EdgeProgram for Least {
                type Value = u64;
                type Message = u64;
                type Combine = Min;
                const ALONG: Along = Along::Neighbours;
                const ORIENTED: bool = $oriented;

                fn start(&self, v: Vertex) -> Option<u64> {
                    (v.index % self.every == 0).then_some(v.neighbours)
                }
                fn edge(&self, e: Edge<u64>) -> u64 {
                    e.value.wrapping_add(1).wrapping_add(e.$edge())
                }
            }
        }
    };
}

settling!(least_neighbours, common_neighbours, false, "The least sum of common neighbours along a path.");
settling!(least_edges, common_edges, false, "The least sum of common edges along a path.");
settling!(
    least_later,
    common_neighbours,
    true,
    "The least sum of later common neighbours along an oriented path."
);

/// Hops between neighbours.
#[wolfpath::edge_program(combine = min, first = 0, uniform, along = neighbours)]
pub(crate) fn hops(depth: u32) -> u32 {
    depth + 1
}

/// Components, by neighbours.
#[wolfpath::edge_program]
pub(crate) mod parts {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Parts;

    impl EdgeProgram for Parts {
        type Value = u64;
        type Message = u64;
        type Combine = Min;
        const ALONG: Along = Along::Neighbours;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
    }
}
