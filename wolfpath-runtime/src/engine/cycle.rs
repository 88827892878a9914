//! Finds a cycle along which values improve without end, after a run that was still changing values at its step limit.
//!
//! Every vertex remembers the sender of the best message so far, as in the algorithm of Bellman and Ford. Following these
//! senders backwards from any vertex leads to a source or into a cycle, and the values around a cycle show that its
//! weights do not add up to something worse than 0. A cycle counts only if their sum is really better than 0. One whose
//! sum is 0 can hide another one at first, so the search goes on for some rounds, in which values keep improving.

use wolfpath_core::program::{CombineKind, Combiner, Datum, DatumKind, EdgeProgram};

use super::planner::{Planner, budget};
use super::{Engine, LoadedGraph, Place};
use crate::cpu::{self, Values};
use crate::error::EndlessCycle;
use crate::numbers::to_f64;
use crate::options::{CancelHandle, RunOptions};
use crate::start::Sources;

/// Marker for no sender.
const NONE: u32 = u32::MAX;

/// Number of edges that the search visits at most, unless one round needs more.
const VISITED: u64 = 1 << 28;

/// Number of rounds at most.
const ROUNDS: u64 = 64;

/// Best message to each vertex so far: its sender, its word, and the weight of the edge.
struct Best<W> {
    senders: Vec<u32>,
    words: Vec<u64>,
    weights: Vec<Option<W>>,
}

impl LoadedGraph {
    /// Returns a cycle along which the values improve without end, if the best messages to all vertices contain one
    /// after some rounds. Returns `None` if the run is cancelled meanwhile.
    pub(super) fn endless_cycle<P: EdgeProgram>(
        &self,
        program: &P,
        values: &Values<P::Value>,
        options: &RunOptions,
    ) -> Option<EndlessCycle> {
        let engine = Engine::of(Place::Cpu, &self.engine.reason);
        let plain = RunOptions::new().lossy_weights(options.lossy_weights);
        let sources = Sources::none();
        let (plan, shape) = Planner::new(&engine, &self.graph, &plain).plan::<P>(&sources).ok()?;
        let budget = budget(&plan, &shape, &sources);
        if budget.uses_in_rows() {
            self.graph.in_edges().ok()?;
        }
        let bound = self.bind(program).ok()?;
        let program = bound.as_ref().unwrap_or(program);
        let view =
            cpu::View::on_shelf(&self.shelf, &self.graph, program, &budget, options.lossy_weights).ok()?;
        let mut best = Best::of::<P>(values);
        let rounds = (VISITED / self.graph.num_edges().max(1)).clamp(1, ROUNDS);
        for round in 0..rounds {
            let improved = best.send_all(&view, values, options)?;
            let cycle = self.cycle_of::<P>(&best);
            // Ties count in the first round, so it tells nothing about the next ones.
            if cycle.is_some() || !improved && round > 0 {
                return cycle;
            }
        }
        None
    }

    /// Returns a cycle of best messages whose weights sum to something better than 0.
    fn cycle_of<P: EdgeProgram>(&self, best: &Best<P::Load>) -> Option<EndlessCycle> {
        let n = best.senders.len();
        // The walk in which each vertex was met.
        let mut met = vec![NONE; n];
        for first in 0..n as u32 {
            let mut v = first;
            while v != NONE && met[v as usize] == NONE {
                met[v as usize] = first;
                v = best.senders[v as usize];
            }
            if v != NONE
                && met[v as usize] == first
                && let Some(cycle) = self.cycle_through::<P>(v, best)
            {
                return Some(cycle);
            }
        }
        None
    }

    /// Returns the cycle of best messages through a vertex, if its weights sum to something better than 0.
    fn cycle_through<P: EdgeProgram>(&self, v: u32, best: &Best<P::Load>) -> Option<EndlessCycle> {
        let (mut vertices, mut weights, mut at) = (Vec::new(), Vec::new(), v);
        loop {
            vertices.push(self.graph.id_of(at));
            weights.push(best.weights[at as usize]?);
            at = best.senders[at as usize];
            if at == v {
                break;
            }
        }
        let (sum, sign) = sum_of(&weights);
        let wanted = if <P::Combine as Combiner<P::Message>>::KIND == CombineKind::Max { 1 } else { -1 };
        // From receivers to senders so far. The cycle begins at its smallest id.
        vertices.reverse();
        let least = (0..vertices.len()).min_by_key(|&place| vertices[place])?;
        vertices.rotate_left(least);
        (sign == wanted).then_some(EndlessCycle { vertices, sum })
    }
}

impl<W: Datum> Best<W> {
    /// Returns the values, which no message has reached yet.
    fn of<P: EdgeProgram>(values: &Values<P::Value>) -> Best<W> {
        let (kind, largest) = words_of::<P>();
        let n = values.values.len();
        let word = |v: u32| values.get(v).map(|value| cpu::to_word(kind, largest, value));
        let words = (0..n as u32).map(|v| word(v).unwrap_or_else(|| cpu::identity(kind, largest))).collect();
        Best { senders: vec![NONE; n], words, weights: vec![None; n] }
    }

    /// Sends once along every edge. Returns `true` if a value improved, and `None` if the run is cancelled.
    fn send_all<P: EdgeProgram<Load = W>>(
        &mut self,
        view: &cpu::View<'_, P>,
        values: &Values<P::Value>,
        options: &RunOptions,
    ) -> Option<bool> {
        let (kind, largest) = words_of::<P>();
        let mut improved = false;
        for sender in 0..view.num_vertices() {
            if sender % 1024 == 0 && options.cancel.as_ref().is_some_and(CancelHandle::is_cancelled) {
                return None;
            }
            if self.senders[sender as usize] == NONE && values.get(sender).is_none() {
                continue;
            }
            let value = cpu::from_word(kind, self.words[sender as usize]);
            let visited = view.visit_sends(sender, |end, loaded| {
                let Some(message) = view.message(value, loaded, sender, end)? else { return Ok(true) };
                let (at, sent) = (end as usize, cpu::to_word(kind, largest, message));
                let improves = cpu::improves(kind, sent, self.words[at]);
                if improves || self.senders[at] == NONE && sent == self.words[at] {
                    improved |= improves;
                    self.senders[at] = sender;
                    self.words[at] = sent;
                    self.weights[at] = Some(loaded.weight);
                }
                Ok(true)
            });
            // After a message that overflows, the rest of the row is skipped.
            if visited.is_err() {
                continue;
            }
        }
        Some(improved)
    }
}

/// Returns how the program combines messages, and the largest word of a value.
fn words_of<P: EdgeProgram>() -> (CombineKind, u64) {
    (<P::Combine as Combiner<P::Message>>::KIND, cpu::largest_word(P::Value::KIND))
}

/// Returns the sum of weights as text, and its sign.
fn sum_of<W: Datum>(weights: &[W]) -> (String, i32) {
    if W::KIND.is_float() {
        let sum: f64 = weights.iter().map(|&weight| to_f64(weight)).sum();
        return (sum.to_string(), i32::from(sum > 0.0) - i32::from(sum < 0.0));
    }
    let number = |weight: &W| match W::KIND {
        DatumKind::I32 => i128::from(weight.to_bits() as u32 as i32),
        DatumKind::I64 => i128::from(weight.to_bits() as i64),
        _ => i128::from(weight.to_bits()),
    };
    let sum: i128 = weights.iter().map(number).sum();
    (sum.to_string(), sum.signum() as i32)
}
