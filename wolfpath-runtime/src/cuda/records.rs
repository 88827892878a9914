//! Conversion of the device's step records to the steps of a trace.

use std::time::Duration;

use bytemuck::{Pod, Zeroable};

use super::state::{Control, offsets};
use crate::trace::{Recorded, StepKind, StepTrace};

/// Capacity of the buffer of one launch, in steps. A launch lasts one time slice, usually 100 ms, and a step takes at
/// least a microsecond.
pub(crate) const ROOM: u64 = 1 << 17;

/// Size of a record in bytes.
pub(crate) const BYTES: usize = size_of::<Record>();

/// Record of a step, written when the step begins (`Record` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
struct Record {
    began: u64,
    edges: u64,
    step: u64,
    bucket: u64,
    chunks: u64,
    active: u32,
    kind: u32,
}

/// Returns the offsets of a record's fields, and its size, for `layout.cuh`.
pub(super) fn offsets_of_record() -> Vec<usize> {
    offsets!(Record: began edges step bucket chunks active kind).to_vec()
}

impl Record {
    fn kind(self) -> StepKind {
        match self.kind {
            0 => StepKind::Push,
            1 => StepKind::Local,
            2 => StepKind::Pull,
            3 => StepKind::Sweep,
            4 => StepKind::Advance,
            other => unreachable!("the device recorded a step of kind {other}"),
        }
    }
}

/// Appends the records of a launch to those of earlier launches. `control` is the state of the loop after the launch.
/// `has_levels` is `true` for a program with a `priority`, whose levels begin with 0; buckets begin with 1, and 0 stands
/// for a run without buckets. A chunk of streamed rows has `chunk_bytes` bytes.
pub(crate) fn add(
    recorded: &mut Recorded,
    bytes: &[u8],
    control: &Control,
    has_levels: bool,
    chunk_bytes: u64,
) {
    let records: Vec<Record> = bytes.chunks_exact(BYTES).map(bytemuck::pod_read_unaligned).collect();
    recorded.lost += control.recorded.saturating_sub(records.len() as u64);
    let last =
        Record { began: control.ended, edges: control.edges, chunks: control.chunks, ..Record::zeroed() };
    let ends = records.iter().skip(1).copied().chain([last]);
    recorded.steps.extend(records.iter().zip(ends).map(|(record, end)| StepTrace {
        step: record.step,
        began: Duration::from_nanos(record.began.saturating_sub(control.launched)),
        took: Duration::from_nanos(end.began.saturating_sub(record.began)),
        active: u64::from(record.active),
        edges: end.edges.saturating_sub(record.edges),
        kind: record.kind(),
        bucket: (has_levels || record.bucket > 0).then_some(record.bucket),
        streamed: end.chunks.saturating_sub(record.chunks) * chunk_bytes,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(began: u64, edges: u64, step: u64, chunks: u64, kind: u32) -> Vec<u8> {
        let long = [began, edges, step, 2, chunks].map(u64::to_le_bytes).concat();
        [long, [7, kind].map(u32::to_le_bytes).concat()].concat()
    }

    #[test]
    fn a_step_ends_where_the_next_begins() {
        let control =
            Control { launched: 1000, ended: 1900, edges: 60, chunks: 9, recorded: 3, ..Control::default() };
        let mut recorded = Recorded::default();
        let records = [bytes(1100, 10, 1, 2, 0), bytes(1500, 40, 2, 5, 2)].concat();
        add(&mut recorded, &records, &control, false, 100);
        let nanoseconds = |step: &StepTrace| (step.began.as_nanos(), step.took.as_nanos(), step.edges);
        assert_eq!(
            recorded.steps.iter().map(nanoseconds).collect::<Vec<_>>(),
            [(100, 400, 30), (500, 400, 20)]
        );
        assert_eq!((recorded.steps[1].kind, recorded.steps[1].bucket), (StepKind::Pull, Some(2)));
        assert_eq!((recorded.steps[0].active, recorded.lost), (7, 1));
        assert_eq!(recorded.steps.iter().map(|step| step.streamed).collect::<Vec<_>>(), [300, 400]);
    }
}
