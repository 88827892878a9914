//! Packs the rows of a graph while it is built, if that was requested or saves enough.

use std::sync::OnceLock;

use super::apart::apart;
use super::layered_graph::LayeredGraph;
use super::rows::{Direction, Room, Rows};
use crate::packed::{Packed, PackedRows, measure};
use crate::progress::Stage;
use crate::space::SpaceError;
use crate::store::{PackedColumns, StoreError, may_save_a_quarter, saves_a_quarter};

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

/// The out-rows and the in-rows, each packed when that is first requested.
pub(super) type PackedNow = [OnceLock<Result<Packed, StoreError>>; 2];

impl LayeredGraph {
    /// Returns the number of 32-bit words of the packed rows of one direction, without verifying them, if the graph stores
    /// them or they have been [packed](Self::pack). In a symmetric graph, the out-rows serve as in-rows.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 3)])?;
    /// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested");
    /// assert_eq!(graph.packed_words(Direction::Out), Some(packed.words().len() as u64));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn packed_words(&self, direction: Direction) -> Option<u64> {
        match self.packed_columns(direction) {
            Some(stored) => Some(stored.num_words()),
            None => Some(self.packed_here(direction).get()?.as_ref().ok()?.words.len() as u64),
        }
    }

    /// Returns the rows of one direction in packed form. If the graph does not store them, packs them on all cores, once:
    /// they stay in memory as long as the graph. In a symmetric graph, the out-rows serve as in-rows.
    ///
    /// # Errors
    /// Returns the errors of [`packed_rows`](Self::packed_rows), and an error if there is not enough memory.
    ///
    /// ```
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// assert!(graph.packed_rows(Direction::Out)?.is_none());
    /// assert!(graph.pack(Direction::Out)?.row(0).eq([1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pack(&self, direction: Direction) -> Result<PackedRows<'_>, StoreError> {
        if let Some(stored) = self.packed_rows(direction)? {
            return Ok(stored);
        }
        let rows = match direction {
            Direction::Out => self.out_edges(),
            Direction::In => self.in_edges()?,
        };
        let packed = self.packed_here(direction).get_or_init(|| {
            let packed = apart(self.data.size(), || Packed::of(rows));
            packed.map_err(|error| StoreError::Space { what: "packed rows", reason: error.to_string() })
        });
        Ok(packed.as_ref().map_err(StoreError::clone)?.rows(rows.offsets))
    }

    /// Returns where the rows of one direction are that were packed on request.
    fn packed_here(&self, direction: Direction) -> &OnceLock<Result<Packed, StoreError>> {
        let [out, inward] = self.packed_now();
        if direction == Direction::In && !self.is_symmetric() { inward } else { out }
    }

    /// Returns the packed rows of one direction, not verified.
    fn packed_columns(&self, direction: Direction) -> Option<&PackedColumns> {
        if self.derived.is_some() {
            return None;
        }
        let contents = &self.data.contents;
        match direction {
            Direction::In if !contents.symmetry.edges => contents.in_rows.as_ref()?.packed.as_ref(),
            _ => contents.packed.as_ref(),
        }
    }

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
        let Some(packed) = self.packed_columns(direction) else { return Ok(None) };
        let contents = &self.data.contents;
        let [out, inward] = &self.data.packed;
        if let (Direction::In, false, Some(in_rows)) = (direction, contents.symmetry.edges, &contents.in_rows)
        {
            let check = || apart(self.data.size(), || contents.check_packed_in_rows());
            inward.get_or_init(check).clone()?;
            return Ok(Some(packed.rows(in_rows.offsets.values())));
        }
        let check = || apart(self.data.size(), || contents.check_packed_out_rows());
        out.get_or_init(check).clone()?;
        Ok(Some(packed.rows(contents.offsets.values())))
    }
}
