//! The files of a checkpoint.

use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use wolfpath_core::store::container::{FileType, REQUIRED, TypeFields};
use wolfpath_runtime::part::{Message, Settings};

/// The name of the file that makes a checkpoint complete.
pub(super) const CHECKPOINT_NAME: &str = "checkpoint";

/// The end of the names of states.
pub(super) const STATE_SUFFIX: &str = ".state";

/// Properties that a run must share with an earlier one to continue from its state.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) graph: Vec<u8>,
    pub(super) settings: Vec<(&'static str, String)>,
}

impl Identity {
    /// Returns the settings as they are stored.
    pub(super) fn settings(&self) -> Vec<u8> {
        Settings(&self.settings).message()
    }

    /// Returns the first difference from what is stored: what differs, what was found, and what was expected.
    pub(super) fn difference(&self, graph: &[u8], settings: &[u8]) -> Option<[String; 3]> {
        if graph != self.graph {
            return Some(["graph", "shards of another graph or build", "these shards"].map(str::to_owned));
        }
        let found = Settings(&self.settings).difference(&[settings.to_vec()])?;
        Some([found.what, found.theirs, found.own])
    }
}

/// The type of the file that lists the states.
pub(super) static CHECKPOINT: FileType = FileType {
    name: "a checkpoint",
    magic: *b"\x89WCHK\r\n\x1a",
    version: 1,
    head: 4096,
    advice: "name a folder of checkpoints",
    flag_of: |kind| matches!(kind, 1..=4).then_some(REQUIRED),
    name_of: |kind| match kind {
        1 => "graph".to_owned(),
        2 => "settings".to_owned(),
        3 => "facts about the state".to_owned(),
        4 => "states".to_owned(),
        _ => format!("of kind {kind}"),
    },
};

/// The sections of a checkpoint.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(super) enum CheckpointSection {
    Graph = 1,
    Settings = 2,
    Head = 3,
    States = 4,
}

/// The fields of the header of a checkpoint.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(super) struct CheckpointFields {
    /// Number of processes, each of which has written a state.
    pub(super) processes: u32,
    /// Number of steps that were taken.
    pub(super) steps: u64,
    /// Number of the run among those that have kept states in the folder.
    pub(super) run: u32,
    /// 0.
    pub(super) reserved: [u32; 7],
}

/// The entry of a state in a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Listed {
    /// Length of the file.
    pub(super) bytes: u64,
    /// Checksum of the file's table, which contains the checksums of its sections.
    pub(super) table: u64,
}

impl Listed {
    pub(super) fn read(message: &mut Message<'_>) -> Option<Listed> {
        Some(Listed { bytes: message.u64()?, table: message.u64()? })
    }
}

/// The type of a state.
pub(super) static STATE: FileType = FileType {
    name: "the state of a process",
    magic: *b"\x89WSTA\r\n\x1a",
    version: 1,
    head: 4096,
    advice: "start over, or continue from a copy of the checkpoint",
    flag_of: |kind| matches!(kind, 1..=3).then_some(REQUIRED),
    name_of: |kind| match kind {
        1 => "blocks".to_owned(),
        2 => "ends of records".to_owned(),
        3 => "records".to_owned(),
        _ => format!("of kind {kind}"),
    },
};

/// The sections of a state: the numbers of its blocks, the end of the record of each, and the records.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(super) enum StateSection {
    Blocks = 1,
    Ends = 2,
    Records = 3,
}

/// The fields of the header of a state.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(super) struct StateFields {
    pub(super) process: u32,
    pub(super) blocks: u32,
    pub(super) steps: u64,
    /// Number of edges that the process has visited, and of updates.
    pub(super) edges: u64,
    pub(super) updates: u64,
    /// 0.
    pub(super) reserved: [u32; 3],
}

const _: () = assert!(size_of::<CheckpointFields>() == size_of::<TypeFields>());
const _: () = assert!(size_of::<StateFields>() == size_of::<TypeFields>());

/// The state of all processes between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Number of the run among those that have kept states in the folder. A run does not replace the states of another one.
    pub(super) run: u32,
    /// Number of steps that were taken.
    pub(super) steps: u64,
}

/// Returns the path of a process's state.
pub(super) fn state_path(folder: &Path, Moment { run, steps }: Moment, process: usize) -> PathBuf {
    folder.join(format!("{run}-{steps}.{process:04}{STATE_SUFFIX}"))
}

/// Returns the moment whose state is in a file with this name; `None` if the name is not one of a state.
pub(super) fn moment_of(name: &str) -> Option<Moment> {
    let (moment, process) = name.strip_suffix(STATE_SUFFIX)?.split_once('.')?;
    let (run, steps) = moment.split_once('-')?;
    let (moment, process) =
        (Moment { run: run.parse().ok()?, steps: steps.parse().ok()? }, process.parse().ok()?);
    (state_path(Path::new(""), moment, process) == Path::new(name)).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_known_by_their_names() {
        assert_eq!(moment_of("2-120.0003.state"), Some(Moment { run: 2, steps: 120 }));
        assert_eq!(moment_of("1-1.12345.state"), Some(Moment { run: 1, steps: 1 }));
        for other in [
            "checkpoint",
            "1-a.0001.state",
            "1.0001.state",
            "1-01.0001.state",
            "1-1.1.state",
            "1-1.0001.state.gz",
        ] {
            assert_eq!(moment_of(other), None, "{other}");
        }
    }
}
