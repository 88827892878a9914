//! A run on the device. It allocates its arrays, launches its kernel cooperatively (once, or once per time slice if the
//! run is long), and leaves the values there. Only [`Launch`] depends on the program's types; all other code is in
//! [`UntypedLaunch`].

mod figures;
mod program_bytes;
mod room;
mod shared;
mod slices;
mod untyped;
mod values;

use std::sync::Arc;

use wolfpath_core::graph::{Direction, LayeredGraph, WeightError, WeightPieces};
use wolfpath_core::program::{EdgeProgram, Input};

pub(crate) use self::figures::Figures;
pub(crate) use self::program_bytes::{CarriedBytes, ProgramBytes};
pub(crate) use self::room::{arrays, frontier_arrays, lenders, most_steps};
pub(crate) use self::slices::KernelData;
pub(super) use self::slices::blocks;
pub(crate) use self::untyped::UntypedLaunch;
pub(crate) use self::values::ValueBytes;
pub(super) use self::values::word_value;
use super::buffers::{Buffers, LaidOut};
use super::kept::Kept;
use super::slots::Slots;
use super::source::Kernel;
use super::state::{Control, DeviceRun};
use super::sweep::Swept;
use super::walk;
use crate::error::RunError;
use crate::held::Held;
use crate::plan::{ArrayName, Schedule};
use crate::start::Sources;

/// One launch of program `P` on a device. It converts between the program's types and the device's bytes.
pub(crate) struct Launch<'a, P: EdgeProgram> {
    pub(crate) program: &'a P,
    pub(crate) sources: &'a Sources<P::Value>,
    pub(crate) untyped: UntypedLaunch<'a>,
}

impl<P: EdgeProgram> Launch<'_, P> {
    /// Runs the program.
    pub(crate) fn run(&self) -> Result<(Arc<Kept>, Figures), RunError> {
        let mut data = OneRun::new(&self.untyped);
        let carried_out = self.carry_out(self.kernel(), &mut data);
        self.finish(carried_out, data)
    }

    /// Runs the program on several devices, each of which has a launch. The first one is the launch of this value.
    pub(crate) fn run_shared(
        &self,
        launches: &[UntypedLaunch<'_>],
    ) -> Result<(Arc<Kept>, Figures), RunError> {
        let mut data: Vec<OneRun> = launches.iter().map(OneRun::new).collect();
        let carried_out = shared::carry_out(self.kernel(), self, launches, &mut data);
        self.finish(carried_out, data.swap_remove(0))
    }

    fn kernel(&self) -> Kernel {
        self.untyped.budget.carried.map_or(Kernel::Run, Kernel::RunFrom)
    }

    /// Returns the values that a run has left, and its figures.
    fn finish(
        &self,
        carried_out: Result<Figures, RunError>,
        mut data: OneRun,
    ) -> Result<(Arc<Kept>, Figures), RunError> {
        let mut figures = match (carried_out, data.kept.take()) {
            (Ok(figures), kept) => {
                data.kept = kept;
                figures
            }
            (Err(error), Some(kept)) => return Err(self.unfinished(error, kept)),
            (Err(error), None) => return Err(error),
        };
        figures.fold = data.fold;
        let kept = Arc::new(data.kept.expect("the run has ended, so its values are kept"));
        kept.note();
        Ok((kept, figures))
    }

    /// Adds the values that a run without an answer has left to its error.
    fn unfinished(&self, error: RunError, kept: Kept) -> RunError {
        let kept = Arc::new(kept);
        kept.note();
        let held = Held::<P::Value>::on_device(self.untyped.graph.input_graph(), kept);
        error.with_values(P::MODEL.name, held)
    }

    /// Launches a kernel, several times if necessary, until its run has ended. Leaves the results in `data`.
    pub(super) fn carry_out(&self, kernel: Kernel, data: &mut dyn KernelData) -> Result<Figures, RunError> {
        self.untyped.carry_out(kernel, self, data)
    }
}

impl<P: EdgeProgram> ProgramBytes for Launch<'_, P> {
    fn parameters(&self) -> Vec<u8> {
        self.program.parameters()
    }

    fn inputs(&self) -> Vec<&dyn Input> {
        self.program.inputs()
    }

    fn source_vertices(&self) -> &[u32] {
        &self.sources.vertices
    }

    fn source_values(&self) -> Vec<u8> {
        program_bytes::value_bytes(&self.sources.values)
    }

    fn carried(&self) -> Option<CarriedBytes> {
        self.sources.carried.as_ref().map(|carried| match &carried.pinned {
            Some(arrays) => CarriedBytes::OnDevice(arrays.addresses()),
            None => {
                let host = carried.host();
                CarriedBytes::OnHost(program_bytes::value_bytes(&host.values), host.present.clone())
            }
        })
    }

    fn weights<'g>(
        &self,
        graph: &'g LayeredGraph,
        direction: Direction,
        lossy: bool,
    ) -> Result<WeightPieces<'g>, WeightError> {
        graph.weight_pieces::<P>(direction, lossy)
    }
}

/// Returns `true` if the rows that the run gathers are those of all vertices, which later runs can use again.
fn lays_out(launch: &UntypedLaunch<'_>) -> bool {
    launch.plan.schedule == Schedule::Pull && launch.shape().everyone_sends()
}

/// Returns which rows the run gathers as items.
fn laid_out(launch: &UntypedLaunch<'_>) -> LaidOut {
    LaidOut { rows: launch.plan.rows, only_long: launch.plan.slots.is_some() }
}

/// Data of the kernel of a single run, and of a sweep if the run sweeps.
struct OneRun {
    swept: Option<Swept>,
    slots: Option<Slots>,
    /// The values that the run has left.
    kept: Option<Kept>,
    /// Bytes of the fold of the values; empty if the program has no aggregate.
    fold: Vec<u8>,
}

impl OneRun {
    fn new(launch: &UntypedLaunch<'_>) -> OneRun {
        let (swept, slots) = (Swept::of(launch.budget), Slots::of(launch.budget));
        OneRun { swept, slots, kept: None, fold: Vec::new() }
    }

    /// Records what the run has left in the buffers for later runs.
    fn note(&self, launch: &UntypedLaunch<'_>, buffers: &mut Buffers, control: &Control) {
        if let Some(swept) = self.swept {
            swept.note_sources(buffers);
        }
        if let Some(slots) = self.slots {
            slots.note_derived(buffers);
        }
        if lays_out(launch) {
            buffers.note_laid_out(Some((laid_out(launch), control.received[0].counted as u32)));
        }
    }
}

impl KernelData for OneRun {
    fn place(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        launch.allocate(buffers, run)?;
        if let Some(swept) = self.swept {
            swept.prepare(launch, buffers, run)?;
        }
        if let Some(slots) = self.slots {
            slots.prepare(launch, buffers, run)?;
        }
        walk::prepare(launch, buffers, run)?;
        run.width = launch.bucket_width(buffers);
        if launch.plan.schedule == Schedule::Pull {
            if lays_out(launch) {
                run.laid_out = buffers.laid_out(laid_out(launch)).unwrap_or(0);
            }
            // Unknown until the run has ended.
            buffers.note_laid_out(None);
        }
        Ok(())
    }

    fn read(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        control: &Control,
    ) -> Result<(), RunError> {
        self.note(launch, buffers, control);
        if launch.folds() && launch.plan.graph.vertices > 0 {
            self.fold = buffers.landed(ArrayName::Aggregates)?.to_vec();
        }
        self.kept = Some(launch.keep_values(buffers));
        Ok(())
    }
}
