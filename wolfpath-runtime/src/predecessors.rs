//! Predecessors: the edges along which the values came. After a run, one breadth-first pass over the *tight* edges
//! finds them. An edge is tight if its message equals the receiver's value. The pass starts at the vertices that still
//! have their first values. A predecessor is always one edge nearer to these vertices, so ties and edges of weight zero
//! cause no cycles. The pass reads only values, so the result is the same on every engine.

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{Datum, EdgeProgram, LaidOut, Starts, VertexOrder};

use crate::cpu::{Values, View};
use crate::error::OutcomeError;
use crate::plan::{Budget, GraphSize, RowUse, Schedule, ScheduleConstraints, Techniques};
use crate::shape::Shape;
use crate::start::{Sources, bind, derived};

/// Marker for no predecessor or no distance.
const NONE: u32 = u32::MAX;

/// Tree of tight edges.
pub(crate) struct Predecessors {
    /// Predecessor of each vertex, or `NONE`.
    before: Vec<u32>,
    /// Number of tight edges from a source to each vertex, or `NONE` if there is no such path.
    distance: Vec<u32>,
}

impl Predecessors {
    pub(crate) fn of(&self, v: u32) -> Option<u32> {
        Some(self.before[v as usize]).filter(|&before| before != NONE)
    }

    /// Returns `true` if the vertex's value is a source's, or came from a source along tight edges.
    pub(crate) fn is_on_a_path(&self, v: u32) -> bool {
        self.distance[v as usize] != NONE
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
        let n = graph.num_vertices() as usize;
        let mut found = Predecessors { before: vec![NONE; n], distance: vec![NONE; n] };
        let mut level = found.sources(&view, &sources, values);
        let mut distance = 0;
        while !level.is_empty() {
            distance += 1;
            level = found.next_level(&view, values, &level, distance);
        }
        Ok(found)
    }

    /// Sets the distance of the vertices that still have their first values to 0, and returns them.
    fn sources<P: EdgeProgram>(
        &mut self,
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
        level.iter().for_each(|&v| self.distance[v as usize] = 0);
        level
    }

    /// Returns the vertices that are one tight edge further from a source. If a vertex has several predecessors, the
    /// one with the smallest id is kept.
    fn next_level<P: EdgeProgram>(
        &mut self,
        view: &View<'_, P>,
        values: &Values<P::Value>,
        level: &[u32],
        distance: u32,
    ) -> Vec<u32> {
        let mut next = Vec::new();
        for &sender in level {
            let Some(value) = values.get(sender) else { continue };
            // No message can fault, because the run computed the same messages. If one did, the rest of the row would
            // be skipped.
            let visited = view.visit_sends(sender, |receiver, weight| {
                let message = view.message(value, weight, sender, receiver)?;
                let is_tight = match (message, values.get(receiver)) {
                    (Some(message), Some(held)) => P::Value::from_bits(message.to_bits()).same(held),
                    _ => false,
                };
                if is_tight && self.meet(view, sender, receiver, distance) {
                    next.push(receiver);
                }
                Ok(true)
            });
            if visited.is_err() {
                continue;
            }
        }
        next
    }

    /// Records a tight edge. Returns `true` if the receiver was not reached before.
    fn meet<P: EdgeProgram>(
        &mut self,
        view: &View<'_, P>,
        sender: u32,
        receiver: u32,
        distance: u32,
    ) -> bool {
        let (before, met) = (&mut self.before[receiver as usize], &mut self.distance[receiver as usize]);
        if *met == NONE {
            (*before, *met) = (sender, distance);
            return true;
        }
        if *met == distance && view.rank_of(sender) < view.rank_of(*before) {
            *before = sender;
        }
        false
    }
}
