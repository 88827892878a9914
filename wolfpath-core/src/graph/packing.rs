//! Packs the rows of a graph while it is built, if that was requested or saves enough.

use super::apart::apart;
use super::layered_graph::LayeredGraph;
use super::rows::{Direction, Room, Rows};
use crate::packed::{PackedRows, measure};
use crate::progress::Stage;
use crate::space::SpaceError;
use crate::store::{InRows, PackedColumns, StoreError, may_save_a_quarter, saves_a_quarter};

/// Returns an upper bound of the bytes that the packed rows of one direction take per edge, besides those per vertex.
pub(super) fn most_bytes(choice: Option<bool>) -> u64 {
    match choice {
        Some(false) => 0,
        // Three quarters of the ends.
        None => 3,
        // A row of one end takes the byte of its width and at most 32 bits.
        Some(true) => 5,
    }
}

/// Packs rows. `choice` says whether they are packed; by default they are if that [saves a quarter](saves_a_quarter).
pub(super) fn packed(
    rows: Rows<'_>,
    choice: Option<bool>,
    room: Room<'_>,
) -> Result<Option<PackedColumns>, SpaceError> {
    let edges = rows.ends.len() as u64;
    if choice == Some(false) || (choice.is_none() && !may_save_a_quarter(rows.num_vertices(), edges)) {
        return Ok(None);
    }
    // Every end is read twice: to measure the rows, and to write them.
    room.progress.begin(Stage::Pack, Some(2 * edges));
    let measured = measure(rows, room.progress)?;
    if choice.is_none() && !saves_a_quarter(measured.sections(), edges) {
        return Ok(None);
    }
    Ok(Some(measured.write(room.space, room.progress)?.into()))
}

impl LayeredGraph {
    /// Returns the rows of one direction in packed form, if the graph stores them: see
    /// [`LayerOptions::packed`](super::LayerOptions::packed). In a symmetric graph, the out-rows serve as in-rows.
    ///
    /// Opening a file verifies the checksums of packed rows. The first call for each direction also packs the rows again
    /// and compares, on all cores.
    ///
    /// # Errors
    /// Returns an error if the file's packed rows are not the packed form of its rows, which can only be the case in a
    /// forged file with valid checksums.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 3)])?;
    /// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(true))?;
    /// let packed = graph.packed_rows(Direction::In)?.expect("requested");
    /// assert!(packed.row(1).eq([0]), "the root, 1, is the source of the edge to the next vertex");
    /// assert!(LayeredGraph::from_edges([(1, 2)])?.packed_rows(Direction::Out)?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn packed_rows(&self, direction: Direction) -> Result<Option<PackedRows<'_>>, StoreError> {
        if self.derived.is_some() {
            return Ok(None);
        }
        let contents = &self.data.contents;
        let [out, inward] = &self.data.packed;
        if direction == Direction::In && !contents.symmetry.edges {
            let Some(InRows { offsets, packed: Some(packed), .. }) = &contents.in_rows else {
                return Ok(None);
            };
            let check = || apart(self.data.size(), || contents.check_packed_in_rows());
            inward.get_or_init(check).clone()?;
            return Ok(Some(packed.rows(offsets.values())));
        }
        let Some(packed) = &contents.packed else { return Ok(None) };
        let check = || apart(self.data.size(), || contents.check_packed_out_rows());
        out.get_or_init(check).clone()?;
        Ok(Some(packed.rows(contents.offsets.values())))
    }
}
