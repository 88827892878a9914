//! Several runs abreast (`kernels/include/abreast.cuh`): their values side by side at each vertex.

use bytemuck::{Pod, Zeroable};
use cudarc::driver::{DeviceRepr, LaunchArgs, PushKernelArg};
use wolfpath_core::program::{Combiner, Datum, DatumKind, EdgeProgram};

use crate::cpu::Values;
use crate::cuda::buffers::Buffers;
use crate::cuda::device::driver_error;
use crate::cuda::launch::{Figures, Launch, Own, frontier_arrays, word_value};
use crate::cuda::source::Kernel;
use crate::cuda::state::{Control, Run, offsets};
use crate::error::RunError;
use crate::plan::{ArrayName, Budget, PlannedArray, Schedule, word_bytes};

/// Bytes of a vertex's values at the most: two sectors of 32 bytes. With more of them an edge would cost a batch what it
/// costs the runs apart.
const MOST_BYTES: u64 = 64;

/// Runs of a batch at the most: 16 whose values take 4 bytes, 8 whose values take 8.
pub(crate) fn most_abreast(value: DatumKind) -> u32 {
    (MOST_BYTES / word_bytes(value)) as u32
}

/// `ManyRuns` in `abreast.cuh`: device addresses.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Batch {
    sending: [u64; 2],
    waiting: u64,
    identities: u64,
    source_runs: u64,
    apart: u64,
}

// SAFETY: plain integers in `repr(C)`, the layout of `wp::ManyRuns`; the kernel compares the offsets of all fields.
unsafe impl DeviceRepr for Batch {}

impl Batch {
    /// Offsets for `abreast.cuh`: all fields, and the size.
    pub(crate) fn offsets() -> Vec<usize> {
        offsets!(Batch: sending waiting identities source_runs apart).to_vec()
    }
}

/// Arrays that a batch of so many runs needs beside the graph's.
pub(crate) fn abreast_arrays(budget: &Budget<'_>, runs: u32) -> Vec<PlannedArray> {
    let n = budget.graph.vertices.max(1);
    let of = |name, elements: u64, each: u64| PlannedArray { name, elements, bytes: elements * each };
    let mut arrays = vec![
        of(ArrayName::Values, n * u64::from(runs), word_bytes(budget.shape.value)),
        of(ArrayName::SenderRuns, n, 8),
        of(ArrayName::NextSenderRuns, n, 8),
        of(ArrayName::IdentityRuns, n, 4),
        of(ArrayName::SourceRuns, budget.sources, 4),
        of(ArrayName::RunEdges, 1, 8),
    ];
    if budget.schedule == Schedule::Bucket {
        arrays.push(of(ArrayName::WaitingRuns, n, 4));
        arrays.push(of(ArrayName::PendingBits, n.div_ceil(32), 4));
    }
    arrays.extend(frontier_arrays(budget));
    arrays
}

/// One batch on a device. Its launch is that of a run from the sources of all its runs, one after another.
pub(crate) struct Abreast<'a, P: EdgeProgram> {
    pub(crate) launch: Launch<'a, P>,
    /// The run of each source.
    pub(crate) source_runs: &'a [u32],
    /// Runs that there is room for: 4, 8 or 16.
    pub(crate) runs: u32,
    /// Runs that there are.
    pub(crate) members: usize,
}

/// What such a batch found: the values of each run, and the edges that each sent along, summed over the runs.
pub(crate) type Found<V> = (Vec<Values<V>>, u64);

impl Own for Batch {
    fn add_arguments<'a>(&'a self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(self);
    }
}

impl<P: EdgeProgram> Abreast<'_, P> {
    /// Runs the batch.
    pub(crate) fn run(&self) -> Result<(Found<P::Value>, Figures), RunError> {
        let place = |buffers: &mut Buffers, run: &mut Run| self.place(buffers, run);
        let read = |buffers: &mut Buffers, _: Batch, _: &Control| self.read_back(buffers);
        self.launch.carry_out(Kernel::Abreast { runs: self.runs }, place, read)
    }

    fn place(&self, buffers: &mut Buffers, run: &mut Run) -> Result<Batch, RunError> {
        let (launch, device) = (&self.launch, &self.launch.resident.device);
        launch.allocate_frontiers(buffers, run)?;
        run.values = launch.room(buffers, ArrayName::Values)?;
        run.pending = launch.room(buffers, ArrayName::PendingBits)?;
        run.width = launch.bucket_width(buffers);
        Ok(Batch {
            sending: [
                launch.room(buffers, ArrayName::SenderRuns)?,
                launch.room(buffers, ArrayName::NextSenderRuns)?,
            ],
            waiting: launch.room(buffers, ArrayName::WaitingRuns)?,
            identities: launch.room(buffers, ArrayName::IdentityRuns)?,
            source_runs: buffers.upload(device, ArrayName::SourceRuns, self.source_runs)?,
            apart: buffers.upload(device, ArrayName::RunEdges, &[0u64])?,
        })
    }

    /// The values of all runs, in the program's type.
    fn read_back(&self, buffers: &mut Buffers) -> Result<Found<P::Value>, RunError> {
        let device = &self.launch.resident.device;
        let n = self.launch.plan.graph.vertices as usize;
        let (each, runs) = (word_bytes(P::Value::KIND) as usize, self.runs as usize);
        let mut bytes = vec![0u8; n * runs * each];
        let mut identities = vec![0u32; n];
        let mut apart = [0u64];
        buffers.download(device, ArrayName::Values, &mut bytes)?;
        buffers.download(device, ArrayName::IdentityRuns, bytemuck::cast_slice_mut(&mut identities))?;
        buffers.download(device, ArrayName::RunEdges, bytemuck::cast_slice_mut(&mut apart))?;
        device.stream.synchronize().map_err(driver_error("read the values back"))?;
        let kind = <P::Combine as Combiner<P::Message>>::KIND;
        let of_run = |run: usize| {
            let value = |v: u32| {
                let at = (v as usize * runs + run) * each;
                word_value(kind, &bytes[at..at + each], identities[v as usize] >> run & 1 != 0)
            };
            Values::collect(n as u32, value)
        };
        Ok(((0..self.members).map(of_run).collect(), apart[0]))
    }
}
