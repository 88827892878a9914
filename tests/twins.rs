//! The output of `#[edge_program]` for programs in both forms: the functions of `EdgeProgram`, which are the user's
//! own, and the twins that engines call.
#![allow(missing_docs, unreachable_pub, reason = "these are example programs from the design")]

use wolfpath::prelude::*;
use wolfpath::program::{CombineKind, Datum, DatumKind, Executable, Fault, Starts};

/// Line of `depth + 1`.
const ADDITION: u32 = line!() + 8;

/// Depth of a source.
const START: u32 = 0;

/// Hops from the source. All messages of a step are equal (`uniform`), so a vertex that gathers may stop at the first.
#[edge_program(combine = min, first = START, uniform)]
fn hops(depth: u32) -> u32 {
    depth + 1
}

/// Shortest paths over non-negative weights.
#[edge_program(combine = min)]
fn shortest(distance: f32, weight: f32) -> f32 {
    distance + weight
}

/// Width of the widest path, that is, of its smallest weight.
#[edge_program(combine = max)]
fn widest(width: f32, capacity: f32) -> f32 {
    width.min(capacity)
}

#[edge_program(combine = max, along = both, non_negative)]
fn halves(share: f64, weight: u32) -> Option<f64> {
    if weight == 0 { None } else { Some(share / 2.0) }
}

#[edge_program]
pub mod pagerank {
    use wolfpath::prelude::*;

    /// Rank flows along edges. A vertex without out-edges divides its rank equally among all vertices.
    #[derive(Debug)]
    pub struct PageRank {
        pub damping: f32,
        pub tolerance: f32,
    }

    impl EdgeProgram for PageRank {
        type Value = f32;
        type Message = f32;
        type Combine = Sum; // over f32: accumulated in f64, in row order
        type Aggregate = Sum<f64>;
        const SENDERS: Senders = Senders::All; // every vertex sends in every step

        fn start(&self, v: Vertex) -> f32 {
            1.0 / v.vertices as f32
        }
        fn edge(&self, e: Edge<f32>) -> f32 {
            e.value / e.out_degree as f32
        }
        fn aggregate(&self, v: Vertex<f32>) -> f64 {
            if v.out_degree == 0 { v.value as f64 } else { 0.0 }
        }
        fn apply(&self, v: Vertex<f32>, incoming: f32) -> f32 {
            let n = v.vertices as f32;
            (1.0 - self.damping) / n + self.damping * (incoming + v.aggregate as f32 / n)
        }
        fn changed(&self, before: f32, after: f32) -> bool {
            (after - before).abs() > self.tolerance * after
        }
    }
}

/// A struct as the value, with a custom combiner, an optional start, helpers, constants and nested structs.
#[edge_program]
mod journeys {
    use wolfpath::prelude::*;

    pub struct Journeys {
        pub from: u64,
        pub toll: Toll,
        pub strict: bool,
    }

    pub struct Toll {
        pub free: bool,
        pub price: f64,
    }

    #[derive(PartialEq)]
    pub struct Journey {
        pub minutes: u32,
        pub changes: u32,
    }

    const CHANGE: u32 = 2 * BASE + 1;
    const BASE: u32 = 2;

    fn better(a: Journey, b: Journey) -> bool {
        a.minutes < b.minutes || (a.minutes == b.minutes && a.changes < b.changes)
    }

    fn pick(a: Journey, b: Journey) -> Journey {
        if better(b, a) { b } else { a }
    }

    impl EdgeProgram for Journeys {
        type Value = Journey;
        type Message = Self::Value;
        type Weight = u32;

        fn start(&self, v: Vertex) -> Option<Journey> {
            if v.id == self.from {
                return Some(Journey { minutes: 0, changes: 0 });
            }
            None
        }
        fn edge(&self, e: Edge<Journey, u32>) -> Option<Self::Message> {
            let mut minutes = e.value.minutes;
            let weight = if self.strict && e.weight > 1_000 {
                return None;
            } else {
                e.weight
            };
            if weight % 2 == 1 {
                minutes += CHANGE;
            } else if weight == 0 {
                minutes += 1;
            }
            let minutes = minutes + weight;
            let next = Journey { changes: e.value.changes + 1, minutes };
            match self.toll.free || (next.minutes as f64) * self.toll.price < 1e3 {
                true => Some(next),
                false => None,
            }
        }
        fn combine(&self, a: Journey, b: Journey) -> Journey {
            pick(a, b)
        }
        fn apply(&self, v: Vertex<Option<Journey>>, incoming: Journey) -> Journey {
            match v.value {
                Some(old) => pick(old, incoming),
                None => incoming,
            }
        }
        fn changed(&self, before: Journey, after: Journey) -> bool {
            better(after, before)
        }
    }
}

/// Returns an edge with this value and weight.
fn edge<V, W, A: Default>(value: V, weight: W) -> Edge<V, W, A> {
    Edge {
        value,
        weight,
        source: 7,
        target: 8,
        source_index: 0,
        target_index: 1,
        out_degree: 4,
        step: 0,
        aggregate: A::default(),
        forward: true,
        place: 0,
        common_neighbours: 0,
        common_edges: 0,
    }
}

fn vertex<V: 'static, A>(value: V, aggregate: A) -> Vertex<V, A> {
    Vertex {
        id: 7,
        index: 0,
        value,
        out_degree: 0,
        in_degree: 2,
        vertices: 10,
        edges: 20,
        step: 1,
        level: 0,
        aggregate,
        neighbours: 0,
        before: (),
        values: &[],
    }
}

#[test]
fn functions_stay_functions() {
    assert_eq!(hops(3), 4);
    assert_eq!(shortest(1.0, 2.0), 3.0);
    assert_eq!(widest(1.0, 2.0), 1.0);
    assert_eq!(halves(3.0, 1), Some(1.5));
}

#[test]
fn types_of_the_same_name_are_programs() {
    let program = shortest::from_source(17, 0.5);
    assert_eq!(program.sources(), [(17, 0.5)]);
    assert_eq!(program.duplicate().sources(), program.sources());
    assert_eq!(program.checked_edge(edge(1.0, 2.0)), Ok(Some(3.0)));
    assert_eq!(program.edge(edge(1.0, 2.0)), 3.0);
    assert!(program.parameters().is_empty());
    assert_eq!(hops::starting_at(17).sources(), hops::from_source(17, START).sources());
    assert_eq!(hops::from_sources([(1, 0), (2, 5)]).sources(), [(1, 0), (2, 5)]);
    assert_eq!(halves::from_source(1, 1.0).checked_edge(edge(1.0, 0)), Ok(None));
}

#[test]
fn settings_and_models_say_what_was_written() {
    const { assert!(hops::UNIFORM && !shortest::UNIFORM) };
    const { assert!(halves::NON_NEGATIVE_WEIGHTS && !shortest::NON_NEGATIVE_WEIGHTS) };
    assert_eq!((halves::ALONG, hops::ALONG), (Along::Both, Along::Out));
    assert_eq!(<halves as EdgeProgram>::Weight::KIND, DatumKind::U32);
    assert_eq!(<<widest as EdgeProgram>::Combine as Combiner<f32>>::KIND, CombineKind::Max);
    assert_eq!((hops::MODEL.name, hops::MODEL.starts), ("hops", Starts::Sources));
    assert_eq!(hops::MODEL.checked, cfg!(debug_assertions));
    const { assert!(hops::MODEL.reads.edge_value && !hops::MODEL.reads.edge_weight) };
    let reads = pagerank::PageRank::MODEL.reads;
    assert!(reads.edge_out_degree && reads.vertex_out_degree && !reads.vertex_in_degree && !reads.vertex_id);
    let model = pagerank::PageRank::MODEL;
    assert!(model.has_apply && model.has_changed && !hops::MODEL.has_apply);
    const { assert!(hops::MODEL.always_sends && !halves::MODEL.always_sends) };
    const { assert!(hops::MODEL.edge_can_fault && !pagerank::PageRank::MODEL.edge_can_fault) };
    assert_eq!((model.starts, journeys::Journeys::MODEL.starts), (Starts::Every, Starts::Some));
}

#[test]
fn an_overflow_is_a_fault_where_debug_assertions_are_on() {
    let outcome = hops::from_source(0, 0).checked_edge(edge(u32::MAX, ()));
    if cfg!(debug_assertions) {
        assert_eq!(outcome, Err(Fault { site: 0 }));
        let site = hops::MODEL.faults[0];
        assert_eq!((site.function, site.message), ("hops", "attempt to add with overflow"));
        assert!(site.file.ends_with("twins.rs") && site.line == ADDITION, "{site:?}");
    } else {
        assert_eq!(outcome, Ok(Some(0)));
    }
}

#[test]
fn pagerank_is_what_it_says() {
    let program = pagerank::PageRank { damping: 0.85, tolerance: 1e-6 };
    assert_eq!(program.checked_start(vertex((), 0.0)), Ok(Some(0.1)));
    assert_eq!(program.start(vertex((), 0.0)), 0.1);
    assert_eq!(program.checked_edge(edge(2.0, ())), Ok(Some(0.5)));
    assert_eq!(program.checked_aggregate(vertex(0.25, 0.0), None), Ok(0.25));
    let expected = program.apply(vertex(0.1, 0.5), 0.0);
    assert_eq!(program.checked_apply(vertex(Some(0.1), 0.5), None), Ok(expected));
    assert_eq!(program.checked_changed(1.0, 1.0), Ok(false));
    assert_eq!(program.parameters(), [0.85f32.to_ne_bytes(), 1e-6f32.to_ne_bytes()].concat());
}

#[test]
fn the_default_apply_combines() {
    let program = widest::from_source(0, 1.0);
    assert_eq!(program.checked_apply(vertex(Some(2.0), ()), Some(3.0)), Ok(3.0));
    assert_eq!(program.checked_apply(vertex(None, ()), Some(3.0)), Ok(3.0));
    assert_eq!(program.checked_apply(vertex(Some(2.0), ()), None), Ok(2.0));
}

#[test]
fn structs_of_the_module_are_data() {
    use journeys::{Journey, Journeys, Toll};
    let program = Journeys { from: 7, toll: Toll { free: false, price: 2.0 }, strict: true };
    let journey = Journey { minutes: 10, changes: 2 };
    assert_eq!(program.checked_start(vertex((), ())), Ok(Some(Journey { minutes: 0, changes: 0 })));
    assert_eq!(program.checked_edge(edge(journey, 3)), Ok(Some(Journey { minutes: 18, changes: 3 })));
    assert_eq!(program.edge(edge(journey, 3)), Some(Journey { minutes: 18, changes: 3 }));
    assert_eq!(program.checked_edge(edge(journey, 1_001)), Ok(None));
    assert_eq!(program.checked_edge(edge(journey, 800)), Ok(None));
    let worse = Journey { changes: 3, ..journey };
    assert_eq!(program.checked_combine(worse, journey), Ok(journey));
    assert_eq!(program.checked_apply(vertex(None, ()), Some(worse)), Ok(worse));
    assert_eq!(program.checked_changed(worse, journey), Ok(true));

    assert_eq!(Journey::KIND, DatumKind::Struct { size: 8, align: 4 });
    assert_eq!(journey.to_bits(), 2 << 32 | 10);
    assert_eq!(Journey::from_bits(journey.to_bits()), journey);
    assert!(journey.same(journey) && !journey.same(worse));
    let bytes = program.parameters();
    assert_eq!((bytes.len(), bytes[8], bytes[24]), (32, 0, 1));
    assert_eq!(bytes[16..24], 2.0f64.to_ne_bytes());
}

/// Names with another meaning in C++, and the same name for a function, a local, a field and a struct.
#[edge_program]
mod names {
    use wolfpath::prelude::*;

    pub struct Names {
        pub class: u32,
    }

    #[allow(non_camel_case_types)]
    pub struct weigh {
        weigh: u32,
        r#struct: u32,
    }

    #[allow(non_upper_case_globals)]
    const template: u32 = 1;

    fn weigh(weigh: u32, int: u32) -> u32 {
        weigh + int * template
    }

    impl EdgeProgram for Names {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, _: Vertex) -> u32 {
            self.class
        }
        fn edge(&self, cx: Edge<u32>) -> u32 {
            let weigh = weigh(cx.value, self.class);
            let this = weigh { weigh, r#struct: 2 };
            this.weigh + this.r#struct
        }
    }
}

#[test]
fn names_do_not_meet() {
    let program = names::Names { class: 5 };
    assert_eq!(program.checked_edge(edge(1, ())), Ok(Some(8)));
    assert_eq!(program.edge(edge(1, ())), 8);
}

/// All items of the trait, with their signatures copied from its documentation.
#[edge_program]
mod copied {
    use wolfpath::prelude::*;
    use wolfpath::program::{AggregateOf, Custom};

    pub struct Copied;

    impl EdgeProgram for Copied {
        type Value = u32;
        type Message = u64;
        type Weight = f32;
        type Combine = Custom;
        type Aggregate = Max<u32>;

        const SENDERS: Senders = Senders::Active;
        const ALONG: Along = Along::Out;
        const ORIENTED: bool = false;
        const UNIFORM: bool = false;
        const NON_NEGATIVE_WEIGHTS: bool = false;

        fn start(&self, v: Vertex<(), AggregateOf<Self>>) -> Self::Value {
            v.id as u32
        }
        fn edge(&self, e: Edge<Self::Value, Self::Weight>) -> Self::Message {
            e.value as u64 + e.weight as u64
        }
        fn combine(&self, a: Self::Message, b: Self::Message) -> Self::Message {
            a.max(b)
        }
        fn apply(&self, v: Vertex<Self::Before, AggregateOf<Self>>, incoming: Self::Incoming) -> Self::Value {
            v.value.max(incoming as u32).min(v.aggregate)
        }
        fn changed(&self, before: Self::Value, after: Self::Value) -> bool {
            before != after
        }
        fn aggregate(&self, v: Vertex<Self::Value, AggregateOf<Self>>) -> AggregateOf<Self> {
            v.value
        }
    }
}

/// All items of the trait, with an `Option` wherever the documentation allows one.
#[edge_program]
mod optional {
    use wolfpath::prelude::*;
    use wolfpath::program::AggregateOf;

    pub struct Optional;

    impl EdgeProgram for Optional {
        type Value = u32;
        type Message = u64;
        type Weight = f32;
        type Combine = Max;
        type Aggregate = Max<u32>;

        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex<(), AggregateOf<Self>>) -> Option<Self::Value> {
            (v.id > 1).then_some(v.id as u32)
        }
        fn edge(&self, e: Edge<Self::Value, Self::Weight>) -> Option<Self::Message> {
            (e.weight > 0.0).then_some(e.value as u64)
        }
        fn apply(&self, v: Vertex<Self::Before, AggregateOf<Self>>, incoming: Self::Incoming) -> Self::Value {
            let value: Option<u32> = v.value;
            let incoming: Option<u64> = incoming;
            value.unwrap_or(0).max(incoming.unwrap_or(0) as u32).min(v.aggregate)
        }
        fn aggregate(&self, v: Vertex<Self::Value, AggregateOf<Self>>) -> AggregateOf<Self> {
            v.value
        }
    }
}

#[test]
fn signatures_may_be_copied_from_the_page() {
    use wolfpath::program::AggregateOf;
    let (copied, optional) = (copied::Copied, optional::Optional);
    let first: u32 = copied.start(vertex((), 0));
    let message: u64 = copied.edge(edge(7, 2.5));
    let after: u32 = copied.apply(vertex(3u32, 9), 8u64);
    let fold: AggregateOf<copied::Copied> = copied.aggregate(vertex(4, 0));
    assert_eq!((first, message, after, fold), (7, 9, 8, 4));
    assert_eq!((copied.combine(3, 5), copied.changed(3, 3)), (5, false));

    let first: Option<u32> = optional.start(vertex((), 0));
    let message: Option<u64> = optional.edge(edge(7, 0.0));
    let after: u32 = optional.apply(vertex(None, 9), Some(8));
    assert_eq!((first, message, after), (Some(7), None, 8));

    let graph = LayeredGraph::from_weighted_edges([(5, 6, 1.0f32), (6, 7, 9.0), (7, 5, 2.0)])
        .expect("the graph is valid");
    let values =
        |outcome: Vec<(u64, Option<u32>)>| outcome.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
    let outcome = Engine::cpu().run(&graph, &copied).expect("the run succeeds");
    assert_eq!(
        values(outcome.read().expect("the values are readable").iter().collect()),
        [Some(7), Some(7), Some(7)]
    );
    let outcome = Engine::cpu().run(&graph, &optional).expect("the run succeeds");
    assert_eq!(
        values(outcome.read().expect("the values are readable").iter().collect()),
        [Some(7), Some(7), Some(7)]
    );
}

#[test]
fn what_is_left_out_does_what_engines_do() {
    let program = widest::from_sources([(7, 1.0), (8, 2.0), (7, 3.0)]);
    assert_eq!(
        (program.start(vertex((), ())), program.checked_start(vertex((), ()))),
        (Some(3.0), Ok(Some(3.0)))
    );
    assert_eq!(program.start(Vertex { id: 9, ..Vertex::default() }), None);
    assert_eq!(program.combine(f32::NAN, 2.0), 2.0);
    assert_eq!((program.apply(vertex(Some(2.0), ()), 3.0), program.apply(vertex(None, ()), 1.0)), (3.0, 1.0));
    assert!(program.changed(0.0, -0.0) && !program.changed(f32::NAN, -f32::NAN));
    let () = program.aggregate(vertex(1.0, ()));
    let optional = optional::Optional;
    assert_eq!(
        (optional.combine(3, 5), optional.changed(3, 4), optional.aggregate(vertex(4, 0))),
        (5, true, 4)
    );
}

/// A program whose custom `combine` faults, with the default `apply`, which calls `combine`.
#[edge_program]
mod lonely {
    use wolfpath::prelude::*;

    pub struct Lonely;

    impl EdgeProgram for Lonely {
        type Value = u32;
        type Message = u32;

        fn start(&self, v: Vertex) -> u32 {
            v.index
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn combine(&self, _: u32, _: u32) -> u32 {
            panic!("one is enough")
        }
    }
}

#[test]
#[should_panic(expected = "one is enough")]
fn what_is_left_out_panics_where_a_run_would_fault() {
    assert_eq!(lonely::Lonely.checked_apply(vertex(Some(1), ()), Some(2)), Err(Fault { site: 0 }));
    lonely::Lonely.apply(vertex(1, ()), 2);
}
