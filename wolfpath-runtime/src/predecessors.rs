//! Predecessors: the edges along which the values came. After a run, one breadth-first pass over the *tight* edges
//! finds them. An edge is tight if its message equals the receiver's value. The pass starts at the vertices that still
//! have their first values. A predecessor is always one edge nearer to these vertices, so ties and edges of weight zero
//! cause no cycles. The pass reads only values, so the result is the same on every engine.
//!
//! Threads share the senders of a large level. Ids decide ties, so the result does not depend on their order.
//!
//! Over parts of a graph, processes exchange the vertices of each level with their values, and each follows the edges to its
//! own vertices.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{Datum, EdgeProgram, LaidOut, Starts, VertexOrder};

use crate::cpu::{Halt, Values, View, map_tasks};
use crate::error::OutcomeError;
use crate::part::Message;
use crate::plan::{Budget, GraphSize, RowUse, Schedule, ScheduleConstraints, Techniques};
use crate::shape::Shape;
use crate::start::{Sources, bind, derived};

/// Marker for no predecessor or no distance.
const NONE: u32 = u32::MAX;

/// Checks that the values of program `P` come along edges.
pub(crate) fn check_paths<P: EdgeProgram>() -> Result<(), OutcomeError> {
    if Shape::of::<P>().values_come_along_edges() {
        return Ok(());
    }
    let reason =
        "it sums or merges messages, or has an `apply` or a `sends` of its own, or its values are structs";
    Err(OutcomeError::NoPaths { program: P::MODEL.name, reason })
}

/// Number of senders in a task. One thread visits a level that has no more.
const ALONE: usize = 512;

/// Senders with their values.
type Level<V> = Vec<(u32, V)>;

/// Tree of tight edges to the vertices that receive: all, or a part's own.
#[derive(Debug)]
pub(crate) struct Predecessors {
    /// Predecessor of each vertex, or `NONE`.
    before: Vec<AtomicU32>,
    /// Number of tight edges from a source to each vertex, or `NONE` if there is no such path.
    distance: Vec<AtomicU32>,
}

impl Predecessors {
    pub(crate) fn of(&self, v: u32) -> Option<u32> {
        Some(self.before[v as usize].load(Relaxed)).filter(|&before| before != NONE)
    }

    /// Returns `true` if the vertex's value is a source's, or came from a source along tight edges.
    pub(crate) fn is_on_a_path(&self, v: u32) -> bool {
        self.distance[v as usize].load(Relaxed) != NONE
    }

    /// Finds the tree for the final values of a run.
    pub(crate) fn find<P: EdgeProgram>(
        graph: &LayeredGraph,
        program: &P,
        values: &Values<P::Value>,
    ) -> Result<Predecessors, OutcomeError> {
        let failed = |error: &dyn std::fmt::Display| OutcomeError::Graph { message: error.to_string() };
        let derived = derived::<P>(graph).map_err(|error| failed(&error))?;
        let graph = derived.as_ref().unwrap_or(graph);
        let shape = Shape::of::<P>();
        let size = GraphSize::of(graph, &shape);
        let constraints = ScheduleConstraints {
            shape: &shape,
            steps: None,
            settles: false,
            on_cpu: true,
            walks_both_rows: false,
            against_union: None,
        };
        let budget = Budget {
            share: None,
            shape: &shape,
            graph: size,
            rows: RowUse::new(shape.along, size.symmetric),
            schedule: match shape.model.reads.edge_position() {
                // The messages are computed along the rows of senders.
                true => Schedule::Frontier,
                false => constraints.ordinary().0,
            },
            uniform: false,
            techniques: Techniques::NONE,
            threads: rayon::current_num_threads(),
            packed: false,
            slots: None,
            queue_room: None,
            sources: 0,
            carried: None,
            warps: 0,
            traced: false,
            settles: 0,
            drops_beyond: None,
        };
        let sources = Sources::resolve(graph, program).map_err(|error| failed(&error))?;
        let order = VertexOrder::new(graph, &P::MODEL.reads);
        let bound = bind(order, program, &mut LaidOut::default()).map_err(|error| failed(&error))?;
        let program = bound.as_ref().unwrap_or(program);
        let view = View::new(graph, program, &budget, true).map_err(|error| failed(&error))?;
        Predecessors::search(&view, &sources, values).map_err(|halt| failed(&view.error(halt)))
    }

    /// Finds the tree, given the sources among the vertices that receive. Processes that share a graph must call this
    /// together. Fails only if an exchange with them does.
    pub(crate) fn search<P: EdgeProgram>(
        view: &View<'_, P>,
        sources: &Sources<P::Value>,
        values: &Values<P::Value>,
    ) -> Result<Predecessors, Halt> {
        let n = view.num_vertices() as usize;
        let none = || (0..n).map(|_| AtomicU32::new(NONE)).collect();
        let found = Predecessors { before: none(), distance: none() };
        let mut reached = found.sources(view, sources, values);
        let mut distance = 0;
        while let Some(level) = level_of(view, values, &reached)? {
            distance += 1;
            reached = found.next_level(view, values, &level, distance);
        }
        Ok(found)
    }

    /// Sets the distance of the vertices that still have their first values to 0, and returns them.
    fn sources<P: EdgeProgram>(
        &self,
        view: &View<'_, P>,
        sources: &Sources<P::Value>,
        values: &Values<P::Value>,
    ) -> Vec<u32> {
        let mut level: Vec<u32> = if P::MODEL.starts == Starts::Sources {
            let held = sources.vertices.iter().zip(&sources.values);
            held.filter(|&(&v, &first)| values.get(v).is_some_and(|value| value.same(first)))
                .map(|(&v, _)| v)
                .collect()
        } else {
            let is_first = |v: u32| match (view.start(v), values.get(v)) {
                (Ok(Some(first)), Some(value)) => first.same(value),
                _ => false,
            };
            (0..view.num_vertices()).filter(|&v| is_first(v)).collect()
        };
        level.sort_unstable();
        level.iter().for_each(|&v| self.distance[v as usize].store(0, Relaxed));
        level
    }

    /// Returns the vertices that are one tight edge further from a source. If a vertex has several predecessors, the
    /// one with the smallest id is kept.
    fn next_level<P: EdgeProgram>(
        &self,
        view: &View<'_, P>,
        values: &Values<P::Value>,
        level: &[(u32, P::Value)],
        distance: u32,
    ) -> Vec<u32> {
        let next = map_tasks(level.len().div_ceil(ALONE), |part| {
            let senders = &level[part * ALONE..level.len().min((part + 1) * ALONE)];
            self.next_of(view, values, senders, distance)
        });
        next.concat()
    }

    /// Returns those of the next level that these senders reach first.
    fn next_of<P: EdgeProgram>(
        &self,
        view: &View<'_, P>,
        values: &Values<P::Value>,
        senders: &[(u32, P::Value)],
        distance: u32,
    ) -> Vec<u32> {
        let mut next = Vec::new();
        for &(sender, value) in senders {
            let visited = view.visit_sends(sender, |receiver, weight| {
                // Only a message that the run did not compute, because it ended before its fixpoint, can fault. It is not
                // tight, and the rest of the row is visited, so the answer does not depend on the order of edges.
                let message = view.message(value, weight, sender, receiver).ok().flatten();
                let is_tight = match (message, values.get(receiver)) {
                    (Some(message), Some(held)) => P::Value::from_bits(message.to_bits()).same(held),
                    _ => false,
                };
                if is_tight && self.meet(view, sender, receiver, distance) {
                    next.push(receiver);
                }
                Ok(true)
            });
            debug_assert!(visited.is_ok(), "looking at an edge cannot fail");
        }
        next
    }

    /// Records a tight edge. Returns `true` if the receiver was not reached before.
    fn meet<P: EdgeProgram>(&self, view: &View<'_, P>, sender: u32, receiver: u32, distance: u32) -> bool {
        let met = &self.distance[receiver as usize];
        let met = match met.load(Relaxed) {
            NONE => met.compare_exchange(NONE, distance, Relaxed, Relaxed),
            met => Err(met),
        };
        if met.is_err_and(|met| met != distance) {
            return false;
        }
        let rank = view.rank_of(sender);
        let is_first = |before| before == NONE || rank < view.rank_of(before);
        // An error means that the predecessor so far has a smaller id.
        let _ = self.before[receiver as usize]
            .fetch_update(Relaxed, Relaxed, |before| is_first(before).then_some(sender));
        met.is_ok()
    }
}

/// Returns the senders of a level with their values: the vertices that were reached and, in a part, the mirrors of those that
/// other processes have reached. Returns `None` if no vertex was reached, in any process.
fn level_of<P: EdgeProgram>(
    view: &View<'_, P>,
    values: &Values<P::Value>,
    reached: &[u32],
) -> Result<Option<Level<P::Value>>, Halt> {
    // Every vertex that was reached has a value.
    let value = |v: u32| values.values[v as usize];
    let mut level: Level<P::Value> = reached.iter().map(|&v| (v, value(v))).collect();
    let mut goes_on = !reached.is_empty();
    if let Some(mirrors) = &view.mirrors {
        let mut messages = vec![vec![u8::from(goes_on)]; mirrors.processes()];
        mirrors.add_listed(&mut messages, reached, value);
        for (process, message) in mirrors.exchange(messages)?.iter().enumerate() {
            let mut message = Message(message);
            goes_on |= message.byte().ok_or_else(|| mirrors.unreadable(process))? != 0;
            mirrors.hear(process, &mut message, |mirror, value| level.push((mirror, value)))?;
        }
    }
    Ok(goes_on.then_some(level))
}
