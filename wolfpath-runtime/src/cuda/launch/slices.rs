//! Launches of a run: one launch, or one per time slice if the run is long. Between two launches the host checks limits
//! and cancellation, and fetches the recorded steps.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUresult;
use cudarc::driver::{LaunchArgs, LaunchConfig, PushKernelArg};
use wolfpath_core::program::Model;

use super::UntypedLaunch;
use crate::cpu::fault_error;
use crate::cuda::buffers::Buffers;
use crate::cuda::device::{Device, Loaded, driver_error};
use crate::cuda::progress::DeviceProgress;
use crate::cuda::records;
use crate::cuda::resident::Resident;
use crate::cuda::state::{Control, DeviceRun, Parameters, directive, place};
use crate::cuda::stop_word::StopWord;
use crate::cuda::stream::Stream;
use crate::error::{DeviceError, FaultPlace, PendingAmounts, RunError};
use crate::options::{Counts, RunOptions, Watch};
use crate::plan::ArrayName;
use crate::trace::Recorded;

/// Time after which a kernel returns, to be launched again where it stopped. It bounds how long a Ctrl-C or a time
/// limit takes to have an effect, and how long a display watchdog has to wait.
const SLICE: Duration = Duration::from_millis(100);

/// Longest time slice. Within a slice, only loops in the program itself notice a Ctrl-C or a time limit.
const LONGEST_SLICE: Duration = Duration::from_secs(10);

/// Time in which a step can complete after its run was ended. Then the threads stop reading rows that the step waits for, and
/// its values are lost.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns the time slice of a run, in nanoseconds of the device's clock.
pub(crate) fn slice_of(options: &RunOptions) -> u64 {
    options.slice.unwrap_or(SLICE).min(LONGEST_SLICE).as_nanos() as u64
}

/// Data of one kind of kernel, in addition to the data of the graph and the program.
pub(crate) trait KernelData {
    /// Allocates the kernel's arrays, and stores their addresses in `run`.
    fn place(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError>;

    /// Adds the kernel's arguments after the run and the program's parameters.
    fn add_arguments<'a>(&'a self, _: &mut LaunchArgs<'a>) {}

    /// Returns the size in bytes of the device memory that the buffers do not count.
    fn bytes(&self) -> u64 {
        0
    }

    /// Returns `true` if the kernel must be launched again after it returned with `outcome`, and prepares that launch.
    fn goes_on(&mut self, _: &mut Buffers, outcome: u32) -> Result<bool, RunError> {
        Ok(outcome == directive::PAUSE)
    }

    /// Reads back the results of the run, which has ended in the state `control`.
    fn read(
        &mut self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        control: &Control,
    ) -> Result<(), RunError>;
}

/// The launches of one run.
pub(crate) struct Slices<'a> {
    pub(crate) launch: &'a UntypedLaunch<'a>,
    pub(crate) loaded: &'a Loaded,
    pub(crate) run: &'a DeviceRun,
    pub(crate) parameters: &'a Parameters,
    pub(crate) link: &'a HostLink,
    /// The streaming of the rows to each device, if they are streamed.
    pub(crate) streams: &'a [Stream<'a>],
    /// `true` after the first launch has ended: the values are then those of a completed step.
    pub(crate) has_values: Cell<bool>,
}

/// Final state of the run's loop, and the steps and times that its launches recorded.
#[derive(Default)]
pub(crate) struct Looped {
    pub(crate) control: Control,
    pub(crate) launches: u64,
    pub(crate) time: Duration,
    pub(crate) recorded: Recorded,
}

impl Slices<'_> {
    /// Launches the kernel until the run has ended.
    pub(crate) fn run(&self, buffers: &mut Buffers, data: &mut dyn KernelData) -> Result<Looped, RunError> {
        let looped = self.steps(buffers, data);
        if looped.is_err() {
            // A kernel may still be running, and the buffers must stay locked until it ends. The run's own error is
            // returned, so an error of this wait is ignored.
            self.launch.resident.device.stream.synchronize().unwrap_or_default();
        }
        looped
    }

    fn steps(&self, buffers: &mut Buffers, data: &mut dyn KernelData) -> Result<Looped, RunError> {
        let mut watch = Watch::new(self.launch.plan, self.launch.options);
        let mut looped = Looped::default();
        if self.launch.plan.graph.vertices == 0 {
            looped.control.step = 1;
            return Ok(looped);
        }
        loop {
            let (steps, edges) = (looped.control.step.saturating_sub(1), looped.control.edges);
            watch.look(Counts { steps, edges, ..Counts::default() })?;
            let slice = || self.slice(buffers, data, looped.control);
            let (sliced, ends) = self.link.watched(&mut watch, self.streams, slice)?;
            let (control, time) = sliced?;
            // A program with loops may have been stopped inside one of them, in the middle of a step.
            self.has_values.set(control.fault == 0);
            ends?;
            looped.control = control;
            looped.launches += 1;
            looped.time += time;
            self.add_records(buffers, &mut looped)?;
            self.check(&control)?;
            if !data.goes_on(buffers, control.outcome)? {
                return Ok(looped);
            }
        }
    }

    /// Launches the kernel once with the state `control`. Returns the new state and the time that the launch took.
    fn slice(
        &self,
        buffers: &mut Buffers,
        data: &dyn KernelData,
        control: Control,
    ) -> Result<(Control, Duration), DeviceError> {
        let device = &self.launch.resident.device;
        let control = control.for_launch();
        buffers.upload(device, ArrayName::LoopState, bytemuck::bytes_of(&control))?;
        let clock = buffers.clock(device)?;
        let [begin, end] = &*clock;
        begin.record(&device.stream).map_err(driver_error("record an event"))?;
        self.launch_once(data)?;
        end.record(&device.stream).map_err(driver_error("record an event"))?;
        buffers.land(device, ArrayName::LoopState, size_of::<Control>())?;
        self.launch.land_fold(buffers)?;
        device.stream.synchronize().map_err(driver_error("run the program"))?;
        let milliseconds = begin.elapsed_ms(end).map_err(driver_error("measure the time"))?;
        let ended = bytemuck::pod_read_unaligned(buffers.landed(ArrayName::LoopState)?);
        Ok((ended, Duration::from_secs_f64(f64::from(milliseconds) / 1e3)))
    }

    fn launch_once(&self, data: &dyn KernelData) -> Result<(), DeviceError> {
        let device = &self.launch.resident.device;
        launch(device, self.loaded, self.run, self.parameters, |builder| data.add_arguments(builder))
    }

    /// Fetches the steps that the last launch recorded, if the run is traced.
    fn add_records(&self, buffers: &mut Buffers, looped: &mut Looped) -> Result<(), DeviceError> {
        if !self.launch.plan.traced {
            return Ok(());
        }
        let device = &self.launch.resident.device;
        let mut bytes = vec![0; looped.control.recorded.min(records::ROOM) as usize * records::BYTES];
        buffers.download(device, ArrayName::StepRecords, &mut bytes)?;
        device.stream.synchronize().map_err(driver_error("read the steps' records"))?;
        let has_levels = self.launch.shape().model.has_priority;
        let chunk_bytes = self.launch.plan.ring.map_or(0, |ring| ring.slot_bytes);
        records::add(&mut looped.recorded, &bytes, &looped.control, has_levels, chunk_bytes);
        Ok(())
    }

    /// Returns the error that ended the streaming of rows.
    fn stream_error(&self) -> RunError {
        self.streams.iter().find_map(Stream::error).unwrap_or_else(|| {
            let message = "no thread serves the device".to_owned();
            DeviceError::Driver { action: "stream rows", message }.into()
        })
    }

    /// Returns the error of the loop, if it ended with one.
    pub(super) fn check(&self, control: &Control) -> Result<(), RunError> {
        let model = self.launch.shape().model;
        let program = model.name;
        if control.fault != 0 {
            let id = |v: u32| self.launch.resident.graph.id_of(v);
            let place = match control.fault_place {
                place::QUEUE => return Err(RunError::NotUniform { program }),
                place::ROWS => return Err(self.stream_error()),
                place::STEP => FaultPlace::Step { step: u64::from(control.fault_a) },
                place::VERTEX => FaultPlace::Vertex { id: id(control.fault_a) },
                _ => FaultPlace::Edge { source: id(control.fault_a), target: id(control.fault_b) },
            };
            return Err(fault_error(model, control.fault - 1, place));
        }
        if control.outcome == directive::OVERRUN {
            let (mut max_steps, mut pending) = (self.launch.plan.max_steps, None);
            if self.launch.shape().accumulates {
                let (first, last) = (control.walk.first, control.walk.last);
                pending = Some(PendingAmounts { first, last });
                if !last.is_finite() {
                    max_steps = control.step.saturating_sub(1);
                }
            }
            return Err(RunError::Overrun { program, max_steps, cycle: None, pending });
        }
        Ok(())
    }
}

/// Returns the number of blocks of a launch.
pub(in crate::cuda) fn blocks(device: &Device) -> u32 {
    device.multiprocessors.min(wolfpath_kernels::MOST_BLOCKS)
}

/// Launches a loaded kernel once, with the arguments that `add_arguments` adds after the run and the parameters.
pub(super) fn launch<'a>(
    device: &'a Device,
    loaded: &'a Loaded,
    run: &'a DeviceRun,
    parameters: &'a Parameters,
    add_arguments: impl FnOnce(&mut LaunchArgs<'a>),
) -> Result<(), DeviceError> {
    let config = LaunchConfig {
        grid_dim: (blocks(device), 1, 1),
        block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
        shared_mem_bytes: loaded.shared_bytes,
    };
    let mut builder = device.stream.launch_builder(&loaded.function);
    builder.arg(run).arg(parameters);
    add_arguments(&mut builder);
    // SAFETY: the arguments match the loaded kernel: the `DeviceRun`, the program's parameters, and the caller's arguments.
    // The addresses in the `DeviceRun` point to arrays of the planned sizes, which live in the locked buffers (or in what the
    // caller adds) until the stream has been synchronized.
    let launched = unsafe { builder.launch_cooperative(config) };
    launched.map(drop).map_err(|error| match error.0 {
        CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
            DeviceError::Restricted { device: device.full_name(), multiprocessors: device.multiprocessors }
        }
        _ => driver_error("launch the program")(error),
    })
}

/// Memory through which the host watches and stops a run while its kernel runs.
pub(crate) struct HostLink {
    stop: Option<Arc<StopWord>>,
    progress: Arc<DeviceProgress>,
}

impl HostLink {
    /// Stores in `run` the addresses to which the kernel reports progress and from which it reads the stop word.
    pub(crate) fn new(
        resident: &Resident,
        buffers: &mut Buffers,
        model: &Model,
        run: &mut DeviceRun,
    ) -> Result<HostLink, RunError> {
        let device = &resident.device;
        let stop = if model.has_loops { Some(buffers.stop_word(device)?) } else { None };
        let progress = buffers.progress(device)?;
        progress.reset();
        run.progress = progress.address();
        run.stop = stop.as_ref().map_or(0, |stop| stop.address());
        Ok(HostLink { stop, progress })
    }

    /// Calls `work`, which launches a kernel and waits for its end, while `watch` follows its progress. If `watch` ends the
    /// run and the step does not complete within [`PATIENCE`], `streams` stop serving the kernel.
    pub(super) fn watched<T>(
        &self,
        watch: &mut Watch<'_>,
        streams: &[Stream<'_>],
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        let is_wanted = watch.is_wanted();
        let mut ended: Option<(Instant, RunError)> = None;
        let look = || {
            if ended.is_none() {
                ended = watch.look(self.progress.counts()).err().map(|error| (Instant::now(), error));
            }
            // A program with loops is stopped inside a step anyway.
            let is_patient = !streams.is_empty() && self.stop.is_none();
            match ended.take_if(|(when, _)| !is_patient || when.elapsed() > PATIENCE) {
                Some((_, error)) => {
                    streams.iter().for_each(Stream::stop);
                    Err(error)
                }
                None => Ok(()),
            }
        };
        let (done, looked) = match &self.stop {
            Some(stop) => stop.watched(look, work)?,
            None if is_wanted => DeviceProgress::watched(look, work)?,
            None => (work(), Ok(())),
        };
        Ok((done, looked.and(ended.map_or(Ok(()), |(_, error)| Err(error)))))
    }
}
