//! Binary edge lists: records of a source, a target and optionally a weight, little-endian, and nothing else. The
//! vertices are the ids that occur in an edge.

use super::Format;
use super::bytes::Bytes;
use super::error::LoadError;
use super::record::{IdWidth, Record, RecordWeight};
use super::whole::Whole;
use wolfpath_core::assemble::{Number, WeightBuilder};

/// Approximate number of bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// Reads a binary edge list.
pub(super) fn read_binary(bytes: &mut Bytes<'_>, record: Record) -> Result<Whole, LoadError> {
    let size = record.bytes();
    let mut parsed = Whole { weights: record.weights.map(|_| WeightBuilder::default()), ..Whole::default() };
    let mut piece = vec![0; PIECE / size * size];
    loop {
        let offset = bytes.offset();
        let filled = bytes.fill(&mut piece)?;
        let whole = filled / size * size;
        for (place, edge) in piece[..whole].chunks_exact(size).enumerate() {
            push(edge, record, &mut parsed).map_err(|NotANumber| {
                let at = offset + (place * size + 2 * record.ids.bytes()) as u64;
                bytes.wrong(
                    at,
                    "a weight that is NaN",
                    "a number; give the edge a weight or leave the edge out",
                )
            })?;
        }
        if whole < filled {
            return Err(cut_short(bytes, record, offset + whole as u64, filled - whole));
        }
        if filled < piece.len() {
            return Ok(parsed);
        }
    }
}

/// Error for a weight that is NaN.
struct NotANumber;

#[inline]
fn push(edge: &[u8], record: Record, parsed: &mut Whole) -> Result<(), NotANumber> {
    let (ids, weight) = edge.split_at(2 * record.ids.bytes());
    let (source, target) = match record.ids {
        IdWidth::Four => {
            let (source, target) = ids.split_at(4);
            (u32::from_le_bytes(array(source)).into(), u32::from_le_bytes(array(target)).into())
        }
        IdWidth::Eight => {
            let (source, target) = ids.split_at(8);
            (u64::from_le_bytes(array(source)), u64::from_le_bytes(array(target)))
        }
    };
    if let (Some(kind), Some(weights)) = (record.weights, &mut parsed.weights) {
        match number(kind, weight) {
            Number::Integer(integer) => match u64::try_from(integer) {
                Ok(unsigned) => weights.push_unsigned(unsigned),
                Err(_) => weights.push(Number::Integer(integer)),
            },
            Number::Float(float) if float.is_nan() => return Err(NotANumber),
            float => weights.push(float),
        }
    }
    parsed.edges.push(source, target);
    Ok(())
}

fn number(kind: RecordWeight, bytes: &[u8]) -> Number {
    match kind {
        RecordWeight::U32 => Number::Integer(u32::from_le_bytes(array(bytes)).into()),
        RecordWeight::I32 => Number::Integer(i32::from_le_bytes(array(bytes)).into()),
        RecordWeight::U64 => Number::Integer(u64::from_le_bytes(array(bytes)).into()),
        RecordWeight::I64 => Number::Integer(i64::from_le_bytes(array(bytes)).into()),
        RecordWeight::F32 => Number::Float(f32::from_le_bytes(array(bytes)).into()),
        RecordWeight::F64 => Number::Float(f64::from_le_bytes(array(bytes))),
    }
}

/// Returns bytes as an array. There must be exactly `N` bytes.
#[inline]
pub(super) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

fn cut_short(bytes: &Bytes<'_>, record: Record, offset: u64, left: usize) -> LoadError {
    let (path, size, format) = (bytes.path().to_owned(), record.bytes(), Format::Binary(record));
    LoadError::CutRecord { path, offset, left, size, format }
}
