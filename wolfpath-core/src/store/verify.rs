//! Verifies a mapped graph: the checksum of each section, and that its numbers form a layered graph. Code that later
//! reads the graph can rely on its indices.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::column::{Column, WeightColumn};
use super::contents::{Contents, InRows};
use super::error::StoreError;
use super::graph_header::check_layers;
use super::packed::PackedColumns;
use super::pass::{BoundedRows, ascends, ascends_strictly, with_one_before};
use super::paths::PathColumns;
use crate::graph::Rows;
use crate::memory;
use crate::progress::{Progress, Stage};

/// Marker for a rank that no vertex has. It is not a valid index, because a graph has at most 2^32 - 1 vertices.
const NO_VERTEX: u32 = u32::MAX;

impl Contents {
    /// Verifies everything: layers, ids, ranks, rows, packed rows and paths (their checksums only), weights and other columns.
    /// Returns the internal index of each rank, which is a by-product of checking the ranks. Reports the verified bytes
    /// to `progress`.
    ///
    /// The parts are verified in parallel. Verifying the ranks mostly waits for random memory accesses, and the other
    /// parts are read in the meantime. If several parts have errors, the error of the first of them, in the order of
    /// the list above, is returned.
    pub(super) fn verify(&self, progress: &Progress) -> Result<Vec<u32>, StoreError> {
        let in_rows = self.in_rows.as_ref().map_or(0, |_| self.row_bytes());
        let bytes = self.vertex_bytes()
            + self.row_bytes()
            + in_rows
            + self.packed_bytes()
            + self.path_bytes()
            + self.weight_bytes();
        progress.begin(Stage::Verify, Some(bytes));
        self.check_layers()?;
        let vertices = || {
            let by_rank = self.check_ids().and_then(|()| self.check_ranks())?;
            progress.advance(self.vertex_bytes());
            Ok(by_rank)
        };
        let rows = || {
            self.check_edges()?;
            progress.advance(self.row_bytes());
            self.check_in_rows()?;
            progress.advance(in_rows);
            self.verify_packed()?;
            progress.advance(self.packed_bytes());
            self.verify_paths()?;
            progress.advance(self.path_bytes());
            Ok(())
        };
        let columns = || {
            let further = self.columns.others.iter().map(|column| &column.numbers);
            self.weights.iter().chain(further).try_for_each(|column| {
                column.verify()?;
                progress.advance(column.bytes());
                Ok(())
            })
        };
        let (by_rank, (rows, columns)) = rayon::join(vertices, || rayon::join(rows, columns));
        let by_rank = by_rank?;
        rows.and(columns).map(|()| by_rank)
    }

    /// Checks that layers ascend from 0 to the number of vertices, and that the number of layers of the root's tree is
    /// in range.
    pub(crate) fn check_layers(&self) -> Result<(), StoreError> {
        check_layers(&self.layers, self.vertices, self.root_layers)
    }

    /// Checks that ids ascend.
    pub(crate) fn check_ids(&self) -> Result<(), StoreError> {
        let Some(column) = &self.ids else {
            return Ok(());
        };
        let ids = column.values();
        if column.pass(|places| ascends_strictly(with_one_before(ids, places)))? {
            return Ok(());
        }
        let Some(rank) = (1..ids.len()).find(|&rank| ids[rank - 1] >= ids[rank]) else {
            return Err(column.changed());
        };
        let found = format!("id {} after {}", ids[rank], ids[rank - 1]);
        Err(column.broken(rank, found, "a larger id"))
    }

    /// Checks that ranks are a permutation and the root comes first. Returns the internal index of each rank.
    pub(crate) fn check_ranks(&self) -> Result<Vec<u32>, StoreError> {
        self.ranks.verify()?;
        let values = self.ranks.values();
        let mut places: Vec<AtomicU32> = memory::with_room(self.vertices as usize);
        let empty = (0..self.vertices as usize).into_par_iter().map(|_| AtomicU32::new(NO_VERTEX));
        empty.collect_into_vec(&mut places);
        values.par_iter().enumerate().for_each(|(vertex, &rank)| {
            // If a rank is too large, nothing is stored. Another slot then stays empty, which is detected below.
            if let Some(place) = places.get(rank as usize) {
                place.store(vertex as u32, Ordering::Relaxed);
            }
        });
        let by_rank: Vec<u32> = places.into_iter().map(AtomicU32::into_inner).collect();
        // n ranks that fill all of n slots are a permutation.
        if by_rank.par_iter().any(|&vertex| vertex == NO_VERTEX) {
            let is_wrong = |&v: &usize| by_rank.get(values[v] as usize).is_none_or(|&at| at != v as u32);
            let Some(vertex) = (0..values.len()).find(is_wrong) else {
                return Err(self.ranks.changed());
            };
            let found = format!("rank {} of vertex {vertex}", values[vertex]);
            return Err(self.ranks.broken(
                vertex,
                found,
                format!("each rank below {} exactly once", self.vertices),
            ));
        }
        match values.first() {
            Some(&first) if Some(self.id_of_rank(first)) != self.root => {
                Err(self.ranks.broken(0, "a first vertex that is not the root", "the root"))
            }
            _ => Ok(by_rank),
        }
    }

    /// Checks rows: offsets ascend, ends ascend within a row, and no edge leads beyond the next layer. The layers must
    /// be valid.
    pub(crate) fn check_edges(&self) -> Result<(), StoreError> {
        check_rows(&self.offsets, &self.ends, self.layers.values(), self.edges)
    }

    /// Checks in-rows, if any: offsets ascend, ends ascend within a row, and ends are vertices.
    pub(crate) fn check_in_rows(&self) -> Result<(), StoreError> {
        self.in_rows
            .as_ref()
            .map_or(Ok(()), |rows| check_rows(&rows.offsets, &rows.ends, &[0, self.vertices], self.edges))
    }

    /// Verifies the checksums of packed rows, if any. Packing the rows again to compare them takes longer than all other
    /// checks together, so it is left to the first use of packed rows.
    fn verify_packed(&self) -> Result<(), StoreError> {
        let inward = self.in_rows.as_ref().and_then(|rows| rows.packed.as_ref());
        self.packed.iter().chain(inward).try_for_each(PackedColumns::verify)
    }

    /// Verifies the checksums of paths, if any. The first use of the paths checks the rest.
    fn verify_paths(&self) -> Result<(), StoreError> {
        self.paths.as_ref().map_or(Ok(()), PathColumns::verify)
    }

    /// Checks the paths, if any. The out-rows must be valid.
    pub(crate) fn check_paths(&self) -> Result<(), StoreError> {
        let rows = Rows { offsets: self.offsets.values(), ends: self.ends.values() };
        self.paths.as_ref().map_or(Ok(()), |paths| paths.check(rows))
    }

    /// Checks the packed out-rows, if any. The out-rows must be valid.
    pub(crate) fn check_packed_out_rows(&self) -> Result<(), StoreError> {
        let rows = Rows { offsets: self.offsets.values(), ends: self.ends.values() };
        self.packed.as_ref().map_or(Ok(()), |packed| packed.check(rows, false))
    }

    /// Checks the packed in-rows, if any. The in-rows must be valid.
    pub(crate) fn check_packed_in_rows(&self) -> Result<(), StoreError> {
        let Some(InRows { offsets, ends, packed: Some(packed) }) = &self.in_rows else { return Ok(()) };
        packed.check(Rows { offsets: offsets.values(), ends: ends.values() }, true)
    }

    /// Checks that weights contain no NaN.
    pub(crate) fn check_weights(&self) -> Result<(), StoreError> {
        self.weights.as_ref().map_or(Ok(()), WeightColumn::verify)
    }
}

/// Checks that the offsets and the ends of rows ascend, and that no end is beyond the group of vertices after the row's
/// own. `groups` has the first vertex of each group (a layer, or all vertices), then the number of vertices; see
/// [`BoundedRows`].
fn check_rows(
    offsets: &Column<u64>,
    ends: &Column<u32>,
    groups: &[u32],
    edges: u64,
) -> Result<(), StoreError> {
    check_offsets(offsets, edges)?;
    let rows = BoundedRows { offsets: offsets.values(), ends: ends.values(), groups };
    if ends.pass(|places| rows.are_right(places))? {
        return Ok(());
    }
    let wrong = (0..groups.len() - 1)
        .find_map(|group| (groups[group]..groups[group + 1]).find_map(|v| wrong_end(&rows, v, group)));
    Err(wrong.map_or_else(|| ends.changed(), |(place, found, expected)| ends.broken(place, found, expected)))
}

/// Checks that offsets ascend from 0 to the number of edges.
fn check_offsets(column: &Column<u64>, edges: u64) -> Result<(), StoreError> {
    let offsets = column.values();
    let ascend = column.pass(|places| ascends(with_one_before(offsets, places)))?;
    let last = offsets.len() - 1;
    if offsets[0] != 0 || offsets[last] != edges {
        let found = format!("rows from {} to {}", offsets[0], offsets[last]);
        return Err(column.broken(0, found, format!("0 to {edges}")));
    }
    match (1..offsets.len()).find(|&row| !ascend && offsets[row - 1] > offsets[row]) {
        Some(row) => Err(column.broken(
            row,
            format!("offset {} after {}", offsets[row], offsets[row - 1]),
            "no smaller offset",
        )),
        None => Ok(()),
    }
}

/// Returns the position of the first fault in a row, a description of what was found there, and a description of what
/// was expected. Returns `None` if the row has no fault.
fn wrong_end(rows: &BoundedRows<'_>, vertex: u32, group: usize) -> Option<(usize, String, String)> {
    let begin = rows.offsets[vertex as usize] as usize;
    let row = &rows.ends[begin..rows.offsets[vertex as usize + 1] as usize];
    if let Some(index) = (1..row.len()).find(|&index| row[index - 1] > row[index]) {
        let found = format!("end {} after {}", row[index], row[index - 1]);
        return Some((begin + index, found, "rows in ascending order".to_owned()));
    }
    let limit = rows.limit(group);
    let &end = row.last().filter(|&&end| end >= limit)?;
    let found = format!("an edge between vertex {vertex} and {end}");
    Some((begin + row.len() - 1, found, format!("an end below {limit}")))
}
