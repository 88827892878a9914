//! A graph on a device, with what every run over it needs.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph};
use wolfpath_core::program::{Datum, DatumKind, EdgeProgram, VertexOrder};

use super::buffers::{BufferName, Buffers, WeightName};
use super::device::Device;
use super::groups::{self, Bound};
use super::state::Run;
use crate::error::{PlanError, RunError};
use crate::numbers::to_f64;
use crate::plan::{ArrayName, Budget};
use crate::start::unknown_input;

/// Weights that are looked at to know their mean.
const MEAN_SAMPLES: usize = 4096;

/// A graph loaded onto a device. Arrays are uploaded when a run first needs them; runs take turns.
pub(crate) struct Resident {
    pub(crate) device: Arc<Device>,
    pub(crate) graph: LayeredGraph,
    buffers: Mutex<Buffers>,
    /// The groups of the out-rows, and of the in-rows, once a run has swept them.
    groups: [OnceLock<Vec<Bound>>; 2],
}

impl Resident {
    pub(crate) fn new(device: Arc<Device>, graph: LayeredGraph) -> Resident {
        Resident { device, graph, buffers: Mutex::default(), groups: Default::default() }
    }

    pub(crate) fn buffers(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uploads what program `P` reads and is not there yet, and notes where it lies. `graph` is the resident one, perhaps
    /// with another of its columns as the weight.
    pub(crate) fn upload<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        buffers: &mut Buffers,
        budget: &Budget<'_>,
        lossy: bool,
        run: &mut Run,
    ) -> Result<(), RunError> {
        let out = graph.out_edges();
        run.out_offsets = self.offsets(buffers, Direction::Out, out.offsets)?;
        let weighted = P::MODEL.reads.edge_weight && budget.graph.weighted;
        let weights = Weights::<P> { resident: self, graph, lossy, program: PhantomData };
        if budget.uses_out_rows() {
            run.out_ends = self.once(buffers, ArrayName::EdgeEnds(Direction::Out), || Ok(out.ends))?;
            if weighted {
                run.out_weights = weights.upload(buffers, Direction::Out)?;
            }
        }
        let reads_in_degree = P::MODEL.reads.vertex_in_degree && !graph.is_symmetric();
        if budget.uses_in_rows() || reads_in_degree {
            let inward = graph.in_edges().map_err(PlanError::from)?;
            run.in_offsets = self.offsets(buffers, Direction::In, inward.offsets)?;
            if budget.uses_in_rows() {
                run.in_ends = self.once(buffers, ArrayName::EdgeEnds(Direction::In), || Ok(inward.ends))?;
                if weighted {
                    run.in_weights = weights.upload(buffers, Direction::In)?;
                }
            }
        }
        if budget.reads_ids() {
            run.ids = self.once(buffers, ArrayName::Ids, || Ok(graph.ids()))?;
        }
        if budget.reads_ranks() {
            run.ranks = self.once(buffers, ArrayName::Ranks, || Ok(graph.ranks()))?;
        }
        Ok(())
    }

    /// Uploads the program's inputs that are not there yet; where each lies.
    pub(crate) fn upload_inputs<P: EdgeProgram>(
        &self,
        buffers: &mut Buffers,
        program: &P,
    ) -> Result<Vec<u64>, RunError> {
        let order = VertexOrder::new(&self.graph, &P::MODEL.reads);
        let mut addresses = Vec::new();
        for (field, input) in P::MODEL.inputs.iter().zip(program.inputs()) {
            let (name, held) = (ArrayName::Input(field.array), (input.number(), order.is_by_rank()));
            if !buffers.holds_input(name, held) {
                let bytes = input.bytes(order).map_err(|unknown| unknown_input::<P>(field.name, unknown))?;
                buffers.upload(&self.device, name, &bytes)?;
                buffers.note_input(name, held);
            }
            addresses.push(buffers.address(&self.device, name));
        }
        Ok(addresses)
    }

    /// Where the groups of the rows of one direction begin, for a device of so many threads.
    pub(crate) fn groups(&self, direction: Direction, threads: u64) -> Result<&[Bound], RunError> {
        let (rows, slot) = match direction {
            Direction::Out => (self.graph.out_edges(), &self.groups[0]),
            Direction::In => (self.graph.in_edges().map_err(PlanError::from)?, &self.groups[1]),
        };
        Ok(slot.get_or_init(|| groups::combine(self.graph.layer_offsets(), rows.offsets, threads)))
    }

    /// Row offsets, in 32 bits where they fit: every step reads some, and half of them fit the caches.
    fn offsets(&self, buffers: &mut Buffers, direction: Direction, offsets: &[u64]) -> Result<u64, RunError> {
        let name = ArrayName::RowOffsets(direction);
        if buffers.contains(name) {
            return Ok(buffers.address(&self.device, name));
        }
        if offsets.last().is_some_and(|&last| last > u64::from(u32::MAX)) {
            return Ok(buffers.upload(&self.device, name, offsets)?);
        }
        let narrow: Vec<u32> = offsets.par_iter().map(|&offset| offset as u32).collect();
        Ok(buffers.upload(&self.device, name, &narrow)?)
    }

    fn once<'a, T: bytemuck::Pod>(
        &self,
        buffers: &mut Buffers,
        name: ArrayName,
        elements: impl FnOnce() -> Result<&'a [T], RunError>,
    ) -> Result<u64, RunError> {
        if !buffers.contains(name) {
            buffers.upload(&self.device, name, elements()?)?;
        }
        Ok(buffers.address(&self.device, name))
    }
}

/// The weights that program `P` reads.
pub(crate) fn weight_name<P: EdgeProgram>(graph: &LayeredGraph) -> WeightName {
    let fields = P::MODEL.weight_columns;
    let column = graph.weight_column().filter(|_| fields.is_empty());
    let column = column.and_then(|chosen| graph.column_names().iter().position(|name| *name == chosen));
    WeightName { kind: P::Weight::KIND, column, fields }
}

/// Weights on their way to a device.
struct Weights<'a, P> {
    resident: &'a Resident,
    graph: &'a LayeredGraph,
    lossy: bool,
    program: PhantomData<P>,
}

impl<P: EdgeProgram> Weights<'_, P> {
    /// The weights in the program's type, uploaded once a type and column: numbers, or an array of structs.
    fn upload(&self, buffers: &mut Buffers, direction: Direction) -> Result<u64, RunError> {
        let kind = P::Weight::KIND;
        let name = BufferName::of(ArrayName::EdgeWeights(direction), weight_name::<P>(self.graph));
        if !buffers.contains(name) {
            let weights = self.graph.weights_for::<P>(direction, self.lossy).map_err(PlanError::from)?;
            let mut bytes = vec![0u8; weights.len() * kind.size()];
            if kind != DatumKind::Unit {
                let elements = bytes.chunks_exact_mut(kind.size()).zip(weights.iter());
                elements.for_each(|(to, weight)| weight.write(to));
            }
            buffers.upload(&self.resident.device, name, &bytes)?;
            let apart = weights.len() / MEAN_SAMPLES + 1;
            let sample = weights.iter().step_by(apart).map(|&weight| to_f64(weight));
            let sum: f64 = sample.sum();
            buffers.note_mean(name, sum / weights.len().div_ceil(apart).max(1) as f64);
        }
        Ok(buffers.address(&self.resident.device, name))
    }
}

/// The mean of the weights that program `P` reads: 1 where there are none, and where they are not numbers.
pub(crate) fn mean_weight<P: EdgeProgram>(graph: &LayeredGraph, buffers: &Buffers) -> f64 {
    let of = |direction| {
        buffers.mean_of(BufferName::of(ArrayName::EdgeWeights(direction), weight_name::<P>(graph)))
    };
    let mean = of(Direction::Out).or_else(|| of(Direction::In));
    let mean = mean.filter(|_| !P::Weight::KIND.is_struct());
    mean.filter(|mean| mean.is_finite() && *mean > 0.0).unwrap_or(1.0)
}
