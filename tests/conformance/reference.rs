//! The meaning of a program, step by step and vertex by vertex, in the simplest way: without frontier, atomics or
//! schedule. Everything else that an engine does is only for speed.

use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::program::{
    AggregateOf, Aggregator, Along, Checked, Datum, Edge, EdgeProgram, Senders, Starts, Vertex,
};

/// Edge in the direction of its messages: sender, receiver, position in the out-rows.
type TightEdge = (u32, u32, usize);

/// Value of every vertex, if it has one, by internal index.
pub(crate) type Values<P> = Vec<Option<<P as EdgeProgram>::Value>>;

/// Runs `program` for at most `steps` steps. Returns the values and the number of steps.
pub(crate) fn run<P: EdgeProgram>(
    graph: &LayeredGraph,
    program: &P,
    steps: u64,
) -> Checked<(Values<P>, u64)> {
    let ways = ways::<P>(graph);
    let weights = graph.weights_for::<P>(Direction::Out, true).expect("the weights fit");
    let reference = Reference { graph, program, ways, weights: weights.to_vec() };
    let mut values = reference.start()?;
    let mut active: Vec<bool> = values.iter().map(Option::is_some).collect();
    for step in 1..=steps {
        let nobody_sends = P::SENDERS == Senders::Active && !active.contains(&true);
        if nobody_sends || graph.num_vertices() == 0 {
            return Ok((values, step - 1));
        }
        active = reference.step(&mut values, &active, step)?;
        if P::SENDERS == Senders::All && !active.contains(&true) {
            return Ok((values, step));
        }
    }
    Ok((values, steps))
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
                Along::Both => ways.extend([out, back]),
            }
        }
    }
    ways
}

struct Reference<'a, P: EdgeProgram> {
    graph: &'a LayeredGraph,
    program: &'a P,
    ways: Vec<TightEdge>,
    weights: Vec<P::Weight>,
}

impl<P: EdgeProgram> Reference<'_, P> {
    fn degrees(&self, v: u32) -> (u64, u64) {
        let rows = self.graph.out_edges();
        let arriving = rows.ends.iter().filter(|&&end| end == v).count() as u64;
        (rows.degree(v), if P::MODEL.reads.vertex_in_degree { arriving } else { 0 })
    }

    fn vertex<V>(&self, v: u32, value: V, step: u64, aggregate: AggregateOf<P>) -> Vertex<V, AggregateOf<P>> {
        let (out_degree, in_degree) = self.degrees(v);
        Vertex {
            id: self.graph.id_of(v),
            index: self.graph.rank_of(v),
            value,
            out_degree,
            in_degree,
            vertices: u64::from(self.graph.num_vertices()),
            edges: self.graph.num_edges(),
            step,
            aggregate,
        }
    }

    fn start(&self) -> Checked<Values<P>> {
        let n = self.graph.num_vertices();
        if P::MODEL.starts != Starts::Sources {
            return (0..n)
                .map(|v| self.program.checked_start(self.vertex(v, (), 0, P::Aggregate::identity())))
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

    /// Performs one step. Returns which vertices changed.
    fn step(&self, values: &mut Values<P>, active: &[bool], step: u64) -> Checked<Vec<bool>> {
        let mut aggregate = P::Aggregate::identity();
        if P::Aggregate::KIND.is_some() {
            for v in 0..values.len() as u32 {
                if let Some(value) = values[v as usize] {
                    let part = self.program.checked_aggregate(self.vertex(
                        v,
                        value,
                        step,
                        P::Aggregate::identity(),
                    ))?;
                    aggregate = P::Aggregate::combine(aggregate, part);
                }
            }
        }
        let incoming = self.incoming(values, active)?;
        let mut changed = vec![false; values.len()];
        for (v, message) in (0u32..).zip(incoming) {
            if message.is_none() && (P::SENDERS == Senders::Active || !P::MODEL.has_apply) {
                continue;
            }
            let before = values[v as usize];
            let after = self.program.checked_apply(self.vertex(v, before, step, aggregate), message)?;
            changed[v as usize] = match before {
                None => true,
                Some(before) => self.program.checked_changed(before, after)?,
            };
            values[v as usize] = Some(after);
        }
        Ok(changed)
    }

    /// Returns the combined message to every vertex.
    fn incoming(&self, values: &Values<P>, active: &[bool]) -> Checked<Vec<Option<P::Message>>> {
        let mut incoming: Vec<Option<P::Message>> = vec![None; values.len()];
        for &(sender, receiver, position) in &self.ways {
            let Some(value) = values[sender as usize] else { continue };
            if P::SENDERS == Senders::Active && !active[sender as usize] {
                continue;
            }
            let edge = Edge {
                value,
                weight: self.weights.get(position).copied().unwrap_or_else(|| P::Weight::from_bits(0)),
                source: self.graph.id_of(sender),
                target: self.graph.id_of(receiver),
                source_index: self.graph.rank_of(sender),
                target_index: self.graph.rank_of(receiver),
                out_degree: self.graph.out_edges().degree(sender),
            };
            let Some(message) = self.program.checked_edge(edge)?.filter(|&message| !is_dropped::<P>(message))
            else {
                continue;
            };
            let held = &mut incoming[receiver as usize];
            *held = Some(match *held {
                None => message,
                Some(held) => self.program.checked_combine(held, message)?,
            });
        }
        Ok(incoming)
    }
}

/// Returns `true` if the combiner ignores this message: `min` and `max` ignore NaN.
fn is_dropped<P: EdgeProgram>(message: P::Message) -> bool {
    use wolfpath::program::{CombineKind, Combiner, DatumKind};
    let kind = <P::Combine as Combiner<P::Message>>::KIND;
    let is_nan = match P::Message::KIND {
        DatumKind::F32 => f32::from_bits(message.to_bits() as u32).is_nan(),
        DatumKind::F64 => f64::from_bits(message.to_bits()).is_nan(),
        _ => false,
    };
    is_nan && matches!(kind, CombineKind::Min | CombineKind::Max)
}
