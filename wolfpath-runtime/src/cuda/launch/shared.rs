//! A run that several devices share. Each has a kernel of its own, which waits for the others' kernels, so all of them are
//! launched before the host waits for one.

use std::cell::Cell;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use super::figures::Figures;
use super::program_bytes::ProgramBytes;
use super::slices::{HostLink, KernelData, Looped, Slices};
use super::untyped::{Prepared, UntypedLaunch};
use super::{OneRun, room};
use crate::cuda::buffers::Buffers;
use crate::cuda::collect;
use crate::cuda::device::{Device, Loaded, driver_error};
use crate::cuda::records;
use crate::cuda::source::{Configuration, Kernel};
use crate::cuda::state::{Control, DeviceRun, Parameters, Peer};
use crate::cuda::stop_word::StopWord;
use crate::cuda::stream::{Stream, serve_all};
use crate::cuda::together::{alone, end_together, launching, named};
use crate::error::{DeviceError, PlanError, RunError};
use crate::options::{Counts, Watch};
use crate::plan::{ArrayName, Schedule};
use crate::stats::Streamed;

/// One device with its part of a run.
struct Part<'a> {
    launch: &'a UntypedLaunch<'a>,
    buffers: &'a mut Buffers,
    run: DeviceRun,
    ready: Option<(Loaded, Parameters)>,
    /// State of the device's loop between two launches.
    control: Control,
}

/// Launches a kernel on each device, several times if necessary, until the run has ended. The results are in `data`, and the
/// values of all devices are collected on the first one.
pub(super) fn carry_out(
    kernel: Kernel,
    program: &dyn ProgramBytes,
    launches: &[UntypedLaunch<'_>],
    data: &mut [OneRun],
) -> Result<Figures, RunError> {
    let lead = &launches[0];
    let mut locked: Vec<MutexGuard<'_, Buffers>> =
        launches.iter().map(|launch| launch.resident.buffers()).collect();
    let mut parts: Vec<Part<'_>> =
        launches.iter().zip(&mut locked).map(|(launch, buffers)| Part::new(launch, buffers)).collect();
    let copies = |parts: &[Part<'_>]| {
        let both = parts.iter().map(|part| (part.buffers.uploads, part.buffers.downloads));
        both.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1))
    };
    let before = copies(&parts);
    // A device may have been lost in an earlier run.
    parts.iter().try_for_each(|part| part.device().guard(|| Ok(())))?;
    parts.iter_mut().try_for_each(|part| part.launch.check_room(part.buffers))?;
    let compiling = Instant::now();
    let prepared = prepare(kernel, program, &mut parts, compiling)?;
    let first = &mut parts[0];
    let link = HostLink::new(lead.resident, first.buffers, lead.shape().model, &mut first.run)?;
    let abort = first.buffers.abort_word(&lead.resident.device)?;
    abort.clear();
    let (stop, progress) = (first.run.stop, first.run.progress);
    for (part, data) in parts.iter_mut().zip(data.iter_mut()) {
        (part.run.stop, part.run.progress, part.run.abort) = (stop, progress, abort.address());
        data.place(part.launch, part.buffers, &mut part.run)?;
    }
    introduce(&mut parts)?;
    let memories: Vec<_> =
        parts.iter_mut().map(|part| part.launch.stream_memory(part.buffers)).collect::<Result<_, _>>()?;
    let memories = memories.iter().flatten();
    let streams: Vec<Stream<'_>> = memories
        .zip(&mut parts)
        .map(|(memory, part)| {
            part.launch.stream(program, part.buffers, (memory, launches.len()), &mut part.run)
        })
        .collect::<Result<_, _>>()?;
    for part in &parts {
        part.launch.resident.device.stream.synchronize().map_err(driver_error("upload the graph"))?;
    }
    let running = Instant::now();
    let has_values = Cell::new(false);
    let looped = match serve_all(&streams, &mut || run(&mut parts, &link, &streams, &abort, &has_values))? {
        Ok(looped) => looped,
        Err(error) => {
            // Between the passes of union-find, the values are not those of any step.
            let has_values = has_values.get() && lead.plan.schedule != Schedule::Union;
            if lead.options.keep_unfinished && error.is_of_unfinished() && has_values {
                collect(&mut parts)?;
                data[0].read(lead, parts[0].buffers, &Control::default())?;
            }
            return Err(error);
        }
    };
    let reading = Instant::now();
    let mut streamed = Streamed::default();
    for (stream, part) in streams.iter().zip(&mut parts) {
        lead.graph.check_unchanged().map_err(PlanError::from)?;
        streamed.add(stream.streamed(part.buffers)?);
    }
    let device_bytes = parts.iter().map(|part| part.launch.occupied(part.buffers)).sum();
    collect(&mut parts)?;
    for (part, data) in parts.iter_mut().zip(data.iter_mut()).skip(1) {
        data.note(part.launch, part.buffers, &part.control);
    }
    let control = parts[0].control;
    data[0].read(lead, parts[0].buffers, &control)?;
    let begun = prepared.begun(lead.began, running, reading);
    let after = copies(&parts);
    let loaded = parts[0].ready.take().and_then(|(loaded, _)| loaded.note);
    let looped = Looped { control, ..looped };
    let figures = lead.figures(looped, (after.0 - before.0, after.1 - before.1), loaded, begun);
    Ok(Figures { device_bytes, streamed, ..figures })
}

impl<'a> Part<'a> {
    fn new(launch: &'a UntypedLaunch<'a>, buffers: &'a mut Buffers) -> Part<'a> {
        Part { launch, buffers, run: launch.limits(), ready: None, control: Control::default() }
    }

    fn device(&self) -> &'a Device {
        &self.launch.resident.device
    }

    /// Names the device in an error if it was lost.
    fn named(&self, error: DeviceError) -> RunError {
        named(self.device(), error)
    }
}

/// Loads the kernel on all devices while the parts of the graph that they do not have are copied to each of them.
fn prepare(
    kernel: Kernel,
    program: &dyn ProgramBytes,
    parts: &mut [Part<'_>],
    compiling: Instant,
) -> Result<Prepared, RunError> {
    let lead = parts[0].launch;
    let configuration = Configuration::of(lead.plan);
    let loading = Instant::now();
    let devices: Vec<&Device> = parts.iter().map(Part::device).collect();
    let (loaded, uploaded) = std::thread::scope(|scope| {
        let mut uploading = Vec::new();
        for part in parts.iter_mut() {
            let (launch, buffers, run) = (part.launch, &mut *part.buffers, &mut part.run);
            let builder = std::thread::Builder::new();
            let upload = move || (launch.upload(program, buffers, run), loading.elapsed());
            uploading.push(builder.spawn_scoped(scope, upload));
        }
        let uploading: Result<Vec<_>, _> = uploading.into_iter().collect();
        let uploading =
            uploading.map_err(|error| DeviceError::Threads { threads: 1, message: error.to_string() })?;
        // The first device compiles the kernel, if it was not compiled before.
        let load = |device: &&Device| device.load(kernel, lead.shape(), configuration);
        let loaded: Result<Vec<_>, _> = devices.iter().map(load).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let uploaded: Vec<_> = uploading.into_iter().map(join).collect();
        Ok::<_, DeviceError>((loaded, uploaded))
    })?;
    let (loaded, mut took, mut compile) = (loaded?, Duration::ZERO, Duration::ZERO);
    for ((part, (loaded, time)), (parameters, upload)) in parts.iter_mut().zip(loaded).zip(uploaded) {
        let parameters = parameters.map_err(|error| match error {
            RunError::Device(error) => part.named(error),
            error => error,
        })?;
        part.ready = Some((loaded, parameters));
        took = took.max(upload);
        compile += time;
    }
    Ok(Prepared { compiling, compile, loading, waited: loading.elapsed().saturating_sub(took) })
}

/// Gives each device the numbers of its vertices, and the addresses in the memory of all devices.
fn introduce(parts: &mut [Part<'_>]) -> Result<(), RunError> {
    let devices = parts.len() as u32;
    let (mut peers, mut lenders) = (Vec::new(), Vec::new());
    for (at, part) in parts.iter_mut().enumerate() {
        let (launch, device) = (part.launch, part.device());
        let shard = launch.resident.shard.as_ref().expect("each device has a part of the graph");
        let run = &mut part.run;
        (run.device, run.devices) = (at as u32, devices);
        run.inbox_room = room::inbox_room(launch.budget) as u32;
        let units = shard.own_units();
        run.own_count = units.len() as u32;
        run.unit_shift = shard.deal.unit().trailing_zeros();
        let buffers = &mut *part.buffers;
        run.own_units = buffers.upload_once(device, ArrayName::OwnUnits, &units)?;
        run.owners = buffers.upload_once(device, ArrayName::Owners, shard.deal.owners())?;
        run.unsent = launch.room(buffers, ArrayName::UnsentBits)?;
        let inboxes = [ArrayName::Inbox, ArrayName::NextInbox];
        let [even, odd] = inboxes.map(|name| launch.room(buffers, name));
        peers.push(Peer {
            control: run.control,
            inboxes: [even?, odd?],
            values: run.values,
            present: run.present,
            active: run.active,
            bitmaps: run.bitmaps,
            sent: run.sent,
            folds: run.folds,
            message_slots: run.message_slots,
            parents: run.parents,
            pending: run.pending,
            amounts: run.amounts,
            blocks: super::slices::blocks(device).into(),
        });
        lenders.push(*run);
    }
    for part in parts {
        let device = part.device();
        part.run.peers = part.buffers.upload(device, ArrayName::Peers, &peers)?;
        if part.launch.plan.techniques.lending {
            part.run.least_lent = part.launch.plan.share.map_or(0, |share| share.least_lent);
            part.run.lenders = part.buffers.upload(device, ArrayName::Lenders, &lenders)?;
        }
    }
    Ok(())
}

/// Launches the kernels until the run has ended.
fn run(
    parts: &mut [Part<'_>],
    link: &HostLink,
    streams: &[Stream<'_>],
    abort: &StopWord,
    has_values: &Cell<bool>,
) -> Result<Looped, RunError> {
    let lead = parts[0].launch;
    let mut watch = Watch::new(lead.plan, lead.options);
    let mut looped = Looped::default();
    if lead.plan.graph.vertices == 0 {
        parts[0].control.step = 1;
        return Ok(looped);
    }
    loop {
        let control = &parts[0].control;
        let (steps, edges) = (control.step.saturating_sub(1), control.edges);
        watch.look(Counts { steps, edges, ..Counts::default() })?;
        let (sliced, ends) = link.watched(&mut watch, streams, || slice(parts, abort))?;
        looped.time += sliced?;
        let control = parts[0].control;
        // A program with loops may have been stopped inside one of them, in the middle of a step.
        has_values.set(control.fault == 0);
        ends?;
        looped.launches += parts.len() as u64;
        if lead.plan.traced {
            let mut bytes = vec![0; control.recorded.min(records::ROOM) as usize * records::BYTES];
            let (device, first) = (parts[0].device(), &mut parts[0]);
            first.buffers.download(device, ArrayName::StepRecords, &mut bytes)?;
            let chunk_bytes = lead.plan.ring.map_or(0, |ring| ring.slot_bytes);
            records::add(
                &mut looped.recorded,
                &bytes,
                &control,
                lead.shape().model.has_priority,
                chunk_bytes,
            );
        }
        let (loaded, parameters) = parts[0].ready.as_ref().expect("the kernel is loaded");
        let slices = Slices {
            launch: lead,
            loaded,
            run: &parts[0].run,
            parameters,
            link,
            streams,
            has_values: Cell::new(false),
        };
        slices.check(&control)?;
        if control.outcome != crate::cuda::state::directive::PAUSE {
            return Ok(looped);
        }
    }
}

/// Launches all kernels once, and waits for them. Returns the time of the longest one. If a device fails, the kernels of the
/// others are told, because they would wait for it.
fn slice(parts: &mut [Part<'_>], abort: &StopWord) -> Result<Duration, RunError> {
    alone(|| {
        // A kernel may change the state of all devices as soon as it runs.
        parts.iter_mut().try_for_each(|part| part.prepare().map_err(|error| part.named(error)))?;
        let begin = |part: &mut Part<'_>| part.begin().map_err(|error| part.named(error));
        let launched = launching(|| parts.iter_mut().try_for_each(begin));
        let devices: Vec<&Device> = parts.iter().map(Part::device).collect();
        end_together(&devices, abort, launched)?;
        parts.iter_mut().try_fold(Duration::ZERO, |longest, part| {
            let time = part.get_control().map_err(|error| part.named(error))?;
            Ok(longest.max(time))
        })
    })
}

impl Part<'_> {
    /// Stores the state of the loop on the device, and creates what measures the time.
    fn prepare(&mut self) -> Result<(), DeviceError> {
        let device = self.device();
        let control = self.control.for_launch();
        self.buffers.upload(device, ArrayName::LoopState, bytemuck::bytes_of(&control))?;
        device.stream.synchronize().map_err(driver_error("copy to the device"))?;
        self.buffers.clock(device).map(drop)
    }

    /// Launches the kernel.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let device = self.device();
        let clock = self.buffers.clock(device)?;
        let [begin, end] = &*clock;
        begin.record(&device.stream).map_err(driver_error("record an event"))?;
        let (loaded, parameters) = self.ready.as_ref().expect("the kernel is loaded");
        super::slices::launch(device, loaded, &self.run, parameters, |_| {})?;
        end.record(&device.stream).map_err(driver_error("record an event"))
    }

    /// Copies back the state of the loop, after all kernels have ended. Returns the time that this device's kernel took.
    fn get_control(&mut self) -> Result<Duration, DeviceError> {
        let (launch, device) = (self.launch, self.device());
        self.buffers.land(device, ArrayName::LoopState, size_of::<Control>())?;
        launch.land_fold(self.buffers)?;
        device.stream.synchronize().map_err(driver_error("copy from the device"))?;
        let clock = self.buffers.clock(device)?;
        let [begin, end] = &*clock;
        let milliseconds = begin.elapsed_ms(end).map_err(driver_error("measure the time"))?;
        self.control = bytemuck::pod_read_unaligned(self.buffers.landed(ArrayName::LoopState)?);
        Ok(Duration::from_secs_f64(f64::from(milliseconds) / 1e3))
    }
}

/// Copies the values of each device's vertices to the first device.
fn collect(parts: &mut [Part<'_>]) -> Result<(), RunError> {
    let (first, others) = parts.split_at_mut(1);
    let each = first[0].launch.value_bytes();
    let to = (first[0].run.values, first[0].run.present);
    let launched = others.iter().try_for_each(|part| collect::launch(part.device(), &part.run, to, each));
    // Even if one launch fails, the other kernels must have ended before the arrays that they write are used again.
    let mut ended = Ok(());
    for part in &*others {
        ended = ended.and(part.device().stream.synchronize());
    }
    launched?;
    Ok(ended.map_err(driver_error("collect the values of the devices"))?)
}
