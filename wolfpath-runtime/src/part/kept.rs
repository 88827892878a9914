//! The state of a run between two steps, from which another run can continue.

use wolfpath_core::program::EdgeProgram;

use super::PartRun;
use crate::cpu::{FOLDED_BLOCK, Portions, record_bytes};
use crate::plan::Schedule;
use crate::shape::Shape;

/// State of a run between two steps, as far as one process has it. It does not depend on the number of processes: another
/// process may continue with the records of its blocks.
#[derive(Clone, Debug, Default)]
pub struct KeptState {
    /// Facts that are the same in all processes.
    pub head: Vec<u8>,
    /// Number of edges that the process has visited, and of updates.
    pub edges: u64,
    pub updates: u64,
    /// Records of the process's blocks of [`FOLDED_BLOCK`](crate::FOLDED_BLOCK) vertices, in ascending order, and the end of
    /// each.
    pub records: Vec<u8>,
    pub ends: Vec<u64>,
}

impl KeptState {
    /// Appends the record of the next block.
    pub fn push(&mut self, record: &[u8]) {
        self.records.extend_from_slice(record);
        self.ends.push(self.records.len() as u64);
    }

    /// Returns the record of a block; empty if the state does not contain the block.
    pub fn record(&self, block: usize) -> &[u8] {
        let start = block.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let ends = start.zip(self.ends.get(block).copied());
        ends.and_then(|(start, end)| self.records.get(start as usize..end as usize)).unwrap_or_default()
    }
}

impl<P: EdgeProgram> PartRun<'_, P> {
    /// Returns the number of bytes of the records, and of their ends, in a state of a run by this schedule over so many own
    /// vertices. Union-find has no state between steps.
    pub fn kept_bytes(schedule: Schedule, own: u32) -> u64 {
        let ends = u64::from(own).div_ceil(FOLDED_BLOCK as u64) * size_of::<u64>() as u64;
        match schedule {
            Schedule::Union => 0,
            _ if const { Shape::of::<P>().accumulates } => ends + Portions::<P>::record_bytes(own.into()),
            _ => ends + record_bytes::<P>(own.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_their_blocks() {
        let mut state = KeptState::default();
        [&b"first"[..], b"", b"last"].iter().for_each(|record| state.push(record));
        let found: Vec<&[u8]> = (0..4).map(|block| state.record(block)).collect();
        assert_eq!(found, [&b"first"[..], b"", b"last", b""]);
    }
}
