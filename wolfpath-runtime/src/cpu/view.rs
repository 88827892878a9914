//! A program's view of the graph on the CPU: edges and vertices assembled from the graph's arrays. Only the fields that
//! the program reads are loaded. Constants state which fields these are, so the compiler removes the other loads.

mod part;

use std::ops::Range;
use std::sync::Arc;

use wolfpath_core::graph::{Direction, LayeredGraph, Rows, prefetch};
use wolfpath_core::program::{
    AggregateOf, Aggregator, Along, Datum, Edge, EdgeProgram, Fault, Starts, Vertex,
};

use self::part::Names;
use super::frontier::{Found, Part};
use super::halt::{Halt, Place, fault_error};
use super::lane::Step;
pub(crate) use super::lane::{Lane, Lanes, LoadOf, Loaded, SendRows};
use super::mirrors::Mirrors;
use super::shelf::Shelf;
use super::stepwise::StepContext;
use super::tasks::{joined, map_ranges};
use crate::error::{FaultPlace, PlanError, RunError};
use crate::path_order::PathOrder;
use crate::plan::{Budget, RowUse, Schedule};
use crate::shape::Shape;
use crate::start::{Degrees, Sources, zero};
use crate::stop;

/// Number of vertices between the one whose edges are visited and the one whose edges are prefetched.
const AHEAD: usize = 8;

/// Offsets of the rows whose lengths are degrees.
#[derive(Clone, Copy)]
struct DegreeOffsets<'a> {
    out: &'a [u64],
    /// `None` if neither the program nor the run needs in-rows.
    inward: Option<&'a [u64]>,
    /// `None` if the program does not read the number of neighbours.
    neighbours: Option<&'a [u64]>,
}

impl<'a> DegreeOffsets<'a> {
    /// Returns the offsets, given the in-rows of the run.
    fn of<P: EdgeProgram>(
        graph: &'a LayeredGraph,
        inward: Option<Rows<'a>>,
    ) -> Result<DegreeOffsets<'a>, PlanError> {
        let reads = const { P::MODEL.reads };
        let inward = match is_derived::<P>() {
            true if reads.vertex_in_degree => Some(graph.input_in_rows()?),
            true => None,
            false => inward,
        };
        let neighbours = reads.vertex_neighbours.then(|| graph.neighbour_rows().offsets);
        let out = graph.input_rows().offsets;
        Ok(DegreeOffsets { out, inward: inward.map(|rows| rows.offsets), neighbours })
    }
}

/// Returns `true` if a program runs over rows that are derived from those of the graph.
const fn is_derived<P: EdgeProgram>() -> bool {
    matches!(P::ALONG, Along::Neighbours)
}

/// Returns the length of a row.
#[inline(always)]
fn length(offsets: &[u64], v: u32) -> u64 {
    offsets[v as usize + 1] - offsets[v as usize]
}

/// Graph as program `P` reads it: a whole graph, or the part of one that this process has. The vertices of a part are its
/// own, which are those that receive, followed by the mirrors of other vertices, which only send.
pub(crate) struct View<'a, P: EdgeProgram> {
    names: Names<'a>,
    pub(crate) program: &'a P,
    pub(crate) rows: RowUse,
    pub(crate) sends: SendRows<'a>,
    /// The other processes, if the graph is a part.
    pub(crate) mirrors: Option<Mirrors<'a>>,
    /// Arrays of earlier runs.
    pub(crate) shelf: Arc<Shelf>,
    path_order: Option<Arc<PathOrder>>,
    /// Rows along which vertices send, and those over which they gather. In a whole graph they are the same.
    send: Lanes<'a, P>,
    gather: Lanes<'a, P>,
    /// Offsets of the rows whose lengths are the degrees that the program reads. They are those of the lanes, unless
    /// messages travel between distinct neighbours, or the graph is a part.
    degrees: DegreeOffsets<'a>,
    /// Number of vertices that receive, and of those with mirrors.
    receivers: u32,
    senders: u32,
    /// Numbers of vertices and edges of the whole graph.
    vertices: u64,
    edges: u64,
    /// Largest message that is not dropped, if the program finds shortest paths.
    largest: u64,
}

impl<'a, P: EdgeProgram> View<'a, P> {
    pub(crate) fn new(
        graph: &'a LayeredGraph,
        program: &'a P,
        budget: &Budget<'_>,
        lossy: bool,
    ) -> Result<View<'a, P>, PlanError> {
        View::on_shelf(&Arc::default(), graph, program, budget, lossy)
    }

    /// Returns a view that reuses the arrays of earlier runs.
    pub(crate) fn on_shelf(
        shelf: &Arc<Shelf>,
        graph: &'a LayeredGraph,
        program: &'a P,
        budget: &Budget<'_>,
        lossy: bool,
    ) -> Result<View<'a, P>, PlanError> {
        let weighted = P::MODEL.reads.edge_load() && budget.graph.weighted;
        let weights = |direction| weighted.then(|| shelf.weights::<P>(graph, direction, lossy)).transpose();
        // A program that reads places or directions visits edges in one role only: it gathers, or it sends.
        let gathers = budget.schedule == Schedule::Pull;
        let reads_places = const { P::MODEL.reads.edge_place };
        let places = |direction| {
            reads_places
                .then(|| graph.edge_places(P::ALONG, direction, gathers))
                .transpose()
                .map_err(PlanError::from)
        };
        let out = Lane {
            rows: graph.out_edges(),
            weights: if budget.uses_out_rows() { weights(budget.order_of_out_weights())? } else { None },
            places: if budget.visits_out_rows() { places(Direction::Out)? } else { None },
            forward: budget.graph.symmetric || !gathers,
        };
        let needs_in = budget.uses_in_rows() || P::MODEL.reads.vertex_in_degree && !is_derived::<P>();
        let inward = match needs_in {
            true => Some(Lane {
                rows: graph.in_edges()?,
                weights: if budget.uses_in_rows() { weights(Direction::In)? } else { None },
                places: if budget.visits_in_rows() { places(Direction::In)? } else { None },
                forward: gathers,
            }),
            false => None,
        };
        let (vertices, edges) = (u64::from(graph.num_vertices()), graph.num_input_edges());
        let degrees = DegreeOffsets::of::<P>(graph, inward.as_ref().map(|lane| lane.rows))?;
        let rows = budget.rows;
        let lanes = |uses_out: bool, uses_in: bool| Lanes {
            out: uses_out.then(|| out.clone()),
            inward: inward.clone().filter(|_| uses_in),
        };
        let (send, gather) = (lanes(rows.send_out, rows.send_in), lanes(rows.gather_out, rows.gather_in));
        let named = (rows, budget.techniques.path_order);
        let path_order = (budget.schedule == Schedule::Paths).then(|| shelf.path_order(graph, named));
        let (path_order, shelf) = (path_order.transpose()?, shelf.clone());
        let largest = budget.drops_beyond.unwrap_or(u64::MAX);
        Ok(View {
            names: Names::Whole(graph),
            program,
            rows,
            sends: send.rows(),
            mirrors: None,
            shelf,
            path_order,
            send,
            gather,
            degrees,
            receivers: graph.num_vertices(),
            senders: graph.num_vertices(),
            vertices,
            edges,
            largest,
        })
    }

    /// Returns the order in which vertices are visited, if it is that of paths.
    pub(crate) fn path_order(&self) -> Option<&PathOrder> {
        self.path_order.as_deref()
    }

    /// Returns the number of vertices that receive messages and compute: all, or a part's own.
    pub(crate) fn num_vertices(&self) -> u32 {
        self.receivers
    }

    /// Returns the number of vertices of the whole graph.
    pub(crate) fn num_all_vertices(&self) -> u64 {
        self.vertices
    }

    /// Returns the number of edges of the graph or, in a part, of those over which the process gathers.
    pub(crate) fn num_gathered_edges(&self) -> u64 {
        match self.whole() {
            Some(graph) => graph.num_edges(),
            None => self.gather.iter().next().map_or(0, |lane| lane.rows.ends.len() as u64),
        }
    }

    /// Returns the rows over which vertices gather.
    pub(crate) fn gathers(&self) -> SendRows<'a> {
        self.gather.rows()
    }

    /// Returns the number of vertices that send: those that receive and, in a part, the mirrors after them.
    pub(crate) fn num_senders(&self) -> u32 {
        self.senders
    }

    /// Returns `true` if a vertex has edges along which it may send, in this part of the graph or in another one.
    #[inline(always)]
    pub(crate) fn has_receivers(&self, v: u32) -> bool {
        match &self.mirrors {
            Some(mirrors) => mirrors.part.num_sent::<P>(v, self.rows) > 0,
            None => self.sends.degree(v) > 0,
        }
    }

    /// Calls `visit(end, weight)` for every edge along which `v` sends, until `visit` returns `false`.
    #[inline]
    pub(crate) fn visit_sends(
        &self,
        v: u32,
        mut visit: impl FnMut(u32, LoadOf<P>) -> Step,
    ) -> Result<(), Halt> {
        self.send.visit(v, &mut visit)
    }

    /// Calls `visit(end, weight)` for every edge along which `v` receives, until `visit` returns `false`.
    #[inline]
    pub(crate) fn visit_gathers(
        &self,
        v: u32,
        mut visit: impl FnMut(u32, LoadOf<P>) -> Step,
    ) -> Result<(), Halt> {
        self.gather.visit(v, &mut visit)
    }

    /// Visits a piece of the edges along which `v` sends. Positions range from 0 to [`SendRows::degree`].
    pub(crate) fn visit_piece(
        &self,
        v: u32,
        piece: Range<u64>,
        mut visit: impl FnMut(u32, LoadOf<P>) -> Step,
    ) -> Result<(), Halt> {
        let outs = self.send.out.as_ref().map_or(0, |lane| lane.rows.degree(v));
        let part = |row: Range<usize>, skipped: u64| {
            let at = |edge: u64| row.start + (edge.max(skipped) - skipped).min(row.len() as u64) as usize;
            at(piece.start)..at(piece.end)
        };
        if let Some(lane) = &self.send.out
            && !lane.visit_range(part(lane.rows.range(v), 0), &mut visit)?
        {
            return Ok(());
        }
        match &self.send.inward {
            Some(lane) => lane.visit_range(part(lane.rows.range(v), outs), &mut visit).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Prefetches the rows of vertices that are visited soon after the one at position `at`. The vertices of a frontier
    /// lie anywhere in their layer, so each row would otherwise stall the core twice: at its offsets and at its edges.
    /// (Prefetching the values of the edges' ends as well saves nothing, and takes lines from other cores' caches.)
    #[inline(always)]
    pub(crate) fn prefetch_sends(&self, vertices: &[u32], at: usize) {
        for lane in self.send.iter() {
            if let Some(&v) = vertices.get(at + 2 * AHEAD) {
                prefetch(lane.rows.offsets, v as usize);
            }
            if let Some(&v) = vertices.get(at + AHEAD) {
                let first = lane.rows.offsets[v as usize] as usize;
                prefetch(lane.rows.ends, first);
                if let Some(weights) = &lane.weights {
                    prefetch(weights, first);
                }
            }
        }
    }

    /// Visits the edges of a part of a frontier: calls `visit(sender, sent, end, weight, found)` for every edge, where
    /// `sent` is the result of `begin(sender)`. Vertices with more than `hub_edges` edges are put aside. `begin`
    /// returns `None` for a vertex that does not send after all.
    #[inline]
    pub(crate) fn visit_part<S: Copy>(
        &self,
        part: Part<'_>,
        hub_edges: u64,
        found: &mut Found,
        begin: impl Fn(u32, &mut Found) -> Option<S>,
        visit: impl Fn(u32, S, u32, LoadOf<P>, &mut Found) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        match part {
            Part::Vertices(vertices) => {
                for (at, &v) in vertices.iter().enumerate() {
                    self.prefetch_sends(vertices, at);
                    if hub_edges < u64::MAX && self.sends.degree(v) > hub_edges {
                        found.put_aside(v);
                    } else if let Some(sent) = begin(v, found) {
                        self.visit_sends(v, |end, weight| visit(v, sent, end, weight, found).map(|()| true))?;
                    }
                }
                Ok(())
            }
            Part::Piece(hub, piece) => match begin(hub, found) {
                Some(sent) => self.visit_piece(hub, piece, |end, weight| {
                    visit(hub, sent, end, weight, found).map(|()| true)
                }),
                None => Ok(()),
            },
        }
    }

    /// Returns offsets whose differences are the out-degrees and the in-degrees of consecutive vertices, from `first` on.
    /// Those of the in-degrees are empty if they are not needed.
    #[inline(always)]
    pub(crate) fn offsets_of(&self, first: u32, count: usize) -> [&[u64]; 2] {
        let offsets = |all: &'a [u64]| &all[first as usize..][..count + 1];
        [offsets(self.degrees.out), self.degrees.inward.map_or(&[], offsets)]
    }

    /// Returns the parts of a row over which a receiver gathers: its out-edges, its in-edges, or both.
    #[inline]
    pub(crate) fn gather_lanes(&self) -> impl Iterator<Item = &Lane<'a, P>> {
        self.gather.iter()
    }

    /// Returns the only part of a row over which receivers gather, unless there are two.
    #[inline(always)]
    pub(crate) fn only_gather_lane(&self) -> Option<&Lane<'a, P>> {
        self.gather.only()
    }

    /// Returns the number of edges over which a vertex gathers.
    pub(crate) fn gather_degree(&self, v: u32) -> u64 {
        self.gather_lanes().map(|lane| lane.rows.degree(v)).sum()
    }

    /// Returns a halt on the edges of a sender as a halt on the first of them; at the sender if all of them are in other parts
    /// of the graph.
    #[cold]
    pub(crate) fn along_first_edge(&self, halt: Halt, sender: u32) -> Halt {
        let mut place = if self.mirrors.is_some() { Place::Vertex(sender) } else { halt.place };
        let visited = self.visit_sends(sender, |end, _| {
            place = Place::Edge(sender, end);
            Ok(false)
        });
        debug_assert!(visited.is_ok(), "looking at an edge cannot fail");
        Halt { place, ..halt }
    }

    /// Returns the first of the vertices that have no edge over which to gather, and neither have any after it. The
    /// last layer contains the isolated vertices.
    pub(crate) fn end_of_receivers(&self) -> u32 {
        let end =
            |rows: &Rows<'_>| rows.offsets.partition_point(|&offset| offset < rows.ends.len() as u64) as u32;
        // Rows of pieces follow those of vertices.
        self.gather.iter().map(|lane| end(&lane.rows)).max().unwrap_or(0).min(self.receivers)
    }

    /// Returns the message along one edge, in a run whose messages do not depend on the step.
    #[inline(always)]
    pub(crate) fn message(
        &self,
        value: P::Value,
        load: LoadOf<P>,
        sender: u32,
        receiver: u32,
    ) -> Result<Option<P::Message>, Halt> {
        self.message_in(&StepContext::of_no_step(), value, load, sender, receiver)
    }

    /// Returns the message along one edge in a step.
    #[inline(always)]
    pub(crate) fn message_in(
        &self,
        context: &StepContext<P>,
        value: P::Value,
        load: LoadOf<P>,
        sender: u32,
        receiver: u32,
    ) -> Result<Option<P::Message>, Halt> {
        let out_degree = self.sender_out_degree(sender);
        self.message_with(self.program, context, value, load, (sender, receiver), out_degree)
    }

    /// Returns the out-degree of a sender; 0 if no message depends on it.
    #[inline(always)]
    pub(crate) fn sender_out_degree(&self, sender: u32) -> u64 {
        if const { P::MODEL.reads.edge_out_degree } { length(self.degrees.out, sender) } else { 0 }
    }

    /// Returns the message along one edge of a sender with this [out-degree](Self::sender_out_degree). `program` is the
    /// view's program: a function that gets it as an argument of its own can keep the program's parameters in registers
    /// while it writes values.
    #[inline(always)]
    pub(crate) fn message_from(
        &self,
        program: &P,
        value: P::Value,
        load: LoadOf<P>,
        sender: u32,
        receiver: u32,
        out_degree: u64,
    ) -> Result<Option<P::Message>, Halt> {
        let context = StepContext::of_no_step();
        self.message_with(program, &context, value, load, (sender, receiver), out_degree)
    }

    #[inline(always)]
    fn message_with(
        &self,
        program: &P,
        context: &StepContext<P>,
        value: P::Value,
        load: LoadOf<P>,
        (sender, receiver): (u32, u32),
        out_degree: u64,
    ) -> Result<Option<P::Message>, Halt> {
        self.poll(Place::Edge(sender, receiver))?;
        let reads = const { P::MODEL.reads };
        let mut edge = Edge {
            value,
            weight: zero(),
            source: if reads.edge_source { self.id_of(sender) } else { 0 },
            target: if reads.edge_target { self.id_of(receiver) } else { 0 },
            source_index: self.index_of(sender, const { P::MODEL.reads.source_index() }),
            target_index: self.index_of(receiver, const { P::MODEL.reads.target_index() }),
            out_degree: if reads.edge_out_degree { out_degree } else { 0 },
            step: if reads.edge_step { context.step } else { 0 },
            aggregate: if reads.edge_aggregate { context.aggregate } else { P::Aggregate::identity() },
            forward: !reads.edge_forward || load.forward,
            place: if reads.edge_place { load.place.into() } else { 0 },
            common_neighbours: 0,
            common_edges: 0,
        };
        P::put_load(&mut edge, load.weight);
        let message =
            program.checked_edge(edge).map_err(|fault| Halt::new(fault, Place::Edge(sender, receiver)))?;
        // A sum beyond the bound of the plan is never final, and is dropped here, before anything stores it. So `edge`
        // never adds a weight to a value beyond the bound, which is why no sum overflows.
        if const { Shape::of::<P>().finds_shortest_paths() } {
            return Ok(message.filter(|message| message.to_bits() <= self.largest));
        }
        Ok(message)
    }

    /// Returns the degrees of a vertex that the program reads.
    #[inline(always)]
    pub(crate) fn degrees(&self, v: u32) -> Degrees {
        let reads = const { P::MODEL.reads };
        Degrees {
            out_degree: if reads.vertex_out_degree { length(self.degrees.out, v) } else { 0 },
            in_degree: match self.degrees.inward {
                Some(offsets) if reads.vertex_in_degree => length(offsets, v),
                _ => 0,
            },
            neighbours: match self.degrees.neighbours {
                Some(offsets) if reads.vertex_neighbours => length(offsets, v),
                _ => 0,
            },
        }
    }

    /// Calls `set` for every first value, and returns the vertices that have one.
    pub(crate) fn first_values(
        &self,
        sources: &Sources<P::Value>,
        set: impl Fn(u32, P::Value) + Sync,
    ) -> Result<Vec<u32>, Halt> {
        if let Some(earlier) = sources.earlier() {
            let parts = map_ranges(self.num_vertices() as usize, 4096, |range| {
                let of_range = range.start as u32..range.end as u32;
                let found = of_range.filter_map(|v| earlier.get(v).map(|value| (v, value)));
                found.inspect(|&(v, value)| set(v, value)).map(|(v, _)| v).collect::<Vec<u32>>()
            });
            return Ok(parts.concat());
        }
        if P::MODEL.starts == Starts::Sources {
            sources.vertices.iter().zip(&sources.values).for_each(|(&v, &value)| set(v, value));
            return Ok(sources.vertices.clone());
        }
        let parts = map_ranges(self.num_vertices() as usize, 4096, |range| {
            let mut found = Vec::new();
            for v in range.start as u32..range.end as u32 {
                if let Some(value) = self.start(v)? {
                    set(v, value);
                    found.push(v);
                }
            }
            Ok(found)
        });
        joined(parts)
    }

    /// Asks the program whether the run ends after `step`, given the folds before and after it.
    pub(crate) fn finished(
        &self,
        before: AggregateOf<P>,
        now: AggregateOf<P>,
        step: u64,
    ) -> Result<bool, Halt> {
        let place = Place::Step(step);
        self.poll(place)?;
        self.program.checked_finished(before, now, step).map_err(|fault| Halt::new(fault, place))
    }

    /// Returns the first value of a vertex.
    pub(crate) fn start(&self, v: u32) -> Result<Option<P::Value>, Halt> {
        self.poll(Place::Vertex(v))?;
        let vertex = self.vertex(v, self.degrees(v), (), &StepContext::of_no_step());
        self.program.checked_start(vertex).map_err(|fault| Halt::new(fault, Place::Vertex(v)))
    }

    /// Returns a vertex as `apply` and `aggregate` see it. Its degrees are those of [`degrees`](Self::degrees).
    #[inline(always)]
    pub(crate) fn vertex<V: 'static>(
        &self,
        v: u32,
        degrees: Degrees,
        value: V,
        context: &StepContext<P>,
    ) -> Vertex<V, AggregateOf<P>> {
        let reads = const { P::MODEL.reads };
        Vertex {
            id: if reads.vertex_id { self.id_of(v) } else { 0 },
            index: self.index_of(v, const { P::MODEL.reads.vertex_index() }),
            value,
            out_degree: degrees.out_degree,
            in_degree: degrees.in_degree,
            vertices: self.vertices,
            edges: self.edges,
            step: context.step,
            level: context.level,
            aggregate: context.aggregate,
            neighbours: degrees.neighbours,
            before: (),
            values: &[],
        }
    }

    /// Checks from time to time whether the run must stop. Called before each call of a program with loops, since many
    /// short loops can take as long as a single long one. Other programs stop at the end of a step.
    #[inline(always)]
    fn poll(&self, place: Place) -> Result<(), Halt> {
        if const { P::MODEL.has_loops } {
            return stop::before_call().map_err(|fault| Halt::new(fault, place));
        }
        Ok(())
    }

    /// Calls [`poll`](Self::poll) for a vertex.
    #[inline(always)]
    pub(crate) fn poll_at(&self, v: u32) -> Result<(), Halt> {
        self.poll(Place::Vertex(v))
    }

    /// Returns a function that converts a fault at a vertex to a halt.
    pub(crate) fn at_vertex(v: u32) -> impl Fn(Fault) -> Halt {
        move |fault| Halt::new(fault, Place::Vertex(v))
    }

    /// Returns the error for a halt, with the user's ids.
    pub(crate) fn error(&self, halt: Halt) -> RunError {
        let place = match halt.place {
            Place::Edge(sender, receiver) => {
                FaultPlace::Edge { source: self.id_of(sender), target: self.id_of(receiver) }
            }
            Place::Vertex(v) => FaultPlace::Vertex { id: self.id_of(v) },
            Place::Step(step) => FaultPlace::Step { step },
        };
        fault_error(&P::MODEL, halt.fault.site, place)
    }
}
