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
use wolfpath_core::program::DatumKind;
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

/// Writes all shards of a graph, then the manifest.
pub(super) fn write(
    graph: &LayeredGraph,
    deal: &Deal,
    folder: &Path,
    progress: &Progress,
) -> Result<(), ShardError> {
    assert_eq!(deal.num_vertices(), graph.num_vertices(), "the deal is one of another graph");
    let edges: u64 = deal.edges(Direction::Out).iter().sum();
    assert_eq!(edges, graph.num_edges(), "the deal is one of another graph");
    // Errors of the graph are not those of shards.
    let inward = inward(graph).map_err(ShardError::Store)?;
    assert_eq!(deal.has_in_rows(), inward.is_some(), "the deal is one of another graph");
    check(folder)?;
    let (header, has_ids) = graph.header(deal.num_shards().into());
    let names = graph.column_names();
    let columns: Vec<WeightSlice<'_>> = names.iter().filter_map(|name| graph.column(name)).collect();
    let in_positions = match columns.is_empty() {
        true => None,
        false => graph.in_edge_positions().map_err(ShardError::Store)?,
    };
    let writer = Writer::new(Layout {
        deal,
        offsets: [graph.out_edges().offsets, inward.map_or(&[][..], |rows| rows.offsets)],
        header,
        has_ids,
        columns: columns.iter().zip(&names).map(|(column, name)| (column.kind(), *name)).collect(),
        in_columns: in_positions.is_some(),
    });
    let whole = WholeGraph { graph, inward, columns, in_positions };
    prepare(folder)?;
    progress.begin(Stage::Write, Some((0..deal.num_shards()).map(|shard| writer.bytes_of(shard)).sum()));
    let mut listed = Vec::with_capacity(deal.num_shards().into());
    for shard in 0..deal.num_shards() {
        listed.push(writer.write_shard(&whole, shard, &shard_path(folder, shard))?);
        progress.advance(writer.bytes_of(shard));
    }
    remove_shards(folder, |shard| shard >= deal.num_shards().into())?;
    let manifest = Manifest {
        reason: graph.root_reason(),
        layers: graph.layer_offsets(),
        notes: graph.notes(),
        listed: &listed,
    };
    writer.write_manifest(&manifest, &folder.join(MANIFEST_NAME))
}

/// Creates the folder, or removes the manifest from it.
pub(super) fn prepare(folder: &Path) -> Result<(), ShardError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(of_folder(folder, "create the folder")(error))
        }
        _ => remove(&folder.join(MANIFEST_NAME)),
    }
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
pub(super) fn remove_shards(folder: &Path, is_old: impl Fn(u32) -> bool) -> Result<(), ShardError> {
    let old = names_in(folder)?.into_iter().filter(|name| number_of(name).is_some_and(&is_old));
    old.map(|name| folder.join(name)).try_for_each(|path| remove(&path))
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<(), ShardError> {
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

/// Contents of a graph's shards, apart from the edges.
pub(super) struct Layout<'a> {
    pub(super) deal: &'a Deal,
    /// The starts of out-rows and of in-rows. The latter are not used if the out-rows serve as in-rows.
    pub(super) offsets: [&'a [u64]; 2],
    pub(super) header: GraphHeader,
    /// `true` if ids are not consecutive.
    pub(super) has_ids: bool,
    pub(super) columns: Vec<(DatumKind, &'a str)>,
    /// `true` if columns are in another order by in-rows.
    pub(super) in_columns: bool,
}

/// The data of the edges and vertices that are written.
pub(super) trait Source {
    /// Returns the rank of a vertex.
    fn rank_of(&self, vertex: u32) -> u32;

    /// Returns the id of a rank.
    fn id_of_rank(&self, rank: u32) -> u64;

    /// Returns the ends of a shard's edges, which are at the positions `segments` of all rows.
    fn ends(&self, shard: u16, direction: Direction, segments: &[Range<usize>]) -> Cow<'_, [u8]>;

    /// Returns the numbers of a column of a shard's edges.
    fn column(&self, shard: u16, direction: Direction, at: usize, segments: &[Range<usize>])
    -> Cow<'_, [u8]>;
}

/// Fields of a manifest that are not in its header.
pub(super) struct Manifest<'a> {
    pub(super) reason: &'a str,
    pub(super) layers: &'a [u32],
    pub(super) notes: &'a [String],
    pub(super) listed: &'a [Listed],
}

/// Writes the shards of a graph.
pub(super) struct Writer<'a> {
    layout: Layout<'a>,
    out: Side<'a>,
    inward: Option<Side<'a>>,
    /// The blocks of each shard.
    blocks: Vec<Vec<u32>>,
}

/// The rows of one direction.
struct Side<'a> {
    deal: &'a Deal,
    offsets: &'a [u64],
    direction: Direction,
    /// The guests that each shard has.
    guests: Vec<Vec<&'a Guest>>,
    /// The pieces of each shard's rows that other shards have.
    lent: Vec<Vec<&'a Guest>>,
}

impl<'a> Side<'a> {
    fn new(deal: &'a Deal, offsets: &'a [u64], direction: Direction) -> Side<'a> {
        let none = vec![Vec::new(); deal.num_shards().into()];
        let (mut guests, mut lent) = (none.clone(), none);
        for guest in deal.guests(direction) {
            guests[usize::from(guest.shard)].push(guest);
            lent[usize::from(deal.owner_of(guest.vertex))].push(guest);
        }
        Side { deal, offsets, direction, guests, lent }
    }

    /// Returns the positions of a shard's edges among those of all rows.
    fn segments(&self, shard: u16, blocks: &[u32]) -> Vec<Range<usize>> {
        let mut segments = Vec::new();
        let mut lent = self.lent[usize::from(shard)].iter().peekable();
        for &block in blocks {
            let vertices = self.deal.vertices_of(block as usize);
            let mut next = self.offsets[vertices.start as usize] as usize;
            while let Some(piece) = lent.next_if(|piece| piece.vertex < vertices.end) {
                let edges = piece.edges_in(self.offsets);
                segments.push(next..edges.start);
                next = edges.end;
            }
            segments.push(next..self.offsets[vertices.end as usize] as usize);
        }
        segments.extend(self.guests[usize::from(shard)].iter().map(|guest| guest.edges_in(self.offsets)));
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
            let mut length = self.offsets[v as usize + 1] - self.offsets[v as usize];
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

impl<'a> Writer<'a> {
    pub(super) fn new(mut layout: Layout<'a>) -> Writer<'a> {
        let (deal, [out, inward]) = (layout.deal, layout.offsets);
        layout.header.flags |= if deal.has_in_rows() { format::IN_ROWS } else { 0 };
        layout.header.flags |= if layout.has_ids { format::IDS } else { 0 };
        Writer {
            layout,
            out: Side::new(deal, out, Direction::Out),
            inward: deal.has_in_rows().then(|| Side::new(deal, inward, Direction::In)),
            blocks: deal.blocks_by_shard(),
        }
    }

    /// Returns the size of a shard's edges in bytes, as a measure of progress.
    pub(super) fn bytes_of(&self, shard: u16) -> u64 {
        let each: u64 = self.layout.columns.iter().map(|(kind, _)| kind.size() as u64).sum();
        let edges = |direction| self.layout.deal.edges(direction)[usize::from(shard)];
        (4 + each) * (edges(Direction::Out) + self.inward.as_ref().map_or(0, |_| edges(Direction::In)))
    }

    /// Returns the positions of a shard's edges among those of all rows of a direction, in the order of its file.
    pub(super) fn segments(&self, shard: u16, direction: Direction) -> Vec<Range<usize>> {
        let side = match direction {
            Direction::In => self.inward.as_ref().unwrap_or(&self.out),
            Direction::Out => &self.out,
        };
        side.segments(shard, &self.blocks[usize::from(shard)])
    }

    /// Writes a shard, and returns what the manifest lists of it.
    pub(super) fn write_shard(
        &self,
        source: &impl Source,
        shard: u16,
        path: &Path,
    ) -> Result<Listed, ShardError> {
        let (deal, blocks) = (self.layout.deal, &self.blocks[usize::from(shard)]);
        let vertices = blocks.iter().flat_map(|&block| deal.vertices_of(block as usize));
        let ranks: Vec<u32> = vertices.map(|v| source.rank_of(v)).collect();
        let ids: Option<Vec<u64>> =
            self.layout.has_ids.then(|| ranks.iter().map(|&rank| source.id_of_rank(rank)).collect());
        let mut sections: Vec<NewSection<'_>> = vec![(ShardSection::RANKS, bytes_of(&ranks))];
        sections.extend(ids.as_ref().map(|ids| (ShardSection::IDS, bytes_of(ids))));
        let mut fields = ShardFields {
            shard: shard.into(),
            shards: deal.num_shards().into(),
            vertices: ranks.len() as u32,
            guests: [0; 2],
            edges: [0; 2],
            reserved: [0; 2],
        };
        let sides = [Some(&self.out), self.inward.as_ref()];
        for (at, side) in sides.into_iter().enumerate() {
            let Some(side) = side else { continue };
            fields.guests[at] = side.guests[usize::from(shard)].len() as u32;
            fields.edges[at] = deal.edges(side.direction)[usize::from(shard)];
            self.add_rows(&mut sections, source, side, shard);
        }
        let ([out_edges, in_edges], vertices) = (fields.edges, fields.vertices.into());
        // The manifest is written last.
        let Written { table, bytes } = container::write_one_of_many(path, &SHARD, &fields, sections)?;
        Ok(Listed { vertices, out_edges, in_edges, bytes, table })
    }

    /// Adds the sections of a shard's rows of one direction.
    fn add_rows<'s>(
        &self,
        sections: &mut Vec<NewSection<'s>>,
        source: &'s impl Source,
        side: &Side<'_>,
        shard: u16,
    ) {
        let blocks = &self.blocks[usize::from(shard)];
        let segments = side.segments(shard, blocks);
        let [offsets, ends, guests, lent] = ShardSection::rows(side.direction);
        let [of_others, of_own] = side.pieces(shard);
        sections.push((offsets, owned(side.offsets(shard, blocks))));
        sections.push((ends, source.ends(shard, side.direction, &segments)));
        sections.push((guests, owned(of_others)));
        sections.push((lent, owned(of_own)));
        // If the out-rows serve as in-rows, but not their columns, in-columns are in the order of the out-rows.
        let directions: &[Direction] = match (side.direction, &self.inward, self.layout.in_columns) {
            (Direction::Out, None, true) => &[Direction::Out, Direction::In],
            (Direction::Out, ..) => &[Direction::Out],
            (Direction::In, ..) => &[Direction::In],
        };
        for &direction in directions {
            for at in 0..self.layout.columns.len() {
                let numbers = source.column(shard, direction, at, &segments);
                sections.push((ShardSection::column(direction, at), numbers));
            }
        }
    }

    pub(super) fn write_manifest(&self, manifest: &Manifest<'_>, path: &Path) -> Result<(), ShardError> {
        let lines = column_lines(self.layout.columns.iter().copied());
        let notes = key_with_notes("", manifest.notes);
        let sections = vec![
            (ManifestSection::Reason as u32, Cow::Borrowed(manifest.reason.as_bytes())),
            (ManifestSection::Layers as u32, bytes_of(manifest.layers)),
            (ManifestSection::Owners as u32, bytes_of(self.layout.deal.owners())),
            (ManifestSection::Columns as u32, Cow::Owned(lines.into_bytes())),
            (ManifestSection::Shards as u32, bytes_of(manifest.listed)),
        ];
        let header = &self.layout.header;
        container::write((path, Readers::Usual), &MANIFEST, header, sections, &notes, &Progress::NONE)?;
        Ok(())
    }
}

/// A graph that is on this machine.
struct WholeGraph<'a> {
    graph: &'a LayeredGraph,
    /// `None` if the out-rows serve as in-rows.
    inward: Option<Rows<'a>>,
    columns: Vec<WeightSlice<'a>>,
    /// For every edge in the order of in-rows, its position in out-rows, if columns are in another order by in-rows.
    in_positions: Option<Vec<u64>>,
}

impl Source for WholeGraph<'_> {
    fn rank_of(&self, vertex: u32) -> u32 {
        self.graph.rank_of(vertex)
    }

    fn id_of_rank(&self, rank: u32) -> u64 {
        self.graph.id_of_rank(rank)
    }

    fn ends(&self, _: u16, direction: Direction, segments: &[Range<usize>]) -> Cow<'_, [u8]> {
        let rows = match direction {
            Direction::Out => None,
            Direction::In => self.inward,
        };
        owned(joined(rows.unwrap_or_else(|| self.graph.out_edges()).ends, segments))
    }

    fn column(&self, _: u16, direction: Direction, at: usize, segments: &[Range<usize>]) -> Cow<'_, [u8]> {
        let column = self.columns[at];
        Cow::Owned(match (&self.in_positions, direction) {
            (Some(positions), Direction::In) => gathered(column, positions, segments),
            _ => copied(column, segments),
        })
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
