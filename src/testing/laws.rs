//! The checks of each law.

use std::fmt::Debug;

use wolfpath_core::program::{
    AggregateOf, Aggregator, CombineKind, Combiner, Datum, Edge, EdgeProgram, Senders, Vertex,
};

use super::cases::SmallGraph;
use super::counterexample::{Counterexample, Law};
use super::simulation::{self, EdgeOf, Sent, Simulation, TooLow};

/// Maximum number of messages that are kept for the checks. All triples of messages are checked, so their number
/// dominates the time.
const MESSAGES: usize = 24;
/// Maximum number of edges, with the values of their senders, that are kept for the checks.
const EDGES: usize = 96;

/// Largest portion whose messages are compared. Sums that grow without end only differ by how they round.
const LARGEST_PORTION: f64 = 1e9;

/// Returns a vertex of which only the value matters.
fn of_value<P: EdgeProgram>(value: Option<P::Value>) -> Vertex<Option<P::Value>, AggregateOf<P>> {
    Vertex {
        id: 0,
        index: 0,
        value,
        out_degree: 0,
        in_degree: 0,
        vertices: 0,
        edges: 0,
        step: 0,
        level: 0,
        aggregate: P::Aggregate::identity(),
        neighbours: 0,
        before: (),
        values: &[],
    }
}

fn kind<P: EdgeProgram>() -> CombineKind {
    <P::Combine as Combiner<P::Message>>::KIND
}

/// Returns the first two messages of a run that should be equal but differ.
fn unequal<P: EdgeProgram>(run: &Simulation<P>) -> Option<(Law, &Sent<P>, &Sent<P>)> {
    let uniform = P::UNIFORM && run.equal_starts;
    // A combiner of fields may keep an arbitrary one of the messages for one of them.
    let any = matches!(kind::<P>(), CombineKind::Any | CombineKind::Fields);
    let combine = <P::Combine as Combiner<P::Message>>::combine;
    for (index, one) in run.sent.iter().enumerate() {
        let later = run.sent[index + 1..].iter().take_while(|other| other.step == one.step);
        for other in later.filter(|other| !other.message.same(one.message)) {
            if uniform {
                return Some((Law::Uniform, one, other));
            }
            let differs = |a, b| any && !combine(a, b).same(combine(b, a));
            if one.edge.target == other.edge.target && differs(one.message, other.message) {
                return Some((Law::AnyEqual, one, other));
            }
        }
    }
    None
}

/// Returns a counterexample if messages that must be equal differ.
pub(super) fn equal_messages<P: EdgeProgram>(
    program: &P,
    graph: &SmallGraph<P::Weight>,
    run: &Simulation<P>,
) -> Result<(), Counterexample> {
    if unequal(run).is_none() {
        return Ok(());
    }
    let (graph, run) = smallest(program, graph, |run| unequal(run).is_some());
    let Some((law, one, other)) = unequal(&run) else { return Ok(()) };
    let facts = vec![
        edges_of(&graph),
        format!(
            "in step {}, vertex {} sends {:?} to {}",
            one.step, one.edge.source, one.message, one.edge.target
        ),
        format!("vertex {} sends {:?} to {}", other.edge.source, other.message, other.edge.target),
    ];
    Err(Counterexample::new(P::MODEL.name, law, facts))
}

/// Returns a counterexample if a priority is below the level at which it was computed.
pub(super) fn levels_rise<P: EdgeProgram>(
    program: &P,
    graph: &SmallGraph<P::Weight>,
    run: &Simulation<P>,
) -> Result<(), Counterexample> {
    if run.too_low.is_none() {
        return Ok(());
    }
    let (graph, run) = smallest(program, graph, |run| run.too_low.is_some());
    let Some(TooLow { id, step, priority, level }) = run.too_low else { return Ok(()) };
    let facts = vec![
        edges_of(&graph),
        format!("in step {step}, at level {level}, vertex {id} gets the priority {priority}"),
    ];
    Err(Counterexample::new(P::MODEL.name, Law::LevelsRise, facts))
}

/// Returns a sentence that lists the edges of a graph.
fn edges_of<W: Datum>(graph: &SmallGraph<W>) -> String {
    let edges =
        graph.edges.iter().map(|edge| format!("{} -> {} ({:?})", edge.source, edge.target, edge.weight));
    format!("the graph has the edges {}", edges.collect::<Vec<_>>().join(", "))
}

/// Removes all edges without which a run still `fails`.
fn smallest<P: EdgeProgram>(
    program: &P,
    graph: &SmallGraph<P::Weight>,
    fails: impl Fn(&Simulation<P>) -> bool,
) -> (SmallGraph<P::Weight>, Simulation<P>) {
    let mut graph = graph.clone();
    let mut edge = graph.edges.len();
    while edge > 0 {
        edge -= 1;
        let smaller = graph.without(edge);
        if fails(&simulation::run(program, &smaller)) {
            graph = smaller;
            edge = graph.edges.len();
        }
    }
    let run = simulation::run(program, &graph);
    (graph, run)
}

/// Messages and edges that occurred in runs, on which the laws are checked.
pub(super) struct Pool<P: EdgeProgram> {
    messages: Vec<P::Message>,
    edges: Vec<EdgeOf<P>>,
}

impl<P: EdgeProgram> Default for Pool<P> {
    fn default() -> Pool<P> {
        Pool { messages: Vec::new(), edges: Vec::new() }
    }
}

impl<P: EdgeProgram> Pool<P> {
    /// Keeps new messages and edges, up to the maximum numbers.
    pub(super) fn keep(&mut self, run: Simulation<P>) {
        for sent in run.sent {
            if self.messages.len() < MESSAGES && self.messages.iter().all(|known| !known.same(sent.message)) {
                self.messages.push(sent.message);
            }
        }
        for asked in run.asked {
            let new = |known: &EdgeOf<P>| !(known.value.same(asked.value) && known.weight.same(asked.weight));
            if self.edges.len() < EDGES && self.edges.iter().all(new) {
                self.edges.push(asked);
            }
        }
        // The smallest values are checked first, so that the first counterexample is small.
        self.messages.sort_by_key(|message| size(*message));
        self.edges.sort_by_key(|edge| (size(edge.value), size(edge.weight)));
    }

    /// Checks that a custom `combine` is commutative and associative.
    pub(super) fn combine_laws(&self, program: &P) -> Result<(), Counterexample> {
        if kind::<P>() != CombineKind::Custom {
            return Ok(());
        }
        let combine = |a, b| program.checked_combine(a, b).ok();
        for &a in &self.messages {
            for &b in &self.messages {
                if let (Some(ab), Some(ba)) = (combine(a, b), combine(b, a))
                    && !ab.same(ba)
                {
                    let facts = vec![
                        format!("combine({a:?}, {b:?}) is {ab:?}"),
                        format!("combine({b:?}, {a:?}) is {ba:?}"),
                    ];
                    return Err(Counterexample::new(P::MODEL.name, Law::Commutative, facts));
                }
            }
        }
        for &a in &self.messages {
            for &b in &self.messages {
                for &c in &self.messages {
                    let left = combine(a, b).and_then(|ab| combine(ab, c));
                    let right = combine(b, c).and_then(|bc| combine(a, bc));
                    if let (Some(left), Some(right)) = (left, right)
                        && !left.same(right)
                    {
                        let facts = vec![
                            format!("combine(combine({a:?}, {b:?}), {c:?}) is {left:?}"),
                            format!("combine({a:?}, combine({b:?}, {c:?})) is {right:?}"),
                        ];
                        let broken = Counterexample::new(P::MODEL.name, Law::Associative, facts);
                        let rounds = differ_by_rounding(&left, &right, &[a, b, c]);
                        return Err(if rounds { broken.with_advice(SUMS_ROUND) } else { broken });
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that the `edge` of a program that may run in place is monotone and never improves on its value.
    pub(super) fn edge_laws(&self, program: &P) -> Result<(), Counterexample> {
        if !in_place::<P>() {
            return Ok(());
        }
        for edge in &self.edges {
            self.never_improves(program, edge)?;
        }
        for edge in &self.edges {
            for other in &self.edges {
                self.monotone(program, edge, other.value)?;
            }
        }
        Ok(())
    }

    /// Checks that the messages along an edge for two values add up to the message for their sum.
    pub(super) fn portions_add_up(&self, program: &P) -> Result<(), Counterexample> {
        if !P::ACCUMULATES {
            return Ok(());
        }
        let along = |edge: &EdgeOf<P>, value| {
            let message = program.checked_edge(Edge { value, ..*edge }).ok()?;
            message.or_else(<P::Combine as Combiner<P::Message>>::identity)
        };
        // Without a value, a message becomes the value, and with one, their sum does.
        let sum = |value, message| program.checked_apply(of_value::<P>(value), Some(message)).ok();
        let small =
            |message: &&P::Message| <P::Combine as Combiner<P::Message>>::size(**message) < LARGEST_PORTION;
        for edge in &self.edges {
            for &more in self.messages.iter().filter(small) {
                let whole = sum(Some(edge.value), more).and_then(|both| along(edge, both));
                let first = along(edge, edge.value).filter(|first| small(&first));
                let (Some(whole), Some(first)) = (whole, first) else { continue };
                let Some(second) = sum(None, more).and_then(|value| along(edge, value)) else { continue };
                let added = <P::Combine as Combiner<P::Message>>::combine(first, second);
                if !added.same(whole) && !differ_by_rounding(&added, &whole, &[first, second, whole]) {
                    let facts = vec![
                        format!("edge({}) is {first:?}", shown(edge)),
                        format!("with the value {more:?} it is {second:?}"),
                        format!("with the sum of both values it is {whole:?}"),
                    ];
                    return Err(Counterexample::new(P::MODEL.name, Law::Additive, facts));
                }
            }
        }
        Ok(())
    }

    fn never_improves(&self, program: &P, edge: &EdgeOf<P>) -> Result<(), Counterexample> {
        let Ok(Some(message)) = program.checked_edge(*edge) else { return Ok(()) };
        if !better::<P>(message, as_message::<P>(edge.value)) {
            return Ok(());
        }
        let facts =
            vec![format!("edge({}) is {message:?}, better than the value {:?}", shown(edge), edge.value)];
        Err(Counterexample::new(P::MODEL.name, Law::NeverImproves, facts))
    }

    /// Checks that `edge` is monotone for its value and a worse `value`, with all else equal.
    fn monotone(&self, program: &P, edge: &EdgeOf<P>, value: P::Value) -> Result<(), Counterexample> {
        let other = Edge { value, ..*edge };
        if !better::<P>(as_message::<P>(edge.value), as_message::<P>(value)) {
            return Ok(());
        }
        let (Ok(of_better), Ok(Some(of_worse))) = (program.checked_edge(*edge), program.checked_edge(other))
        else {
            return Ok(());
        };
        let broken = of_better.is_none_or(|of_better| better::<P>(of_worse, of_better));
        if !broken {
            return Ok(());
        }
        let given = of_better.map_or_else(|| "nothing".to_owned(), |message| format!("{message:?}"));
        let facts = vec![
            format!("edge({}) is {given}", shown(edge)),
            format!("with the worse value {value:?} it is {of_worse:?}, which is better"),
        ];
        Err(Counterexample::new(P::MODEL.name, Law::Monotone, facts))
    }
}

/// Advice for a `combine` that adds floats.
const SUMS_ROUND: &str = "let a combiner add the floats: `type Combine = Sum;`, or `Fields<(Sum, ..)>` with one \
                          combiner for each field of a struct. They accumulate floats in f64, in an order that does not \
                          depend on the engine's threads";

/// Returns `true` if two values differ only in floats, by as much as additions of floats in `messages` may round.
fn differ_by_rounding<T: Debug>(a: &T, b: &T, messages: &[T]) -> bool {
    let largest = floats(&format!("{messages:?}")).map(f64::abs).fold(0.0, f64::max);
    let (a, b) = (format!("{a:?}"), format!("{b:?}"));
    let shape = |text: &str| -> Vec<String> {
        numbers(text).map(|number| if number.contains('.') { "." } else { number }.to_owned()).collect()
    };
    // The texts have the same numbers except floats, and their floats are close.
    shape(&a) == shape(&b) && floats(&a).zip(floats(&b)).all(|(a, b)| (a - b).abs() <= 1e-5 * largest)
}

/// Returns the numbers in a value's text.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

/// Returns the floats in a value's text, which all have a point.
fn floats(text: &str) -> impl Iterator<Item = f64> {
    numbers(text).filter(|number| number.contains('.')).filter_map(|number| number.parse().ok())
}

/// Returns `true` if engines may let values of this program be seen before a step ends.
fn in_place<P: EdgeProgram>() -> bool {
    let ordered =
        matches!(kind::<P>(), CombineKind::Min | CombineKind::Max | CombineKind::Or | CombineKind::And);
    ordered
        && !P::Message::KIND.is_struct()
        && P::SENDERS == Senders::Active
        && !P::MODEL.has_apply
        && !P::MODEL.has_changed
        && !P::MODEL.has_sends
        && !P::MODEL.has_halts
        && !P::MODEL.has_priority
        && P::Aggregate::KIND.is_none()
        && !P::MODEL.reads.edge_moment()
}

/// Converts a value to a message. Without an `apply`, both have the same type.
fn as_message<P: EdgeProgram>(value: P::Value) -> P::Message {
    P::Message::from_bits(value.to_bits())
}

/// Returns `true` if combining the two messages gives the first, and they differ.
fn better<P: EdgeProgram>(a: P::Message, b: P::Message) -> bool {
    let both = <P::Combine as Combiner<P::Message>>::combine(a, b);
    both.same(a) && !both.same(b)
}

/// Returns a sort key that puts numbers with few digits first.
fn size<D: Datum>(datum: D) -> (usize, String) {
    let text = format!("{datum:?}");
    (text.len(), text)
}

fn shown<V: Datum, W: Datum, A>(edge: &Edge<V, W, A>) -> String {
    let weight = if W::KIND.size() == 0 { String::new() } else { format!(", weight: {:?}", edge.weight) };
    format!("value: {:?}{weight}, source: {}, target: {}", edge.value, edge.source, edge.target)
}
