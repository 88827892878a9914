//! From what was read to an edge list: ids become ranks, and the options are applied.

use super::error::LoadError;
use super::named;
use super::reader::Parsed;
use super::{LoadOptions, LoadReport, Loaded, Policy};
use std::path::Path;
use wolfpath_core::assemble::{NumberError, Space, number};
use wolfpath_core::edge_list::{Duplicates, EdgeList, Symmetry};
use wolfpath_core::resources::Resources;

/// Turns ids into ranks, and applies the options.
pub(super) fn finish(
    mut parsed: Parsed,
    mut report: LoadReport,
    path: &Path,
    options: &LoadOptions,
    resources: &Resources,
) -> Result<Loaded, LoadError> {
    let named = named::joined(&mut parsed);
    // Ends that went to the disk stay there.
    let space = if parsed.spilled { resources.on_disk() } else { Space::Memory };
    let finish = Finish { path, options, space };
    let mut notes = parsed.said.notes;
    let numbered = number(parsed.pieces, parsed.said.declared, &finish.space);
    let (list, rounded) = numbered.map_err(|error| finish.failed(error))?;
    notes.extend(finish.rounding("weights", rounded, &list)?);
    for (column, rounded) in named.columns() {
        notes.extend(finish.rounding(&format!("numbers of the column {column}"), rounded, &list)?);
    }
    let mut list = named.join(list, parsed.said.weight_name);
    list = finish.add_vertices(list, &mut notes)?;
    if parsed.said.undirected || options.undirected {
        list = list.undirected();
        if list.symmetry() == Symmetry::Found && list.num_edges() > 0 {
            notes.push("the file holds both directions of every edge already: not doubled".to_owned());
        }
    }
    report.self_loops = list.num_self_loops();
    list = finish.treat_loops(list, &mut notes);
    list = finish.merge_duplicates(list, &mut notes)?;
    Ok(Loaded { edges: list.read_with_notes(notes), report })
}

/// The origin of a list, and the options for it.
struct Finish<'a> {
    path: &'a Path,
    options: &'a LoadOptions,
    space: Space,
}

impl Finish<'_> {
    fn add_vertices(&self, list: EdgeList, notes: &mut Vec<String>) -> Result<EdgeList, LoadError> {
        let before = list.num_vertices();
        let list =
            list.with_more_vertices(&self.options.vertices).map_err(|error| self.failed(error.into()))?;
        let added = list.num_vertices() - before;
        if added > 0 {
            notes.push(format!("{} that no edge has", counted(added.into(), "more vertex", "more vertices")));
        }
        Ok(list)
    }

    fn treat_loops(&self, list: EdgeList, notes: &mut Vec<String>) -> EdgeList {
        let loops = list.num_self_loops();
        if loops == 0 {
            return list;
        }
        notes.push(fate(self.options.self_loops, loops, "self-loop"));
        match self.options.self_loops {
            Policy::Keep => list,
            Policy::Drop => list.without_self_loops(),
        }
    }

    fn merge_duplicates(&self, list: EdgeList, notes: &mut Vec<String>) -> Result<EdgeList, LoadError> {
        let duplicates = self.options.duplicates;
        if duplicates == Duplicates::Keep {
            return Ok(list);
        }
        let (before, was_weighted) = (list.num_edges(), list.weights().is_some());
        let merged = list.merged_in(duplicates, &self.space);
        let (list, rounded) = merged.map_err(|error| match error {
            NumberError::Edges(source) => LoadError::Duplicates { path: self.path.to_owned(), source },
            space @ NumberError::Space(_) => self.failed(space),
        })?;
        notes.extend(self.rounding("sums of weights", rounded, &list)?);
        if duplicates == Duplicates::Sum && !was_weighted {
            notes.push("edges have no weights: that of each is now the number of its lines".to_owned());
        }
        let gone = before - list.num_edges();
        if gone > 0 {
            let many = counted(gone, "duplicate edge", "duplicate edges");
            notes.push(format!("{many} {}", duplicates.outcome()));
        }
        Ok(list)
    }

    /// Refuses numbers that would be rounded; or returns a note, if that is accepted.
    fn rounding(
        &self,
        what: &str,
        rounded: Option<usize>,
        list: &EdgeList,
    ) -> Result<Option<String>, LoadError> {
        let Some(position) = rounded else { return Ok(None) };
        let (source_id, target_id) = list.edge(position);
        if !self.options.lossy_weights {
            let (path, what, position) = (self.path.to_owned(), what.to_owned(), position as u64);
            return Err(LoadError::Inexact { path, what, position, source_id, target_id });
        }
        Ok(Some(format!(
            "no number type holds all {what} exactly: some integers were rounded to the nearest 64-bit float, the first \
             of them that of edge {position} (from 0), {source_id} -> {target_id}"
        )))
    }

    fn failed(&self, error: NumberError) -> LoadError {
        let path = self.path.to_owned();
        match error {
            NumberError::Edges(source) => LoadError::Vertices { path, source },
            NumberError::Space(source) => LoadError::Space { path, source },
        }
    }
}

/// Says how edges of some kind were treated.
fn fate(policy: Policy, many: u64, what: &str) -> String {
    let fate = match policy {
        Policy::Keep => "kept",
        Policy::Drop => "dropped",
    };
    format!("{} {fate}", counted(many, what, &format!("{what}s")))
}

fn counted(many: u64, one: &str, several: &str) -> String {
    format!("{many} {}", if many == 1 { one } else { several })
}
