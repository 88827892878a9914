// This file is appended to the modules of a batch, before `main.rs`. It calls the functions of a program with an input,
// in two forms: the user's functions, and their checked twins. Their further arguments are results of the same program:
// messages come from `edge`, and folds from `aggregate`. `questions.cpp` does the same in C++.

use wolfpath::program::{
    AggregateOf, Aggregator, Among, Checked, CombineKind, Combiner, Datum, Edge, EdgeProgram, Executable, Senders,
    Starts, Vertex,
};

/// Three numbers: the arguments of a call.
type Input = [u64; 3];

/// A result as bytes, if there is one.
type Answer = Option<Vec<u8>>;

/// A form of a program.
#[derive(Clone, Copy)]
enum Form {
    /// The user's functions, which panic.
    Original,
    /// The checked twins, which return faults.
    Twin,
}

/// Calls the function in one of its forms.
macro_rules! call {
    ($form:expr, $original:expr, $twin:expr) => {
        match $form {
            Form::Original => Ok($original),
            Form::Twin => $twin,
        }
    };
}

/// A function of a program.
struct Question {
    /// Name of the function in `questions.cpp`, after `ask_`.
    function: &'static str,
    ask: Box<dyn Fn(Form, Input) -> Checked<Answer>>,
    /// Number of bytes of the result.
    size: usize,
    /// Returns `true` if two results are equal bit for bit, or are both NaN.
    same: fn(&[u8], &[u8]) -> bool,
    show: fn(&[u8]) -> String,
}

impl Question {
    /// Number of words of the C++ program's answer.
    fn words(&self) -> usize {
        1 + self.size.div_ceil(8)
    }
}

fn question<T: Datum>(
    function: &'static str,
    ask: impl Fn(Form, Input) -> Checked<Option<T>> + 'static,
) -> Question {
    let bytes = |result: T| {
        let mut bytes = vec![0; T::KIND.size()];
        result.write(&mut bytes);
        bytes
    };
    Question {
        function,
        ask: Box::new(move |form, input| ask(form, input).map(|result| result.map(bytes))),
        size: T::KIND.size(),
        same: |a, b| T::read(a).same(T::read(b)),
        show: |bytes| format!("{:?}", T::read(bytes)),
    }
}

/// A type of an argument that stands for a value or a message that there may be.
trait Held<T>: Copy {
    fn held(value: Option<T>) -> Self;
}

impl<T: Copy> Held<T> for T {
    fn held(value: Option<T>) -> T {
        value.expect("there is a value")
    }
}

impl<T: Copy> Held<T> for Option<T> {
    fn held(value: Option<T>) -> Option<T> {
        value
    }
}

impl Held<u64> for () {
    fn held(_: Option<u64>) {}
}

/// A type of `v.value` in `apply`, with the values of all vertices. `before.cpp` has the same.
trait Known: Sized + 'static {
    const VALUES: &'static [Self];
}

impl Known for u64 {
    const VALUES: &'static [u64] = &[3, 0, u64::MAX, 7, 1, 0x8000_0000, 64, 5];
}

impl Known for Option<u64> {
    const VALUES: &'static [Option<u64>] = &[Some(3), None, Some(7), None, Some(0), Some(64), None, Some(1)];
}

/// A program that can be asked.
trait Asked:
    EdgeProgram<Value = u64, Weight = u64, Before: Held<u64> + Known, Incoming: Held<Self::Message>>
    + Executable<Earlier: Held<u64>>
    + Copy
{
}

impl<P> Asked for P where
    P: EdgeProgram<Value = u64, Weight = u64, Before: Held<u64> + Known, Incoming: Held<P::Message>>
        + Executable<Earlier: Held<u64>>
        + Copy
{
}

/// Returns the questions about a program: one for each of its functions. The conditions are constants, so that rustc
/// does not compile what is not asked.
fn questions<P: Asked>(p: P) -> Vec<Question> {
    let mut questions = vec![
        question("edge", move |form, input| message(p, form, input)),
        question::<u64>("start", move |form, input| {
            let v = vertex(input, (), P::Aggregate::identity());
            call!(form, p.start(v).into(), p.checked_start(v))
        }),
    ];
    if const { !matches!(combiner::<P>(), CombineKind::MostFrequent) } {
        questions.push(question("combine", move |form, input| combined(p, form, input)));
    }
    if const { P::Aggregate::KIND.is_some() } {
        questions.push(question("aggregate", move |form, input| two_vertices(p, form, input).map(Some)));
    }
    if const { P::MODEL.has_apply } {
        questions.push(question("apply", move |form, input| applied(p, form, input)));
    }
    if const { P::MODEL.has_changed } {
        questions.push(question("changed", move |form, [before, after, _]: Input| {
            call!(form, p.changed(before, after), p.checked_changed(before, after)).map(Some)
        }));
    }
    if const { P::MODEL.has_sends } {
        questions.push(question("sends", move |form, input| {
            let v = at_vertex(p, form, input)?;
            call!(form, p.sends(v), p.checked_sends(v)).map(Some)
        }));
    }
    if const { P::MODEL.has_halts } {
        questions.push(question("halts", move |form, input| {
            let v = at_vertex(p, form, input)?;
            call!(form, p.halts(v), p.checked_halts(v)).map(Some)
        }));
    }
    if const { P::MODEL.has_priority } {
        questions.push(question("priority", move |form, input| {
            let v = at_vertex(p, form, input)?;
            call!(form, p.priority(v), p.checked_priority(v)).map(Some)
        }));
    }
    if const { P::MODEL.has_finished } {
        questions.push(question("finished", move |form, input| {
            let (before, now) = (one_vertex(p, form, input)?, two_vertices(p, form, input)?);
            let step = input[2];
            call!(form, p.finished(before, now, step), p.checked_finished(before, now, step)).map(Some)
        }));
    }
    questions
}

const fn combiner<P: Asked>() -> CombineKind {
    <P::Combine as Combiner<P::Message>>::KIND
}

/// Returns the second input of a question about two vertices or two edges.
fn turned([a, b, c]: Input) -> Input {
    [b, c, a]
}

fn vertex<V: 'static, A>([a, b, c]: Input, value: V, aggregate: A) -> Vertex<V, A> {
    Vertex {
        id: c,
        index: (c % 9) as u32,
        value,
        out_degree: b,
        in_degree: c,
        vertices: a,
        edges: b,
        step: c,
        level: b,
        aggregate,
        neighbours: 0,
        before: (),
        values: &[],
    }
}

/// Returns `true` if a vertex of this program may have no value.
const fn may_have_no_value<P: Asked>() -> bool {
    matches!(P::MODEL.starts, Starts::Some)
}

/// Returns a value that a vertex of this program may not have.
fn optional<P: Asked>(number: u64) -> Option<u64> {
    (!may_have_no_value::<P>() || number % 4 != 0).then_some(number)
}

/// Returns `fold` with one more vertex.
fn and_vertex<P: Asked>(fold: AggregateOf<P>, p: P, form: Form, input: Input) -> Checked<AggregateOf<P>> {
    if const { P::Aggregate::KIND.is_none() } {
        return Ok(fold);
    }
    let v = vertex(input, input[0], P::Aggregate::identity());
    let before = optional::<P>(input[1]);
    let part = call!(form, p.aggregate(v.with_before(P::Earlier::held(before))), p.checked_aggregate(v, before))?;
    Ok(P::Aggregate::combine(fold, part))
}

fn one_vertex<P: Asked>(p: P, form: Form, input: Input) -> Checked<AggregateOf<P>> {
    and_vertex(P::Aggregate::identity(), p, form, input)
}

fn two_vertices<P: Asked>(p: P, form: Form, input: Input) -> Checked<AggregateOf<P>> {
    and_vertex(one_vertex(p, form, input)?, p, form, turned(input))
}

fn at_vertex<P: Asked>(p: P, form: Form, input: Input) -> Checked<Vertex<u64, AggregateOf<P>>> {
    Ok(vertex(input, input[0], two_vertices(p, form, input)?))
}

fn message<P: Asked>(p: P, form: Form, input: Input) -> Checked<Option<P::Message>> {
    let [a, b, c] = input;
    let aggregate = if const { P::MODEL.reads.edge_aggregate } {
        two_vertices(p, form, input)?
    } else {
        P::Aggregate::identity()
    };
    let edge = Edge {
        value: a,
        weight: b,
        source: c,
        target: a,
        source_index: c as u32,
        target_index: a as u32,
        out_degree: b,
        step: c,
        aggregate,
        forward: b % 2 == 1,
        place: a,
        common_neighbours: 0,
        common_edges: 0,
    };
    call!(form, p.edge(edge).into(), p.checked_edge(edge))
}

/// Combines two messages. The twin accumulates them as engines do.
fn combined<P: Asked>(p: P, form: Form, input: Input) -> Checked<Option<P::Message>> {
    let (a, b) = (message(p, form, input)?, message(p, form, turned(input))?);
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    let is_custom = combiner::<P>() == CombineKind::Custom;
    let both = match form {
        Form::Original => p.combine(a, b),
        Form::Twin if is_custom => p.checked_combine(a, b)?,
        Form::Twin => P::Combine::combined(P::Combine::join(P::Combine::accumulate(a), P::Combine::accumulate(b))),
    };
    Ok(Some(both))
}

/// Returns `true` if the program computes at vertices that received no message.
fn computes_without_message<P: Asked>() -> bool {
    P::SENDERS == Senders::All || P::MODEL.has_halts
}

fn applied<P: Asked>(p: P, form: Form, input: Input) -> Checked<Option<u64>> {
    let incoming = message(p, form, input)?;
    if incoming.is_none() && !computes_without_message::<P>() {
        return Ok(None);
    }
    let aggregate = two_vertices(p, form, input)?;
    let value = optional::<P>(input[0]);
    let after = match form {
        Form::Original => {
            let values = P::Before::VALUES;
            let v = Vertex { values, ..vertex(input, P::Before::held(value), aggregate) };
            p.apply(v, P::Incoming::held(incoming.or_else(P::Combine::identity)))
        }
        Form::Twin => {
            let all: Vec<Option<u64>> = P::Before::VALUES.iter().map(|&value| value.into()).collect();
            p.checked_apply_among(vertex(input, value, aggregate), incoming, Among::new(&all))?
        }
    };
    Ok(Some(after))
}
