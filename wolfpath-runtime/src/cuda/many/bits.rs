//! Up to 64 runs at once, one bit per run (`kernels/include/bits.cuh`). Like a single run, a batch usually takes one
//! launch. It takes another launch when a time slice ends, or when the number of steps needs more binary digits than
//! expected.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use cudarc::driver::{DeviceRepr, LaunchArgs, PushKernelArg};
use wolfpath_core::program::EdgeProgram;

use crate::cpu::{largest_word, to_word};
use crate::cuda::buffers::Buffers;
use crate::cuda::device::{Device, DeviceArray, driver_error};
use crate::cuda::launch::{Figures, KernelData, Launch, UntypedLaunch, frontier_arrays};
use crate::cuda::source::Kernel;
use crate::cuda::state::{Control, DeviceRun, directive, offsets};
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, Budget, PlannedArray};

/// Returns `true` if an array of a plan consists of planes (bitmaps with one bit per vertex and run). The outcomes of a
/// batch keep these arrays.
pub(crate) fn is_plane(array: ArrayName) -> bool {
    matches!(array, ArrayName::SeenRuns | ArrayName::StepDigits)
}

/// Size of one word of bits in bytes.
const WORD: u64 = 8;

/// State of a batch's loop (`BatchState` in `bits.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct BatchState {
    alive: [u64; 3],
    apart: u64,
    word: u64,
}

/// Device addresses of a batch's arrays (`BitsBatch` in `bits.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BitsBatch {
    seen: u64,
    fronts: [u64; 2],
    digits: [u64; wolfpath_kernels::MOST_DIGITS],
    source_runs: u64,
    state: u64,
    digit_count: u32,
    reserved: u32,
}

// SAFETY: the struct consists of plain integers in `repr(C)` and has the layout of `wp::BitsBatch`. The kernel checks
// the offsets of all fields.
unsafe impl DeviceRepr for BitsBatch {}

impl BitsBatch {
    /// Returns the offsets for `bits.cuh`: all fields, then the size.
    pub(crate) fn offsets() -> Vec<usize> {
        offsets!(BitsBatch: seen fronts digits source_runs state digit_count).to_vec()
    }
}

impl BatchState {
    /// Returns the offsets for `bits.cuh`: all fields, then the size.
    pub(crate) fn offsets() -> Vec<usize> {
        offsets!(BatchState: alive apart word).to_vec()
    }
}

/// Returns the number of binary digits of `steps`, the largest step number.
pub(crate) fn digits_of(steps: u64) -> usize {
    (u64::BITS - steps.leading_zeros()) as usize
}

/// Returns the arrays that a bits batch needs in addition to the graph's arrays.
pub(crate) fn bits_arrays(budget: &Budget<'_>, digits: usize) -> Vec<PlannedArray> {
    let n = budget.graph.vertices.max(1);
    let of = PlannedArray::new;
    let mut arrays = vec![
        of(ArrayName::SeenRuns, n, WORD),
        of(ArrayName::StepDigits, n * digits as u64, WORD),
        of(ArrayName::FrontierRuns, n, WORD),
        of(ArrayName::NextFrontierRuns, n, WORD),
        of(ArrayName::FrontierBits, n.div_ceil(32), 4),
        of(ArrayName::NextFrontierBits, n.div_ceil(32), 4),
        of(ArrayName::SourceRuns, budget.sources, WORD),
        of(ArrayName::BatchState, 1, size_of::<BatchState>() as u64),
    ];
    arrays.extend(frontier_arrays(budget));
    arrays
}

/// Bits batch on a device. It is launched like a single run from the sources of all its runs.
pub(crate) struct Bits<'a, P: EdgeProgram> {
    pub(crate) launch: Launch<'a, P>,
    /// Runs that start at each source, as bits.
    pub(crate) runs: &'a [u64],
    /// Number of planes for digits of the step number with which the batch starts.
    pub(crate) digits: usize,
}

/// Planes that a bits batch leaves on the device.
pub(crate) struct BatchPlanes {
    /// Plane of reached vertices, then the planes of the step digits that were used.
    pub(crate) planes: Vec<DeviceArray>,
    /// Number of edges of the vertices that each run reached, summed over the runs.
    pub(crate) apart: u64,
}

/// Kernel argument of a batch, and its planes.
struct Planes<'a> {
    program: &'static str,
    device: Arc<Device>,
    /// Runs that start at each source, as bits.
    runs: &'a [u64],
    /// First value of every run, as a word.
    word: u64,
    batch: BitsBatch,
    /// Plane of reached vertices, then the planes of the step digits. The outcomes keep them.
    planes: Vec<DeviceArray>,
    /// Number of planes with which the batch starts.
    first_planes: usize,
    plane_bytes: u64,
    /// `true` if a message improved on an earlier one, or could not be computed.
    is_unsteady: bool,
    /// Number of edges of the vertices that each run reached, summed over the runs.
    apart: u64,
}

impl<P: EdgeProgram> Bits<'_, P> {
    /// Runs the batch. Returns `None` if bits cannot represent the program's messages.
    pub(crate) fn run(&self) -> Result<(Option<BatchPlanes>, Figures), RunError> {
        let (launch, shape) = (&self.launch.untyped, self.launch.untyped.shape());
        let largest = largest_word(shape.value);
        let first = self.launch.sources.values.first();
        let mut planes = Planes {
            program: shape.model.name,
            device: launch.resident.device.clone(),
            runs: self.runs,
            word: first.map_or(0, |&first| to_word(shape.combine, largest, first)),
            batch: BitsBatch::default(),
            planes: Vec::new(),
            first_planes: 1 + self.digits,
            plane_bytes: launch.plan.graph.vertices.max(1) * WORD,
            is_unsteady: false,
            apart: 0,
        };
        let figures = self.launch.carry_out(Kernel::Bits, &mut planes)?;
        let found = BatchPlanes { planes: planes.planes, apart: planes.apart };
        Ok(((!planes.is_unsteady).then_some(found), figures))
    }
}

impl KernelData for Planes<'_> {
    /// Allocates every array of the plan, and uploads the batch's initial state.
    fn place(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        launch.allocate_frontiers(buffers, run)?;
        let state = BatchState { word: self.word, ..BatchState::default() };
        let state = bytemuck::bytes_of(&state);
        self.batch = BitsBatch {
            fronts: [
                launch.room(buffers, ArrayName::FrontierRuns)?,
                launch.room(buffers, ArrayName::NextFrontierRuns)?,
            ],
            source_runs: buffers.upload(&self.device, ArrayName::SourceRuns, self.runs)?,
            state: buffers.upload(&self.device, ArrayName::BatchState, state)?,
            ..BitsBatch::default()
        };
        for _ in 0..self.first_planes {
            self.planes.push(buffers.take_plane(&self.device, self.plane_bytes)?);
        }
        self.note_addresses();
        Ok(())
    }

    fn add_arguments<'a>(&'a self, arguments: &mut LaunchArgs<'a>) {
        arguments.arg(&self.batch);
    }

    fn bytes(&self) -> u64 {
        self.planes.iter().map(|plane| plane.len() as u64).sum()
    }

    fn goes_on(&mut self, buffers: &mut Buffers, outcome: u32) -> Result<bool, RunError> {
        match outcome {
            directive::DIGITS => self.add_digit(buffers)?,
            directive::UNSTEADY => self.is_unsteady = true,
            _ => {}
        }
        Ok(matches!(outcome, directive::PAUSE | directive::DIGITS))
    }

    /// Reads the batch's counts, and releases the unused planes for the next batch.
    fn read(
        &mut self,
        _: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        control: &Control,
    ) -> Result<(), RunError> {
        let mut state = BatchState::default();
        buffers.download(&self.device, ArrayName::BatchState, bytemuck::bytes_of_mut(&mut state))?;
        self.device.stream.synchronize().map_err(driver_error("read the batch's counts"))?;
        self.apart = state.apart;
        let used = if self.is_unsteady { 0 } else { 1 + digits_of(control.step.saturating_sub(1)) };
        self.planes.drain(used.min(self.planes.len())..).for_each(|plane| buffers.give_plane(plane));
        Ok(())
    }
}

impl Planes<'_> {
    /// Stores the addresses of the planes in the kernel argument.
    fn note_addresses(&mut self) {
        let addresses: Vec<u64> = self.planes.iter().map(|plane| self.device.address_of(plane)).collect();
        if let Some((&seen, digits)) = addresses.split_first() {
            self.batch.seen = seen;
            self.batch.digits[..digits.len()].copy_from_slice(digits);
            self.batch.digit_count = digits.len() as u32;
        }
    }

    /// Adds a zeroed plane for another digit. The batch then continues in another launch. This is needed each time that
    /// the number of steps has doubled.
    fn add_digit(&mut self, buffers: &mut Buffers) -> Result<(), RunError> {
        if !buffers.has_spare(self.plane_bytes) {
            let (free, _) = self.device.memory()?;
            if free < self.plane_bytes {
                let (program, device, held) = (self.program, self.device.name.clone(), self.bytes());
                let (need, have) = (held + self.plane_bytes, held + free);
                return Err(PlanError::DoesNotFit { program, device, need, have }.into());
            }
        }
        let mut plane = buffers.take_plane(&self.device, self.plane_bytes)?;
        self.device.stream.memset_zeros(&mut *plane).map_err(driver_error("clear memory"))?;
        self.planes.push(plane);
        self.note_addresses();
        Ok(())
    }
}

const _: () = assert!(size_of::<BatchState>() == 5 * 8);
