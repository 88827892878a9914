//! Several runs abreast (`kernels/include/abreast.cuh`): each vertex stores the values of all runs contiguously.

use bytemuck::{Pod, Zeroable};
use cudarc::driver::{DeviceRepr, LaunchArgs, PushKernelArg};
use wolfpath_core::program::{CombineKind, Datum, DatumKind, EdgeProgram};

use crate::cpu::Values;
use crate::cuda::buffers::Buffers;
use crate::cuda::device::driver_error;
use crate::cuda::launch::{Figures, KernelData, Launch, UntypedLaunch, frontier_arrays, word_value};
use crate::cuda::source::Kernel;
use crate::cuda::state::{Control, DeviceRun, offsets};
use crate::error::RunError;
use crate::plan::{ArrayName, Budget, PlannedArray, Schedule, word_bytes};

/// Maximum size of a vertex's values in bytes: two sectors of 32 bytes. If the values were larger, an edge would cost
/// the batch as much as it costs separate runs.
const MOST_BYTES: u64 = 64;

/// Returns the maximum number of runs of a batch: 16 with values of 4 bytes, 8 with values of 8 bytes.
pub(crate) fn most_abreast(value: DatumKind) -> u32 {
    (MOST_BYTES / word_bytes(value)) as u32
}

/// Device addresses of a batch's arrays (`AbreastBatch` in `abreast.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct AbreastBatch {
    sending: [u64; 2],
    waiting: u64,
    identities: u64,
    source_runs: u64,
    apart: u64,
}

// SAFETY: the struct consists of plain integers in `repr(C)` and has the layout of `wp::AbreastBatch`. The kernel
// checks the offsets of all fields.
unsafe impl DeviceRepr for AbreastBatch {}

impl AbreastBatch {
    /// Returns the offsets for `abreast.cuh`: all fields, then the size.
    pub(crate) fn offsets() -> Vec<usize> {
        offsets!(AbreastBatch: sending waiting identities source_runs apart).to_vec()
    }
}

/// Returns the arrays that a batch of `runs` runs needs in addition to the graph's arrays.
pub(crate) fn abreast_arrays(budget: &Budget<'_>, runs: u32) -> Vec<PlannedArray> {
    let n = budget.graph.vertices.max(1);
    let of = PlannedArray::new;
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

/// Batch of runs abreast on a device. It is launched like a single run whose sources are the sources of all runs, one
/// run after the other.
pub(crate) struct Abreast<'a, P: EdgeProgram> {
    pub(crate) launch: Launch<'a, P>,
    /// Run that each source belongs to.
    pub(crate) source_runs: &'a [u32],
    /// Number of runs that the kernel has space for: 4, 8 or 16.
    pub(crate) runs: u32,
    /// Number of runs in the batch.
    pub(crate) members: usize,
}

/// Values of every run of a batch.
pub(crate) struct BatchValues<V: Datum> {
    pub(crate) values: Vec<Values<V>>,
    /// Number of edges along which each run sent, summed over the runs.
    pub(crate) apart: u64,
}

impl<P: EdgeProgram> Abreast<'_, P> {
    /// Runs the batch.
    pub(crate) fn run(&self) -> Result<(BatchValues<P::Value>, Figures), RunError> {
        let mut data = AbreastData {
            source_runs: self.source_runs,
            runs: self.runs as usize,
            batch: AbreastBatch::default(),
            bytes: Vec::new(),
            identities: Vec::new(),
            apart: 0,
        };
        let mut figures = self.launch.carry_out(Kernel::Abreast { runs: self.runs }, &mut data)?;
        let combine = self.launch.untyped.shape().combine;
        let values = (0..self.members).map(|run| data.decode(combine, run)).collect();
        figures.end_read_back();
        Ok((BatchValues { values, apart: data.apart }, figures))
    }
}

/// Kernel argument of a batch, and the data that is read back.
struct AbreastData<'a> {
    source_runs: &'a [u32],
    runs: usize,
    batch: AbreastBatch,
    /// Values of all runs. The values of one vertex are adjacent.
    bytes: Vec<u8>,
    /// One bit per run and vertex, which is set if the run has a value there that equals the combiner's identity.
    identities: Vec<u32>,
    apart: u64,
}

impl AbreastData<'_> {
    /// Returns the values of one run in the program's type. `kind` is the combiner of its messages.
    fn decode<V: Datum>(&self, kind: CombineKind, run: usize) -> Values<V> {
        let each = word_bytes(V::KIND) as usize;
        let value = |v: u32| {
            let at = (v as usize * self.runs + run) * each;
            word_value(kind, &self.bytes[at..at + each], self.identities[v as usize] >> run & 1 != 0)
        };
        Values::collect(self.identities.len() as u32, value)
    }
}

impl KernelData for AbreastData<'_> {
    fn place(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let device = &launch.resident.device;
        launch.allocate_frontiers(buffers, run)?;
        run.values = launch.room(buffers, ArrayName::Values)?;
        run.pending = launch.room(buffers, ArrayName::PendingBits)?;
        run.width = launch.bucket_width(buffers);
        self.batch = AbreastBatch {
            sending: [
                launch.room(buffers, ArrayName::SenderRuns)?,
                launch.room(buffers, ArrayName::NextSenderRuns)?,
            ],
            waiting: launch.room(buffers, ArrayName::WaitingRuns)?,
            identities: launch.room(buffers, ArrayName::IdentityRuns)?,
            source_runs: buffers.upload(device, ArrayName::SourceRuns, self.source_runs)?,
            apart: buffers.upload(device, ArrayName::RunEdges, &[0u64])?,
        };
        Ok(())
    }

    fn add_arguments<'a>(&'a self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(&self.batch);
    }

    fn read(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        _: &Control,
    ) -> Result<(), RunError> {
        let device = &launch.resident.device;
        let n = launch.plan.graph.vertices as usize;
        self.bytes = vec![0; n * self.runs * word_bytes(launch.shape().value) as usize];
        self.identities = vec![0; n];
        let identities = bytemuck::cast_slice_mut(&mut self.identities);
        buffers.download(device, ArrayName::Values, &mut self.bytes)?;
        buffers.download(device, ArrayName::IdentityRuns, identities)?;
        buffers.download(device, ArrayName::RunEdges, bytemuck::bytes_of_mut(&mut self.apart))?;
        device.stream.synchronize().map_err(driver_error("read the values back"))?;
        Ok(())
    }
}
