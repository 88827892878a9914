//! Writes a graph to a `.wolf` file.

use std::borrow::Cow;
use std::path::Path;

use super::container::{self, NewSection};
use super::contents::Contents;
use super::error::StoreError;
use super::format::{SectionKind, WOLF, column_kind};
use super::graph_header::{COLUMN_KINDS, GraphHeader, column_lines, key_with_notes};
use super::paths::PathColumns;
use crate::progress::Progress;
use crate::replace::Readers;
use crate::weights::Columns;

/// Writes a graph to `path`, and replaces any existing file. `key` (whole lines) describes the input that the graph was
/// built from. `notes` are notes to the user about how the input was read.
pub(crate) fn write(
    contents: &Contents,
    key: &str,
    notes: &[String],
    path: &Path,
    progress: &Progress,
) -> Result<(), StoreError> {
    write_for(Readers::Usual, contents, key, notes, path, progress)
}

/// Writes a graph like [`write()`], but to a file that only the user may read.
pub(crate) fn write_private(
    contents: &Contents,
    key: &str,
    notes: &[String],
    path: &Path,
    progress: &Progress,
) -> Result<(), StoreError> {
    write_for(Readers::User, contents, key, notes, path, progress)
}

fn write_for(
    readers: Readers,
    contents: &Contents,
    key: &str,
    notes: &[String],
    path: &Path,
    progress: &Progress,
) -> Result<(), StoreError> {
    let key = key_with_notes(key, notes);
    container::write((path, readers), &WOLF, &header(contents), all_sections(contents), &key, progress)
        .map(drop)
}

/// Returns all sections of a graph, in the order of the file.
pub(super) fn all_sections(contents: &Contents) -> Vec<NewSection<'_>> {
    let own = sections(contents).into_iter().map(|(kind, bytes)| (kind as u32, Cow::Borrowed(bytes)));
    own.chain(columns(contents)).collect()
}

/// Returns the sections of the weight's name and of the other columns. Most graphs have none.
fn columns(contents: &Contents) -> Vec<NewSection<'_>> {
    let Columns { weight_name, others } = &contents.columns;
    let mut sections = Vec::new();
    if let Some(name) = weight_name {
        sections.push((SectionKind::WeightName as u32, Cow::Borrowed(name.as_bytes())));
    }
    if !others.is_empty() {
        let columns = others.iter().map(|column| (column.numbers.slice().kind(), column.name.as_str()));
        let names = column_lines(columns);
        sections.push((SectionKind::Columns as u32, Cow::Owned(names.into_bytes())));
    }
    let numbers = others.iter().enumerate();
    sections.extend(
        numbers.map(|(index, column)| (column_kind(index), Cow::Borrowed(column.numbers.slice().bytes()))),
    );
    sections
}

/// Returns the sections of a graph, except for those of [`columns`].
fn sections(contents: &Contents) -> Vec<(SectionKind, &[u8])> {
    let mut sections: Vec<(SectionKind, &[u8])> = vec![
        (SectionKind::Reason, contents.reason.as_bytes()),
        (SectionKind::Layers, bytemuck::cast_slice(contents.layers.values())),
        (SectionKind::Ranks, bytemuck::cast_slice(contents.ranks.values())),
    ];
    if let Some(ids) = &contents.ids {
        sections.push((SectionKind::Ids, bytemuck::cast_slice(ids.values())));
    }
    sections.push((SectionKind::Offsets, bytemuck::cast_slice(contents.offsets.values())));
    sections.push((SectionKind::Ends, bytemuck::cast_slice(contents.ends.values())));
    if let Some(weights) = &contents.weights {
        sections.push((SectionKind::Weights, weights.slice().bytes()));
    }
    if let Some(rows) = &contents.in_rows {
        sections.push((SectionKind::InOffsets, bytemuck::cast_slice(rows.offsets.values())));
        sections.push((SectionKind::InEnds, bytemuck::cast_slice(rows.ends.values())));
    }
    let inward = contents.in_rows.as_ref().and_then(|rows| rows.packed.as_ref());
    sections.extend(contents.packed.iter().flat_map(|packed| packed.sections(false)));
    sections.extend(inward.into_iter().flat_map(|packed| packed.sections(true)));
    sections.extend(contents.paths.iter().flat_map(PathColumns::sections));
    sections
}

/// Returns the header. Its own number is the position of the type of the weights, counted from 1; 0 without weights.
pub(super) fn header(contents: &Contents) -> GraphHeader {
    let kind = contents.weights.as_ref().map(|weights| weights.slice().kind());
    let position = kind.map(|kind| {
        let position = COLUMN_KINDS.iter().position(|&known| known == kind);
        position.expect("stored weights have one of these types") as u32 + 1
    });
    GraphHeader::of(contents, position.unwrap_or(0))
}
