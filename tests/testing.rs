//! `wolfpath::testing::check_program`: valid programs pass, and each broken law is found with a small counterexample.
#![allow(missing_docs, unreachable_pub, reason = "the programs are what is tested")]

use wolfpath::prelude::*;
use wolfpath::program::EdgeProgram;
use wolfpath::programs::{
    AccumulatingAdsorption, AccumulatingPageRank, Adsorption, Components, CoreNumbers, PageRank, bfs, reach,
    sssp, sssp_f64, widest,
};
use wolfpath::testing::{Counterexample, Effort, Law, check_program, check_program_with};

fn broken<P: EdgeProgram>(program: &P, law: Law, says: &[&str]) -> Counterexample {
    let found = check_program(program).expect_err("the law is broken");
    assert_eq!(found.law(), law, "{found}");
    for part in says {
        assert!(found.to_string().contains(part), "`{part}` is not in: {found}");
    }
    found
}

#[test]
fn bundled_programs_keep_the_laws() {
    check_program(&bfs::from_source(3, 0)).expect("bfs");
    check_program(&sssp::from_source(3, 0)).expect("sssp");
    check_program(&sssp_f64::from_sources([(3, 0.0), (100, 1.5)])).expect("sssp_f64");
    check_program(&widest::from_source(0, u32::MAX)).expect("widest");
    check_program(&reach::from_source(1, true)).expect("reach");
    check_program(&Components).expect("components");
    check_program(&PageRank { damping: 0.85, tolerance: 1e-6 }).expect("pagerank");
    check_program(&AccumulatingPageRank { damping: 0.85 }).expect("accumulating pagerank");
    let labels = PerVertex::from_pairs([(0, 1), (3, 2), (100, 7)], 8);
    let adsorption =
        Adsorption { labels, arriving: PerVertex::from_fn(|_| 40.0), continues: 0.75, tolerance: 1e-6 };
    check_program(&adsorption).expect("adsorption");
    check_program(&AccumulatingAdsorption::from(adsorption)).expect("accumulating adsorption");
    check_program(&CoreNumbers).expect("core numbers");
}

#[edge_program(combine = min, uniform)]
fn by_parity(hops: u32, weight: u32) -> u32 {
    hops + 1 + weight % 2
}

#[test]
fn unequal_messages_under_uniform() {
    let found = broken(&by_parity::from_source(1, 0), Law::Uniform, &["remove `uniform`"]);
    // Two edges suffice for different messages.
    assert_eq!(found.facts()[0].matches("->").count(), 2, "{found}");
}

#[edge_program(combine = any)]
fn any_sender(_value: u64, weight: u64) -> u64 {
    weight
}

#[test]
fn unequal_messages_under_any() {
    broken(&any_sender::from_source(1, 0), Law::AnyEqual, &["sends"]);
}

#[edge_program]
mod late {
    use wolfpath::prelude::*;

    /// No vertex sends before step 3, in which those that computed without messages send their ids.
    pub struct Late;

    impl EdgeProgram for Late {
        type Value = u64;
        type Message = u64;
        type Combine = Any;

        fn start(&self, _: Vertex) -> u64 {
            0
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
        fn apply(&self, v: Vertex<u64>, _: Option<u64>) -> u64 {
            if v.step == 2 { v.id } else { 0 }
        }
        fn sends(&self, v: Vertex<u64>) -> bool {
            v.step == 2
        }
        fn halts(&self, v: Vertex<u64>) -> bool {
            v.step == 3
        }
    }
}

#[test]
fn messages_of_vertices_that_stayed_awake() {
    broken(&late::Late, Law::AnyEqual, &["in step 3"]);
}

#[edge_program(combine = min)]
fn with_any_weight(distance: i64, weight: i64) -> i64 {
    distance + weight
}

#[test]
fn messages_that_improve() {
    broken(&with_any_weight::from_source(1, 0), Law::NeverImproves, &["non_negative", "weight: -"]);
}

#[edge_program(combine = max)]
fn sawtooth(value: u32) -> u32 {
    if value > 6 { value / 2 } else { value }
}

#[test]
fn edges_that_are_not_monotone() {
    broken(&sawtooth::from_sources([(0, 9), (1, 6), (2, 5)]), Law::Monotone, &["with the worse value"]);
}

#[edge_program(combine = min, non_negative)]
fn gives_up(distance: u32, weight: u32) -> Option<u32> {
    if distance < 3 { None } else { Some(distance + weight) }
}

#[test]
fn a_better_value_that_sends_nothing() {
    broken(&gives_up::from_sources([(0, 2), (1, 4)]), Law::Monotone, &["is nothing"]);
}

#[edge_program]
mod own_sum {
    use wolfpath::prelude::*;

    /// Adds floats in its own `combine`.
    pub struct Rank {
        pub share: f32,
        pub paths: u32,
    }

    pub struct OwnSum;

    impl EdgeProgram for OwnSum {
        type Value = Rank;
        type Message = Rank;

        fn start(&self, v: Vertex) -> Rank {
            Rank { share: 0.1 + v.id as f32 / 3.0, paths: 1 }
        }
        fn edge(&self, e: Edge<Rank>) -> Rank {
            Rank { share: e.value.share / 3.0, paths: 1 }
        }
        fn combine(&self, a: Rank, b: Rank) -> Rank {
            Rank { share: a.share + b.share, paths: a.paths.wrapping_add(b.paths) }
        }
        fn apply(&self, _: Vertex<Rank>, incoming: Rank) -> Rank {
            incoming
        }
    }
}

#[test]
fn sums_of_floats_in_an_own_combine() {
    broken(&own_sum::OwnSum, Law::Associative, &["`Fields<(Sum, ..)>`", "accumulate floats in f64"]);
}

#[edge_program]
mod by_field {
    use wolfpath::prelude::*;

    pub struct Votes {
        pub rank: f32,
        pub latest: u32,
    }

    /// Combines floats by `Sum`, and the second field by any of the messages.
    pub struct ByField {
        pub sends_ids: bool,
    }

    impl EdgeProgram for ByField {
        type Value = Votes;
        type Message = Votes;
        type Combine = Fields<(Sum, Any)>;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Votes {
            Votes { rank: 0.1 + v.id as f32, latest: 0 }
        }
        fn edge(&self, e: Edge<Votes>) -> Votes {
            let latest = if self.sends_ids { e.source as u32 } else { 7 };
            Votes { rank: e.value.rank / 3.0, latest }
        }
        fn apply(&self, v: Vertex<Votes>, incoming: Option<Votes>) -> Votes {
            incoming.unwrap_or(v.value)
        }
    }
}

#[edge_program]
mod majority {
    use wolfpath::prelude::*;

    pub struct Majority;

    impl EdgeProgram for Majority {
        type Value = u32;
        type Message = u32;
        type Combine = MostFrequent<u32>;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, _: Vertex<u32>, incoming: u32) -> u32 {
            incoming
        }
    }
}

#[test]
fn fields_and_the_most_frequent_message() {
    check_program(&by_field::ByField { sends_ids: false }).expect("only equal messages are kept");
    broken(&by_field::ByField { sends_ids: true }, Law::AnyEqual, &["sends"]);
    check_program(&majority::Majority).expect("the messages are combined at once");
}

macro_rules! combines {
    ($module:ident, |$a:ident, $b:ident| $combined:expr) => {
        #[edge_program]
        pub mod $module {
            use wolfpath::prelude::*;

            #[derive(Debug)]
            pub struct Combines;

            impl EdgeProgram for Combines {
                type Value = u32;
                type Message = u32;

                fn start(&self, v: Vertex) -> u32 {
                    v.index
                }
                fn edge(&self, e: Edge<u32>) -> u32 {
                    e.value + 1
                }
                fn combine(&self, $a: u32, $b: u32) -> u32 {
                    $combined
                }
            }
        }
    };
}

combines!(first_wins, |a, _b| a);
combines!(averages, |a, b| (a + b) / 2);
combines!(joins, |a, b| a | b);

#[test]
fn combiners_of_ones_own() {
    broken(&first_wins::Combines, Law::Commutative, &["any order"]);
    broken(&averages::Combines, Law::Associative, &["any grouping"]);
    check_program(&joins::Combines).expect("`|` keeps both laws");
}

#[test]
fn the_same_seed_asks_the_same() {
    let effort = Effort::new().graphs(50).seed(7);
    let ask = || {
        check_program_with(&with_any_weight::from_source(1, 0), &effort).map_err(|found| found.to_string())
    };
    assert_eq!(ask(), ask());
}

#[edge_program]
mod waiting {
    use wolfpath::prelude::*;

    /// The priority of a vertex is the number of in-neighbours that have not sent, even if it falls below the level.
    pub struct Waiting {
        /// The priority is at least the level.
        pub rises: bool,
    }

    impl EdgeProgram for Waiting {
        type Value = u64;
        type Message = u64;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> u64 {
            v.in_degree
        }
        fn edge(&self, _: Edge<u64>) -> u64 {
            1
        }
        fn apply(&self, v: Vertex<u64>, sent: u64) -> u64 {
            v.value.saturating_sub(sent)
        }
        fn priority(&self, v: Vertex<u64>) -> u64 {
            if self.rises { v.value.max(v.level) } else { v.value }
        }
    }
}

#[test]
fn priorities_below_the_level() {
    let says = ["levels never fall", "return `priority.max(v.level)`", "gets the priority"];
    let found = broken(&waiting::Waiting { rises: false }, Law::LevelsRise, &says);
    assert!(found.facts()[0].contains("->"), "only a message changes a priority: {found}");
    check_program(&waiting::Waiting { rises: true }).expect("no priority is below the level");
}

#[edge_program]
mod moved {
    use wolfpath::prelude::*;

    /// All values are equal until the fold of the changes of step 1 lets vertices adopt their ids in step 2.
    pub struct Moved;

    impl EdgeProgram for Moved {
        type Value = u64;
        type Message = u64;
        type Combine = Any;
        type Aggregate = (Sum<u64>, Or<bool>);
        const SENDERS: Senders = Senders::All;

        fn start(&self, _: Vertex) -> u64 {
            0
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            e.value
        }
        fn apply(&self, v: Vertex<u64>, _: Option<u64>) -> u64 {
            let (change, some) = v.aggregate;
            if some && change > 0 { v.id } else { 1 }
        }
        fn aggregate(&self, v: Vertex<u64>) -> (u64, bool) {
            (v.value.abs_diff(v.before), v.value != v.before)
        }
    }
}

#[test]
fn folds_of_changes() {
    broken(&moved::Moved, Law::AnyEqual, &["in step 3"]);
}

#[test]
fn portions_that_do_not_add_up_are_found() {
    #[edge_program(combine = sum, first = 1, accumulates)]
    fn one_more(value: u64) -> u64 {
        value + 1
    }
    broken(&one_more::starting_at(3), Law::Additive, &["accumulates", "with the sum of both values"]);
    #[edge_program(combine = sum, first = 1.0, accumulates)]
    fn squares(value: f64, weight: f32) -> f64 {
        value * value * weight as f64 / 100.0
    }
    broken(&squares::starting_at(3), Law::Additive, &[]);
    #[edge_program(combine = sum, first = 1.0, accumulates)]
    fn parts(value: f64, weight: f32) -> f64 {
        value * weight as f64 / 100.0
    }
    check_program(&parts::starting_at(3)).expect("a share of a sum is the sum of the shares");
}
