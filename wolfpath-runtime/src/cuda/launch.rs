//! A run on the device: room for its arrays, one cooperative launch (one a time slice when it is long), and the values
//! read back.

use std::time::{Duration, Instant};

use cudarc::driver::{CudaEvent, LaunchConfig, PushKernelArg, sys::CUevent_flags};
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{CombineKind, Datum, EdgeProgram, Senders, Starts};

use super::buffers::{Buffers, Name, buffer_of, own};
use super::device::{Loaded, driver_error};
use super::progress::DeviceProgress;
use super::records;
use super::resident::{Resident, mean_weight, weight_name};
use super::source::{Configuration, device_size, partial_size};
use super::state::{Control, MAX_PARAMETERS, Parameters, Run, directive, place};
use super::stop_word::StopWord;
use super::sweep::{DIRTY, Swept};
use crate::cpu::{Values, fault_error, from_word, identity};
use crate::error::{DeviceError, FaultPlace, PlanError, RunError};
use crate::options::{Counts, RunOptions, Watch};
use crate::plan::{Budget, Plan, PlannedArray, Schedule, word_bytes};
use crate::shape::Shape;
use crate::start::Sources;
use crate::trace::{Begun, Recorded};

/// After this long a kernel returns, to be launched again where it stopped: what waits for a Ctrl-C, a time limit or a
/// display watchdog waits no longer.
const SLICE: Duration = Duration::from_millis(100);

/// Bytes of a work item (`wp::Item`).
const ITEM_BYTES: u64 = 16;

/// Most items that a queue may hold: the kernels count them in 32 bits with room to spare for every thread's stride.
const MAX_ITEMS: u64 = 1 << 31;

/// What a run on the device came to.
pub(crate) struct Ran<V> {
    pub(crate) values: Values<V>,
    pub(crate) steps: u64,
    pub(crate) edges: u64,
    pub(crate) launches: u64,
    pub(crate) uploads: u64,
    pub(crate) downloads: u64,
    pub(crate) device_bytes: u64,
    pub(crate) compile: Duration,
    pub(crate) load: Duration,
    pub(crate) run: Duration,
    pub(crate) read_back: Duration,
    pub(crate) note: Option<String>,
    pub(crate) begun: Begun,
    pub(crate) recorded: Recorded,
}

/// Items that the rows of all vertices make at the most; none where there is no queue.
fn queue_items(budget: &Budget<'_>) -> u64 {
    if budget.schedule == Schedule::Sweep {
        return 0;
    }
    let rows = budget.rows;
    let sides = |out: bool, inward: bool| u64::from(out) + u64::from(inward);
    let sides = sides(rows.send_out, rows.send_in).max(sides(rows.gather_out, rows.gather_in)).max(1);
    // What the warps of a thin step leave over may stand there a second time.
    let hops = if budget.schedule.is_in_place() {
        budget.warps * u64::from(wolfpath_kernels::hop_room(budget.shape.value.size()))
    } else {
        0
    };
    let segment = wolfpath_kernels::segment_edges(budget.schedule == Schedule::Pull);
    sides * (budget.graph.vertices + budget.graph.edges / segment) + hops + 1
}

/// Arrays that a run needs on the device beside the graph's: the one place that knows their sizes.
pub(crate) fn arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let (n, items) = (budget.graph.vertices, queue_items(budget));
    let shape = budget.shape;
    let (value, active) = (device_size(shape.value) as u64, shape.senders == Senders::Active);
    let mut arrays = Vec::new();
    let mut add = |name, elements: u64, each: u64| {
        if elements > 0 {
            arrays.push(PlannedArray { name, elements, bytes: elements * each });
        }
    };
    let in_place = budget.schedule.is_in_place();
    let swept = Swept::of(budget);
    add("values", n.max(1), if in_place { word_bytes(shape.value) } else { value });
    add("presence bits", n.div_ceil(32).max(1), 4);
    if active && swept.is_none() && (!in_place || !budget.uniform || budget.techniques.local_rounds) {
        add("marks", n, 4);
    }
    if budget.techniques.direction {
        add("frontier bits", n.div_ceil(32).max(1), 4);
        add("next frontier bits", n.div_ceil(32).max(1), 4);
    }
    if budget.schedule == Schedule::Bucket {
        add("pending bits", n.div_ceil(32).max(1), 4);
    }
    if active && swept.is_none() {
        let hubs = wolfpath_kernels::hub_room(budget.graph.edges, budget.schedule == Schedule::Pull);
        add("frontier", items + hubs, ITEM_BYTES);
        add("next frontier", items + hubs, ITEM_BYTES);
    }
    match budget.schedule {
        Schedule::Frontier => {
            add("incoming messages", n, word_bytes(shape.message));
            add("recipients", n, 4);
        }
        Schedule::Pull => {
            add("rows to gather", items, ITEM_BYTES);
            add("partial results", items, partial_size(shape) as u64);
            if active {
                add("active steps", n, 4);
            }
        }
        Schedule::Relax | Schedule::Bucket | Schedule::Sweep => {}
    }
    for (name, elements, each) in swept.map(Swept::arrays).into_iter().flatten() {
        add(name, elements, each);
    }
    add("step records", if budget.traced { records::ROOM } else { 0 }, records::BYTES as u64);
    if shape.fold.is_some() {
        add("aggregates", 1024, device_size(shape.aggregate) as u64);
    }
    if shape.model.starts == Starts::Sources {
        add("sources", budget.sources, 4);
        add("source values", budget.sources, value);
    }
    add("loop state", 1, size_of::<Control>() as u64);
    arrays
}

/// One run on a device.
pub(crate) struct Launch<'a, P: EdgeProgram> {
    pub(crate) resident: &'a Resident,
    /// The resident graph, perhaps with another of its columns as the weight.
    pub(crate) graph: &'a LayeredGraph,
    pub(crate) program: &'a P,
    pub(crate) sources: &'a Sources<P::Value>,
    pub(crate) plan: &'a Plan,
    pub(crate) budget: &'a Budget<'a>,
    pub(crate) options: &'a RunOptions,
    /// When the run began.
    pub(crate) began: Instant,
}

impl<P: EdgeProgram> Launch<'_, P> {
    /// Runs the program.
    pub(crate) fn run(&self) -> Result<Ran<P::Value>, RunError> {
        let device = &self.resident.device;
        let mut buffers = self.resident.buffers();
        let uploads_before = buffers.uploads;
        self.check_room(&mut buffers)?;
        let configuration = Configuration::of(self.plan);
        let compiling = Instant::now();
        let (loaded, compile) = device.load(&Shape::of::<P>(), configuration)?;
        let began = Instant::now();
        let mut run = self.allocate(&mut buffers)?;
        let lossy = self.options.lossy_weights;
        self.resident.upload::<P>(self.graph, &mut buffers, self.budget, lossy, &mut run)?;
        let swept = Swept::of(self.budget);
        if let Some(swept) = swept {
            swept.prepare(self.resident, &mut buffers, &mut run)?;
        }
        run.width = self.bucket_width(mean_weight::<P>(self.graph, &buffers));
        self.upload_sources(&mut buffers, &mut run)?;
        let inputs = self.resident.upload_inputs(&mut buffers, self.program)?;
        let stop = if P::MODEL.has_loops { Some(buffers.stop_word(device)?) } else { None };
        let progress = buffers.progress(device)?;
        progress.reset();
        run.progress = progress.address();
        run.watched = u32::from(self.plan.traced || self.options.is_watched());
        run.stop = stop.as_ref().map_or(0, |stop| stop.address());
        device.stream.synchronize().map_err(driver_error("upload the graph"))?;
        let running = Instant::now();
        let seeing = Seeing { stop: stop.as_deref(), progress: &progress };
        let looped = self.steps(&mut buffers, &loaded, &run, &inputs, &seeing);
        if looped.is_err() {
            // A kernel may still run; the buffers stay locked until it does not. Its own error is the one to tell.
            device.stream.synchronize().unwrap_or_default();
        }
        let looped = looped?;
        if let Some(swept) = swept {
            swept.note_sources(&mut buffers);
        }
        let reading = Instant::now();
        let values = self.read_back(&buffers)?;
        let begun = Begun {
            plan: self.began,
            compile: compiling,
            load: began,
            run: running,
            read_back: reading,
            end: Instant::now(),
        };
        Ok(Ran {
            values,
            steps: looped.control.step.saturating_sub(1),
            edges: looped.control.edges,
            launches: looped.launches,
            uploads: buffers.uploads - uploads_before,
            downloads: looped.launches + 2,
            device_bytes: buffers.bytes(),
            compile,
            load: running - began,
            run: looped.time,
            read_back: reading.elapsed(),
            note: loaded.note,
            begun,
            recorded: looped.recorded,
        })
    }

    /// Refuses what does not fit, before anything is allocated.
    fn check_room(&self, buffers: &mut Buffers) -> Result<(), RunError> {
        let device = &self.resident.device;
        let items = queue_items(self.budget);
        if items > MAX_ITEMS {
            return Err(PlanError::TooManyItems { program: P::MODEL.name, items, limit: MAX_ITEMS }.into());
        }
        let weights = weight_name::<P>(self.graph);
        let arrays = self.plan.arrays.iter();
        let named = arrays.map(|array| (buffer_of(array.name, P::Weight::KIND, weights), array.bytes));
        let needed: Vec<(Name, u64)> = named.collect();
        let missing: u64 = needed
            .iter()
            .filter(|&&(name, bytes)| buffers.bytes_of(name) < bytes)
            .map(|&(_, bytes)| bytes)
            .sum();
        let (free, _) = device.memory()?;
        if missing > free {
            // What earlier runs of other programs left makes room before anything is refused.
            let held = buffers.bytes();
            buffers.keep_only(&needed.iter().map(|&(name, _)| name).collect::<Vec<_>>());
            if missing > free + (held - buffers.bytes()) {
                let (device, need, have) = (device.name.clone(), self.plan.bytes(), free + held);
                return Err(PlanError::DoesNotFit { program: P::MODEL.name, device, need, have }.into());
            }
        }
        Ok(())
    }

    /// Room for every array of the plan.
    fn allocate(&self, buffers: &mut Buffers) -> Result<Run, RunError> {
        let device = &self.resident.device;
        let mut room = |name: &'static str| -> Result<u64, DeviceError> {
            let planned = arrays(self.budget).into_iter().find(|array| array.name == name);
            buffers.room(device, own(name), planned.map_or(0, |array| array.bytes))
        };
        Ok(Run {
            values: room("values")?,
            incoming: room("incoming messages")?,
            present: room("presence bits")?,
            marks: room("marks")?,
            active: room("active steps")?,
            queues: [room("frontier")?, room("next frontier")?],
            gather: room("rows to gather")?,
            bitmaps: [room("frontier bits")?, room("next frontier bits")?],
            pending: room("pending bits")?,
            recipients: room("recipients")?,
            partials: room("partial results")?,
            folds: room("aggregates")?,
            records: room("step records")?,
            record_room: if self.plan.traced { records::ROOM } else { 0 },
            dirty: room(DIRTY)?,
            control: room("loop state")?,
            edges: self.plan.graph.edges,
            max_steps: self.plan.max_steps,
            steps: self.plan.steps.unwrap_or(u64::MAX),
            slice: u64::try_from(self.options.slice.unwrap_or(SLICE).as_nanos()).unwrap_or(u64::MAX),
            vertices: self.plan.graph.vertices as u32,
            queue_items: queue_items(self.budget) as u32,
            ..Run::default()
        })
    }

    /// The width of the first bucket, by the plan's factor; the kernel widens and narrows it as it goes.
    fn bucket_width(&self, mean_weight: f64) -> f64 {
        let graph = self.plan.graph;
        let degree = graph.edges as f64 / graph.vertices.max(1) as f64;
        f64::from(self.plan.bucket_factor) * mean_weight / degree.max(1.0)
    }

    fn upload_sources(&self, buffers: &mut Buffers, run: &mut Run) -> Result<(), RunError> {
        let device = &self.resident.device;
        let size = device_size(P::Value::KIND);
        let mut values = vec![0u8; self.sources.values.len() * size];
        values.chunks_exact_mut(size).zip(&self.sources.values).for_each(|(to, value)| value.write(to));
        run.source_vertices = buffers.upload(device, own("sources"), &self.sources.vertices)?;
        run.source_values = buffers.upload(device, own("source values"), &values)?;
        run.sources = self.sources.vertices.len() as u32;
        Ok(())
    }

    /// The program's parameters, with the addresses of its inputs.
    fn parameters(&self, inputs: &[u64]) -> Result<Parameters, DeviceError> {
        let mut bytes = self.program.parameters();
        for (field, address) in P::MODEL.inputs.iter().zip(inputs) {
            bytes[field.offset..field.offset + 8].copy_from_slice(&address.to_ne_bytes());
        }
        let mut parameters = Parameters([0; MAX_PARAMETERS]);
        let Some(room) = parameters.0.get_mut(..bytes.len()) else {
            let message = format!(
                "{} has {} bytes of parameters, more than {MAX_PARAMETERS}",
                P::MODEL.name,
                bytes.len()
            );
            return Err(DeviceError::Driver { action: "take the program's parameters", message });
        };
        room.copy_from_slice(&bytes);
        Ok(parameters)
    }

    /// Launches until the run has ended.
    fn steps(
        &self,
        buffers: &mut Buffers,
        loaded: &Loaded,
        run: &Run,
        inputs: &[u64],
        seeing: &Seeing<'_>,
    ) -> Result<Looped, RunError> {
        let mut watch = Watch::new(self.plan, self.options);
        let parameters = self.parameters(inputs)?;
        let mut looped = Looped::default();
        if run.vertices == 0 {
            looped.control.step = 1;
            return Ok(looped);
        }
        loop {
            let (steps, edges) = (looped.control.step.saturating_sub(1), looped.control.edges);
            let counts = Counts { steps, edges, ..Counts::default() };
            watch.look(counts)?;
            let slice = || self.slice(buffers, loaded, run, &parameters, looped.control);
            let (sliced, ends) = seeing.watched(&mut watch, slice)?;
            let (control, time) = sliced?;
            ends?;
            looped.control = control;
            looped.launches += 1;
            looped.time += time;
            self.add_records(buffers, &mut looped)?;
            self.check(&looped.control)?;
            if looped.control.outcome != directive::PAUSE {
                return Ok(looped);
            }
        }
    }

    /// One launch, which goes on where `control` says, and how long it took.
    fn slice(
        &self,
        buffers: &mut Buffers,
        loaded: &Loaded,
        run: &Run,
        parameters: &Parameters,
        control: Control,
    ) -> Result<(Control, Duration), DeviceError> {
        let device = &self.resident.device;
        let control = Control { ticket: 0, outcome: 0, recorded: 0, ..control };
        buffers.upload(device, own("loop state"), &control.to_bytes())?;
        let (begin, end) = self.launch(loaded, run, parameters)?;
        let mut bytes = [0; size_of::<Control>()];
        buffers.download(device, own("loop state"), &mut bytes)?;
        device.stream.synchronize().map_err(driver_error("run the program"))?;
        let milliseconds = begin.elapsed_ms(&end).map_err(driver_error("tell the time"))?;
        Ok((Control::from_bytes(bytes), Duration::from_secs_f64(f64::from(milliseconds) / 1e3)))
    }

    /// Fetches what the last launch noted of its steps, where somebody asked.
    fn add_records(&self, buffers: &Buffers, looped: &mut Looped) -> Result<(), DeviceError> {
        if !self.plan.traced {
            return Ok(());
        }
        let device = &self.resident.device;
        let mut bytes = vec![0; looped.control.recorded.min(records::ROOM) as usize * records::BYTES];
        buffers.download(device, own("step records"), &mut bytes)?;
        device.stream.synchronize().map_err(driver_error("read the steps' records"))?;
        records::add(&mut looped.recorded, &bytes, &looped.control);
        Ok(())
    }

    fn launch(
        &self,
        loaded: &Loaded,
        run: &Run,
        parameters: &Parameters,
    ) -> Result<(CudaEvent, CudaEvent), DeviceError> {
        let device = &self.resident.device;
        let record = || {
            device
                .stream
                .record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
                .map_err(driver_error("record an event"))
        };
        let begin = record()?;
        let config = LaunchConfig {
            grid_dim: (device.multiprocessors, 1, 1),
            block_dim: (wolfpath_kernels::BLOCK_THREADS, 1, 1),
            shared_mem_bytes: loaded.shared_bytes,
        };
        // SAFETY: the arguments are those of `wolfpath_run`: a `Run` whose addresses are arrays of the planned sizes,
        // which live in the locked buffers until the stream was waited for, and the program's parameters.
        unsafe {
            device.stream.launch_builder(&loaded.function).arg(run).arg(parameters).launch_cooperative(config)
        }
        .map_err(driver_error("launch the program"))?;
        Ok((begin, record()?))
    }

    /// The error that the loop ended in, if it did.
    fn check(&self, control: &Control) -> Result<(), RunError> {
        if control.fault != 0 {
            let id = |v: u32| self.resident.graph.id_of(v);
            let place = match control.fault_place {
                place::QUEUE => return Err(RunError::NotUniform { program: P::MODEL.name }),
                place::VERTEX => FaultPlace::Vertex { id: id(control.fault_a) },
                _ => FaultPlace::Edge { source: id(control.fault_a), target: id(control.fault_b) },
            };
            return Err(fault_error(&P::MODEL, control.fault - 1, place));
        }
        if control.outcome == directive::OVERRUN {
            return Err(RunError::Overrun { program: P::MODEL.name, max_steps: self.plan.max_steps });
        }
        Ok(())
    }

    /// The values, in the program's type.
    fn read_back(&self, buffers: &Buffers) -> Result<Values<P::Value>, RunError> {
        let device = &self.resident.device;
        let n = self.plan.graph.vertices as usize;
        let in_place = self.plan.schedule.is_in_place();
        let each = if in_place { word_bytes(P::Value::KIND) as usize } else { device_size(P::Value::KIND) };
        let mut bytes = vec![0u8; n * each];
        let mut bits = vec![0u8; n.div_ceil(32) * 4];
        buffers.download(device, own("values"), &mut bytes)?;
        buffers.download(device, own("presence bits"), &mut bits)?;
        device.stream.synchronize().map_err(driver_error("read the values back"))?;
        let is_marked = |v: usize| bits[v / 8] >> (v % 8) & 1 != 0;
        let kind = <P::Combine as wolfpath_core::program::Combiner<P::Message>>::KIND;
        let value = |v: u32| {
            let v = v as usize;
            let element = &bytes[v * each..(v + 1) * each];
            if in_place {
                word_value(kind, element, is_marked(v))
            } else {
                is_marked(v).then(|| P::Value::read(element))
            }
        };
        Ok(Values::collect(n as u32, value))
    }
}

/// The value of a word: none when it is the identity and no bit says otherwise.
fn word_value<V: Datum>(kind: CombineKind, element: &[u8], is_marked: bool) -> Option<V> {
    let (word, max) = match *element {
        [a, b, c, d] => (u64::from(u32::from_le_bytes([a, b, c, d])), u64::from(u32::MAX)),
        [a, b, c, d, e, f, g, h] => (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::MAX),
        _ => return None,
    };
    (word != identity(kind, max) || is_marked).then(|| from_word(kind, word))
}

/// Through what the host sees, and stops, a run while its kernel is at work.
struct Seeing<'a> {
    stop: Option<&'a StopWord>,
    progress: &'a DeviceProgress,
}

impl Seeing<'_> {
    /// Does `work`, which runs a kernel and waits for it, while somebody watches.
    fn watched<T>(
        &self,
        watch: &mut Watch<'_>,
        work: impl FnOnce() -> T,
    ) -> Result<(T, Result<(), RunError>), DeviceError> {
        match self.stop {
            Some(stop) => stop.watched(|| watch.look(self.progress.counts()), work),
            None => self.progress.watched(watch, work),
        }
    }
}

/// How the loop ended.
#[derive(Default)]
struct Looped {
    control: Control,
    launches: u64,
    time: Duration,
    recorded: Recorded,
}
