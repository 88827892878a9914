//! Copies on the device of parts of rows, beside the arrays of edges: their first ends, the widths of packed blocks, and the
//! beginnings of arrays in host memory.

use wolfpath_core::graph::{Direction, PackedRows};
use wolfpath_core::program::DatumKind;
use wolfpath_core::progress::Progress;

use super::{Resident, weight_name};
use crate::cuda::buffers::{BufferName, Buffers};
use crate::cuda::launch::UntypedLaunch;
use crate::cuda::staging::Elements;
use crate::cuda::state::DeviceRun;
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, HEAD_SLACK, Home};

/// In place of the first end of a row without edges (`ends.cuh`). Vertices have smaller numbers.
const NO_END: u32 = u32::MAX;

impl Resident {
    /// Uploads the first end of each row, if the plan has it, and returns the address of the array. Several devices have those
    /// of all rows.
    pub(super) fn first_ends(
        &self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        direction: Direction,
    ) -> Result<u64, RunError> {
        let name = ArrayName::FirstEnds(direction);
        if launch.plan.planned_bytes(name) == 0 {
            return Ok(0);
        }
        let rows = match direction {
            Direction::Out => launch.graph.out_edges(),
            Direction::In => launch.graph.in_edges().map_err(PlanError::from)?,
        };
        let first = |v: usize| match rows.offsets[v] < rows.offsets[v + 1] {
            true => rows.ends[rows.offsets[v] as usize],
            false => NO_END,
        };
        self.mapped(buffers, &Progress::NONE, name, rows.num_vertices() as usize, first)
    }

    /// Copies the beginnings of arrays in host memory to the device, as far as the plan has them there.
    pub(super) fn keep_heads(
        &self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let (plan, weights) = (launch.plan, weight_name(launch.graph, launch.shape()));
        let mut head = |array: ArrayName, address: &mut u64, end: &mut u64| -> Result<(), RunError> {
            let Some(name) = array.resident() else { return Ok(()) };
            let bytes = plan.planned_bytes(name);
            let (name, of) = (BufferName::of(name, weights), BufferName::of(array, weights));
            // Others of several devices may have more edges than this one.
            let held = buffers.bytes_on_host(of);
            let bytes = if bytes <= held { bytes } else { held / HEAD_STEP * HEAD_STEP };
            *address = buffers.keep_head(&self.device, name, of, bytes)?;
            if *address != 0 {
                *end = end_of_head(array, bytes, weights.kind);
            }
            Ok(())
        };
        for name in [ArrayName::EdgeEnds, ArrayName::PackedEnds] {
            if plan.planned_bytes(name(Direction::Out)) > 0 {
                head(name(Direction::Out), &mut run.out_head, &mut run.out_resident)?;
            }
            if plan.planned_bytes(name(Direction::In)) > 0 {
                head(name(Direction::In), &mut run.in_head, &mut run.in_resident)?;
            }
        }
        let (out, inward) = (ArrayName::EdgeWeights(Direction::Out), ArrayName::EdgeWeights(Direction::In));
        head(out, &mut run.out_weights_head, &mut run.out_resident_weights)?;
        head(inward, &mut run.in_weights_head, &mut run.in_resident_weights)?;
        // In a symmetric graph, weights along the out-rows can be in the order of in-rows.
        if run.out_weights != 0 && launch.budget.order_of_out_weights() == Direction::In {
            (run.out_weights_head, run.out_resident_weights) = (run.in_weights_head, run.in_resident_weights);
        }
        Ok(())
    }

    /// Uploads the widths of the blocks of packed rows, if they are not on the device yet, and returns their address.
    pub(super) fn widths(
        &self,
        buffers: &mut Buffers,
        direction: Direction,
        packed: PackedRows<'_>,
    ) -> Result<u64, RunError> {
        let name = ArrayName::PackedWidths(direction);
        if buffers.contains(name) {
            return Ok(buffers.address(&self.device, name));
        }
        let (shard, offsets) = (self.shard.as_ref(), packed.offsets());
        let rows = match direction {
            Direction::Out => self.graph.out_edges(),
            Direction::In => self.graph.in_edges().map_err(PlanError::from)?,
        };
        let edges = shard.map_or(packed.num_edges(), |shard| shard.edges(direction, rows));
        let slots = PackedRows::width_slots(packed.num_vertices().into(), edges);
        let elements = Elements { length: slots as usize, each: 1, computed: true };
        buffers.fill(&self.device, (name.into(), Home::Device), elements, &Progress::NONE, &|range, to| {
            match shard {
                Some(shard) => packed.fill_width_slots(shard.offsets(direction, rows), range, to),
                None => packed.fill_width_slots(|at| offsets[at], range, to),
            }
            Ok::<_, RunError>(())
        })
    }
}

/// The beginning of an array that is shorter than planned has a multiple of this number of bytes: that of 16 weights, of 16
/// bytes at most.
const HEAD_STEP: u64 = 256;

/// Returns the position at which kernels stop to read the beginning of an array that has `bytes` bytes on the device.
/// From an earlier position they may read a whole segment.
fn end_of_head(array: ArrayName, bytes: u64, weights: DatumKind) -> u64 {
    match array {
        ArrayName::PackedEnds(_) => bytes.saturating_sub(HEAD_SLACK),
        ArrayName::EdgeEnds(_) => bytes.saturating_sub(HEAD_SLACK) / 4,
        _ => bytes / weights.size().max(1) as u64,
    }
}
