//! Tests with sparse files of more than 2^32 edges. Mapping a file reads only its first page, so the tests are fast
//! although there are so many edges. All positions and lengths must be 64-bit.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use super::container::*;
use super::contents::SymmetryFlags;
use super::format::WOLF;
use super::graph_header::GraphHeader;
use super::pass::BoundedRows;
use super::write;
use super::{Column, Contents, WeightColumn, map};
use crate::program::DatumKind;
use crate::weights::Columns;

/// Number of edges out of vertex 1.
pub(crate) const MANY: u64 = 1 << 33;
/// Number of all edges.
pub(crate) const EDGES: u64 = 2 + MANY + 3;

/// Returns a mapped file of `bytes` bytes, which starts with `begin` and continues with zeros. It takes no disk space.
fn holes(bytes: u64, begin: &[u32]) -> Section {
    let file = tempfile::tempfile().unwrap();
    file.set_len(padded(bytes)).unwrap();
    file.write_all_at(bytemuck::cast_slice(begin), 0).unwrap();
    // SAFETY: the file has no name, so no other process can modify or truncate it.
    let bytes_of_file = unsafe { Mmap::map(&file) }.unwrap();
    let stamp = Stamp::of(&file).unwrap();
    let mapping =
        Arc::new(Mapping { path: "holes".into(), file_type: &WOLF, bytes: bytes_of_file, file, stamp });
    Section { mapping, kind: 0, offset: 0, length: bytes, checksum: 0 }
}

/// Returns a graph of three vertices: 0 -> 1, 0 -> 2, `MANY` times 1 -> 0, three times 2 -> 0. All weights are 0.
fn contents() -> Contents {
    Contents {
        vertices: 3,
        edges: EDGES,
        root: Some(10),
        root_layers: 2,
        reason: "requested".to_owned(),
        symmetry: SymmetryFlags::default(),
        layers: Column::Owned(vec![0, 1, 3].into()),
        ranks: Column::Owned(vec![0, 1, 2].into()),
        ids: None,
        first_id: 10,
        offsets: Column::Owned(vec![0, 2, 2 + MANY, EDGES].into()),
        ends: Column::mapped(holes(4 * EDGES, &[1, 2])),
        packed: None,
        weights: Some(WeightColumn::mapped(holes(8 * EDGES, &[]), DatumKind::F64)),
        columns: Columns::default(),
        in_rows: None,
        paths: None,
    }
}

/// Writes the graph of [`contents`], except for its zeros. The checksums of its large sections are wrong.
pub(crate) fn write_holes(path: &Path) {
    let contents = contents();
    let sections = placed(&WOLF, write::all_sections(&contents));
    let length = sections.last().map_or(0, |last| last.offset + padded(last.bytes.len() as u64));
    let file = File::create(path).unwrap();
    file.set_len(length).unwrap();
    for section in &sections {
        file.write_all_at(&section.bytes[..section.bytes.len().min(64)], section.offset).unwrap();
    }
    let checksum = |bytes: &[u8]| if bytes.len() < PAGE { checksum_of(&[piece_checksum(bytes)]) } else { 0 };
    let checksums: Vec<u64> = sections.iter().map(|section| checksum(&section.bytes)).collect();
    file.write_all_at(&head_bytes(&WOLF, bytemuck::cast(write::header(&contents)), &sections, &checksums), 0)
        .unwrap();
    file.write_all_at(&key_bytes(""), length).unwrap();
}

#[test]
fn what_is_written_of_many_edges_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.wolf");
    write_holes(&path);
    let found = map(&path).unwrap().contents;
    assert_eq!((found.edges, found.row_bytes(), found.weight_bytes()), (EDGES, 32 + 4 * EDGES, 8 * EDGES));
    assert_eq!(found.offsets.values(), [0, 2, 2 + MANY, EDGES]);
    assert_eq!(found.ends.values().len() as u64, EDGES);
    assert_eq!(found.weights.as_ref().unwrap().slice().len() as u64, EDGES);
    let places = |contents: &Contents| -> Vec<(u64, usize)> {
        placed(&WOLF, write::all_sections(contents))
            .iter()
            .map(|section| (section.offset, section.bytes.len()))
            .collect()
    };
    assert_eq!(places(&found), places(&contents()));
    assert!(places(&found).last().is_some_and(|&(offset, bytes)| offset > MANY && bytes as u64 > MANY));
}

#[test]
fn a_length_that_is_cut_to_32_bits_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.wolf");
    write_holes(&path);
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let mut page = vec![0; PAGE];
    file.read_exact_at(&mut page, 0).unwrap();
    let mut header: Header = bytemuck::pod_read_unaligned(&page[..size_of::<Header>()]);
    let mut fields: GraphHeader = bytemuck::cast(header.fields);
    fields.edges &= 0xffff_ffff;
    header.fields = bytemuck::cast(fields);
    header.checksum = header_checksum(&header);
    file.write_all_at(bytemuck::bytes_of(&header), 0).unwrap();
    let message = map(&path).unwrap_err().to_string();
    assert!(message.contains(&format!("of {} bytes, expected 20 bytes", 4 * EDGES)), "{message}");
}

#[test]
fn rows_beyond_32_bits_are_looked_at() {
    let contents = contents();
    let (offsets, ends) = (contents.offsets.values(), contents.ends.values());
    let rows = BoundedRows { offsets, ends, groups: contents.layers.values() };
    let (cut, last) = (1usize << 32, EDGES as usize);
    for places in [0..1000, cut - 1000..cut + 1000, last - 1000..last] {
        assert!(rows.are_right(places));
    }
    // With these groups, vertex 0 is the only vertex, so the ends in its row are out of range.
    let wrong = BoundedRows { groups: &[0, 1], ..rows };
    assert!(!wrong.are_right(0..1000));
    let error = contents.ends.broken(last - 1, "this", "that").to_string();
    assert!(error.contains(&format!("byte {}", 4 * (EDGES - 1))), "{error}");
}
