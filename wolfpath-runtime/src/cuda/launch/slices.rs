//! The launches of a run: one, or one a time slice when it is long. Between two of them the host looks at limits and
//! cancelling, and fetches what was recorded.

use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::CUresult;
use cudarc::driver::{LaunchArgs, LaunchConfig, PushKernelArg};
use wolfpath_core::program::Model;

use crate::cpu::fault_error;
use crate::cuda::buffers::Buffers;
use crate::cuda::device::{Loaded, driver_error};
use crate::cuda::progress::DeviceProgress;
use crate::cuda::records;
use crate::cuda::resident::Resident;
use crate::cuda::state::{Control, Parameters, Run, directive, place};
use crate::cuda::stop_word::StopWord;
use crate::error::{DeviceError, FaultPlace, RunError};
use crate::options::{Counts, RunOptions, Watch};
use crate::plan::{ArrayName, Plan};
use crate::trace::Recorded;

/// After this long a kernel returns, to be launched again where it stopped: what waits for a Ctrl-C, a time limit or a
/// display watchdog waits no longer.
const SLICE: Duration = Duration::from_millis(100);

/// The longest slice. Until it is over, nothing but a program's own loops hears of a Ctrl-C or a time limit.
const LONGEST_SLICE: Duration = Duration::from_secs(10);

/// The slice of a run's options, in the nanoseconds of the device's clock.
pub(crate) fn slice_of(options: &RunOptions) -> u64 {
    options.slice.unwrap_or(SLICE).min(LONGEST_SLICE).as_nanos() as u64
}

/// What a kind of kernel has beside the arrays of every run.
pub(crate) trait Own {
    /// Adds its own arguments behind the run and the program's parameters.
    fn add_arguments<'a>(&'a self, _: &mut LaunchArgs<'a>) {}

    /// Bytes on the device that the buffers do not count.
    fn bytes(&self) -> u64 {
        0
    }

    /// Whether it is launched again after it returned with `outcome`; makes ready what that launch needs.
    fn goes_on(&mut self, _: &mut Buffers, outcome: u32) -> Result<bool, RunError> {
        Ok(outcome == directive::PAUSE)
    }
}

/// The launches of one run.
pub(crate) struct Slices<'a> {
    pub(crate) resident: &'a Resident,
    pub(crate) model: &'static Model,
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a RunOptions,
    pub(crate) loaded: &'a Loaded,
    pub(crate) run: &'a Run,
    pub(crate) parameters: &'a Parameters,
    pub(crate) seeing: &'a Seeing,
}

/// How the loop ended.
#[derive(Default)]
pub(crate) struct Looped {
    pub(crate) control: Control,
    pub(crate) launches: u64,
    pub(crate) time: Duration,
    pub(crate) recorded: Recorded,
}

impl Slices<'_> {
    /// Launches until the run has ended.
    pub(crate) fn run(&self, buffers: &mut Buffers, own: &mut dyn Own) -> Result<Looped, RunError> {
        let looped = self.steps(buffers, own);
        if looped.is_err() {
            // A kernel may still run; the buffers stay locked until it does not. Its own error is the one to tell.
            self.resident.device.stream.synchronize().unwrap_or_default();
        }
        looped
    }

    fn steps(&self, buffers: &mut Buffers, own: &mut dyn Own) -> Result<Looped, RunError> {
        let mut watch = Watch::new(self.plan, self.options);
        let mut looped = Looped::default();
        if self.plan.graph.vertices == 0 {
            looped.control.step = 1;
            return Ok(looped);
        }
        loop {
            let (steps, edges) = (looped.control.step.saturating_sub(1), looped.control.edges);
            watch.look(Counts { steps, edges, ..Counts::default() })?;
            let slice = || self.slice(buffers, own, looped.control);
            let (sliced, ends) = self.seeing.watched(&mut watch, slice)?;
            let (control, time) = sliced?;
            ends?;
            looped.control = control;
            looped.launches += 1;
            looped.time += time;
            self.add_records(buffers, &mut looped)?;
            self.check(&control)?;
            if !own.goes_on(buffers, control.outcome)? {
                return Ok(looped);
            }
        }
    }

    /// One launch, which goes on where `control` says, and how long it took.
    fn slice(
        &self,
        buffers: &mut Buffers,
        own: &dyn Own,
        control: Control,
    ) -> Result<(Control, Duration), DeviceError> {
        let device = &self.resident.device;
        let control = Control { ticket: 0, outcome: 0, recorded: 0, ..control };
        buffers.upload(device, ArrayName::LoopState, bytemuck::bytes_of(&control))?;
        let begin = device.record_event()?;
        self.launch(own)?;
        let end = device.record_event()?;
        let mut ended = Control::default();
        buffers.download(device, ArrayName::LoopState, bytemuck::bytes_of_mut(&mut ended))?;
        device.stream.synchronize().map_err(driver_error("run the program"))?;
        let milliseconds = begin.elapsed_ms(&end).map_err(driver_error("tell the time"))?;
        Ok((ended, Duration::from_secs_f64(f64::from(milliseconds) / 1e3)))
    }

    fn launch(&self, own: &dyn Own) -> Result<(), DeviceError> {
        let device = &self.resident.device;
        let config = LaunchConfig {
            grid_dim: (device.multiprocessors, 1, 1),
            block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
            shared_mem_bytes: self.loaded.shared_bytes,
        };
        let mut builder = device.stream.launch_builder(&self.loaded.function);
        builder.arg(self.run).arg(self.parameters);
        own.add_arguments(&mut builder);
        // SAFETY: the arguments are those of the kernel that was loaded: a `Run` whose addresses are arrays of the planned
        // sizes, which live in the locked buffers (or in `own`) until the stream was waited for, the program's
        // parameters, and what `own` brings for its kernel.
        let launched = unsafe { builder.launch_cooperative(config) };
        launched.map(drop).map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => DeviceError::Restricted {
                device: device.full_name(),
                multiprocessors: device.multiprocessors,
            },
            _ => driver_error("launch the program")(error),
        })
    }

    /// Fetches what the last launch noted of its steps, where somebody asked.
    fn add_records(&self, buffers: &mut Buffers, looped: &mut Looped) -> Result<(), DeviceError> {
        if !self.plan.traced {
            return Ok(());
        }
        let device = &self.resident.device;
        let mut bytes = vec![0; looped.control.recorded.min(records::ROOM) as usize * records::BYTES];
        buffers.download(device, ArrayName::StepRecords, &mut bytes)?;
        device.stream.synchronize().map_err(driver_error("read the steps' records"))?;
        records::add(&mut looped.recorded, &bytes, &looped.control);
        Ok(())
    }

    /// The error that the loop ended in, if it did.
    fn check(&self, control: &Control) -> Result<(), RunError> {
        let program = self.model.name;
        if control.fault != 0 {
            let id = |v: u32| self.resident.graph.id_of(v);
            let place = match control.fault_place {
                place::QUEUE => return Err(RunError::NotUniform { program }),
                place::VERTEX => FaultPlace::Vertex { id: id(control.fault_a) },
                _ => FaultPlace::Edge { source: id(control.fault_a), target: id(control.fault_b) },
            };
            return Err(fault_error(self.model, control.fault - 1, place));
        }
        if control.outcome == directive::OVERRUN {
            return Err(RunError::Overrun { program, max_steps: self.plan.max_steps });
        }
        Ok(())
    }
}

/// Through what the host sees, and stops, a run while its kernel is at work.
pub(crate) struct Seeing {
    stop: Option<Arc<StopWord>>,
    progress: Arc<DeviceProgress>,
}

impl Seeing {
    /// Notes in `run` where the kernel says how far it has come, and where it is told to end.
    pub(crate) fn new(
        resident: &Resident,
        buffers: &mut Buffers,
        model: &Model,
        run: &mut Run,
    ) -> Result<Seeing, RunError> {
        let device = &resident.device;
        let stop = if model.has_loops { Some(buffers.stop_word(device)?) } else { None };
        let progress = buffers.progress(device)?;
        progress.reset();
        run.progress = progress.address();
        run.stop = stop.as_ref().map_or(0, |stop| stop.address());
        Ok(Seeing { stop, progress })
    }

    /// Does `work`, which runs a kernel and waits for it, while somebody watches.
    fn watched<T>(
        &self,
        watch: &mut Watch<'_>,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        match &self.stop {
            Some(stop) => stop.watched(|| watch.look(self.progress.counts()), work),
            None => self.progress.watched(watch, work),
        }
    }
}
