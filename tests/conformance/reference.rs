//! The meaning of a program, step by step and vertex by vertex, in the simplest way: without frontier, atomics or
//! schedule. Everything else that an engine does is only for speed.

use std::collections::BTreeMap;

use wolfpath::End;
use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::program::{
    AggregateOf, Aggregator, Along, Among, Checked, CombineKind, Combiner, Datum, DatumKind, Edge,
    EdgeProgram, Senders, Starts, Vertex,
};

use crate::adjacency::Adjacency;

/// Edge in the direction of its messages: sender, receiver, position in the out-rows.
type TightEdge = (u32, u32, usize);

/// Value of every vertex, if it has one, by internal index.
pub(crate) type Values<P> = Vec<Option<<P as EdgeProgram>::Value>>;

/// Result of a run.
pub(crate) struct Ran<P: EdgeProgram> {
    pub(crate) values: Values<P>,
    pub(crate) steps: u64,
    pub(crate) end: End,
    /// Fold of the values.
    pub(crate) aggregate: AggregateOf<P>,
}

/// Runs `program` for at most `steps` steps. Returns the values and the number of steps.
pub(crate) fn run<P: EdgeProgram>(
    graph: &LayeredGraph,
    program: &P,
    steps: u64,
) -> Checked<(Values<P>, u64)> {
    ran(graph, program, steps).map(|ran| (ran.values, ran.steps))
}

/// Returns why a run of `program` ends that takes at most `steps` steps.
pub(crate) fn end<P: EdgeProgram>(graph: &LayeredGraph, program: &P, steps: u64) -> Checked<End> {
    ran(graph, program, steps).map(|ran| ran.end)
}

/// Runs `program` for at most `steps` steps.
pub(crate) fn ran<P: EdgeProgram>(graph: &LayeredGraph, program: &P, steps: u64) -> Checked<Ran<P>> {
    let adjacency = (P::ALONG == Along::Neighbours).then(|| Adjacency::new(graph, P::ORIENTED));
    let weights = match adjacency {
        Some(_) => Vec::new(),
        None => graph.weights_for::<P>(Direction::Out, true).expect("the weights fit").to_vec(),
    };
    let mut arriving = vec![0; graph.num_vertices() as usize];
    if P::MODEL.reads.vertex_in_degree {
        graph.out_edges().ends.iter().for_each(|&end| arriving[end as usize] += 1);
    }
    let ways = match &adjacency {
        Some(adjacency) => adjacency.edges().map(|(sender, receiver)| (sender, receiver, 0)).collect(),
        None => ways::<P>(graph),
    };
    let places = places(graph, &ways, P::ALONG);
    let reference = Reference { graph, program, ways, places, weights, arriving, adjacency };
    let mut state = State::start(&reference)?;
    let (mut before, mut taken) = (None, 0);
    loop {
        state.release();
        let now = reference.fold(&state, taken + 1)?;
        let finishes = match before.replace(now) {
            Some(before) if P::MODEL.has_finished => program.checked_finished(before, now, taken)?,
            _ => false,
        };
        let end = match () {
            () if !state.goes_on() => End::Fixpoint,
            () if finishes => End::Finished,
            () if taken == steps => End::Steps,
            () => {
                taken += 1;
                state = reference.step(state, taken, now)?;
                continue;
            }
        };
        return Ok(Ran { values: state.values, steps: taken, end, aggregate: now });
    }
}

/// Everything that a run knows between two steps.
struct State<P: EdgeProgram> {
    values: Values<P>,
    /// Values before the last step; the first ones before any step.
    earlier: Values<P>,
    /// Vertices that send in the next step, if not all do.
    sends: Vec<bool>,
    /// Priorities of the vertices that wait to send, if the program has a `priority`.
    waiting: Vec<Option<u64>>,
    /// Priority of the vertices that send.
    level: u64,
    /// Vertices that compute in the next step even without a message, if the program has `halts`.
    awake: Vec<bool>,
    /// `true` before the first step, and after a step that changed something.
    changed: bool,
}

impl<P: EdgeProgram> State<P> {
    fn start(reference: &Reference<'_, P>) -> Checked<State<P>> {
        let values = reference.start()?;
        let n = values.len();
        let mut state = State {
            earlier: values.clone(),
            values,
            sends: vec![false; n],
            waiting: vec![None; n],
            level: 0,
            awake: vec![false; n],
            changed: n > 0,
        };
        for v in 0..n {
            if state.values[v].is_some() {
                state.ask(reference, v as u32, true, 0, P::Aggregate::identity())?;
            }
        }
        Ok(state)
    }

    /// Lets the waiting vertices of least priority send. Priorities below the level count as equal to it.
    fn release(&mut self) {
        let Some(least) = self.waiting.iter().flatten().min() else { return };
        self.level = self.level.max(*least);
        for (priority, sends) in self.waiting.iter_mut().zip(&mut self.sends) {
            *sends = priority.take_if(|priority| *priority <= self.level).is_some();
        }
    }

    fn goes_on(&self) -> bool {
        let sends = self.sends.contains(&true);
        match P::SENDERS {
            Senders::All => self.changed,
            Senders::Active => sends || self.awake.contains(&true),
        }
    }

    /// Asks the program what a vertex with a new value does next.
    fn ask(
        &mut self,
        reference: &Reference<'_, P>,
        v: u32,
        changed: bool,
        step: u64,
        aggregate: AggregateOf<P>,
    ) -> Checked<()> {
        let value = self.values[v as usize].expect("the vertex has a value");
        let vertex = || reference.vertex(v, value, step, self.level, aggregate);
        let program = reference.program;
        let sends = if P::MODEL.has_sends { program.checked_sends(vertex())? } else { changed };
        if !P::MODEL.has_priority {
            self.sends[v as usize] = sends;
        } else if sends || self.waiting[v as usize].is_some() {
            self.waiting[v as usize] = Some(program.checked_priority(vertex())?);
        }
        self.awake[v as usize] = P::MODEL.has_halts && !program.checked_halts(vertex())?;
        Ok(())
    }
}

/// Returns all edges in the directions of messages.
fn ways<P: EdgeProgram>(graph: &LayeredGraph) -> Vec<TightEdge> {
    let rows = graph.out_edges();
    let mut ways = Vec::new();
    for v in 0..graph.num_vertices() {
        for position in rows.range(v) {
            let end = rows.ends[position];
            let out = (v, end, position);
            let back = (end, v, position);
            match P::ALONG {
                Along::Out => ways.push(out),
                Along::In => ways.push(back),
                Along::Both if graph.is_symmetric() => ways.push(out),
                Along::Both | Along::Neighbours => ways.extend([out, back]),
            }
        }
    }
    ways
}

/// Returns `true` if a message along `ways[at]` travels in the direction of its edge.
fn is_forward(graph: &LayeredGraph, along: Along, at: usize) -> bool {
    // Of a directed graph's edges, each is listed in both directions.
    along != Along::Both || graph.is_symmetric() || at.is_multiple_of(2)
}

/// Returns the place of each way among those of its sender: by receiver, those against the direction of an edge last.
fn places(graph: &LayeredGraph, ways: &[TightEdge], along: Along) -> Vec<u64> {
    let key = |&at: &usize| {
        let (sender, receiver, _) = ways[at];
        (sender, graph.id_of(receiver), !is_forward(graph, along, at), at)
    };
    let mut sorted: Vec<usize> = (0..ways.len()).collect();
    sorted.sort_by_key(key);
    let mut places = vec![0; ways.len()];
    for pair in sorted.windows(2) {
        let is_same_sender = ways[pair[0]].0 == ways[pair[1]].0;
        places[pair[1]] = if is_same_sender { places[pair[0]] + 1 } else { 0 };
    }
    places
}

struct Reference<'a, P: EdgeProgram> {
    graph: &'a LayeredGraph,
    program: &'a P,
    ways: Vec<TightEdge>,
    /// The place of each way among those of its sender.
    places: Vec<u64>,
    weights: Vec<P::Load>,
    /// Number of edges that arrive at each vertex, if the program reads it.
    arriving: Vec<u64>,
    /// The neighbours of every vertex, if messages travel between them.
    adjacency: Option<Adjacency>,
}

impl<P: EdgeProgram> Reference<'_, P> {
    fn vertex<V: 'static>(
        &self,
        v: u32,
        value: V,
        step: u64,
        level: u64,
        aggregate: AggregateOf<P>,
    ) -> Vertex<V, AggregateOf<P>> {
        Vertex {
            id: self.graph.id_of(v),
            index: self.graph.rank_of(v),
            value,
            out_degree: self.graph.out_edges().degree(v),
            in_degree: self.arriving[v as usize],
            vertices: u64::from(self.graph.num_vertices()),
            edges: self.graph.num_edges(),
            step,
            level,
            aggregate,
            neighbours: self.adjacency.as_ref().map_or(0, |adjacency| adjacency.neighbours(v)),
            before: (),
            values: &[],
        }
    }

    fn start(&self) -> Checked<Values<P>> {
        let n = self.graph.num_vertices();
        if P::MODEL.starts != Starts::Sources {
            return (0..n)
                .map(|v| self.program.checked_start(self.vertex(v, (), 0, 0, P::Aggregate::identity())))
                .collect();
        }
        let mut values: Values<P> = vec![None; n as usize];
        for &(id, value) in self.program.sources() {
            let v = self.graph.vertex_of(id).expect("all sources are in the graph") as usize;
            let message = |value: P::Value| P::Message::from_bits(value.to_bits());
            values[v] = Some(match values[v] {
                None => value,
                Some(held) => P::Value::from_bits(
                    self.program.checked_combine(message(held), message(value))?.to_bits(),
                ),
            });
        }
        Ok(values)
    }

    /// Returns the fold of all values before `step`.
    fn fold(&self, before: &State<P>, step: u64) -> Checked<AggregateOf<P>> {
        let n = before.values.len();
        let mut aggregate = P::Aggregate::identity();
        if P::Aggregate::KIND.is_some() {
            for v in 0..n as u32 {
                if let Some(value) = before.values[v as usize] {
                    let vertex = self.vertex(v, value, step, before.level, P::Aggregate::identity());
                    let part = self.program.checked_aggregate(vertex, before.earlier[v as usize])?;
                    aggregate = P::Aggregate::combine(aggregate, part);
                }
            }
        }
        Ok(aggregate)
    }

    /// Performs one step.
    fn step(&self, before: State<P>, step: u64, aggregate: AggregateOf<P>) -> Checked<State<P>> {
        let n = before.values.len();
        let incoming = self.incoming(&before, step, aggregate)?;
        let values = before.values.clone();
        let (waiting, level) = (before.waiting.clone(), before.level);
        let (sends, awake) = (vec![false; n], vec![false; n]);
        let earlier = before.values.clone();
        let mut after = State { values, earlier, sends, waiting, level, awake, changed: false };
        let among: Vec<_> = self.graph.by_rank().iter().map(|&v| before.values[v as usize]).collect();
        for (v, message) in (0u32..).zip(incoming) {
            let old = before.values[v as usize];
            let computes = P::SENDERS == Senders::All || message.is_some() || before.awake[v as usize];
            if !computes {
                continue;
            }
            let mut changed = false;
            if message.is_some() || P::MODEL.has_apply {
                let (vertex, among) = (self.vertex(v, old, step, level, aggregate), Among::new(&among));
                let new = self.program.checked_apply_among(vertex, message, among)?;
                changed = match old {
                    None => true,
                    Some(old) => self.program.checked_changed(old, new)?,
                };
                after.values[v as usize] = Some(new);
            }
            after.changed |= changed;
            if after.values[v as usize].is_some() {
                after.ask(self, v, changed, step, aggregate)?;
            }
        }
        Ok(after)
    }

    /// Returns the combined message to every vertex.
    fn incoming(
        &self,
        state: &State<P>,
        step: u64,
        aggregate: AggregateOf<P>,
    ) -> Checked<Vec<Option<P::Message>>> {
        let mut incoming: Vec<Option<P::Message>> = vec![None; state.values.len()];
        let at_once = <P::Combine as Combiner<P::Message>>::KIND == CombineKind::MostFrequent;
        let mut votes: Vec<BTreeMap<u64, u64>> =
            vec![BTreeMap::new(); if at_once { incoming.len() } else { 0 }];
        let everyone_sends = P::SENDERS == Senders::All && !P::MODEL.has_sends;
        for (at, &(sender, receiver, position)) in self.ways.iter().enumerate() {
            let Some(value) = state.values[sender as usize] else { continue };
            if !everyone_sends && !state.sends[sender as usize] {
                continue;
            }
            let common = |count: fn(&Adjacency, u32, u32) -> u64| {
                self.adjacency.as_ref().map_or(0, |adjacency| count(adjacency, sender, receiver))
            };
            let mut edge = Edge {
                value,
                weight: P::Weight::read(&vec![0; P::Weight::KIND.size()]),
                source: self.graph.id_of(sender),
                target: self.graph.id_of(receiver),
                source_index: self.graph.rank_of(sender),
                target_index: self.graph.rank_of(receiver),
                out_degree: self.graph.out_edges().degree(sender),
                step,
                aggregate,
                forward: is_forward(self.graph, P::ALONG, at),
                place: self.places[at],
                common_neighbours: common(Adjacency::common_neighbours),
                common_edges: common(Adjacency::common_edges),
            };
            if let Some(&weight) = self.weights.get(position) {
                P::put_load(&mut edge, weight);
            }
            let Some(message) = self.program.checked_edge(edge)?.filter(|&message| !is_dropped::<P>(message))
            else {
                continue;
            };
            if at_once {
                *votes[receiver as usize].entry(message.to_bits()).or_default() += 1;
                continue;
            }
            let held = &mut incoming[receiver as usize];
            *held = Some(match *held {
                None => message,
                Some(held) => self.program.checked_combine(held, message)?,
            });
        }
        for (incoming, votes) in incoming.iter_mut().zip(votes) {
            let most = votes.values().max();
            // Of equally frequent ones, the first one is the smallest.
            *incoming = votes
                .iter()
                .find(|(_, votes)| Some(*votes) == most)
                .map(|(&bits, _)| P::Message::from_bits(bits));
        }
        Ok(incoming)
    }
}

/// Returns `true` if the combiner ignores this message: `min` and `max` ignore NaN.
fn is_dropped<P: EdgeProgram>(message: P::Message) -> bool {
    let kind = <P::Combine as Combiner<P::Message>>::KIND;
    let is_nan = match P::Message::KIND {
        DatumKind::F32 => f32::from_bits(message.to_bits() as u32).is_nan(),
        DatumKind::F64 => f64::from_bits(message.to_bits()).is_nan(),
        _ => false,
    };
    is_nan && matches!(kind, CombineKind::Min | CombineKind::Max)
}
