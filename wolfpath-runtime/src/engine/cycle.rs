//! Finds a cycle along which values improve without end, after a run that was still changing values at its step limit.
//!
//! Every value came along an edge whose message is at least as good, since senders only improve. Following these edges
//! backwards from any vertex leads to a source or into a cycle, and the values around a cycle show that its weights do
//! not add up to something worse than 0. A cycle counts only if their sum is really better than 0.

use wolfpath_core::program::{CombineKind, Combiner, Datum, DatumKind, EdgeProgram};

use super::planner::{Planner, budget};
use super::{Engine, LoadedGraph, Place};
use crate::cpu::{self, Values};
use crate::error::EndlessCycle;
use crate::numbers::to_f64;
use crate::options::RunOptions;
use crate::start::Sources;

/// Marker for no sender.
const NONE: u32 = u32::MAX;

/// Best message to each vertex: its sender, its word, and the weight of the edge.
struct Best<W> {
    senders: Vec<u32>,
    words: Vec<u64>,
    weights: Vec<Option<W>>,
}

impl LoadedGraph {
    /// Returns a cycle along which the values improve without end, if the best messages to all vertices contain one.
    pub(super) fn endless_cycle<P: EdgeProgram>(
        &self,
        program: &P,
        values: &Values<P::Value>,
        options: &RunOptions,
    ) -> Option<EndlessCycle> {
        let best = self.best_messages(program, values, options)?;
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
                && let Some(cycle) = self.cycle_through::<P>(v, &best)
            {
                return Some(cycle);
            }
        }
        None
    }

    /// Returns the best message to each vertex, if it is at least as good as the vertex's value.
    fn best_messages<P: EdgeProgram>(
        &self,
        program: &P,
        values: &Values<P::Value>,
        options: &RunOptions,
    ) -> Option<Best<P::Load>> {
        let (kind, largest) = (<P::Combine as Combiner<P::Message>>::KIND, cpu::largest_word(P::Value::KIND));
        let engine = Engine { place: Place::Cpu, reason: self.engine.reason.clone(), chosen: false };
        let options = RunOptions::new().lossy_weights(options.lossy_weights);
        let sources = Sources::none();
        let (plan, shape) = Planner::new(&engine, &self.graph, &options).plan::<P>(&sources).ok()?;
        let budget = budget(&plan, &shape, &sources);
        if budget.uses_in_rows() {
            self.graph.in_edges().ok()?;
        }
        let bound = self.bind(program).ok()?;
        let view =
            cpu::View::new(&self.graph, bound.as_ref().unwrap_or(program), &budget, options.lossy_weights)
                .ok()?;
        let n = view.num_vertices();
        let word = |v: u32| values.get(v).map(|value| cpu::to_word(kind, largest, value));
        let words = (0..n).map(|v| word(v).unwrap_or_else(|| cpu::identity(kind, largest))).collect();
        let mut best = Best { senders: vec![NONE; n as usize], words, weights: vec![None; n as usize] };
        for sender in 0..n {
            let Some(value) = values.get(sender) else { continue };
            let visited = view.visit_sends(sender, |end, loaded| {
                let Some(message) = view.message(value, loaded, sender, end)? else { return Ok(true) };
                let (at, sent) = (end as usize, cpu::to_word(kind, largest, message));
                let is_first = best.senders[at] == NONE && sent == best.words[at];
                if cpu::improves(kind, sent, best.words[at]) || is_first {
                    best.senders[at] = sender;
                    best.words[at] = sent;
                    best.weights[at] = Some(loaded.weight);
                }
                Ok(true)
            });
            // After a message that overflows, the rest of the row is skipped.
            if visited.is_err() {
                continue;
            }
        }
        Some(best)
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
