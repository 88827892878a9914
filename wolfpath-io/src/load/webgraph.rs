//! Graphs of the WebGraph framework. `NAME.graph` contains the rows of successors. Part of each row may be copied from
//! an earlier row, and the rest is written in variable-length codes (P. Boldi and S. Vigna, The WebGraph framework I,
//! WWW 2004). `NAME.properties` next to it states the number of rows, the number of edges and the codes. The file
//! `NAME.offsets` is not needed, because rows are read sequentially.
//!
//! The codes are decoded by crates of the framework's authors. This module assembles the rows itself, and checks each
//! number before it is used. The original reader trusts every number, so a damaged file could make it panic or allocate
//! all memory.

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

/// Bytes per edge while reading.
const BYTES_AN_EDGE: u64 = 8;
/// Maximum number of bytes after the last row. Writers append them to make the file size a multiple of a word.
const PADDING: u64 = 8;

/// Reads a graph, and its properties from the file next to it. All bytes of the graph are held in memory.
pub(super) fn read_webgraph(bytes: &mut Bytes<'_>) -> Result<Whole, LoadError> {
    let path = bytes.path();
    let properties = Properties::beside(path)?;
    check_room(path, &properties)?;
    let (words, length) = words(bytes.rest()?);
    let mut parsed = Whole { declared: Some(0..properties.vertices), ..Whole::default() };
    // Every number is checked after it was decoded, but the crate that decodes single numbers has panicked on invalid
    // codes. A panic is therefore reported as a damaged file.
    let read = catch_unwind(AssertUnwindSafe(|| read_rows(&properties, &words, length, &mut parsed)));
    let found = || "bits that the decoder cannot read".to_owned();
    read.unwrap_or_else(|_| Err(Wrong { bit: 0, found: found(), expected: properties.codes() }))
        .map_err(|Wrong { bit, found, expected }| bytes.wrong(bit / 8, found, expected))?;
    Ok(parsed)
}

/// Checks that there is enough memory for the declared number of edges. The size of the file is no indication, since a
/// few bytes can encode any number of edges.
fn check_room(path: &Path, properties: &Properties) -> Result<(), LoadError> {
    let needed = properties.edges.saturating_mul(BYTES_AN_EDGE);
    match memory::available() {
        Some(available) if needed > available => {
            Err(LoadError::Space { path: path.to_owned(), source: SpaceError::Memory { needed, available } })
        }
        _ => Ok(()),
    }
}

/// Converts bytes to the words from which bits are read. Also returns the number of bytes.
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
            "the end of the file after the rows of its {} vertices, according to {}",
            properties.vertices,
            properties.name()
        );
        return Err(Wrong { bit: bits, found: "more bytes".to_owned(), expected });
    }
    Ok(())
}
