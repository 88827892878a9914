//! Counts what the ends of each edge have in common, on the device (`kernels/include/common.cuh`). The counts are stored
//! like weights, and stay on the device with the graph.

use std::ops::Range;

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};
use wolfpath_core::graph::{Direction, Rows};
use wolfpath_core::program::Common;
use wolfpath_core::progress::Progress;

use super::buffers::{BufferName, Buffers};
use super::cubin::common_cubin;
use super::device::{Device, DeviceArray, LoadedKernel, driver_error};
use super::launch::UntypedLaunch;
use super::resident::weight_name;
use super::shard::Shard;
use super::staging::{Elements, Pieces};
use super::state::DeviceRun;
use super::together::Guarded;
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, Budget};

/// Addresses of the rows of all vertices (`Rows` in `common.cuh`).
#[repr(C)]
#[derive(Clone, Copy)]
struct DeviceRows {
    offsets: u64,
    ends: u64,
}

/// Argument of the kernel (`CommonTask` in `common.cuh`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Task {
    marked: DeviceRows,
    edges: DeviceRows,
    searched: DeviceRows,
    first_counts: u64,
    here: u64,
    there: u64,
    bitmaps: u64,
    next: u64,
    owners: u64,
    vertices: u32,
    stride: u32,
    lower: u32,
    device: u32,
    unit_shift: u32,
    reserved: u32,
}

// SAFETY: the struct consists of plain integers in `repr(C)`, without padding, and has the layout of `wp::CommonTask`.
unsafe impl DeviceRepr for Task {}

/// Returns `true` if the device counts for runs with this budget. Oriented programs that read the number of common edges
/// are rare, and the host counts for them.
pub(crate) fn counts(budget: &Budget<'_>) -> bool {
    match budget.shape.model.reads.common() {
        Some(Common::Neighbours) => true,
        Some(Common::Edges | Common::Both) => !budget.shape.oriented,
        None => false,
    }
}

/// Counts for all edges of the resident graph, or of the part that one of several devices has, unless this has been done.
/// Stores the addresses of the counts in `run`, which already has those of the rows.
pub(super) fn count(
    launch: &UntypedLaunch<'_>,
    buffers: &mut Buffers,
    run: &mut DeviceRun,
    common: Common,
) -> Result<(), RunError> {
    let (device, budget) = (&launch.resident.device, launch.budget);
    let named = |direction| {
        BufferName::of(ArrayName::EdgeWeights(direction), weight_name(launch.graph, launch.shape()))
    };
    let wanted = [
        (Direction::Out, budget.loads_out_rows(), &mut run.out_weights),
        (Direction::In, budget.uses_in_rows(), &mut run.in_weights),
    ];
    let mut is_missing = false;
    for (direction, _, address) in wanted.into_iter().filter(|(_, is_used, _)| *is_used) {
        let (name, each) = (named(direction), launch.shape().weight.size() as u64);
        let bytes = budget.graph.edges * each;
        let home = launch.plan.home_of(ArrayName::EdgeWeights(direction));
        *address = buffers.room_in(device, home, name, bytes)?;
        is_missing |= !buffers.is_derived(name);
    }
    if !is_missing || budget.graph.edges == 0 {
        return Ok(());
    }
    let owners = match &launch.resident.shard {
        Some(shard) => buffers.upload_once(device, ArrayName::Owners, shard.deal.owners())?,
        None => 0,
    };
    let counting = Counting::new(launch, owners)?;
    match budget.shape.oriented {
        true => counting.later(launch, run)?,
        false => counting.pairs(launch, run, common)?,
    }
    for direction in [Direction::Out, Direction::In] {
        buffers.note_derived(named(direction));
    }
    Ok(())
}

fn load(device: &Device, wide: bool) -> Result<LoadedKernel, RunError> {
    let cubin = common_cubin(wide, device.capability)?;
    let action = "load the kernel that counts common neighbours";
    Ok(device.load_kernel(cubin.bytes, wolfpath_kernels::COMMON_ENTRY, action)?)
}

/// The kernel, and the arrays that it needs only while it counts.
struct Counting<'a> {
    device: &'a Device,
    /// The part of the graph that one of several devices has.
    shard: Option<&'a Shard>,
    kernel: LoadedKernel,
    bitmaps: Guarded<CudaSlice<u32>>,
    owners: u64,
    vertices: u32,
    wide: bool,
}

/// Complete rows on the device, and where the counts of each of them begin.
struct Counted {
    rows: DeviceRows,
    first_counts: u64,
    /// Arrays that one of several devices has only while it counts.
    _kept: Option<[DeviceArray; 3]>,
}

impl<'a> Counting<'a> {
    fn new(launch: &UntypedLaunch<'a>, owners: u64) -> Result<Counting<'a>, RunError> {
        let (device, shard) = (&*launch.resident.device, launch.resident.shard.as_deref());
        let (vertices, wide) = (launch.graph.num_vertices(), launch.plan.graph.wide_offsets());
        let kernel = device.counting(wide, || load(device, wide))?;
        let words = vertices.div_ceil(32) as usize * device.multiprocessors as usize;
        let bitmaps = device.zeroes(words)?;
        Ok(Counting { device, shard, kernel, bitmaps, owners, vertices, wide })
    }

    /// Counts the later neighbours of both ends, for all oriented edges.
    fn later(&self, launch: &UntypedLaunch<'_>, run: &DeviceRun) -> Result<(), RunError> {
        let out = self.rows(launch, run, Direction::Out)?;
        if run.out_weights != 0 {
            self.launch(self.task(out.rows, &out, out.rows, [run.out_weights, 0], 1))?;
        }
        if run.in_weights != 0 {
            let inward = self.rows(launch, run, Direction::In)?;
            self.launch(self.task(out.rows, &inward, out.rows, [run.in_weights, 0], 1))?;
        }
        Ok(())
    }

    /// Returns the rows of all vertices. One of several devices has only those of its own, and gets the others for as long as
    /// it counts.
    fn rows(
        &self,
        launch: &UntypedLaunch<'_>,
        run: &DeviceRun,
        direction: Direction,
    ) -> Result<Counted, RunError> {
        let (offsets, ends) = match direction {
            Direction::Out => (run.out_offsets, run.out_ends),
            Direction::In => (run.in_offsets, run.in_ends),
        };
        let Some(shard) = self.shard else {
            return Ok(Counted { rows: DeviceRows { offsets, ends }, first_counts: offsets, _kept: None });
        };
        let rows = match direction {
            Direction::Out => launch.graph.out_edges(),
            Direction::In => launch.graph.in_edges().map_err(PlanError::from)?,
        };
        let (offsets, ends) = self.upload(rows)?;
        let starts = self.upload_offsets(self.vertices as usize, shard.offsets(direction, rows))?;
        Ok(Counted {
            rows: self.addresses(&offsets, &ends),
            first_counts: self.device.address_of(&starts),
            _kept: Some([offsets, ends, starts]),
        })
    }

    /// Counts for all pairs of neighbours, in both directions.
    fn pairs(&self, launch: &UntypedLaunch<'_>, run: &DeviceRun, common: Common) -> Result<(), RunError> {
        let direction = if launch.budget.uses_out_rows() { Direction::Out } else { Direction::In };
        let counted = self.rows(launch, run, direction)?;
        let rows = counted.rows;
        let [sent, received] = [run.out_weights, run.in_weights];
        let half = |address: u64| if address == 0 { 0 } else { address + 4 };
        let (stride, edges) = match common {
            Common::Neighbours => (1, None),
            Common::Edges => (1, Some([sent, received])),
            Common::Both => (2, Some([half(sent), half(received)])),
        };
        if common != Common::Edges {
            // The counts of an edge and its reverse are equal, so either array is complete.
            for here in [sent, received].into_iter().filter(|&address| address != 0) {
                self.launch(Task { lower: 1, ..self.task(rows, &counted, rows, [here, here], stride) })?;
            }
        }
        let Some([sent, received]) = edges else { return Ok(()) };
        let uploaded = launch.graph.with_distinct_targets(|targets| self.upload(targets));
        let (offsets, ends) = uploaded.map_err(PlanError::from)??;
        let targets = self.addresses(&offsets, &ends);
        // The marked vertex sends to the searched one, and then the reverse.
        let from_marked = self.task(targets, &counted, rows, [sent, received], stride);
        let to_marked = self.task(rows, &counted, targets, [received, sent], stride);
        self.launch(Task { lower: 1, ..from_marked })?;
        self.launch(Task { lower: 1, ..to_marked })
    }

    /// Copies rows to the device.
    fn upload(&self, rows: Rows<'_>) -> Result<(DeviceArray, DeviceArray), RunError> {
        let offsets = self.upload_offsets(rows.offsets.len(), |at| rows.offsets[at])?;
        let ends: &[u8] = bytemuck::cast_slice(rows.ends);
        Ok((offsets, self.filled(ends.len(), 4, &|range, to| to.copy_from_slice(&ends[range]))?))
    }

    /// Copies `count` offsets to the device, in the width of the kernel's.
    fn upload_offsets(
        &self,
        count: usize,
        offset: impl Fn(usize) -> u64 + Sync,
    ) -> Result<DeviceArray, RunError> {
        let each = if self.wide { 8 } else { 4 };
        self.filled(count * each, each, &|range, to| {
            for (at, to) in (range.start / each..).zip(to.chunks_exact_mut(each)) {
                // Little-endian, as CUDA devices and their hosts are, so that the first bytes are the low ones.
                to.copy_from_slice(&offset(at).to_le_bytes()[..each]);
            }
        })
    }

    /// Returns an array of `length` bytes on the device, of which `fill` writes a range, always whole elements of `each` bytes.
    fn filled(
        &self,
        length: usize,
        each: usize,
        fill: &(dyn Fn(Range<usize>, &mut [u8]) + Sync),
    ) -> Result<DeviceArray, RunError> {
        let device = self.device;
        let array = device.allocate(length.max(1) as u64)?;
        let elements = Elements { length, each, computed: false };
        if let Some(pieces) = Pieces::of(device.address_of(&array), elements).filter(|_| length > 0) {
            device.staging.upload(device, pieces, &Progress::NONE, &|range, to| {
                fill(range, to);
                Ok::<_, RunError>(())
            })?;
        }
        Ok(array)
    }

    fn addresses(&self, offsets: &DeviceArray, ends: &DeviceArray) -> DeviceRows {
        DeviceRows { offsets: self.device.address_of(offsets), ends: self.device.address_of(ends) }
    }

    fn task(
        &self,
        marked: DeviceRows,
        edges: &Counted,
        searched: DeviceRows,
        [here, there]: [u64; 2],
        stride: u32,
    ) -> Task {
        let bitmaps = self.bitmaps.device_ptr(&self.device.stream).0;
        let (device, unit_shift) =
            self.shard.map_or((0, 0), |shard| (shard.device as u32, shard.deal.unit().trailing_zeros()));
        Task {
            marked,
            edges: edges.rows,
            searched,
            first_counts: edges.first_counts,
            here,
            there,
            bitmaps,
            next: 0,
            owners: self.owners,
            vertices: self.vertices,
            stride,
            lower: 0,
            device,
            unit_shift,
            reserved: 0,
        }
    }

    fn launch(&self, task: Task) -> Result<(), RunError> {
        let stream = &self.device.stream;
        let next: Guarded<CudaSlice<u32>> = self.device.zeroes(1)?;
        let task = Task { next: next.device_ptr(stream).0, ..task };
        let config = LaunchConfig {
            grid_dim: (self.device.multiprocessors, 1, 1),
            block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the argument matches `wolfpath_common`. Its addresses point to rows and arrays of the sizes that the
        // kernel expects, which live until the stream is synchronized below. The blocks clear the bitmaps that they
        // used.
        let launched = unsafe { stream.launch_builder(&self.kernel).arg(&task).launch_cooperative(config) };
        launched.map_err(driver_error("launch the kernel that counts common neighbours"))?;
        Ok(stream.synchronize().map_err(driver_error("count common neighbours"))?)
    }
}
