//! Programs that share types, constants and helpers, and one that declares all of them itself.

/// Types of the programs below.
#[wolfpath::edge_types]
pub(crate) mod shared {
    use wolfpath::prelude::*;

    #[derive(Debug, PartialEq)]
    pub(crate) struct Reach {
        pub(crate) hops: u32,
        pub(crate) mark: u32,
        pub(crate) kind: Kind,
    }

    #[derive(Debug, PartialEq)]
    pub(crate) enum Kind {
        Far,
        Near,
    }

    pub(crate) const NEAR: u32 = 3;

    impl Reach {
        pub(crate) const NOWHERE: u32 = 1 << 20;

        pub(crate) fn next(self, seed: u64) -> Reach {
            reach(self.hops + 1, seed)
        }
    }

    pub(crate) fn reach(hops: u32, seed: u64) -> Reach {
        let kind = if hops < NEAR { Kind::Near } else { Kind::Far };
        Reach { hops, mark: random(seed, hops as u64, 0) as u32 % 100, kind }
    }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Total {
        pub(crate) marks: u64,
        pub(crate) near: u64,
    }

    #[derive(Debug)]
    pub(crate) struct Road {
        pub(crate) length: u32,
        pub(crate) toll: u32,
    }
}

/// The fewest hops to a vertex, with a mark.
#[wolfpath::edge_program(types = shared)]
pub(crate) mod find {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Find {
        pub(crate) from: u64,
    }

    impl EdgeProgram for Find {
        type Value = Reach;
        type Message = Reach;

        fn start(&self, v: Vertex) -> Option<Reach> {
            (v.id == self.from).then_some(reach(0, self.from))
        }
        fn edge(&self, e: Edge<Reach>) -> Reach {
            e.value.next(7)
        }
        fn combine(&self, a: Reach, b: Reach) -> Reach {
            if b.hops < a.hops { b } else { a }
        }
        fn apply(&self, v: Vertex<Option<Reach>>, incoming: Reach) -> Reach {
            match v.value {
                Some(held) if held.hops <= incoming.hops => held,
                _ => incoming,
            }
        }
    }
}

/// The same program, which declares the same items itself.
#[wolfpath::edge_program]
pub(crate) mod alone {
    use wolfpath::prelude::*;

    #[derive(Debug, PartialEq)]
    pub(crate) struct Reach {
        pub(crate) hops: u32,
        pub(crate) mark: u32,
        pub(crate) kind: Kind,
    }

    #[derive(Debug, PartialEq)]
    pub(crate) enum Kind {
        Far,
        Near,
    }

    pub(crate) const NEAR: u32 = 3;

    impl Reach {
        pub(crate) const NOWHERE: u32 = 1 << 20;

        pub(crate) fn next(self, seed: u64) -> Reach {
            reach(self.hops + 1, seed)
        }
    }

    pub(crate) fn reach(hops: u32, seed: u64) -> Reach {
        let kind = if hops < NEAR { Kind::Near } else { Kind::Far };
        Reach { hops, mark: random(seed, hops as u64, 0) as u32 % 100, kind }
    }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Total {
        pub(crate) marks: u64,
        pub(crate) near: u64,
    }

    #[derive(Debug)]
    pub(crate) struct Road {
        pub(crate) length: u32,
        pub(crate) toll: u32,
    }

    #[derive(Debug)]
    pub(crate) struct Find {
        pub(crate) from: u64,
    }

    impl EdgeProgram for Find {
        type Value = Reach;
        type Message = Reach;

        fn start(&self, v: Vertex) -> Option<Reach> {
            (v.id == self.from).then_some(reach(0, self.from))
        }
        fn edge(&self, e: Edge<Reach>) -> Reach {
            e.value.next(7)
        }
        fn combine(&self, a: Reach, b: Reach) -> Reach {
            if b.hops < a.hops { b } else { a }
        }
        fn apply(&self, v: Vertex<Option<Reach>>, incoming: Reach) -> Reach {
            match v.value {
                Some(held) if held.hops <= incoming.hops => held,
                _ => incoming,
            }
        }
    }
}

/// The marks of a vertex's in-neighbours, added up field by field, from the values of `find`.
#[wolfpath::edge_program(types = self::shared)]
pub(crate) mod total {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Totals {
        pub(crate) reach: PerVertex<Reach>,
    }

    impl EdgeProgram for Totals {
        type Value = Total;
        type Message = Total;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> Total {
            Total { marks: 0, near: 0 }
        }
        fn edge(&self, e: Edge<Total>) -> Total {
            let reach = self.reach.source(e);
            Total { marks: reach.mark as u64, near: (reach.kind == Kind::Near) as u64 }
        }
        fn apply(&self, _: Vertex<Total>, total: Total) -> Total {
            total
        }
    }
}

/// Adds up a shared struct as well, and reads a shared struct as the weight.
#[wolfpath::edge_program(types = crate::shared_programs::shared)]
pub(crate) mod tolls {
    use wolfpath::prelude::*;

    #[derive(Debug)]
    pub(crate) struct Tolls;

    impl EdgeProgram for Tolls {
        type Value = Total;
        type Message = Total;
        type Weight = Road;
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> Total {
            Total { marks: 0, near: 0 }
        }
        fn edge(&self, e: Edge<Total, Road>) -> Total {
            Total { marks: e.weight.length as u64, near: e.weight.toll as u64 }
        }
        fn apply(&self, _: Vertex<Total>, total: Total) -> Total {
            total
        }
    }
}
