//! Runs a program over a small graph step by step, and records every message with the value it was computed from.

use std::collections::{BTreeMap, HashMap};

use wolfpath_core::program::{
    AggregateOf, Aggregator, Along, Among, Checked, Combiner, Datum, Edge, EdgeProgram, Senders, Starts,
    Vertex,
};

use super::cases::{SmallEdge, SmallGraph};

/// Maximum number of steps, more than the longest path of a small graph. Programs that need more are cut off.
const STEPS: u64 = 12;

/// Edge as the program sees it.
pub(super) type EdgeOf<P> = Edge<<P as EdgeProgram>::Value, <P as EdgeProgram>::Weight, AggregateOf<P>>;

/// Message that was sent.
pub(super) struct Sent<P: EdgeProgram> {
    pub(super) step: u64,
    pub(super) edge: EdgeOf<P>,
    pub(super) message: P::Message,
}

/// Record of one run.
pub(super) struct Simulation<P: EdgeProgram> {
    /// Every call of `edge`, whether or not it returned a message.
    pub(super) asked: Vec<EdgeOf<P>>,
    pub(super) sent: Vec<Sent<P>>,
    /// `true` if all first values are equal.
    pub(super) equal_starts: bool,
    /// First priority below its level.
    pub(super) too_low: Option<TooLow>,
}

/// Priority below the level of the step in which it was computed.
#[derive(Clone, Copy)]
pub(super) struct TooLow {
    pub(super) id: u64,
    pub(super) step: u64,
    pub(super) priority: u64,
    pub(super) level: u64,
}

/// Runs the program until it converges, faults, or reaches the maximum number of steps.
pub(super) fn run<P: EdgeProgram>(program: &P, graph: &SmallGraph<P::Weight>) -> Simulation<P> {
    let mut state = State {
        program,
        graph,
        values: HashMap::new(),
        before: HashMap::new(),
        waiting: BTreeMap::new(),
        level: 0,
        too_low: None,
        asked: Vec::new(),
        sent: Vec::new(),
    };
    let Ok(mut next) = state.start() else {
        return Simulation { asked: Vec::new(), sent: Vec::new(), equal_starts: false, too_low: None };
    };
    let mut values = state.values.values();
    let first = values.next().copied();
    let equal_starts = values.all(|value| first.is_some_and(|first| first.same(*value)));
    for step in 1..=STEPS {
        state.release(&mut next);
        if !next.is_necessary::<P>() {
            break;
        }
        next = match state.step(step, &next) {
            Ok(next) => next,
            Err(_) => break,
        };
    }
    let State { asked, sent, too_low, .. } = state;
    Simulation { asked, sent, equal_starts, too_low }
}

/// Activity of the vertices in the next step.
#[derive(Default)]
struct Next {
    /// Vertices that send; before [`State::release`], in a program with a `priority`, none.
    senders: Vec<u64>,
    /// Vertices that compute even without a message, in a program with `halts`.
    awake: Vec<u64>,
    /// `true` if a vertex changed.
    changed: bool,
}

impl Next {
    fn is_necessary<P: EdgeProgram>(&self) -> bool {
        match P::SENDERS {
            Senders::All => self.changed,
            Senders::Active => !self.senders.is_empty() || !self.awake.is_empty(),
        }
    }
}

struct State<'a, P: EdgeProgram> {
    program: &'a P,
    graph: &'a SmallGraph<P::Weight>,
    values: HashMap<u64, P::Value>,
    /// Values before the last step; the first ones before any step.
    before: HashMap<u64, P::Value>,
    /// Priorities of the vertices that wait to send, in a program with a `priority`.
    waiting: BTreeMap<u64, u64>,
    level: u64,
    too_low: Option<TooLow>,
    asked: Vec<EdgeOf<P>>,
    sent: Vec<Sent<P>>,
}

impl<P: EdgeProgram> State<'_, P> {
    fn degree(&self, end: impl Fn(&SmallEdge<P::Weight>) -> u64, id: u64) -> u64 {
        self.graph.edges.iter().filter(|edge| end(edge) == id).count() as u64
    }

    /// Returns the rank of an id.
    fn index(&self, id: u64) -> u32 {
        self.graph.ids.partition_point(|known| *known < id) as u32
    }

    fn vertex<V: 'static>(
        &self,
        id: u64,
        value: V,
        step: u64,
        aggregate: AggregateOf<P>,
    ) -> Vertex<V, AggregateOf<P>> {
        Vertex {
            id,
            index: self.index(id),
            value,
            out_degree: self.degree(|edge| edge.source, id),
            in_degree: self.degree(|edge| edge.target, id),
            vertices: self.graph.ids.len() as u64,
            edges: self.graph.edges.len() as u64,
            step,
            level: self.level,
            aggregate,
            neighbours: self.graph.neighbours(id).len() as u64,
            before: (),
            values: &[],
        }
    }

    fn start(&mut self) -> Checked<Next> {
        if P::MODEL.starts == Starts::Sources {
            let sources = self.program.sources().iter().copied();
            self.values.extend(sources);
        } else {
            for &id in &self.graph.ids {
                let first = self.program.checked_start(self.vertex(id, (), 0, P::Aggregate::identity()))?;
                self.values.extend(first.map(|value| (id, value)));
            }
        }
        self.before = self.values.clone();
        let mut next = Next::default();
        for &id in &self.graph.ids {
            self.ask(id, true, 0, P::Aggregate::identity(), &mut next)?;
        }
        Ok(next)
    }

    /// Performs a step. Returns what vertices do in the next one.
    fn step(&mut self, step: u64, this: &Next) -> Checked<Next> {
        let aggregate = self.aggregate(step)?;
        self.before = self.values.clone();
        let incoming = self.send(step, aggregate, &this.senders)?;
        let mut next = Next::default();
        let among: Vec<_> = self.graph.ids.iter().map(|id| self.values.get(id).copied()).collect();
        for &id in &self.graph.ids {
            let message = incoming.get(&id).copied();
            if message.is_none() && P::SENDERS == Senders::Active && !this.awake.contains(&id) {
                continue;
            }
            let before = self.values.get(&id).copied();
            let mut changed = false;
            if message.is_some() || P::MODEL.has_apply {
                let (vertex, among) = (self.vertex(id, before, step, aggregate), Among::new(&among));
                let after = self.program.checked_apply_among(vertex, message, among)?;
                changed = match before {
                    Some(before) => self.program.checked_changed(before, after)?,
                    None => true,
                };
                self.values.insert(id, after);
            }
            self.ask(id, changed, step, aggregate, &mut next)?;
        }
        Ok(next)
    }

    /// Moves the waiting vertices of least priority to the senders.
    fn release(&mut self, next: &mut Next) {
        let Some(&least) = self.waiting.values().min() else { return };
        self.level = least.max(self.level);
        let level = self.level;
        self.waiting.retain(|&id, &mut priority| {
            let sends = priority <= level;
            if sends {
                next.senders.push(id);
            }
            !sends
        });
    }

    /// Asks the program for the priority of a vertex that waits.
    fn wait(&mut self, id: u64, value: P::Value, step: u64, aggregate: AggregateOf<P>) -> Checked<()> {
        let priority = self.program.checked_priority(self.vertex(id, value, step, aggregate))?;
        if priority < self.level && self.too_low.is_none() {
            self.too_low = Some(TooLow { id, step, priority, level: self.level });
        }
        self.waiting.insert(id, priority);
        Ok(())
    }

    /// Asks the program what a vertex that has computed does in the next step.
    fn ask(
        &mut self,
        id: u64,
        changed: bool,
        step: u64,
        aggregate: AggregateOf<P>,
        next: &mut Next,
    ) -> Checked<()> {
        let Some(&value) = self.values.get(&id) else { return Ok(()) };
        let vertex = || self.vertex(id, value, step, aggregate);
        let sends = if P::MODEL.has_sends { self.program.checked_sends(vertex())? } else { changed };
        let has_priority = P::MODEL.has_priority;
        if has_priority && (sends || self.waiting.contains_key(&id)) {
            self.wait(id, value, step, aggregate)?;
        } else if sends {
            next.senders.push(id);
        }
        let vertex = || self.vertex(id, value, step, aggregate);
        if P::MODEL.has_halts && !self.program.checked_halts(vertex())? {
            next.awake.push(id);
        }
        next.changed |= changed;
        Ok(())
    }

    fn aggregate(&self, step: u64) -> Checked<AggregateOf<P>> {
        let mut fold = P::Aggregate::identity();
        if P::Aggregate::KIND.is_some() {
            for (&id, &value) in &self.values {
                let (vertex, before) =
                    (self.vertex(id, value, step, P::Aggregate::identity()), self.before.get(&id).copied());
                let part = self.program.checked_aggregate(vertex, before)?;
                fold = P::Aggregate::combine(fold, part);
            }
        }
        Ok(fold)
    }

    /// Sends along every edge of the senders. Returns the combined message to each receiver.
    fn send(
        &mut self,
        step: u64,
        aggregate: AggregateOf<P>,
        senders: &[u64],
    ) -> Checked<HashMap<u64, P::Message>> {
        let mut incoming: HashMap<u64, P::Message> = HashMap::new();
        let mut gathered: HashMap<u64, Vec<P::Message>> = HashMap::new();
        let at_once = <P::Combine as Combiner<P::Message>>::AT_ONCE;
        let everyone_sends = P::SENDERS == Senders::All && !P::MODEL.has_sends;
        let ways = self.ways();
        for (at, &Way { source, target, .. }) in ways.iter().enumerate() {
            let Some(&value) = self.values.get(&source) else { continue };
            if !everyone_sends && !senders.contains(&source) {
                continue;
            }
            let seen = Edge { step, aggregate, ..self.seen(&ways, at, value) };
            self.asked.push(seen);
            let Some(message) = self.program.checked_edge(seen)? else { continue };
            self.sent.push(Sent { step, edge: seen, message });
            if at_once.is_some() {
                gathered.entry(target).or_default().push(message);
                continue;
            }
            let held = match incoming.get(&target) {
                Some(&held) => self.program.checked_combine(held, message)?,
                None => message,
            };
            incoming.insert(target, held);
        }
        if let Some(combine) = at_once {
            incoming.extend(
                gathered.into_iter().filter_map(|(target, mut all)| Some((target, combine(&mut all)?))),
            );
        }
        Ok(incoming)
    }

    /// Returns every edge along which messages travel.
    fn ways(&self) -> Vec<Way<P::Weight>> {
        let way = |source, target, weight, forward| Way { source, target, weight, forward };
        let mut ways: Vec<_> = match P::ALONG {
            Along::Neighbours => {
                let edges = self.graph.neighbour_edges().into_iter();
                edges.map(|(source, target, weight)| way(source, target, weight, true)).collect()
            }
            Along::Out | Along::In | Along::Both => {
                let edges = self.graph.edges.iter();
                let both = edges.flat_map(|&SmallEdge { source, target, weight }| {
                    let out = (P::ALONG != Along::In).then_some(way(source, target, weight, true));
                    let back = (P::ALONG != Along::Out).then_some(way(target, source, weight, false));
                    [out, back].into_iter().flatten()
                });
                both.collect()
            }
        };
        if P::ORIENTED {
            ways.retain(|way| self.graph.place(way.source) < self.graph.place(way.target));
        }
        ways
    }

    /// Returns the edge `ways[at]` as the program sees it, apart from the step.
    fn seen(&self, ways: &[Way<P::Weight>], at: usize, value: P::Value) -> EdgeOf<P> {
        let Way { source, target, weight, forward } = ways[at];
        let key = |at: usize| (ways[at].target, !ways[at].forward, at);
        let of_sender = (0..ways.len()).filter(|&other| ways[other].source == source);
        Edge {
            value,
            weight,
            source,
            target,
            source_index: self.index(source),
            target_index: self.index(target),
            out_degree: self.degree(|edge| edge.source, source),
            step: 0,
            aggregate: P::Aggregate::identity(),
            forward,
            place: of_sender.filter(|&other| key(other) < key(at)).count() as u64,
            common_neighbours: self.graph.common_neighbours(source, target, P::ORIENTED),
            common_edges: self.graph.common_edges(source, target),
        }
    }
}

/// An edge along which messages travel.
#[derive(Clone, Copy)]
struct Way<W> {
    source: u64,
    target: u64,
    weight: W,
    /// `true` if the message travels in the edge's direction.
    forward: bool,
}
