//! Executes the parts of a list of runs. Every device of an engine takes the next part when it is free.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, OnceLock};
use std::time::Instant;

use wolfpath_core::program::EdgeProgram;

use super::batch::{Tried, WaysAlone};
use super::outcomes::{Many, ManyStats, OneOf};
use super::sharing::{Divider, LEAST_ABREAST, Part, Sharing};
use crate::cpu::lock;
use crate::engine::LoadedGraph;
use crate::engine::loaded::lacks_room;
use crate::error::{DeviceError, PlanError, RunError};
use crate::stats::StageTimes;

/// Executes the parts of a list of runs.
///
/// # Errors
/// The first error of a run or batch. Runs on other devices are completed, and their results are discarded.
pub(super) fn run<P: EdgeProgram>(
    loaded: &LoadedGraph,
    divider: &Divider<'_, P>,
    parts: Vec<Part>,
) -> Result<Many<P>, RunError> {
    let runs = divider.programs.len();
    let alone = parts.iter().find(|part| matches!(part.sharing, Sharing::Alone(_))).cloned();
    let state = State {
        parts: parts.into(),
        alone: VecDeque::new(),
        together: Vec::new(),
        working: 0,
        runs: (0..runs).map(|_| None).collect(),
        stats: ManyStats { runs, ..ManyStats::default() },
        error: None,
    };
    let (state, changed, ways_alone) = (Mutex::new(state), Condvar::new(), OnceLock::new());
    let running = Running { loaded, divider, state, changed, ways_alone };
    if let Some(part) = alone {
        running.decide(&part);
    }
    running.run_everywhere();
    let state = running.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match state.error {
        Some(error) => Err(error),
        None => Ok(Many { runs: state.runs.into_iter().flatten().collect(), stats: state.stats }),
    }
}

/// A list of runs while they execute.
struct Running<'a, P: EdgeProgram> {
    /// The graph on all devices of the engine.
    loaded: &'a LoadedGraph,
    divider: &'a Divider<'a, P>,
    state: Mutex<State<P>>,
    /// Notified when a device has ended a task, which may have queued other parts.
    changed: Condvar,
    /// Decided before the first run that is not in a batch is queued.
    ways_alone: OnceLock<WaysAlone>,
}

/// Runs that wait, and the results of those that have ended.
struct State<P: EdgeProgram> {
    parts: VecDeque<Part>,
    /// The rest of a part whose runs are in no batch.
    alone: VecDeque<usize>,
    /// Runs that all devices execute together in the end, because they are few, or do not fit on one device.
    together: Vec<usize>,
    /// Number of devices that execute a task.
    working: usize,
    runs: Vec<Option<OneOf<P>>>,
    stats: ManyStats,
    error: Option<RunError>,
}

/// Something that one device executes.
enum Task {
    Batch(Part),
    Run(usize),
}

impl Task {
    fn members(&self) -> &[usize] {
        match self {
            Task::Batch(part) => &part.members,
            Task::Run(member) => std::slice::from_ref(member),
        }
    }
}

/// Held while a device executes a task. Other devices wait for the end of it, even if a function of the program panics.
struct Working<'a, 'b, P: EdgeProgram>(&'a Running<'b, P>);

impl<P: EdgeProgram> Drop for Working<'_, '_, P> {
    fn drop(&mut self) {
        lock(&self.0.state).working -= 1;
        self.0.changed.notify_all();
    }
}

impl<P: EdgeProgram> State<P> {
    /// Takes the next task. `ways` are those of runs that are not in a batch.
    fn next(&mut self, ways: Option<&WaysAlone>) -> Option<Task> {
        loop {
            if let Some(member) = self.alone.pop_front() {
                return Some(Task::Run(member));
            }
            let part = self.parts.pop_front()?;
            let Sharing::Alone(reason) = part.sharing else { return Some(Task::Batch(part)) };
            let count = part.members.len();
            if self.runs.len() > 1 {
                self.stats.note(format!("{count} of the runs were executed each by itself: {reason}"));
            }
            self.stats.take_part(count, part.sharing);
            if ways.is_some_and(|ways| ways.take_all(&part)) {
                self.together.extend(part.members);
            } else {
                self.alone = part.members.into();
            }
        }
    }
}

impl<P: EdgeProgram> Running<'_, P> {
    /// Executes all tasks: on the first device from this thread, and on each other one from a thread of its own. Then executes
    /// the runs of all devices together.
    fn run_everywhere(&self) {
        let places = self.loaded.on_each_device();
        let Some((first, others)) = places.split_first() else { return };
        let times = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for place in others {
                let builder = std::thread::Builder::new();
                match builder.spawn_scoped(scope, || self.work(place)) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        let error = DeviceError::Threads { threads: 1, message: error.to_string() };
                        lock(&self.state).error.get_or_insert(error.into());
                    }
                }
            }
            let mut times = vec![self.work(first)];
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            times.extend(threads.into_iter().map(join));
            times
        });
        let mut times = times.into_iter().fold(StageTimes::default(), StageTimes::longest);
        let together = std::mem::take(&mut lock(&self.state).together);
        for member in together {
            if lock(&self.state).error.is_some() {
                break;
            }
            let ended = self.run_alone(self.loaded, member, &mut times);
            self.note_end(&[member], ended);
        }
        lock(&self.state).stats.times = times;
    }

    /// Decides how runs that are not in a batch are executed, of which `part` has some.
    fn decide(&self, part: &Part) {
        self.ways_alone.get_or_init(|| self.loaded.ways_alone(self.divider, part));
    }

    /// Notes the error of a task, if it failed.
    fn note_end(&self, members: &[usize], ended: Result<(), RunError>) {
        let Err(error) = ended else { return };
        let mut state = lock(&self.state);
        let error = self.at_its_runs(&state, members, error);
        state.error.get_or_insert(error);
    }

    /// Executes tasks on a device until none is left. Returns their times.
    fn work(&self, place: &LoadedGraph) -> StageTimes {
        let mut times = StageTimes::default();
        while let Some(task) = self.next_task() {
            let _working = Working(self);
            let ended = match &task {
                Task::Batch(part) => self.run_batch(place, part, &mut times),
                &Task::Run(member) => match self.run_alone(place, member, &mut times) {
                    Err(error) if self.divider.devices > 1 && lacks_room(&error) => {
                        lock(&self.state).together.push(member);
                        Ok(())
                    }
                    ended => ended,
                },
            };
            self.note_end(task.members(), ended);
        }
        times
    }

    /// Returns the next task, as soon as there is one. Returns `None` if all runs have ended, or one has failed.
    fn next_task(&self) -> Option<Task> {
        let mut state = lock(&self.state);
        loop {
            if state.error.is_some() {
                return None;
            }
            if let Some(task) = state.next(self.ways_alone.get()) {
                state.working += 1;
                return Some(task);
            }
            if state.working == 0 {
                return None;
            }
            // A device may yet divide its batch into smaller ones.
            state = self.changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Runs a batch. If it cannot run as planned, divides it into other parts and queues them.
    fn run_batch(&self, place: &LoadedGraph, part: &Part, times: &mut StageTimes) -> Result<(), RunError> {
        let mut tried = place.try_batch(self.divider, part)?;
        if matches!(tried, Tried::TooLarge(_)) && self.make_room()? {
            tried = place.try_batch(self.divider, part)?;
        }
        match tried {
            Tried::Ran(batch) => {
                times.add(&batch.stats.times);
                let mut state = lock(&self.state);
                let runs = batch.runs.into_iter().zip(&part.members);
                runs.for_each(|(run, &member)| state.runs[member] = Some(run));
                state.stats.add(&batch.stats, batch.apart);
                state.stats.take_part(part.members.len(), part.sharing);
            }
            Tried::Unsteady => {
                let reason = "a message improved on an earlier one, or faulted";
                let obstacle = (self.divider.devices == 0).then_some(reason);
                self.queue(self.divider.divide_abreast(&part.members, obstacle));
            }
            Tried::TooLarge(error) => self.divide_smaller(part, &error),
        }
        Ok(())
    }

    /// Runs a program by itself.
    fn run_alone(&self, place: &LoadedGraph, member: usize, times: &mut StageTimes) -> Result<(), RunError> {
        let (program, options) = (&self.divider.programs[member], self.divider.options);
        let outcome = place.run_as_is(program, options, Instant::now())?;
        times.add(&outcome.stats().times);
        let mut state = lock(&self.state);
        state.stats.add(outcome.stats(), outcome.stats().edges);
        state.runs[member] = Some(OneOf::Whole(Box::new(outcome)));
        Ok(())
    }

    /// Adds the runs that were executing to an error, unless there is only one run in total.
    fn at_its_runs(&self, state: &State<P>, members: &[usize], error: RunError) -> RunError {
        let all = state.runs.len();
        if all == 1 {
            return error;
        }
        let done = state.runs.iter().flatten().count();
        RunError::OfMany { runs: members.to_vec(), done, all, error: Box::new(error) }
    }

    /// Copies the results of earlier batches to the host. Returns `true` if this freed device memory.
    fn make_room(&self) -> Result<bool, RunError> {
        let state = lock(&self.state);
        let batches = state.runs.iter().flatten().filter_map(|run| match run {
            OneOf::Shared { batch, .. } => Some(batch.clone()),
            OneOf::Whole(_) => None,
        });
        let batches: Vec<_> = batches.collect();
        drop(state);
        batches.iter().try_fold(false, |any, batch| Ok(any | batch.reached.bring_home()?))
    }

    /// Queues the runs of a part that did not fit. Runs abreast are retried with half as many runs per batch. A bits
    /// batch takes the same space for any number of runs, so its runs are retried abreast.
    fn divide_smaller(&self, part: &Part, error: &PlanError) {
        let half = part.members.len().div_ceil(2);
        let note = format!("{} runs ({}) did not fit: {error}", part.members.len(), part.sharing);
        lock(&self.state).stats.note(note);
        let parts = match part.sharing {
            Sharing::Bits => self.divider.divide_abreast(&part.members, None),
            Sharing::Abreast if part.members.len() > LEAST_ABREAST as usize => {
                let halves = part.members.chunks(half);
                let part_of = |half: &[usize]| Part { members: half.to_vec(), sharing: Sharing::Abreast };
                halves.map(part_of).collect()
            }
            _ => {
                let sharing = Sharing::Alone("no batch of them fits on the device");
                vec![Part { members: part.members.clone(), sharing }]
            }
        };
        self.queue(parts);
    }

    /// Queues parts into which another one was divided.
    fn queue(&self, parts: Vec<Part>) {
        if let Some(alone) = parts.iter().find(|part| matches!(part.sharing, Sharing::Alone(_))) {
            self.decide(alone);
        }
        lock(&self.state).parts.extend(parts);
    }
}
