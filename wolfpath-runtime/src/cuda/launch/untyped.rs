//! A launch without the program's types, so that this code is compiled once rather than once per program.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wolfpath_core::graph::{Direction, LayeredGraph};
use wolfpath_core::program::Starts;

use super::figures::Figures;
use super::program_bytes::{CarriedBytes, ProgramBytes};
use super::room::{gather_items, hub_room, queue_items};
use super::slices::{HostLink, KernelData, Looped, Slices, slice_of};
use crate::cpu::lock;
use crate::cuda::buffers::Buffers;
use crate::cuda::device::{Loaded, driver_error};
use crate::cuda::kept::{Kept, Layout};
use crate::cuda::records;
use crate::cuda::resident::{Resident, mean_weight, note_mean};
use crate::cuda::source::{Configuration, Kernel, device_size};
use crate::cuda::state::{Control, DeviceRun, MAX_PARAMETERS, Parameters, directive};
use crate::cuda::stream::{Sources, Stream, StreamMemory, serve_all};
use crate::error::{DeviceError, PlanError, RunError};
use crate::options::RunOptions;
use crate::path_order::PathOrder;
use crate::plan::{ArrayName, Budget, Plan, Schedule, word_bytes};
use crate::shape::{Computes, Shape};
use crate::stats::{End, Streamed};
use crate::trace::Begun;

/// One launch of a program of any type on a device.
pub(crate) struct UntypedLaunch<'a> {
    pub(crate) resident: &'a Arc<Resident>,
    /// The resident graph. The weight column may be another one than when the graph became resident.
    pub(crate) graph: &'a LayeredGraph,
    pub(crate) plan: &'a Plan,
    pub(crate) budget: &'a Budget<'a>,
    pub(crate) options: &'a RunOptions,
    /// The order of paths, if vertices take turns in it.
    pub(crate) order: Option<&'a PathOrder>,
    /// Start of the run.
    pub(crate) began: Instant,
}

/// A loaded kernel, and the data on the device that it reads.
struct Ready {
    loaded: Loaded,
    /// Time that compiling or finding the kernel and loading it took.
    compile: Duration,
    /// Time when copying the graph began.
    loading: Instant,
    /// Time that was spent waiting for the kernel after the copy.
    waited: Duration,
    parameters: Parameters,
}

/// Times of the preparation of a run.
pub(super) struct Prepared {
    /// Time when the preparation began.
    pub(super) compiling: Instant,
    pub(super) compile: Duration,
    pub(super) loading: Instant,
    pub(super) waited: Duration,
}

impl Prepared {
    /// Returns the times of the stages of a run that ends now. It was planned from `plan` on, ran from `run` on, and its
    /// results were read from `read_back` on.
    pub(super) fn begun(&self, plan: Instant, run: Instant, read_back: Instant) -> Begun {
        Begun {
            plan,
            compile: self.compiling,
            compiled: self.compiling + self.compile,
            load: self.loading,
            waited: self.waited,
            run,
            read_back,
            end: Instant::now(),
        }
    }
}

impl UntypedLaunch<'_> {
    /// Returns the host's memory for streaming, if the plan streams rows.
    pub(super) fn stream_memory(
        &self,
        buffers: &mut Buffers,
    ) -> Result<Option<Arc<StreamMemory>>, DeviceError> {
        let ring = self.plan.ring.as_ref();
        ring.map(|ring| buffers.stream_memory(&self.resident.device, ring)).transpose()
    }

    /// Prepares the streaming of rows through `memory`, to one of `streams` devices.
    pub(super) fn stream<'a>(
        &'a self,
        program: &dyn ProgramBytes,
        buffers: &mut Buffers,
        (memory, streams): (&'a StreamMemory, usize),
        run: &mut DeviceRun,
    ) -> Result<Stream<'a>, RunError> {
        let sources = Sources::new(self, program)?;
        sources.mean_weight().into_iter().for_each(|mean| note_mean(self, buffers, mean));
        let ring = self.plan.ring.expect("a plan that streams rows has a ring");
        Stream::new(self, buffers, memory, sources, (ring, streams), run)
    }

    /// Returns `true` if the run leaves a fold of all values.
    pub(super) fn folds(&self) -> bool {
        self.shape().fold.is_some() && self.planned_bytes(ArrayName::Aggregates) > 0
    }

    /// Returns the program's constants.
    pub(in crate::cuda) fn shape(&self) -> &Shape {
        self.budget.shape
    }

    /// Begins to copy back the fold of all values, if the run leaves one.
    pub(super) fn land_fold(&self, buffers: &mut Buffers) -> Result<(), DeviceError> {
        if self.folds() {
            let bytes = device_size(self.shape().aggregate);
            buffers.land(&self.resident.device, ArrayName::Aggregates, bytes)?;
        }
        Ok(())
    }

    /// Returns the word up to which values are settled, if the run ended in the state `control` because of them.
    pub(super) fn settled(&self, control: &Control) -> Option<u64> {
        (control.outcome == directive::SETTLED).then_some(control.bound)
    }

    /// Launches a kernel, several times if necessary, until its run has ended. `data` allocates all arrays except those
    /// of the graph, and reads the results back.
    pub(super) fn carry_out(
        &self,
        kernel: Kernel,
        program: &dyn ProgramBytes,
        data: &mut dyn KernelData,
    ) -> Result<Figures, RunError> {
        let device = &self.resident.device;
        let mut buffers = self.resident.buffers();
        let (uploads_before, downloads_before) = (buffers.uploads, buffers.downloads);
        self.check_room(&mut buffers)?;
        let compiling = Instant::now();
        let mut run = self.limits();
        let Ready { loaded, parameters, compile, loading, waited } =
            self.ready(kernel, program, &mut buffers, &mut run)?;
        let prepared = Prepared { compiling, compile, loading, waited };
        let link = HostLink::new(self.resident, &mut buffers, self.shape().model, &mut run)?;
        let memory = self.stream_memory(&mut buffers)?;
        let memory = memory.as_deref();
        let stream =
            memory.map(|memory| self.stream(program, &mut buffers, (memory, 1), &mut run)).transpose()?;
        data.place(self, &mut buffers, &mut run)?;
        if buffers.uploads > uploads_before {
            device.stream.synchronize().map_err(driver_error("upload the graph"))?;
        }
        let running = Instant::now();
        let slices = Slices {
            launch: self,
            loaded: &loaded,
            run: &run,
            parameters: &parameters,
            link: &link,
            streams: stream.as_slice(),
            has_values: Cell::new(false),
        };
        let looped = match serve_all(stream.as_slice(), &mut || slices.run(&mut buffers, data))? {
            Ok(looped) => looped,
            Err(error) => {
                // Between the passes of union-find, the values are not those of any step.
                let has_values = slices.has_values.get() && self.plan.schedule != Schedule::Union;
                if self.options.keep_unfinished && error.is_of_unfinished() && has_values {
                    data.read(self, &mut buffers, &Control::default())?;
                }
                return Err(error);
            }
        };
        let reading = Instant::now();
        let streamed = match &stream {
            Some(stream) => {
                self.graph.check_unchanged().map_err(PlanError::from)?;
                stream.streamed(&mut buffers)?
            }
            None => Streamed::default(),
        };
        let device_bytes = self.occupied(&buffers) + data.bytes();
        data.read(self, &mut buffers, &looped.control)?;
        let begun = prepared.begun(self.began, running, reading);
        let copies = (buffers.uploads - uploads_before, buffers.downloads - downloads_before);
        Ok(Figures { device_bytes, streamed, ..self.figures(looped, copies, loaded.note, begun) })
    }

    /// Returns the figures of a run, in which nothing was streamed, without the bytes on the device. `copies` are those to
    /// the device and from it, and `note` is that of the loaded kernel.
    pub(super) fn figures(
        &self,
        looped: Looped,
        copies: (u64, u64),
        note: Option<String>,
        begun: Begun,
    ) -> Figures {
        Figures {
            steps: looped.control.step.saturating_sub(1),
            end: self.end(&looped.control),
            settled: self.settled(&looped.control),
            fold: Vec::new(),
            edges: looped.control.edges,
            borrowed_edges: looped.control.walk.borrowed,
            updates: self.plan.schedule.walks().then_some(looped.control.walk.updates),
            pending: self.shape().accumulates.then(|| looped.control.walk.pending()),
            launches: looped.launches,
            uploads: copies.0,
            downloads: copies.1,
            device_bytes: 0,
            streamed: Streamed::default(),
            run: looped.time,
            notes: note.into_iter().chain(self.resident.device.staging.note().map(str::to_owned)).collect(),
            begun,
            recorded: looped.recorded,
        }
    }

    /// Loads the kernel and uploads what the program reads, at the same time unless the kernel is loaded already.
    fn ready(
        &self,
        kernel: Kernel,
        program: &dyn ProgramBytes,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<Ready, RunError> {
        let (device, configuration) = (&self.resident.device, Configuration::of(self.plan));
        let load = || device.load(kernel, self.shape(), configuration);
        if device.has_loaded(kernel, self.shape(), configuration) {
            let (loaded, compile) = load()?;
            let loading = Instant::now();
            let parameters = self.upload(program, buffers, run)?;
            return Ok(Ready { loaded, compile, loading, waited: Duration::ZERO, parameters });
        }
        let loading = Instant::now();
        // NVRTC compiles on this thread: it allocates much memory, for which allocators serve the main thread best.
        let (loaded, (uploaded, took)) = std::thread::scope(|scope| {
            let upload = || (self.upload(program, buffers, run), loading.elapsed());
            let uploader = std::thread::Builder::new().spawn_scoped(scope, upload);
            let uploader =
                uploader.map_err(|error| DeviceError::Threads { threads: 1, message: error.to_string() })?;
            let loaded = load();
            let uploaded = uploader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok::<_, DeviceError>((loaded, uploaded))
        })?;
        let ((loaded, compile), parameters) = (loaded?, uploaded?);
        Ok(Ready { loaded, compile, loading, waited: loading.elapsed().saturating_sub(took), parameters })
    }

    /// Returns the reason why a run ended in the state `control` (`has_work` in `step.cuh`).
    pub(super) fn end(&self, control: &Control) -> End {
        let steps = control.step.saturating_sub(1);
        if control.outcome == directive::FINISHED {
            return End::Finished;
        }
        if control.outcome == directive::SETTLED {
            return End::Settled;
        }
        if self.shape().accumulates && control.walk.left > 0.0 {
            return End::Tolerance;
        }
        if self.plan.steps.is_none_or(|limit| steps < limit) {
            return End::Fixpoint;
        }
        let frontier = control.frontiers[(control.step % 3) as usize];
        let sends = frontier.counted as u32 > 0 || frontier.edgeless > 0;
        let noted = control.changed[(steps & 1) as usize] > 0;
        let has_work = match self.shape().computes() {
            _ if self.shape().model.has_priority => noted,
            Computes::Receivers => sends,
            Computes::Awake => sends || noted,
            Computes::All => noted,
        };
        if has_work { End::Steps } else { End::Fixpoint }
    }

    /// Returns the number of edges of the rows that the device has.
    fn own_edges(&self) -> u64 {
        match &self.resident.shard {
            Some(shard) => shard.edges(Direction::Out, self.graph.out_edges()),
            None => self.plan.graph.edges,
        }
    }

    /// Returns a run in which only the limits are set.
    pub(super) fn limits(&self) -> DeviceRun {
        DeviceRun {
            edges: self.own_edges(),
            all_edges: self.plan.graph.edges,
            input_edges: self.graph.num_input_edges(),
            max_steps: self.plan.max_steps,
            steps: self.plan.steps.unwrap_or(u64::MAX),
            slice: slice_of(self.options),
            vertices: self.plan.graph.vertices as u32,
            queue_items: queue_items(self.budget) as u32,
            gather_items: gather_items(self.budget) as u32,
            hub_room: hub_room(self.budget) as u32,
            watched: u32::from(self.plan.traced || self.options.is_watched()),
            largest: self.plan.drops_beyond().unwrap_or(u64::MAX),
            tolerance: self.plan.tolerance.unwrap_or(0.0),
            ..DeviceRun::default()
        }
    }

    /// Uploads the sources, the program's inputs, and the parts of the graph that are not on the device yet. Returns
    /// the program's parameters.
    pub(super) fn upload(
        &self,
        program: &dyn ProgramBytes,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<Parameters, RunError> {
        let device = &self.resident.device;
        if !self.plan.settles.is_empty() {
            run.settles = buffers.upload(device, ArrayName::SettledVertices, &self.plan.settles)?;
            run.settle_count = self.plan.settles.len() as u32;
        }
        self.resident.upload(self, program, buffers, run)?;
        match program.carried() {
            // The kernel of such a run has no sources, and reads the presence bits in their place.
            Some(CarriedBytes::OnDevice(addresses)) => {
                [run.source_values, run.source_vertices] = addresses;
            }
            Some(CarriedBytes::OnHost(values, present)) => {
                run.source_vertices = buffers.upload(device, ArrayName::Sources, &present)?;
                run.source_values = buffers.upload(device, ArrayName::SourceValues, &values)?;
            }
            None => {
                let vertices = program.source_vertices();
                run.source_vertices = buffers.upload(device, ArrayName::Sources, vertices)?;
                run.source_values =
                    buffers.upload(device, ArrayName::SourceValues, &program.source_values())?;
                run.sources = vertices.len() as u32;
            }
        }
        let inputs = self.resident.upload_inputs(buffers, self.shape().model, &program.inputs())?;
        Ok(self.parameters(program.parameters(), &inputs)?)
    }

    /// Returns the program's parameters, with the addresses of its inputs.
    fn parameters(&self, mut bytes: Vec<u8>, inputs: &[u64]) -> Result<Parameters, DeviceError> {
        let model = self.shape().model;
        for (field, address) in model.inputs.iter().zip(inputs) {
            bytes[field.offset..field.offset + 8].copy_from_slice(&address.to_ne_bytes());
        }
        let mut parameters = Parameters([0; MAX_PARAMETERS]);
        let Some(room) = parameters.0.get_mut(..bytes.len()) else {
            let message =
                format!("{} has {} bytes of parameters, more than {MAX_PARAMETERS}", model.name, bytes.len());
            return Err(DeviceError::Driver { action: "accept the program's parameters", message });
        };
        room.copy_from_slice(&bytes);
        Ok(parameters)
    }

    /// Returns the address of an array of the planned size, and allocates the array if needed. Returns 0 if the array
    /// is not in the plan.
    pub(in crate::cuda) fn room(&self, buffers: &mut Buffers, name: ArrayName) -> Result<u64, DeviceError> {
        buffers.room_in(&self.resident.device, self.plan.home_of(name), name, self.planned_bytes(name))
    }

    /// Returns the size of an array in the plan in bytes; 0 if it is not in the plan.
    pub(super) fn planned_bytes(&self, name: ArrayName) -> u64 {
        self.plan.planned_bytes(name)
    }

    /// Arrays that the outcome of a single run keeps.
    pub(super) const KEPT: [ArrayName; 2] = [ArrayName::Values, ArrayName::PresenceBits];

    /// Returns the size in bytes of a value on the device.
    pub(super) fn value_bytes(&self) -> usize {
        let kind = self.shape().value;
        if self.shape().combines_words(self.plan.schedule) {
            word_bytes(kind) as usize
        } else {
            device_size(kind)
        }
    }

    /// Takes the values of a single run, which has ended, out of the buffers.
    pub(super) fn keep_values(&self, buffers: &mut Buffers) -> Kept {
        let words = self.shape().combines_words(self.plan.schedule).then_some(self.shape().combine);
        let layout = Layout {
            vertices: self.plan.graph.vertices as u32,
            each: self.value_bytes(),
            words,
            all: self
                .budget
                .carried
                .map_or(self.shape().model.starts == Starts::Every, |carried| carried.all),
        };
        let arrays = Self::KEPT.map(|name| buffers.take(name).expect("the run has allocated its values"));
        Kept::new(self.resident, arrays, layout)
    }

    /// Allocates the arrays of a single run's plan.
    pub(super) fn allocate(&self, buffers: &mut Buffers, run: &mut DeviceRun) -> Result<(), RunError> {
        for name in Self::KEPT {
            let bytes = self.planned_bytes(name);
            let spare = lock(&self.resident.spare).take(bytes);
            buffers.fit(name, bytes, spare);
        }
        let mut room = |name| self.room(buffers, name);
        run.values = room(ArrayName::Values)?;
        run.incoming = room(ArrayName::IncomingMessages)?;
        run.present = room(ArrayName::PresenceBits)?;
        run.marks = room(ArrayName::Marks)?;
        run.parents = room(ArrayName::Parents)?;
        run.active = room(ArrayName::ActiveSteps)?;
        run.gather = room(ArrayName::RowsToGather)?;
        run.pending = room(ArrayName::PendingBits)?;
        run.held = room(ArrayName::HeldSums)?;
        run.amounts = room(ArrayName::PendingSums)?;
        run.priorities = room(ArrayName::Priorities)?;
        run.awake = room(ArrayName::AwakeBits)?;
        run.before = room(ArrayName::ValuesBefore)?;
        run.recipients = room(ArrayName::Recipients)?;
        run.partials = room(ArrayName::PartialResults)?;
        run.sent = room(ArrayName::SentMessages)?;
        run.folds = room(ArrayName::Aggregates)?;
        run.dirty = room(ArrayName::DirtyGroups)?;
        self.allocate_frontiers(buffers, run)
    }

    /// Allocates the arrays that the loop of every kernel needs.
    pub(in crate::cuda) fn allocate_frontiers(
        &self,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let mut room = |name| self.room(buffers, name);
        run.queues = [room(ArrayName::Frontier)?, room(ArrayName::NextFrontier)?];
        run.overflows = [room(ArrayName::OverflowBits)?, room(ArrayName::NextOverflowBits)?];
        run.bitmaps = [room(ArrayName::FrontierBits)?, room(ArrayName::NextFrontierBits)?];
        run.records = room(ArrayName::StepRecords)?;
        run.record_room = if self.plan.traced { records::ROOM } else { 0 };
        run.control = room(ArrayName::LoopState)?;
        Ok(())
    }

    /// Returns the width of the first bucket (a range of values). The width is the plan's factor times the mean weight,
    /// divided by the mean degree. The kernel adapts it during the run.
    pub(in crate::cuda) fn bucket_width(&self, buffers: &Buffers) -> f64 {
        let graph = self.plan.graph;
        let degree = graph.edges as f64 / graph.vertices.max(1) as f64;
        let mean = mean_weight(self.graph, self.shape(), buffers);
        f64::from(self.plan.bucket_factor) * mean / degree.max(1.0)
    }
}
