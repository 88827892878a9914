//! Binary edge lists; see [`Record`].

use super::chunks::write_in_chunks;
use super::error::WriteError;
use super::job::{Job, Writer};
use crate::load::{IdWidth, Record, RecordWeight};
use wolfpath_core::assemble::Take;
use wolfpath_core::weights::WeightNumber;

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>, record: Record) -> Result<Writer<'a>, WriteError> {
    if job.lines.is_empty() {
        return Err(WriteError::NoEdges { path: job.path.to_owned(), format: job.format });
    }
    match record.weights {
        None => {
            job.without_weights("choose a format such as bin32u32 or bin64f64")?;
            records(job, record, |_, _| {})
        }
        Some(RecordWeight::U32) => {
            with::<u32, 4>(job, record, "integers from 0 to 4294967295", u32::to_le_bytes)
        }
        Some(RecordWeight::I32) => {
            with::<i32, 4>(job, record, "integers from -2147483648 to 2147483647", i32::to_le_bytes)
        }
        Some(RecordWeight::U64) => with::<u64, 8>(job, record, "integers from 0", u64::to_le_bytes),
        Some(RecordWeight::I64) => with::<i64, 8>(job, record, "integers of 64 bits", i64::to_le_bytes),
        Some(RecordWeight::F32) => {
            with::<f32, 4>(job, record, "numbers that single precision holds exactly", f32::to_le_bytes)
        }
        Some(RecordWeight::F64) => {
            with::<f64, 8>(job, record, "numbers that double precision holds exactly", f64::to_le_bytes)
        }
    }
}

/// Returns the writer of records with weights of type `W`.
fn with<'a, W: WeightNumber, const N: usize>(
    job: &mut Job<'a, '_>,
    record: Record,
    expected: &'static str,
    bytes_of: impl Fn(W) -> [u8; N] + Sync + 'a,
) -> Result<Writer<'a>, WriteError> {
    let weights = job.with_weights("choose a format without (bin32, bin64)")?;
    let weights = job.exact_weights::<W>(weights, expected)?;
    records(job, record, move |line, bytes| bytes.extend_from_slice(&bytes_of(weights[line])))
}

fn records<'a>(
    job: &mut Job<'a, '_>,
    record: Record,
    weight: impl Fn(usize, &mut Vec<u8>) + Sync + 'a,
) -> Result<Writer<'a>, WriteError> {
    let ids = job.any_ids(if record.ids == IdWidth::Four { u32::MAX.into() } else { u64::MAX })?;
    let lines = job.lines;
    Ok(Box::new(move |out| {
        write_in_chunks(out, lines.len(), |range, bytes| {
            lines.visit(range, Take::Directions, |edge| {
                for end in [ids.id(edge.source), ids.id(edge.target)] {
                    // In little-endian order, the first bytes of a 64-bit id are the bytes of the same id in 32 bits.
                    bytes.extend_from_slice(&end.to_le_bytes()[..record.ids.bytes()]);
                }
                weight(edge.line, bytes);
            });
        })
    }))
}
