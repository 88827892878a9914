//! Graphs of the WebGraph framework: `NAME.graph` holds the rows of successors, each copied in part from one before it
//! and written in codes of few bits (P. Boldi and S. Vigna, The WebGraph framework I, WWW 2004); `NAME.properties`
//! beside it says how many rows and edges there are and which codes. Offsets are not needed: rows are read in order.
//!
//! Codes are read by the crates of the framework's authors. RowDecoder are put together here: the crate's own reader takes
//! every number at its word, and a damaged one costs a panic or all memory; here each is checked before it is used.

mod properties;
mod rows;

use super::bytes::Bytes;
use super::error::LoadError;
use super::whole::Whole;
use dsi_bitstream::traits::{BE, LE};
use properties::Properties;
use rows::{RowDecoder, Wrong};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use wolfpath_core::memory;
use wolfpath_core::space::SpaceError;

/// Bytes of an edge while it is read.
const BYTES_AN_EDGE: u64 = 8;
/// Bytes of what writers put behind the last row, to make the file a number of whole words.
const PADDING: u64 = 8;

/// Reads a graph, and its properties from the file beside it. All of the graph's bytes are held in memory.
pub(super) fn read_webgraph(bytes: &mut Bytes<'_>) -> Result<Whole, LoadError> {
    let path = bytes.path();
    let properties = Properties::beside(path)?;
    check_room(path, &properties)?;
    let (words, length) = words(bytes.rest()?);
    let mut parsed = Whole { declared: Some(0..properties.vertices), ..Whole::default() };
    // Every number is checked once it is read, but codes that nobody writes have brought the decoder of a single
    // number to panic; that is an answer as well.
    let read = catch_unwind(AssertUnwindSafe(|| read_rows(&properties, &words, length, &mut parsed)));
    let found = || "bits on which the decoder gave up".to_owned();
    read.unwrap_or_else(|_| Err(Wrong { bit: 0, found: found(), expected: properties.codes() }))
        .map_err(|Wrong { bit, found, expected }| bytes.wrong(bit / 8, found, expected))?;
    Ok(parsed)
}

/// A few bytes can stand for any number of edges: whether there is memory for those announced.
fn check_room(path: &Path, properties: &Properties) -> Result<(), LoadError> {
    let needed = properties.edges.saturating_mul(BYTES_AN_EDGE);
    match memory::available() {
        Some(available) if needed > available => {
            Err(LoadError::Space { path: path.to_owned(), source: SpaceError::Memory { needed, available } })
        }
        _ => Ok(()),
    }
}

/// Bytes as the words that bits are taken from, and how many bytes they were.
fn words(bytes: Vec<u8>) -> (Vec<u32>, u64) {
    let (whole, rest) = bytes.as_chunks::<4>();
    let mut words: Vec<u32> = whole.iter().map(|&word| u32::from_ne_bytes(word)).collect();
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u32::from_ne_bytes(last));
    }
    (words, bytes.len() as u64)
}

fn read_rows(properties: &Properties, words: &[u32], length: u64, parsed: &mut Whole) -> Result<(), Wrong> {
    let bits = if properties.little_endian {
        RowDecoder::<LE>::new(properties, words, length)?.read(parsed)
    } else {
        RowDecoder::<BE>::new(properties, words, length)?.read(parsed)
    }?;
    if length - bits.div_ceil(8) > PADDING {
        let expected = format!(
            "the end of the file behind the rows of its {} vertices, by {}",
            properties.vertices,
            properties.name()
        );
        return Err(Wrong { bit: bits, found: "more bytes".to_owned(), expected });
    }
    Ok(())
}
