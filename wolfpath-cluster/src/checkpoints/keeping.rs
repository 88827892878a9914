//! Writes the state of a run to files during the run.
//!
//! After a step that is due, each process copies its state, and a thread writes it. After each further step, the processes
//! tell each other whether their states are on the disk. When all are, a thread of process 0 writes the file that makes the
//! checkpoint complete, and removes the states of the one before. So a run waits only if a checkpoint is due while the one
//! before is still being written.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use wolfpath_core::store::container::{self, Written};
use wolfpath_runtime::part::{KeptState, Message, PeerError, Peers, put, unreadable};

use super::Checkpoints;
use super::error::CheckpointError;
use super::format::{
    CHECKPOINT, CHECKPOINT_NAME, CheckpointFields, CheckpointSection, Identity, Listed, Moment, STATE,
    StateFields, StateSection, moment_of, state_path,
};
use super::read::Resumed;

/// The processes of a run that keeps checkpoints, or continues from one.
pub(super) struct Keeping<'a> {
    peers: &'a dyn Peers,
    identity: &'a Identity,
    /// Number of steps after which the run continues.
    resumed_after: Option<u64>,
    /// State from which the run continues, until it has read it.
    resumed: Mutex<Option<Arc<KeptState>>>,
    keeper: Option<Keeper>,
}

/// Writer of checkpoints.
struct Keeper {
    folder: PathBuf,
    every: u64,
    /// Number of this run among those that have kept states in the folder.
    run: u32,
    /// The blocks of this process.
    blocks: Vec<u32>,
    /// A thread that writes: those of the run have work to do.
    pool: ThreadPool,
    stage: Mutex<Stage>,
}

/// Stage of the last checkpoint. All processes are in the same one.
enum Stage {
    /// It is complete, or no checkpoint was begun.
    Complete,
    /// Each process writes its state.
    States(Checkpoint, Job<Listed>),
    /// Process 0 completes it.
    Completing(Job<()>),
}

/// A checkpoint that is not complete yet.
#[derive(Clone)]
struct Checkpoint {
    moment: Moment,
    head: Vec<u8>,
}

/// Something that another thread does.
struct Job<T> {
    ends: Receiver<Result<T, CheckpointError>>,
    ended: Option<Result<T, CheckpointError>>,
}

impl<T: Send + 'static> Job<T> {
    fn start(
        pool: &ThreadPool,
        work: impl FnOnce() -> Result<T, CheckpointError> + Send + 'static,
    ) -> Job<T> {
        let (send, ends) = channel();
        // A result that cannot be sent is one of a run that has ended.
        pool.spawn(move || drop(send.send(work())));
        Job { ends, ended: None }
    }

    fn done(result: T) -> Job<T> {
        Job { ends: channel().1, ended: Some(Ok(result)) }
    }

    /// Returns the result, if there is one. If `waits` is `true`, there is.
    fn look(&mut self, waits: bool) -> Option<&Result<T, CheckpointError>> {
        if self.ended.is_none() {
            self.ended = match waits {
                true => self.ends.recv().ok(),
                false => self.ends.try_recv().ok(),
            };
        }
        self.ended.as_ref()
    }
}

impl<'a> Keeping<'a> {
    /// Returns the processes of a run that keeps `checkpoints`. `blocks` are those of this process.
    pub(super) fn new(
        peers: &'a dyn Peers,
        checkpoints: &Checkpoints,
        identity: &'a Identity,
        blocks: &[u32],
        resumed: Option<Resumed>,
    ) -> Result<Keeping<'a>, PeerError> {
        let resumed_after = resumed.as_ref().map(|resumed| resumed.steps);
        let resumed = Mutex::new(resumed.map(|resumed| Arc::new(resumed.state)));
        let keeping = Keeping { peers, identity, resumed_after, resumed, keeper: None };
        let Some((every, folder)) = &checkpoints.kept else { return Ok(keeping) };
        // If another process has failed, this changes nothing.
        let found = create(folder).and_then(|()| last_run(folder));
        let found = found
            .inspect_err(|error| peers.abort(&error.to_string()))
            .map_err(|error| Arc::new(error) as PeerError)?;
        let heard = peers.exchange(vec![found.to_le_bytes().to_vec(); peers.processes()])?;
        let runs = heard.iter().map(|told| Message(told).u32().unwrap_or(0));
        let run = runs.max().unwrap_or(0).wrapping_add(1);
        let pool = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "checkpoints".to_owned()).build();
        let pool = pool.map_err(|error| of_folder(folder, "start a thread for")(io::Error::other(error)));
        let pool = pool
            .inspect_err(|error| peers.abort(&error.to_string()))
            .map_err(|error| Arc::new(error) as PeerError)?;
        let (folder, every, blocks) = (folder.clone(), every.get(), blocks.to_vec());
        let keeper = Keeper { folder, every, run, blocks, pool, stage: Mutex::new(Stage::Complete) };
        Ok(Keeping { keeper: Some(keeper), ..keeping })
    }

    /// Returns the number of steps after which the run continued.
    pub(super) fn resumed_after(&self) -> Option<u64> {
        self.resumed_after
    }

    /// Returns the state from which the run continues, unless it has been freed.
    fn held_state(&self) -> MutexGuard<'_, Option<Arc<KeptState>>> {
        self.resumed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes the last checkpoint.
    pub(super) fn finish(&self) -> Result<(), PeerError> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        self.advance(keeper, &mut keeper.stage(), true)
    }

    /// Advances the last checkpoint if its current stage is done. If `waits` is `true`, completes it.
    fn advance(&self, keeper: &Keeper, stage: &mut Stage, waits: bool) -> Result<(), PeerError> {
        loop {
            *stage = match stage {
                Stage::Complete => return Ok(()),
                Stage::States(checkpoint, job) => {
                    match self.all_have(job.look(waits), put_listed, Listed::read)? {
                        Some(listed) => Stage::Completing(match self.peers.process() {
                            0 => keeper.complete(checkpoint.clone(), listed, self.identity),
                            _ => Job::done(()),
                        }),
                        None => return Ok(()),
                    }
                }
                Stage::Completing(job) => match self.all_have(job.look(waits), |(), _| {}, |_| Some(()))? {
                    Some(_) => Stage::Complete,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Tells all processes the result of this one, if there is one. Returns the results of all, once all have one. If one of
    /// them failed, all return an error.
    fn all_have<T>(
        &self,
        own: Option<&Result<T, CheckpointError>>,
        put: impl Fn(&T, &mut Vec<u8>),
        read: impl Fn(&mut Message<'_>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, PeerError> {
        let mut told = Vec::new();
        match own {
            None => told.push(NOT_YET),
            Some(Ok(result)) => {
                told.push(DONE);
                put(result, &mut told);
            }
            Some(Err(error)) => {
                told.push(FAILED);
                told.extend(error.to_string().into_bytes());
            }
        }
        let heard = self.peers.exchange(vec![told; self.peers.processes()]);
        // The others may have heard of it, and given up, before this exchange ends.
        if let Some(Err(error)) = own {
            return Err(Arc::new(error.clone()));
        }
        let heard = heard?;
        let mut results = Vec::new();
        for (process, told) in heard.iter().enumerate() {
            match told.split_first() {
                Some((&NOT_YET, _)) => {}
                Some((&DONE, told)) => {
                    let result = read(&mut Message(told));
                    results.push(result.ok_or_else(|| unreadable(process, "a checkpoint"))?);
                }
                Some((&FAILED, error)) => {
                    let error = String::from_utf8_lossy(error).into_owned();
                    return Err(Arc::new(CheckpointError::Elsewhere { process, error }));
                }
                _ => return Err(unreadable(process, "a checkpoint")),
            }
        }
        Ok((results.len() == heard.len()).then_some(results))
    }
}

/// The first bytes of what processes tell of their work.
const NOT_YET: u8 = 0;
const DONE: u8 = 1;
const FAILED: u8 = 2;

fn put_listed(listed: &Listed, told: &mut Vec<u8>) {
    put(told, listed.bytes);
    put(told, listed.table);
}

impl Peers for Keeping<'_> {
    fn process(&self) -> usize {
        self.peers.process()
    }

    fn processes(&self) -> usize {
        self.peers.processes()
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, PeerError> {
        self.peers.exchange(outgoing)
    }

    fn abort(&self, reason: &str) {
        self.peers.abort(reason);
    }

    fn resumed(&self) -> Option<Arc<KeptState>> {
        self.held_state().clone()
    }

    fn after_step(&self, steps: u64, state: &mut dyn FnMut() -> KeptState) -> Result<(), PeerError> {
        // A run that has taken a step has read it.
        *self.held_state() = None;
        let Some(keeper) = &self.keeper else { return Ok(()) };
        let is_due = steps.is_multiple_of(keeper.every);
        let mut stage = keeper.stage();
        self.advance(keeper, &mut stage, is_due)?;
        if is_due {
            let mut state = state();
            let head = std::mem::take(&mut state.head);
            let moment = Moment { run: keeper.run, steps };
            *stage = Stage::States(Checkpoint { moment, head }, keeper.write(moment, self.process(), state));
        }
        Ok(())
    }
}

impl Keeper {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the state of this process.
    fn write(&self, moment: Moment, process: usize, state: KeptState) -> Job<Listed> {
        let (path, blocks) = (state_path(&self.folder, moment, process), self.blocks.clone());
        let steps = moment.steps;
        Job::start(&self.pool, move || {
            let KeptState { edges, updates, records, ends, .. } = state;
            let (process, number) = (process as u32, blocks.len() as u32);
            let fields = StateFields { process, blocks: number, steps, edges, updates, reserved: [0; 3] };
            let bytes = |numbers| Cow::Borrowed(numbers);
            let sections = vec![
                (StateSection::Blocks as u32, bytes(bytemuck::cast_slice(&blocks))),
                (StateSection::Ends as u32, bytes(bytemuck::cast_slice(&ends))),
                (StateSection::Records as u32, bytes(&records)),
            ];
            let Written { table, bytes } = container::write_durably(&path, &STATE, &fields, sections)?;
            Ok(Listed { bytes, table })
        })
    }

    /// Writes the file that makes a checkpoint complete, then removes the states of others.
    fn complete(&self, checkpoint: Checkpoint, listed: Vec<Listed>, identity: &Identity) -> Job<()> {
        let (folder, graph, settings) = (self.folder.clone(), identity.graph.clone(), identity.settings());
        Job::start(&self.pool, move || {
            let Checkpoint { moment, head } = checkpoint;
            let (Moment { run, steps }, processes) = (moment, listed.len() as u32);
            let fields = CheckpointFields { processes, steps, run, reserved: [0; 7] };
            let sections = vec![
                (CheckpointSection::Graph as u32, Cow::Owned(graph)),
                (CheckpointSection::Settings as u32, Cow::Owned(settings)),
                (CheckpointSection::Head as u32, Cow::Owned(head)),
                (CheckpointSection::States as u32, Cow::Borrowed(bytemuck::cast_slice(&listed))),
            ];
            container::write_durably(&folder.join(CHECKPOINT_NAME), &CHECKPOINT, &fields, sections)?;
            remove_others(&folder, moment)
        })
    }
}

/// Creates a folder, if it does not exist.
fn create(folder: &Path) -> Result<(), CheckpointError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(of_folder(folder, "create the folder")(error))
        }
        // Several processes may create it at the same time.
        _ if folder.is_dir() => Ok(()),
        _ => Err(of_folder(folder, "create the folder")(io::ErrorKind::NotADirectory.into())),
    }
}

/// Removes all states but those of this moment.
fn remove_others(folder: &Path, moment: Moment) -> Result<(), CheckpointError> {
    for name in names_in(folder)? {
        let path = folder.join(&name);
        if moment_of(&name).is_some_and(|other| other != moment) && path.is_file() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(of_folder(&path, "remove")(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Returns the largest number of a run that has kept states in a folder; 0 if none has.
fn last_run(folder: &Path) -> Result<u32, CheckpointError> {
    let states = names_in(folder)?.into_iter().filter(|name| folder.join(name).is_file());
    Ok(states.filter_map(|name| Some(moment_of(&name)?.run)).max().unwrap_or(0))
}

/// Returns the names in a folder that are text.
fn names_in(folder: &Path) -> Result<Vec<String>, CheckpointError> {
    let names: io::Result<Vec<_>> =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    let names = names.map_err(of_folder(folder, "read the folder"))?;
    Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// Returns a function that wraps a system error about a folder.
fn of_folder(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |error| CheckpointError::Folder { path, action, error: Arc::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only process.
    struct Alone;

    impl Peers for Alone {
        fn process(&self) -> usize {
            0
        }

        fn processes(&self) -> usize {
            1
        }

        fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, PeerError> {
            Ok(outgoing)
        }

        fn abort(&self, _: &str) {}
    }

    #[test]
    fn the_state_from_which_a_run_continues_is_freed() {
        let identity = Identity { graph: Vec::new(), settings: Vec::new() };
        let resumed = Resumed { state: KeptState::default(), steps: 3, table: 0 };
        let keeping = Keeping::new(&Alone, &Checkpoints::resume("kept"), &identity, &[], Some(resumed));
        let keeping = keeping.unwrap_or_else(|error| panic!("{error}"));
        let state = Arc::downgrade(&keeping.resumed().expect("the run continues"));
        assert!(state.upgrade().is_some() && keeping.resumed_after() == Some(3));
        keeping
            .after_step(4, &mut || unreachable!("no checkpoint is asked for"))
            .expect("nothing is written");
        assert!(state.upgrade().is_none() && keeping.resumed_after() == Some(3));
    }
}
