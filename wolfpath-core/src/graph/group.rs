//! Edges grouped by source: the first pass of layering, still in the input's numbering.

use std::ops::Range;

use super::rows::{End, Load, OwnedRows, Room, Rows};
use crate::edge_list::{EdgeList, Symmetry};
use crate::partition::{Partition, Records};
use crate::space::{Array, SpaceError};

/// Rows over ranks (dense indices by ascending user id), each in input order.
pub(super) struct Grouped<W> {
    pub(super) out: OwnedRows<W>,
    /// The sources of each vertex's in-edges; `None` where the graph is symmetric, and they are its targets.
    turned: Option<OwnedRows>,
}

impl<W: Load> Grouped<W> {
    /// Groups the edges of a list, whose lines are given back as soon as they are parted. `weights` has one a line (or
    /// `()`).
    pub(super) fn new(
        list: EdgeList,
        weights: Array<W>,
        room: Room<'_>,
    ) -> Result<(Grouped<W>, EdgeList), SpaceError> {
        let vertices = list.num_vertices();
        let parted =
            Partition::of(&Lines { list: &list, weights: &weights, turned: false }, vertices, room.space)?;
        drop(weights);
        if list.is_symmetric() {
            let list = list.without_lines();
            let out = OwnedRows::from_partition(parted, vertices, room)?;
            return Ok((Grouped { out, turned: None }, list));
        }
        let out = OwnedRows::from_partition(parted, vertices, room)?;
        let nothing = vec![(); list.sources().len()];
        let turned =
            Partition::of(&Lines { list: &list, weights: &nothing, turned: true }, vertices, room.space)?;
        let list = list.without_lines();
        let turned = Some(OwnedRows::from_partition(turned, vertices, room)?);
        Ok((Grouped { out, turned }, list))
    }

    pub(super) fn out_rows(&self) -> Rows<'_> {
        self.out.rows()
    }

    pub(super) fn in_rows(&self) -> Rows<'_> {
        self.turned.as_ref().map_or_else(|| self.out.rows(), OwnedRows::rows)
    }

    /// The out-rows, and the in-rows where they are not the same.
    pub(super) fn into_parts(self) -> (OwnedRows<W>, Option<OwnedRows>) {
        (self.out, self.turned)
    }
}

/// The edges of a list as records by their source, or by their target.
struct Lines<'a, W> {
    list: &'a EdgeList,
    weights: &'a [W],
    turned: bool,
}

impl<W: Load> Records for Lines<'_, W> {
    type Value = End<W>;

    fn len(&self) -> usize {
        self.list.sources().len()
    }

    #[inline]
    fn visit(&self, lines: Range<usize>, mut put: impl FnMut(u32, End<W>)) {
        let (mut sources, mut targets) =
            (&self.list.sources()[lines.clone()], &self.list.targets()[lines.clone()]);
        if self.turned {
            std::mem::swap(&mut sources, &mut targets);
        }
        let weights = &self.weights[lines];
        let doubled = self.list.symmetry() == Symmetry::Doubled;
        for ((&source, &target), &weight) in sources.iter().zip(targets).zip(weights) {
            put(source, End { end: target, weight });
            if doubled && source != target {
                put(target, End { end: source, weight });
            }
        }
    }
}
