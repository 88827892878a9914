//! Writes the shards of a graph.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use bytemuck::Pod;
use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph, Rows};
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::replace::{Readers, TEMPORARY};
use wolfpath_core::store::container::{self, FileType, NewSection, Written};
use wolfpath_core::store::graph_header::{GraphHeader, column_lines, key_with_notes};
use wolfpath_core::weights::WeightSlice;

use super::format::{self, Listed, MANIFEST, ManifestSection, Piece};
use super::format::{SHARD, ShardFields, ShardSection};
use super::{MANIFEST_NAME, of_folder, shard_path};
use crate::deal::{Deal, Guest, inward};
use crate::error::ShardError;

/// Writes all shards, then the manifest.
pub(super) fn write(
    graph: &LayeredGraph,
    deal: &Deal,
    folder: &Path,
    progress: &Progress,
) -> Result<(), ShardError> {
    assert_eq!(deal.num_vertices(), graph.num_vertices(), "the deal is one of another graph");
    let edges: u64 = deal.edges(Direction::Out).iter().sum();
    assert_eq!(edges, graph.num_edges(), "the deal is one of another graph");
    let inward = inward(graph)?;
    assert_eq!(deal.has_in_rows(), inward.is_some(), "the deal is one of another graph");
    check(folder)?;
    let (mut header, has_ids) = graph.header(deal.num_shards().into());
    header.flags |= if inward.is_some() { format::IN_ROWS } else { 0 };
    header.flags |= if has_ids { format::IDS } else { 0 };
    let names = graph.column_names();
    let columns: Vec<WeightSlice<'_>> = names.iter().filter_map(|name| graph.column(name)).collect();
    let in_positions = if columns.is_empty() { None } else { graph.in_edge_positions()? };
    let source = Source {
        graph,
        deal,
        out: Side::new(deal, graph.out_edges(), Direction::Out),
        inward: inward.map(|rows| Side::new(deal, rows, Direction::In)),
        columns,
        in_positions,
        header,
        blocks: deal.blocks_by_shard(),
    };
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(of_folder(folder, "create the folder")(error));
        }
        _ => remove(&folder.join(MANIFEST_NAME))?,
    }
    progress.begin(Stage::Write, Some((0..deal.num_shards()).map(|shard| source.bytes_of(shard)).sum()));
    let mut listed = Vec::with_capacity(deal.num_shards().into());
    for shard in 0..deal.num_shards() {
        listed.push(source.write_shard(shard, &shard_path(folder, shard))?);
        progress.advance(source.bytes_of(shard));
    }
    remove_shards(folder, |shard| shard >= deal.num_shards().into())?;
    source.write_manifest(&names, &listed, &folder.join(MANIFEST_NAME))
}

/// Checks that the folder is a new one, or contains shards only.
pub(super) fn check(folder: &Path) -> Result<(), ShardError> {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let (false, Some(parent)) = (folder.exists(), parent)
        && !parent.is_dir()
    {
        let reason = format!("the folder {} does not exist", parent.display());
        return Err(of_folder(folder, "create the folder")(io::Error::new(io::ErrorKind::NotFound, reason)));
    }
    if !folder.exists() {
        return Ok(());
    }
    for name in names_in(folder)? {
        let is_temporary = name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
        let begins_with = |file_type: &FileType| format::begins_with(&folder.join(&name), &file_type.magic);
        let is_ours = match number_of(&name) {
            Some(_) => begins_with(&SHARD),
            None => name == MANIFEST_NAME && begins_with(&MANIFEST),
        };
        if !is_ours && !is_temporary {
            let found = name.to_string_lossy().into_owned();
            return Err(ShardError::NotEmpty { path: folder.to_owned(), found });
        }
    }
    Ok(())
}

/// Removes the shards of an earlier build whose numbers `is_old`.
fn remove_shards(folder: &Path, is_old: impl Fn(u32) -> bool) -> Result<(), ShardError> {
    let old = names_in(folder)?.into_iter().filter(|name| number_of(name).is_some_and(&is_old));
    old.map(|name| folder.join(name)).try_for_each(|path| remove(&path))
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> Result<(), ShardError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of_folder(path, "remove")(error)),
        _ => Ok(()),
    }
}

/// Returns the names of the files in a folder, in alphabetical order.
fn names_in(folder: &Path) -> Result<Vec<std::ffi::OsString>, ShardError> {
    let names =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    let mut names: Vec<_> = names.map_err(of_folder(folder, "read the folder"))?;
    names.sort();
    Ok(names)
}

/// Returns the number of the shard with this file name.
fn number_of(name: &OsStr) -> Option<u32> {
    let number: u16 = name.to_str()?.strip_suffix(".shard")?.parse().ok()?;
    (name == shard_path(Path::new(""), number).as_os_str()).then_some(number.into())
}

/// The graph that is written.
struct Source<'a> {
    graph: &'a LayeredGraph,
    deal: &'a Deal,
    out: Side<'a>,
    inward: Option<Side<'a>>,
    columns: Vec<WeightSlice<'a>>,
    /// For every edge in the order of in-rows, its position in out-rows, if columns are in another order by in-rows.
    in_positions: Option<Vec<u64>>,
    header: GraphHeader,
    /// The blocks of each shard.
    blocks: Vec<Vec<u32>>,
}

/// The rows of one direction.
struct Side<'a> {
    deal: &'a Deal,
    rows: Rows<'a>,
    direction: Direction,
    /// The guests that each shard has.
    guests: Vec<Vec<&'a Guest>>,
    /// The pieces of each shard's rows that other shards have.
    lent: Vec<Vec<&'a Guest>>,
}

impl<'a> Side<'a> {
    fn new(deal: &'a Deal, rows: Rows<'a>, direction: Direction) -> Side<'a> {
        let none = vec![Vec::new(); deal.num_shards().into()];
        let (mut guests, mut lent) = (none.clone(), none);
        for guest in deal.guests(direction) {
            guests[usize::from(guest.shard)].push(guest);
            lent[usize::from(deal.owner_of(guest.vertex))].push(guest);
        }
        Side { deal, rows, direction, guests, lent }
    }

    /// Returns the positions of a shard's edges among those of all rows.
    fn segments(&self, shard: u16, blocks: &[u32]) -> Vec<Range<usize>> {
        let mut segments = Vec::new();
        let mut lent = self.lent[usize::from(shard)].iter().peekable();
        for &block in blocks {
            let vertices = self.deal.vertices_of(block as usize);
            let mut next = self.rows.offsets[vertices.start as usize] as usize;
            while let Some(piece) = lent.next_if(|piece| piece.vertex < vertices.end) {
                let edges = piece.edges_in(self.rows);
                segments.push(next..edges.start);
                next = edges.end;
            }
            segments.push(next..self.rows.offsets[vertices.end as usize] as usize);
        }
        segments.extend(self.guests[usize::from(shard)].iter().map(|guest| guest.edges_in(self.rows)));
        segments.retain(|segment| !segment.is_empty());
        segments
    }

    /// Returns the start of each of a shard's rows, then the number of its edges.
    fn offsets(&self, shard: u16, blocks: &[u32]) -> Vec<u64> {
        let mut offsets = vec![0];
        let mut next = 0;
        let mut push = |length: u64| {
            next += length;
            offsets.push(next);
        };
        let mut lent = self.lent[usize::from(shard)].iter().peekable();
        for v in blocks.iter().flat_map(|&block| self.deal.vertices_of(block as usize)) {
            let mut length = self.rows.degree(v);
            while let Some(piece) = lent.next_if(|piece| piece.vertex == v) {
                length -= piece.edges.end - piece.edges.start;
            }
            push(length);
        }
        self.guests[usize::from(shard)].iter().for_each(|guest| push(guest.edges.end - guest.edges.start));
        offsets
    }

    /// Returns the guests, and the lent pieces, as they are stored.
    fn pieces(&self, shard: u16) -> [Vec<Piece>; 2] {
        let piece = |guest: &Guest, other: u16| Piece {
            vertex: guest.vertex,
            shard: other.into(),
            first: guest.edges.start,
            length: guest.edges.end - guest.edges.start,
        };
        let guests = self.guests[usize::from(shard)].iter();
        let lent = self.lent[usize::from(shard)].iter();
        [
            guests.map(|guest| piece(guest, self.deal.owner_of(guest.vertex))).collect(),
            lent.map(|guest| piece(guest, guest.shard)).collect(),
        ]
    }
}

impl Source<'_> {
    /// Returns the size of a shard's edges in bytes, as a measure of progress.
    fn bytes_of(&self, shard: u16) -> u64 {
        let each: u64 = self.columns.iter().map(|column| column.kind().size() as u64).sum();
        let edges = |direction| self.deal.edges(direction)[usize::from(shard)];
        (4 + each) * (edges(Direction::Out) + self.inward.as_ref().map_or(0, |_| edges(Direction::In)))
    }

    /// Writes a shard, and returns what the manifest lists of it.
    fn write_shard(&self, shard: u16, path: &Path) -> Result<Listed, ShardError> {
        let blocks = &self.blocks[usize::from(shard)];
        let vertices = blocks.iter().flat_map(|&block| self.deal.vertices_of(block as usize));
        let ranks: Vec<u32> = vertices.map(|v| self.graph.rank_of(v)).collect();
        let ids: Option<Vec<u64>> = self
            .header
            .has(format::IDS)
            .then(|| ranks.iter().map(|&rank| self.graph.id_of_rank(rank)).collect());
        let mut sections: Vec<NewSection<'_>> = vec![(ShardSection::RANKS, bytes_of(&ranks))];
        sections.extend(ids.as_ref().map(|ids| (ShardSection::IDS, bytes_of(ids))));
        let mut fields = ShardFields {
            shard: shard.into(),
            shards: self.deal.num_shards().into(),
            vertices: ranks.len() as u32,
            guests: [0; 2],
            edges: [0; 2],
            reserved: [0; 2],
        };
        let sides = [Some(&self.out), self.inward.as_ref()];
        for (at, side) in sides.into_iter().enumerate() {
            let Some(side) = side else { continue };
            fields.guests[at] = side.guests[usize::from(shard)].len() as u32;
            fields.edges[at] = self.deal.edges(side.direction)[usize::from(shard)];
            self.add_rows(&mut sections, side, shard, blocks);
        }
        let ([out_edges, in_edges], vertices) = (fields.edges, fields.vertices.into());
        let Written { table, bytes } =
            container::write((path, Readers::Usual), &SHARD, &fields, sections, "", &Progress::NONE)?;
        Ok(Listed { vertices, out_edges, in_edges, bytes, table })
    }

    /// Adds the sections of a shard's rows of one direction.
    fn add_rows(&self, sections: &mut Vec<NewSection<'_>>, side: &Side<'_>, shard: u16, blocks: &[u32]) {
        let segments = side.segments(shard, blocks);
        let [offsets, ends, guests, lent] = ShardSection::rows(side.direction);
        let [of_others, of_own] = side.pieces(shard);
        sections.push((offsets, owned(side.offsets(shard, blocks))));
        sections.push((ends, owned(joined(side.rows.ends, &segments))));
        sections.push((guests, owned(of_others)));
        sections.push((lent, owned(of_own)));
        // If the out-rows serve as in-rows, but not their columns, in-columns are in the order of the out-rows.
        let directions: &[Direction] = match (side.direction, &self.inward, &self.in_positions) {
            (Direction::Out, None, Some(_)) => &[Direction::Out, Direction::In],
            (Direction::Out, ..) => &[Direction::Out],
            (Direction::In, ..) => &[Direction::In],
        };
        for &direction in directions {
            for (at, column) in self.columns.iter().enumerate() {
                let numbers = match (&self.in_positions, direction) {
                    (Some(positions), Direction::In) => gathered(*column, positions, &segments),
                    _ => copied(*column, &segments),
                };
                sections.push((ShardSection::column(direction, at), Cow::Owned(numbers)));
            }
        }
    }

    fn write_manifest(&self, names: &[&str], listed: &[Listed], path: &Path) -> Result<(), ShardError> {
        let (graph, deal) = (self.graph, self.deal);
        let columns = self.columns.iter().zip(names);
        let lines = column_lines(columns.map(|(column, name)| (column.kind(), *name)));
        let notes = key_with_notes("", graph.notes());
        let sections = vec![
            (ManifestSection::Reason as u32, Cow::Borrowed(graph.root_reason().as_bytes())),
            (ManifestSection::Layers as u32, bytes_of(graph.layer_offsets())),
            (ManifestSection::Owners as u32, bytes_of(deal.owners())),
            (ManifestSection::Columns as u32, Cow::Owned(lines.into_bytes())),
            (ManifestSection::Shards as u32, bytes_of(listed)),
        ];
        container::write((path, Readers::Usual), &MANIFEST, &self.header, sections, &notes, &Progress::NONE)?;
        Ok(())
    }
}

fn bytes_of<T: Pod>(numbers: &[T]) -> Cow<'_, [u8]> {
    Cow::Borrowed(bytemuck::cast_slice(numbers))
}

fn owned<T: Pod>(numbers: Vec<T>) -> Cow<'static, [u8]> {
    match bytemuck::allocation::try_cast_vec(numbers) {
        Ok(bytes) => Cow::Owned(bytes),
        Err((_, numbers)) => Cow::Owned(bytemuck::cast_slice(&numbers).to_vec()),
    }
}

/// Returns the elements of the segments, one after the other.
fn joined<T: Pod + Send + Sync>(all: &[T], segments: &[Range<usize>]) -> Vec<T> {
    let mut elements = vec![T::zeroed(); segments.iter().map(Range::len).sum()];
    let mut rest = elements.as_mut_slice();
    let mut parts = Vec::with_capacity(segments.len());
    for segment in segments {
        let (part, after) = rest.split_at_mut(segment.len());
        parts.push((part, &all[segment.clone()]));
        rest = after;
    }
    parts.into_par_iter().for_each(|(part, from)| part.copy_from_slice(from));
    elements
}

/// Returns the bytes of a column's numbers in the segments.
fn copied(column: WeightSlice<'_>, segments: &[Range<usize>]) -> Vec<u8> {
    let size = column.kind().size();
    let segments: Vec<_> = segments.iter().map(|segment| size * segment.start..size * segment.end).collect();
    joined(column.bytes(), &segments)
}

/// Returns the bytes of a column's numbers at the `positions` in the segments.
fn gathered(column: WeightSlice<'_>, positions: &[u64], segments: &[Range<usize>]) -> Vec<u8> {
    let (size, bytes) = (column.kind().size(), column.bytes());
    let mut numbers = vec![0; size * segments.iter().map(Range::len).sum::<usize>()];
    let positions = joined(positions, segments);
    numbers.par_chunks_exact_mut(size).zip(positions).for_each(|(number, position)| {
        number.copy_from_slice(&bytes[size * position as usize..][..size]);
    });
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shards_are_numbers() {
        assert_eq!(number_of(OsStr::new("0012.shard")), Some(12));
        assert_eq!(number_of(OsStr::new("12345.shard")), Some(12345));
        for other in ["manifest", "a.shard", ".shard", "-1.shard", "0012.shard.gz", "12.shard", "00012.shard"]
        {
            assert_eq!(number_of(OsStr::new(other)), None, "{other}");
        }
    }

    #[test]
    fn segments_are_joined_in_order() {
        assert_eq!(joined(&[0u32, 1, 2, 3, 4], &[3..5, 0..1, 2..2]), [3, 4, 0]);
        let column = WeightSlice::U16(&[7, 8, 9]);
        assert_eq!(copied(column, &[1..3, 0..0]), bytemuck::cast_slice::<u16, u8>(&[8, 9]));
        assert_eq!(gathered(column, &[2, 0, 1], &[0..1, 2..3]), bytemuck::cast_slice::<u16, u8>(&[9, 8]));
    }
}
