//! Runs a program over a small graph step by step, and records every message with the value it was computed from.

use std::collections::HashMap;

use wolfpath_core::program::{
    AggregateOf, Aggregator, Along, Checked, Datum, Edge, EdgeProgram, Senders, Starts, Vertex,
};

use super::cases::{SmallEdge, SmallGraph};

/// Maximum number of steps, more than the longest path of a small graph. Programs that need more are cut off.
const STEPS: u64 = 12;

/// Message that was sent.
pub(super) struct Sent<P: EdgeProgram> {
    pub(super) step: u64,
    pub(super) edge: Edge<P::Value, P::Weight>,
    pub(super) message: P::Message,
}

/// Record of one run.
pub(super) struct Simulation<P: EdgeProgram> {
    /// Every call of `edge`, whether or not it returned a message.
    pub(super) asked: Vec<Edge<P::Value, P::Weight>>,
    pub(super) sent: Vec<Sent<P>>,
    /// `true` if all first values are equal.
    pub(super) equal_starts: bool,
}

/// Runs the program until it converges, faults, or reaches the maximum number of steps.
pub(super) fn run<P: EdgeProgram>(program: &P, graph: &SmallGraph<P::Weight>) -> Simulation<P> {
    let mut state = State { program, graph, values: HashMap::new(), asked: Vec::new(), sent: Vec::new() };
    let Ok(()) = state.start() else {
        return Simulation { asked: Vec::new(), sent: Vec::new(), equal_starts: false };
    };
    let mut values = state.values.values();
    let first = values.next().copied();
    let equal_starts = values.all(|value| first.is_some_and(|first| first.same(*value)));
    let mut active: Vec<u64> = state.values.keys().copied().collect();
    for step in 1..=STEPS {
        active = match state.step(step, &active) {
            Ok(active) if !active.is_empty() => active,
            _ => break,
        };
    }
    Simulation { asked: state.asked, sent: state.sent, equal_starts }
}

struct State<'a, P: EdgeProgram> {
    program: &'a P,
    graph: &'a SmallGraph<P::Weight>,
    values: HashMap<u64, P::Value>,
    asked: Vec<Edge<P::Value, P::Weight>>,
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

    fn vertex<V>(
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
            aggregate,
        }
    }

    fn start(&mut self) -> Checked<()> {
        if P::MODEL.starts == Starts::Sources {
            let sources = self.program.sources().iter().copied();
            self.values.extend(sources);
            return Ok(());
        }
        for &id in &self.graph.ids {
            let first = self.program.checked_start(self.vertex(id, (), 0, P::Aggregate::identity()))?;
            self.values.extend(first.map(|value| (id, value)));
        }
        Ok(())
    }

    /// Performs a step. Returns the vertices that changed.
    fn step(&mut self, step: u64, active: &[u64]) -> Checked<Vec<u64>> {
        let aggregate = self.aggregate(step)?;
        let incoming = self.send(step, active)?;
        let mut changed = Vec::new();
        for &id in &self.graph.ids {
            let message = incoming.get(&id).copied();
            if message.is_none() && (P::SENDERS == Senders::Active || !P::MODEL.has_apply) {
                continue;
            }
            let before = self.values.get(&id).copied();
            let after = self.program.checked_apply(self.vertex(id, before, step, aggregate), message)?;
            let differs = match before {
                Some(before) => self.program.checked_changed(before, after)?,
                None => true,
            };
            self.values.insert(id, after);
            if differs {
                changed.push(id);
            }
        }
        Ok(changed)
    }

    fn aggregate(&self, step: u64) -> Checked<AggregateOf<P>> {
        let mut fold = P::Aggregate::identity();
        if P::Aggregate::KIND.is_some() {
            for (&id, &value) in &self.values {
                let part =
                    self.program.checked_aggregate(self.vertex(id, value, step, P::Aggregate::identity()))?;
                fold = P::Aggregate::combine(fold, part);
            }
        }
        Ok(fold)
    }

    /// Sends along every edge of the active vertices. Returns the combined message to each receiver.
    fn send(&mut self, step: u64, active: &[u64]) -> Checked<HashMap<u64, P::Message>> {
        let mut incoming: HashMap<u64, P::Message> = HashMap::new();
        for edge in &self.graph.edges {
            let out = (edge.source, edge.target);
            let back = (edge.target, edge.source);
            let ways = match P::ALONG {
                Along::Out => vec![out],
                Along::In => vec![back],
                Along::Both => vec![out, back],
            };
            for (source, target) in ways {
                let Some(&value) = self.values.get(&source) else { continue };
                if P::SENDERS == Senders::Active && !active.contains(&source) {
                    continue;
                }
                let seen = self.seen(source, target, value, edge.weight);
                self.asked.push(seen);
                let Some(message) = self.program.checked_edge(seen)? else { continue };
                self.sent.push(Sent { step, edge: seen, message });
                let held = match incoming.get(&target) {
                    Some(&held) => self.program.checked_combine(held, message)?,
                    None => message,
                };
                incoming.insert(target, held);
            }
        }
        Ok(incoming)
    }

    fn seen(
        &self,
        source: u64,
        target: u64,
        value: P::Value,
        weight: P::Weight,
    ) -> Edge<P::Value, P::Weight> {
        Edge {
            value,
            weight,
            source,
            target,
            source_index: self.index(source),
            target_index: self.index(target),
            out_degree: self.degree(|edge| edge.source, source),
        }
    }
}
