//! A run on the device: room for its arrays, one cooperative launch (one a time slice when it is long), and the values
//! read back.

mod room;
mod slices;

use std::time::{Duration, Instant};

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{CombineKind, Combiner, Datum, EdgeProgram};

pub(crate) use self::room::{arrays, frontier_arrays, most_steps};
use self::room::{check_room, hub_room, queue_items};
pub(crate) use self::slices::Own;
use self::slices::{Seeing, Slices, slice_of};
use super::buffers::Buffers;
use super::device::driver_error;
use super::records;
use super::resident::{Resident, mean_weight};
use super::source::{Configuration, Kernel, device_size};
use super::state::{Control, MAX_PARAMETERS, Parameters, Run};
use super::sweep::Swept;
use crate::cpu::{Values, from_word, identity};
use crate::error::{DeviceError, RunError};
use crate::options::RunOptions;
use crate::plan::{ArrayName, Budget, Plan, word_bytes};
use crate::shape::Shape;
use crate::start::Sources;
use crate::stats::{StageTimes, Stats};
use crate::trace::{Begun, Recorded, Trace, trace};

/// What a launch did and took, whatever its kernel.
pub(crate) struct Figures {
    pub(crate) steps: u64,
    pub(crate) edges: u64,
    launches: u64,
    uploads: u64,
    downloads: u64,
    device_bytes: u64,
    compile: Duration,
    /// By the device's clock.
    run: Duration,
    note: Option<String>,
    begun: Begun,
    recorded: Recorded,
}

impl Figures {
    /// As a user sees them; and the trace, where one was asked for.
    pub(crate) fn tell(self, plan: &Plan) -> (Stats, Option<Trace>) {
        let begun = &self.begun;
        let stats = Stats {
            engine: plan.engine.to_string(),
            schedule: plan.schedule,
            steps: self.steps,
            edges: self.edges,
            launches: self.launches,
            host_to_device_copies: self.uploads,
            device_to_host_copies: self.downloads,
            device_bytes: self.device_bytes,
            times: StageTimes {
                plan: begun.compile - begun.plan,
                compile: self.compile,
                load: begun.run - begun.load,
                run: self.run,
                read_back: begun.end - begun.read_back,
            },
            notes: plan.notes.iter().cloned().chain(self.note).collect(),
        };
        let trace = plan
            .traced
            .then(|| trace(plan.program, stats.engine.clone(), plan.schedule, begun, self.recorded));
        (stats, trace)
    }
}

/// One launch on a device.
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

/// The kernel of one run has nothing beside the arrays of every run.
struct OneRun;

impl Own for OneRun {}

impl<P: EdgeProgram> Launch<'_, P> {
    /// Runs the program.
    pub(crate) fn run(&self) -> Result<(Values<P::Value>, Figures), RunError> {
        let swept = Swept::of(self.budget);
        let place = |buffers: &mut Buffers, run: &mut Run| {
            self.allocate(buffers, run)?;
            if let Some(swept) = swept {
                swept.prepare(self.resident, buffers, run)?;
            }
            run.width = self.bucket_width(buffers);
            Ok(OneRun)
        };
        let read = |buffers: &mut Buffers, _: OneRun, _: &Control| {
            if let Some(swept) = swept {
                swept.note_sources(buffers);
            }
            self.read_back(buffers)
        };
        self.carry_out(Kernel::Run, place, read)
    }

    /// Launches a kernel until its run has ended: `place` finds room for the arrays that are not the graph's, `read`
    /// fetches what the run found.
    pub(super) fn carry_out<O: Own, T>(
        &self,
        kernel: Kernel,
        place: impl FnOnce(&mut Buffers, &mut Run) -> Result<O, RunError>,
        read: impl FnOnce(&mut Buffers, O, &Control) -> Result<T, RunError>,
    ) -> Result<(T, Figures), RunError> {
        let device = &self.resident.device;
        let mut buffers = self.resident.buffers();
        let (uploads_before, downloads_before) = (buffers.uploads, buffers.downloads);
        let (items, allowed) = (queue_items(self.budget), self.options.device_memory);
        check_room::<P>(self.resident, self.graph, self.plan, items, allowed, &mut buffers)?;
        let compiling = Instant::now();
        let (loaded, compile) = device.load(kernel, &Shape::of::<P>(), Configuration::of(self.plan))?;
        let loading = Instant::now();
        let mut run = self.limits();
        let lossy = self.options.lossy_weights;
        self.resident.upload::<P>(self.graph, &mut buffers, self.budget, lossy, &mut run)?;
        self.upload_sources(&mut buffers, &mut run)?;
        let inputs = self.resident.upload_inputs(&mut buffers, self.program)?;
        let seeing = Seeing::new(self.resident, &mut buffers, &P::MODEL, &mut run)?;
        let mut own = place(&mut buffers, &mut run)?;
        let slices = Slices {
            resident: self.resident,
            model: Shape::of::<P>().model,
            plan: self.plan,
            options: self.options,
            loaded: &loaded,
            run: &run,
            parameters: &self.parameters(&inputs)?,
            seeing: &seeing,
        };
        device.stream.synchronize().map_err(driver_error("upload the graph"))?;
        let running = Instant::now();
        let looped = slices.run(&mut buffers, &mut own)?;
        let reading = Instant::now();
        let device_bytes = buffers.bytes() + own.bytes();
        let found = read(&mut buffers, own, &looped.control)?;
        let begun = Begun {
            plan: self.began,
            compile: compiling,
            load: loading,
            run: running,
            read_back: reading,
            end: Instant::now(),
        };
        let figures = Figures {
            steps: looped.control.step.saturating_sub(1),
            edges: looped.control.edges,
            launches: looped.launches,
            uploads: buffers.uploads - uploads_before,
            downloads: buffers.downloads - downloads_before,
            device_bytes,
            compile,
            run: looped.time,
            note: loaded.note,
            begun,
            recorded: looped.recorded,
        };
        Ok((found, figures))
    }

    /// A run of which nothing is known but its limits.
    fn limits(&self) -> Run {
        Run {
            edges: self.plan.graph.edges,
            max_steps: self.plan.max_steps,
            steps: self.plan.steps.unwrap_or(u64::MAX),
            slice: slice_of(self.options),
            vertices: self.plan.graph.vertices as u32,
            queue_items: queue_items(self.budget) as u32,
            hub_room: hub_room(self.budget) as u32,
            watched: u32::from(self.plan.traced || self.options.is_watched()),
            ..Run::default()
        }
    }

    /// The address of an array of the plan, with room for as much as that says; 0 where it has none.
    pub(super) fn room(&self, buffers: &mut Buffers, name: ArrayName) -> Result<u64, DeviceError> {
        let planned = self.plan.arrays.iter().find(|array| array.name == name);
        buffers.room(&self.resident.device, name, planned.map_or(0, |array| array.bytes))
    }

    /// Room for every array of the plan.
    fn allocate(&self, buffers: &mut Buffers, run: &mut Run) -> Result<(), RunError> {
        let mut room = |name| self.room(buffers, name);
        run.values = room(ArrayName::Values)?;
        run.incoming = room(ArrayName::IncomingMessages)?;
        run.present = room(ArrayName::PresenceBits)?;
        run.marks = room(ArrayName::Marks)?;
        run.active = room(ArrayName::ActiveSteps)?;
        run.gather = room(ArrayName::RowsToGather)?;
        run.pending = room(ArrayName::PendingBits)?;
        run.recipients = room(ArrayName::Recipients)?;
        run.partials = room(ArrayName::PartialResults)?;
        run.sent = room(ArrayName::SentMessages)?;
        run.folds = room(ArrayName::Aggregates)?;
        run.dirty = room(ArrayName::DirtyGroups)?;
        self.allocate_frontiers(buffers, run)
    }

    /// Room for what every kernel's loop has.
    pub(super) fn allocate_frontiers(&self, buffers: &mut Buffers, run: &mut Run) -> Result<(), RunError> {
        let mut room = |name| self.room(buffers, name);
        run.queues = [room(ArrayName::Frontier)?, room(ArrayName::NextFrontier)?];
        run.bitmaps = [room(ArrayName::FrontierBits)?, room(ArrayName::NextFrontierBits)?];
        run.records = room(ArrayName::StepRecords)?;
        run.record_room = if self.plan.traced { records::ROOM } else { 0 };
        run.control = room(ArrayName::LoopState)?;
        Ok(())
    }

    /// The width of the first bucket, by the plan's factor; the kernel widens and narrows it as it goes.
    pub(super) fn bucket_width(&self, buffers: &Buffers) -> f64 {
        let graph = self.plan.graph;
        let degree = graph.edges as f64 / graph.vertices.max(1) as f64;
        f64::from(self.plan.bucket_factor) * mean_weight::<P>(self.graph, buffers) / degree.max(1.0)
    }

    /// The sources' vertices and first values.
    fn upload_sources(&self, buffers: &mut Buffers, run: &mut Run) -> Result<(), RunError> {
        let device = &self.resident.device;
        let size = device_size(P::Value::KIND);
        let mut values = vec![0u8; self.sources.values.len() * size];
        values.chunks_exact_mut(size).zip(&self.sources.values).for_each(|(to, value)| value.write(to));
        run.source_vertices = buffers.upload(device, ArrayName::Sources, &self.sources.vertices)?;
        run.source_values = buffers.upload(device, ArrayName::SourceValues, &values)?;
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

    /// The values, in the program's type.
    fn read_back(&self, buffers: &mut Buffers) -> Result<Values<P::Value>, RunError> {
        let device = &self.resident.device;
        let n = self.plan.graph.vertices as usize;
        let in_place = self.plan.schedule.is_in_place();
        let each = if in_place { word_bytes(P::Value::KIND) as usize } else { device_size(P::Value::KIND) };
        let mut bytes = vec![0u8; n * each];
        let mut bits = vec![0u8; n.div_ceil(32) * 4];
        buffers.download(device, ArrayName::Values, &mut bytes)?;
        buffers.download(device, ArrayName::PresenceBits, &mut bits)?;
        device.stream.synchronize().map_err(driver_error("read the values back"))?;
        let is_marked = |v: usize| bits[v / 8] >> (v % 8) & 1 != 0;
        let kind = <P::Combine as Combiner<P::Message>>::KIND;
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
pub(super) fn word_value<V: Datum>(kind: CombineKind, element: &[u8], is_marked: bool) -> Option<V> {
    let (word, max) = match *element {
        [a, b, c, d] => (u64::from(u32::from_le_bytes([a, b, c, d])), u64::from(u32::MAX)),
        [a, b, c, d, e, f, g, h] => (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::MAX),
        _ => unreachable!("a word has 4 or 8 bytes, not {}", element.len()),
    };
    (word != identity(kind, max) || is_marked).then(|| from_word(kind, word))
}
