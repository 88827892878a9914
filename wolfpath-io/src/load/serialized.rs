//! GAP's serialized graphs, `.sg` and `.wsg`: rows of neighbours in binary, as written by the `converter` of the GAP
//! Benchmark Suite. The file is little-endian and contains, in order:
//!
//! 1. One byte: 1 if the graph is directed, 0 if not.
//! 2. The number of entries and the number of vertices (i64 each).
//! 3. The offset of each row, then the number of entries (i64 each).
//! 4. The entries: the neighbour (i32) and, in `.wsg`, the weight (i32).
//! 5. Only in a directed graph: the offsets and entries of the in-edges.
//!
//! An undirected edge has two entries, one in the row of each endpoint.

use super::binary::array;
use super::both_ways::BothWays;
use super::bytes::Bytes;
use super::error::LoadError;
use super::whole::Whole;
use wolfpath_core::assemble::{Number, WeightBuilder};
use wolfpath_core::random;

/// Maximum number of vertices, since ids are `i32`.
pub(crate) const MOST_VERTICES: u64 = 1 << 31;
/// Offset in the file at which the row offsets start.
const OFFSETS_AT: u64 = 17;

/// Reads a serialized graph.
pub(super) fn read_serialized(bytes: &mut Bytes<'_>, weighted: bool) -> Result<Whole, LoadError> {
    let header = Header::read(bytes)?;
    let mut parsed = Whole {
        weights: weighted.then(WeightBuilder::default),
        declared: Some(0..header.vertices),
        ..Whole::default()
    };
    if header.directed {
        read_directed(bytes, &header, &mut parsed)?;
    } else {
        read_undirected(bytes, &header, &mut parsed)?;
    }
    bytes.expect_end()?;
    Ok(parsed)
}

#[derive(Debug)]
struct Header {
    directed: bool,
    entries: u64,
    vertices: u64,
}

impl Header {
    fn read(bytes: &mut Bytes<'_>) -> Result<Header, LoadError> {
        let [directed] = bytes.array("0 or 1, whether the graph is directed")?;
        if directed > 1 {
            let expected = "0 or 1, whether the graph is directed; is this a GAP graph (.sg, .wsg)?";
            return Err(bytes.wrong(0, format!("0x{directed:02x}"), expected));
        }
        let entries = i64::from_le_bytes(bytes.array("the number of edges")?);
        let vertices = i64::from_le_bytes(bytes.array("the number of vertices")?);
        let Ok(entries) = u64::try_from(entries) else {
            return Err(bytes.wrong(1, format!("{entries}"), "the number of edges, from 0"));
        };
        match u64::try_from(vertices) {
            Ok(vertices) if vertices <= MOST_VERTICES => {
                Ok(Header { directed: directed == 1, entries, vertices })
            }
            _ => Err(bytes.wrong(9, format!("{vertices}"), "the number of vertices, from 0 to 2147483648")),
        }
    }
}

/// Entry of a row: the vertex of the row, the neighbour, and the weight if there is one.
type Entry = (u32, u32, Option<i32>);

/// Reads the row offsets and the entries, and passes each entry to the caller.
fn read_rows(
    bytes: &mut Bytes<'_>,
    header: &Header,
    weighted: bool,
    mut visit: impl FnMut(Entry),
) -> Result<(), LoadError> {
    let offsets = read_offsets(bytes, header)?;
    let size = if weighted { 8 } else { 4 };
    let (mut row, mut place) = (0, 0);
    let (path, vertices) = (bytes.path(), header.vertices);
    bytes.records(header.entries, size, "the neighbours that the offsets announce", |piece, start| {
        for (index, entry) in piece.chunks_exact(size).enumerate() {
            while offsets[row as usize + 1] <= place {
                row += 1;
            }
            place += 1;
            let neighbour = i32::from_le_bytes(array(&entry[..4]));
            let Some(end) = u32::try_from(neighbour).ok().filter(|&end| u64::from(end) < vertices) else {
                return Err(LoadError::Byte {
                    path: path.to_owned(),
                    offset: start + (index * size) as u64,
                    found: format!("the neighbour {neighbour} of vertex {row}"),
                    expected: format!("an id from 0 to {}", vertices - 1),
                });
            };
            visit((row, end, entry.get(4..).filter(|_| weighted).map(|w| i32::from_le_bytes(array(w)))));
        }
        Ok(())
    })
}

/// Reads the offset of each row. They must ascend from 0 to the number of entries.
fn read_offsets(bytes: &mut Bytes<'_>, header: &Header) -> Result<Vec<u64>, LoadError> {
    let mut offsets: Vec<u64> = Vec::new();
    let (path, entries, vertices) = (bytes.path(), header.entries, header.vertices);
    bytes.records(vertices + 1, 8, "the offsets of the rows", |piece, start| {
        for (index, offset) in piece.chunks_exact(8).enumerate() {
            let found = i64::from_le_bytes(array(offset));
            let (least, most) = match offsets.last() {
                None => (0, 0),
                Some(&before) if offsets.len() as u64 == vertices => (before.max(entries), entries),
                Some(&before) => (before, entries),
            };
            match u64::try_from(found) {
                Ok(offset) if least <= offset && offset <= most => offsets.push(offset),
                _ => {
                    let vertex = offsets.len();
                    return Err(LoadError::Byte {
                        path: path.to_owned(),
                        offset: start + 8 * index as u64,
                        found: format!("{found}, where the row of vertex {vertex} begins"),
                        expected: format!(
                            "an offset from {least} to {most}: they ascend from 0 to the number of edges, {entries}"
                        ),
                    });
                }
            }
        }
        Ok(())
    })?;
    if offsets == [0] && entries > 0 {
        let expected = format!(
            "none without vertices (byte 9 contains their number, and byte 1 that of edges, {entries})"
        );
        return Err(bytes.wrong(OFFSETS_AT, "edges", expected));
    }
    Ok(offsets)
}

/// Reads a directed graph. The edges are taken from the out-edges, and the in-edges are only checked: they must be the
/// transpose.
fn read_directed(bytes: &mut Bytes<'_>, header: &Header, parsed: &mut Whole) -> Result<(), LoadError> {
    let weighted = parsed.weights.is_some();
    let mut balance = 0u64;
    read_rows(bytes, header, weighted, |(source, target, weight)| {
        balance = balance.wrapping_add(fingerprint(source, target, weight));
        parsed.edges.push(source.into(), target.into());
        push_weight(&mut parsed.weights, weight);
    })?;
    let in_edges_at = bytes.offset();
    read_rows(bytes, header, weighted, |(target, source, weight)| {
        balance = balance.wrapping_sub(fingerprint(source, target, weight));
    })?;
    if balance == 0 {
        return Ok(());
    }
    let expected = "the transpose of the out-edges before them; the file is damaged: make it again";
    Err(bytes.wrong(in_edges_at, "in-edges that do not match", expected))
}

/// Returns a hash of an edge. The sums of the hashes are equal for two lists of the same edges, and almost never equal
/// for different lists.
fn fingerprint(source: u32, target: u32, weight: Option<i32>) -> u64 {
    random::hash(weight.unwrap_or(0) as u64, u64::from(source) << 32 | u64::from(target))
}

fn read_undirected(bytes: &mut Bytes<'_>, header: &Header, parsed: &mut Whole) -> Result<(), LoadError> {
    let weighted = parsed.weights.is_some();
    let mut both = BothWays::default();
    read_rows(bytes, header, weighted, |(source, target, weight)| {
        if both.push(source, target, weight.map(|weight| Number::Integer(weight.into()))) {
            push_weight(&mut parsed.weights, weight);
        }
    })?;
    if let Some(unmatched) = both.unmatched() {
        let (source, target) = (unmatched.source, unmatched.target);
        let lacks = if unmatched.weight { "another weight in" } else { "nothing of it in" };
        let found =
            format!("the edge {source} - {target} in the row of {source} and {lacks} that of {target}");
        let expected = "every edge in both rows, since byte 0 says undirected";
        return Err(bytes.wrong(OFFSETS_AT + 8 * u64::from(source), found, expected));
    }
    both.into_edges(0, parsed);
    Ok(())
}

fn push_weight(weights: &mut Option<WeightBuilder>, weight: Option<i32>) {
    if let (Some(weights), Some(weight)) = (weights, weight) {
        match u64::try_from(weight) {
            Ok(unsigned) => weights.push_unsigned(unsigned),
            Err(_) => weights.push(Number::Integer(weight.into())),
        }
    }
}
