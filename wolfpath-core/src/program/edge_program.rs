//! The trait that users implement.

use super::combine::{Aggregator, Combiner};
use super::datum::Datum;
use super::executable::{AggregateOf, Executable};
use super::fault::or_panic;
use super::model::{Along, Senders};
use super::view::{Edge, Vertex};

/// A program over a graph: the message along one edge, the combination of messages, and the new value of a vertex.
///
/// Write a function or a module and mark it `#[edge_program]`. A module contains a struct and its `impl EdgeProgram`,
/// with the items listed below. A function is a shorter form of such a module. The macro translates the functions for
/// the engines and keeps the originals, so that tests can call them. Only the macro can implement this trait.
///
/// # The items of a program
///
/// | item | meaning | if omitted |
/// |---|---|---|
/// | [`type Value`](Self::Value) | type of a vertex's value | required |
/// | [`type Message`](Self::Message) | type of a message along an edge | required |
/// | [`type Weight`](Self::Weight) | type of an edge's weight | `()` |
/// | [`type Combine`](Self::Combine) | combiner of the messages to one vertex | `fn combine` is required |
/// | [`type Aggregate`](Self::Aggregate) | fold of all values before each step | `NoAggregate` |
/// | [`const SENDERS`](Self::SENDERS) | vertices that send in a step | `Senders::Active` |
/// | [`const ALONG`](Self::ALONG) | direction in which messages travel | `Along::Out` |
/// | [`const ORIENTED`](Self::ORIENTED) | `true` to visit each pair of neighbours once | `false` |
/// | [`const UNIFORM`](Self::UNIFORM) | `true` if all messages of one step are equal | `false` |
/// | [`const ACCUMULATES`](Self::ACCUMULATES) | `true` if sums may be sent in portions | `false` |
/// | [`const NON_NEGATIVE_WEIGHTS`](Self::NON_NEGATIVE_WEIGHTS) | `true` if negative weights are an error | `false` |
/// | [`fn start`](Self::start) | first value of a vertex | required in a module |
/// | [`fn edge`](Self::edge) | message along one edge | required |
/// | [`fn combine`](Self::combine) | combination of two messages | `type Combine` is required |
/// | [`fn apply`](Self::apply) | new value of a vertex | the message is combined into the value |
/// | [`fn changed`](Self::changed) | `true` if a vertex changed, and therefore sends in the next step | `true` if its value differs |
/// | [`fn sends`](Self::sends) | `true` if a vertex that has computed sends in the next step | `changed` decides |
/// | [`fn halts`](Self::halts) | `true` if a vertex that has computed waits for a message | vertices without a message do not compute |
/// | [`fn priority`](Self::priority) | order in which waiting vertices send | all of them send in the next step |
/// | [`fn aggregate`](Self::aggregate) | contribution of one vertex to the fold | nothing is folded |
/// | [`fn finished`](Self::finished) | `true` if the run ends after a step | only the fixpoint or a limit ends it |
///
/// Two more types, [`Before`](Self::Before) and [`Incoming`](Self::Incoming), are argument types of `apply`. The macro
/// derives them from the other items.
///
/// # Examples
///
/// In function form, the arguments are the sender's value and, if needed, the edge's weight. The result is the message:
///
/// ```
/// use wolfpath::prelude::*;
///
/// /// Breadth-first search.
/// #[edge_program(combine = min, first = 0, uniform)]
/// fn hops(depth: u32) -> u32 {
///     depth + 1
/// }
///
/// let graph = LayeredGraph::from_edges([(7, 3), (3, 5), (7, 5)])?;
/// let outcome = Engine::cpu().run(&graph, &hops::starting_at(7))?;
/// assert_eq!(outcome.value(5)?, Some(1));
/// # Ok::<(), wolfpath::Error>(())
/// ```
///
/// The items below have examples in module form, and [the page of the module](crate::program#a-complete-program) has a
/// program with most of them.
///
/// # What a run does
///
/// `start` gives vertices their first values; a vertex without a value is unreached. In each step, the senders compute
/// one message per edge from their values before the step. The messages to one vertex are combined, and `apply`
/// computes its new value. Who computes, who sends, and when the run ends depend on `SENDERS`, `changed`, `sends`,
/// `halts` and `priority`:
///
/// | [`SENDERS`](Self::SENDERS) | computes in a step | sends in the next step | the run ends when |
/// |---|---|---|---|
/// | `Active` | vertices that received a message | those that computed and for which `changed` holds | nothing is sent |
/// | `Active`, with `sends` | the same | those that computed and for which `sends` holds | nothing is sent |
/// | `Active`, with `halts` | those that received a message, and those with a value that did not halt | those that computed and for which `changed` (or `sends`, if there is one) holds | nothing is sent, and every vertex with a value has halted |
/// | `Active`, with `priority` | vertices that received a message | of the vertices that wait, because since they last sent they computed and `changed` (or `sends`) held, those of least priority | no vertex waits |
/// | `All` | all vertices | all with a value | a step changed nothing |
/// | `All`, with `sends` | all vertices | those with a value for which `sends` holds | a step changed nothing |
///
/// In the first step, the vertices with a first value send (with `priority`: they wait); if the program has `sends`, only
/// those for which it holds.
/// All of this is true for every engine and schedule.
///
/// # Signatures
///
/// The second type parameter of `Vertex` may be omitted, as in `v: Vertex<f32>`: the macro adds the aggregate's type. A
/// function whose result is `impl Into<Option<T>>` may return `T` or `Option<T>`. If it is called on the program's own
/// type, its result has the type that the program declares.
///
/// You can also call the functions that a program omits. They do what the engines do. Where a run would end with a
/// fault (an error at a location in the program), they panic.
///
/// The [guide](https://github.com/wolfpath/wolfpath/blob/main/docs/programming.md) explains both forms. Other pages
/// list the Rust features that programs can use, and ten more programs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an edge program",
    note = "`#[edge_program]` on a function or on a module makes one"
)]
pub trait EdgeProgram: Executable + Send + Sync + Sized + 'static {
    /// The type of a vertex's value: a number, a `bool`, or an enum, array or struct of these that the module declares.
    ///
    /// ```
    #[doc = include_str!("examples/value.rs")]
    /// ```
    type Value: Datum;

    /// The type of a message along an edge: any type that is allowed for [`Value`](Self::Value). If the two types
    /// differ, the program must write [`apply`](Self::apply), which computes a value from a message.
    ///
    /// ```
    #[doc = include_str!("examples/message.rs")]
    /// ```
    type Message: Datum;

    /// The type of an edge's weight: a number, or a struct whose fields are read from the columns of the same names.
    /// Defaults to `()`, for a program that reads no weights.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// /// The best way to a vertex is the one whose worst road is best. `Weight` is the type of the last argument, `f32`.
    /// #[edge_program(combine = max, first = f32::INFINITY)]
    /// fn smoothest(worst: f32, quality: f32) -> f32 {
    ///     worst.min(quality)
    /// }
    ///
    /// let roads = LayeredGraph::from_weighted_edges([(1, 2, 0.3f32), (1, 3, 0.9), (3, 2, 0.8)])?;
    /// assert_eq!(Engine::cpu().run(&roads, &smoothest::starting_at(1))?.value(2)?, Some(0.8));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    type Weight: Datum;

    /// The combiner of messages to one vertex: [`Min`](super::Min), [`Max`](super::Max), [`Sum`](super::Sum),
    /// [`Or`](super::Or), [`And`](super::And), [`Any`](super::Any), [`Fields`](super::Fields) or
    /// [`MostFrequent`](super::MostFrequent). Defaults to [`Custom`](super::Custom): [`combine`](Self::combine).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::{Components, widest};
    ///
    /// assert_eq!(Components.combine(17, 4), 4); // `type Combine = Min;`
    /// assert_eq!(widest::starting_at(1).combine(17, 4), 17); // `combine = max` in function form
    /// ```
    type Combine: Combiner<Self::Message>;

    /// The fold of all values before each step: `Sum<T>`, `Min<T>`, `Max<T>`, `Or<T>` or `And<T>` of the results of
    /// [`aggregate`](Self::aggregate). [`apply`](Self::apply) reads the fold as `v.aggregate`. Defaults to
    /// [`NoAggregate`](super::NoAggregate). Several folds are a tuple, such as `(Sum<f64>, Min<u32>)`, whose fold has
    /// the type `(f64, u32)`, or a struct of the module whose fields are folds; see
    /// [the guide](https://github.com/wolfpath/wolfpath/blob/main/docs/programming.md#several-folds).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::PageRank;
    ///
    /// // `type Aggregate = Sum<f64>;`: the rank of all vertices without out-edges, which all vertices share.
    /// let shared: wolfpath::program::AggregateOf<PageRank> = 0.5;
    /// let program = PageRank { damping: 0.5, tolerance: 1e-6 };
    /// let v = Vertex { value: 0.1, vertices: 10, aggregate: shared, ..Vertex::default() };
    /// assert!((program.apply(v, 0.5) - 0.325).abs() < 1e-6);
    /// ```
    type Aggregate: Aggregator;

    /// The type of `v.value` in [`apply`](Self::apply): `Option<Value>` if a vertex may have no value yet, because
    /// `start` returns an `Option` or the program starts at sources; otherwise `Value`. The macro defines this type.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::{PageRank, bfs};
    ///
    /// let _depth: <bfs as EdgeProgram>::Before = None; // not reached yet
    /// let _rank: <PageRank as EdgeProgram>::Before = 0.25; // every vertex has a value from the start
    /// ```
    type Before: Into<Option<Self::Value>>;

    /// The type of the combined message in [`apply`](Self::apply): `Message`, or `Option<Message>` if `apply` may run
    /// without a message. This is possible only under [`Senders::All`] or with [`halts`](Self::halts), and only if the
    /// combiner has no neutral message. `apply` gets a neutral message if no message arrived. The macro defines this type.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::{PageRank, bfs};
    ///
    /// let _depth: <bfs as EdgeProgram>::Incoming = 3; // `apply` runs only if a message arrived
    /// let _share: <PageRank as EdgeProgram>::Incoming = 0.0; // no message arrived: the neutral message of `Sum` is 0
    /// ```
    type Incoming: Into<Option<Self::Message>>;

    /// The senders of a step: the literal `Senders::Active` or `Senders::All`. Defaults to `Senders::Active`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::{PageRank, bfs};
    ///
    /// assert_eq!((bfs::SENDERS, PageRank::SENDERS), (Senders::Active, Senders::All));
    /// ```
    const SENDERS: Senders = Senders::Active;

    /// The direction in which messages travel. Defaults to `Along::Out`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// /// The vertices from which a vertex can be reached.
    /// #[edge_program(combine = or, first = true, along = in)]
    /// fn leads_there(leads: bool) -> bool {
    ///     leads
    /// }
    ///
    /// assert_eq!(leads_there::ALONG, Along::In);
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (4, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &leads_there::starting_at(2))?;
    /// assert_eq!((outcome.value(4)?, outcome.value(3)?), (Some(true), None));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    const ALONG: Along = Along::Out;

    /// `true` to visit each pair of neighbours once, from the vertex with fewer neighbours, and from the smaller `index`
    /// if both have equally many. Requires [`Along::Neighbours`]. [Example](crate::program#distinct-neighbours).
    ///
    /// ```
    /// assert!(!<wolfpath::programs::bfs as wolfpath::program::EdgeProgram>::ORIENTED);
    /// ```
    const ORIENTED: bool = false;

    /// A guarantee that all messages of one step are equal if all first values are equal. A vertex that gathers
    /// messages may then stop at the first. Defaults to `false`. If the guarantee is false, answers are wrong, or the
    /// run ends with the error `RunError::NotUniform`.
    ///
    /// ```
    /// assert!(<wolfpath::programs::bfs as wolfpath::program::EdgeProgram>::UNIFORM); // in step n, every message is n
    /// ```
    const UNIFORM: bool = false;

    /// A guarantee that messages may be added up in any order and in portions: the messages along an edge for two values
    /// add up to the message for the sum of the values. Defaults to `false`. Requires `type Combine = Sum`, and rules out
    /// `apply` and the functions that belong to steps.
    ///
    /// The value of a vertex is then the sum of its first value and of all messages that it receives. In
    /// [`edge`](Self::edge), `e.value` is only a *portion* of it: what the vertex received and has not sent yet. (In the
    /// beginning that is the first value.) A vertex may take and send its portions at any time, so a run has no steps, and
    /// it ends when all portions that were not sent are small
    /// ([`RunOptions::tolerance`](https://docs.rs/wolfpath/latest/wolfpath/struct.RunOptions.html#method.tolerance)).
    /// Sums of floats therefore differ from run to run. Each lacks what it would have received of the unsent portions. Sums
    /// of integers are exact, unless a tolerance is requested. A program that breaks the guarantee gets wrong answers, which `testing::check_program` is likely to notice.
    ///
    /// This is delta-based accumulation: Zhang, Gao, Gao and Wang, "Maiter: An Asynchronous Graph Processing Framework for
    /// Delta-based Accumulative Iterative Computation", 2013.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// /// Number of ways from the source to each vertex of a graph without cycles.
    /// #[edge_program(combine = sum, first = 1, accumulates)]
    /// fn ways(more: u64) -> u64 {
    ///     more
    /// }
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)])?;
    /// let outcome = Engine::cpu().run(&graph, &ways::starting_at(1))?;
    /// assert_eq!(outcome.value(5)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    const ACCUMULATES: bool = false;

    /// `true` to reject graphs with negative weights, with an error that names the edge. Defaults to `false`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let roads = LayeredGraph::from_weighted_edges([(1, 2, 3.0f32), (2, 3, -1.0)])?;
    /// let error = Engine::cpu().run(&roads, &wolfpath::programs::sssp_f32::starting_at(1)).unwrap_err();
    /// assert!(error.to_string().contains("-1"), "{error}");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    const NON_NEGATIVE_WEIGHTS: bool = false;

    /// Returns the first value of a vertex, or `None` for a vertex that starts without a value. A program in function
    /// form starts at the vertices given to `starting_at`, `from_source` or `from_sources`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::{Components, bfs};
    ///
    /// let v = Vertex { id: 17, ..Vertex::default() };
    /// assert_eq!(Components.start(v), 17); // `fn start(&self, v: Vertex) -> u64 { v.id }`
    /// assert_eq!((bfs::starting_at(17).start(v), bfs::starting_at(5).start(v)), (Some(0), None));
    /// ```
    fn start(&self, v: Vertex<(), AggregateOf<Self>>) -> impl Into<Option<Self::Value>>;

    /// Returns the message along one edge, or `None` to send nothing along it. In a program without weights, the type
    /// of `e` is `Edge<Value>`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// /// Hops over roads that are wide enough for a lorry.
    /// #[edge_program(combine = min, first = 0)]
    /// fn by_lorry(hops: u32, width: f32) -> Option<u32> {
    ///     if width >= 2.5 { Some(hops + 1) } else { None }
    /// }
    ///
    /// let along = |width| by_lorry::starting_at(1).edge(Edge { value: 3, weight: width, ..Edge::default() });
    /// assert_eq!((along(2.0), along(4.0)), (None, Some(4)));
    /// ```
    fn edge(&self, e: Edge<Self::Value, Self::Weight, AggregateOf<Self>>)
    -> impl Into<Option<Self::Message>>;

    /// Combines two messages into one. Must be associative and commutative, because messages are combined in any order.
    /// A program writes either this function or [`type Combine`](Self::Combine), which then provides the function.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// #[edge_program]
    /// mod bits {
    ///     use wolfpath::prelude::*;
    ///
    ///     /// The bits that are set in the ids of a vertex and all its in-neighbours.
    ///     pub struct CommonBits;
    ///
    ///     impl EdgeProgram for CommonBits {
    ///         type Value = u64;
    ///         type Message = u64;
    ///
    ///         fn start(&self, v: Vertex) -> u64 {
    ///             v.id
    ///         }
    ///         fn edge(&self, e: Edge<u64>) -> u64 {
    ///             e.source
    ///         }
    ///         fn combine(&self, a: u64, b: u64) -> u64 {
    ///             a & b
    ///         }
    ///     }
    /// }
    ///
    /// assert_eq!(bits::CommonBits.combine(0b110, 0b011), 0b010);
    /// ```
    fn combine(&self, a: Self::Message, b: Self::Message) -> Self::Message {
        or_panic::<Self, _>(self.checked_combine(a, b))
    }

    /// Returns the new value of a vertex, from its old value ([`Before`](Self::Before)) and the combined message
    /// ([`Incoming`](Self::Incoming)). Called for every vertex that received a message, for all vertices under
    /// [`Senders::All`], and for vertices that have not [halted](Self::halts). By default, the message is combined into
    /// the value, or becomes the value if the vertex has none.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// #[edge_program]
    /// mod longest {
    ///     use wolfpath::prelude::*;
    ///
    ///     /// The number of edges on a longest path to a vertex, in a graph without cycles.
    ///     pub struct Longest;
    ///
    ///     impl EdgeProgram for Longest {
    ///         type Value = u32;
    ///         type Message = u32;
    ///         type Combine = Max;
    ///
    ///         fn start(&self, v: Vertex) -> Option<u32> {
    ///             (v.in_degree == 0).then_some(0)
    ///         }
    ///         fn edge(&self, e: Edge<u32>) -> u32 {
    ///             e.value + 1
    ///         }
    ///         fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
    ///             v.value.map_or(incoming, |longest| longest.max(incoming))
    ///         }
    ///     }
    /// }
    ///
    /// let v = Vertex { value: Some(3), ..Vertex::default() };
    /// assert_eq!(longest::Longest.apply(v, 2), 3);
    /// assert_eq!(wolfpath::programs::widest::starting_at(1).apply(v, 2), 3); // the default `apply`
    /// ```
    fn apply(&self, v: Vertex<Self::Before, AggregateOf<Self>>, incoming: Self::Incoming) -> Self::Value {
        or_panic::<Self, _>(self.checked_apply(v.map_value(Into::into), incoming.into()))
    }

    /// Returns `true` if the vertex counts as changed. It then sends in the next step, unless the program has
    /// [`sends`](Self::sends); under [`Senders::All`], a step that changes nothing ends the run. The new value is stored
    /// in any case. Defaults to `true` if the bits of the value differ. This function is not called for a vertex that gets
    /// its first value during the run, which always counts as changed.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::{PageRank, bfs};
    ///
    /// let program = PageRank { damping: 0.85, tolerance: 1e-3 };
    /// assert!(program.changed(0.5, 0.6) && !program.changed(0.5, 0.5001));
    /// assert!(bfs::starting_at(1).changed(4, 3));
    /// ```
    fn changed(&self, before: Self::Value, after: Self::Value) -> bool {
        or_panic::<Self, _>(self.checked_changed(before, after))
    }

    /// Returns `true` if the vertex sends in the next step. Called after `start` for every vertex with a value, and
    /// after every computation of a vertex. `v.value` is the new value, and `v.step` the number of the step in which it
    /// was computed (0 after `start`). By default, a vertex sends if it [`changed`](Self::changed), or, under
    /// [`Senders::All`], in every step; a program that has `sends` must not have `changed` except under `Senders::All`.
    ///
    /// A vertex that received a message computes even if its value stays the same, so a `sends` that looks only at the
    /// value may send the same message forever. Here, the value is the number of the step in which the vertex was
    /// reached:
    ///
    /// ```
    #[doc = include_str!("examples/sends.rs")]
    /// ```
    fn sends(&self, v: Vertex<Self::Value, AggregateOf<Self>>) -> bool {
        or_panic::<Self, _>(self.checked_sends(v))
    }

    /// Returns `true` if the vertex computes again only when it receives a message, and `false` if it computes in the
    /// next step even without one. Called at the same times as [`sends`](Self::sends), with the same argument. By default, every vertex
    /// waits for a message. Not allowed under [`Senders::All`], where all vertices compute in every step.
    ///
    /// ```
    #[doc = include_str!("examples/halts.rs")]
    /// ```
    fn halts(&self, v: Vertex<Self::Value, AggregateOf<Self>>) -> bool {
        or_panic::<Self, _>(self.checked_halts(v))
    }

    /// Returns the priority of a vertex that waits to send. In each step, the waiting vertices of least priority send, so
    /// the waiting vertices are an ordered worklist (Dhulipala, Blelloch and Shun, "Julienne", SPAA 2017). Called after
    /// `start`, and after every computation of a vertex that waits; `v.value` is the new value. `v.level` is the
    /// priority of the vertices that send in this step. A priority below it counts as equal to it, so levels never fall.
    /// Not allowed under [`Senders::All`] or with [`halts`](Self::halts).
    ///
    /// ```
    #[doc = include_str!("examples/priority.rs")]
    /// ```
    fn priority(&self, v: Vertex<Self::Value, AggregateOf<Self>>) -> u64 {
        or_panic::<Self, _>(self.checked_priority(v))
    }

    /// Returns the contribution of one vertex to the fold over all values before a step. Requires
    /// [`type Aggregate`](Self::Aggregate). [`v.before`](Vertex::before) is the value before the last step.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::PageRank;
    ///
    /// // The rank of vertices without out-edges, which is shared among all vertices.
    /// let program = PageRank { damping: 0.85, tolerance: 1e-6 };
    /// let dangling = Vertex { value: 0.25, out_degree: 0, ..Vertex::default() };
    /// assert_eq!(program.aggregate(dangling), 0.25);
    /// assert_eq!(program.aggregate(Vertex { out_degree: 2, ..dangling }), 0.0);
    /// ```
    fn aggregate(&self, v: Vertex<Self::Value, AggregateOf<Self>, Self::Earlier>) -> AggregateOf<Self> {
        or_panic::<Self, _>(self.checked_aggregate(v.with_before(()), None))
    }

    /// Returns `true` if the run ends after `step`, given the folds of all values before that step (`before`) and after it
    /// (`now`). Called after every step, except at the fixpoint. Requires [`type Aggregate`](Self::Aggregate). By
    /// default, a run ends at the fixpoint, or after `RunOptions::steps_at_most` steps.
    ///
    /// ```
    #[doc = include_str!("examples/finished.rs")]
    /// ```
    fn finished(&self, before: AggregateOf<Self>, now: AggregateOf<Self>, step: u64) -> bool {
        or_panic::<Self, _>(self.checked_finished(before, now, step))
    }
}
