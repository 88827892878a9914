//! Reads a checkpoint, from which a run continues.

use std::io;
use std::path::Path;
use std::sync::Arc;

use wolfpath_core::store::StoreError;
use wolfpath_core::store::container::Container;
use wolfpath_runtime::part::{KeptState, Message, PeerError, Peers, put, unreadable};

use super::error::CheckpointError;
use super::format::{
    CHECKPOINT, CHECKPOINT_NAME, CheckpointFields, CheckpointSection, Identity, Listed, Moment, STATE,
    StateFields, StateSection, state_path,
};

/// A state from which a run continues.
#[derive(Debug)]
pub(super) struct Resumed {
    pub(super) state: KeptState,
    pub(super) steps: u64,
    /// Checksum of the checkpoint.
    pub(super) table: u64,
}

/// Returns the state from which this process, which has these `blocks`, continues; `None` if the folder has no checkpoint. All
/// processes must call this together.
pub(super) fn read(
    folder: &Path,
    identity: &Identity,
    blocks: &[u32],
    peers: &dyn Peers,
) -> Result<Option<Resumed>, PeerError> {
    let own = read_own(folder, identity, blocks, peers);
    // All processes must agree on what they found, or fail.
    let mut told = Vec::new();
    match &own {
        Err(error) => {
            told.push(FAILED);
            told.extend(error.to_string().into_bytes());
        }
        Ok(None) => told.push(NONE),
        Ok(Some(Resumed { steps, table, .. })) => {
            told.push(FOUND);
            put(&mut told, *steps);
            put(&mut told, *table);
        }
    }
    let heard = peers.exchange(vec![told.clone(); peers.processes()])?;
    let own = own.map_err(|error| Arc::new(error) as PeerError)?;
    for (process, other) in heard.iter().enumerate() {
        match other.split_first() {
            Some((&FAILED, error)) => {
                let error = String::from_utf8_lossy(error).into_owned();
                return Err(Arc::new(CheckpointError::Elsewhere { process, error }));
            }
            Some(_) if *other == told => {}
            _ => {
                let [found, expected] = [other, &told].map(|told| description_of(told));
                let found = found.ok_or_else(|| unreadable(process, "a checkpoint"))?;
                let (folder, expected) = (folder.to_owned(), expected.unwrap_or_default());
                return Err(Arc::new(CheckpointError::NotShared { folder, process, found, expected }));
            }
        }
    }
    Ok(own)
}

/// The first bytes of what processes tell of the checkpoint that they find.
const NONE: u8 = 0;
const FOUND: u8 = 1;
const FAILED: u8 = 2;

fn description_of(told: &[u8]) -> Option<String> {
    let mut told = Message(told);
    match told.byte()? {
        NONE => Some("no checkpoint".to_owned()),
        FOUND => Some(format!("one after {} steps with the checksum {:016x}", told.u64()?, told.u64()?)),
        _ => None,
    }
}

fn read_own(
    folder: &Path,
    identity: &Identity,
    own: &[u32],
    peers: &dyn Peers,
) -> Result<Option<Resumed>, CheckpointError> {
    let path = folder.join(CHECKPOINT_NAME);
    let file = match Container::open(&path, &CHECKPOINT) {
        Err(StoreError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let CheckpointFields { processes, steps, run, .. } = file.fields();
    let moment = Moment { run, steps };
    let section = |kind: CheckpointSection| {
        let section = file.required(kind as u32)?;
        section.verify()?;
        Ok::<_, StoreError>(section)
    };
    let (graph, settings) = (section(CheckpointSection::Graph)?, section(CheckpointSection::Settings)?);
    if let Some([what, found, expected]) = identity.difference(graph.bytes(), settings.bytes()) {
        return Err(CheckpointError::Other { path, what, found, expected });
    }
    section(CheckpointSection::States)?;
    let listed = file.column::<Listed>(CheckpointSection::States as u32, processes.into())?;
    let mut found = vec![Vec::new(); own.len()];
    let mut state = KeptState::default();
    // With as many processes as before, each has its own state. Otherwise, process 0 takes over the counts of all.
    let is_alike = processes as usize == peers.processes();
    for (process, listed) in listed.values().iter().enumerate() {
        if !is_alike || process == peers.process() {
            let path = state_path(folder, moment, process);
            let fields = read_state(&path, (process, steps), listed, own, &mut found)?;
            if is_alike || peers.process() == 0 {
                state.edges += fields.edges;
                state.updates += fields.updates;
            }
        }
    }
    state.head = section(CheckpointSection::Head)?.bytes().to_vec();
    state.records.reserve_exact(found.iter().map(Vec::len).sum());
    // Each record is freed when it has been copied.
    for (record, block) in found.into_iter().zip(own) {
        if record.is_empty() {
            let section = file.required(CheckpointSection::States as u32)?;
            return Err(section.broken(format!("no state of block {block}"), "one of each block").into());
        }
        state.push(&record);
    }
    Ok(Some(Resumed { state, steps, table: file.table_checksum() }))
}

/// Reads the records of these blocks from a state, and puts them where the blocks are. Returns its header.
fn read_state(
    path: &Path,
    (process, steps): (usize, u64),
    listed: &Listed,
    own: &[u32],
    found: &mut [Vec<u8>],
) -> Result<StateFields, CheckpointError> {
    let file = Container::open(path, &STATE)?;
    let fields: StateFields = file.fields();
    let is_listed = (file.length(), file.table_checksum()) == (listed.bytes, listed.table);
    if !is_listed || (fields.process as usize, { fields.steps }) != (process, steps) {
        let expected =
            format!("the state of process {process} after {steps} steps that the checkpoint lists");
        return Err(file.broken(0, "another state", expected).into());
    }
    for kind in [StateSection::Blocks, StateSection::Ends, StateSection::Records] {
        file.required(kind as u32)?.verify()?;
    }
    let blocks = file.column::<u32>(StateSection::Blocks as u32, fields.blocks.into())?;
    let ends = file.column::<u64>(StateSection::Ends as u32, fields.blocks.into())?;
    let records = file.required(StateSection::Records as u32)?;
    let mut start = 0;
    for (block, &end) in blocks.values().iter().zip(ends.values()) {
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let record = range.and_then(|(start, end)| records.bytes().get(start..end));
        let record = record.ok_or_else(|| {
            records.broken(format!("a record from byte {start} to {end}"), "one within the section")
        })?;
        if let Ok(at) = own.binary_search(block) {
            found[at] = record.to_vec();
        }
        start = end;
    }
    Ok(fields)
}
