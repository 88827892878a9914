//! Distinct neighbours of the own vertices of a part.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::PartRows;

/// Distinct neighbours of own vertices: the vertices adjacent to each in either direction, except the vertex itself.
#[derive(Debug)]
pub struct PartNeighbours {
    /// Rows of own vertices, in the order of the whole graph.
    pub rows: PartRows,
    /// Sums of the numbers of neighbours, in the whole graph, of all vertices before each vertex of the part.
    pub degrees: Vec<u64>,
    earlier: OnceLock<PartRows>,
}

impl PartNeighbours {
    /// Returns the neighbours of own vertices, and the sums of the numbers of neighbours of all vertices of the part.
    pub fn new(rows: PartRows, degrees: Vec<u64>) -> PartNeighbours {
        PartNeighbours { rows, degrees, earlier: OnceLock::new() }
    }

    /// Returns the rows over which own vertices gather: all neighbours or, if the program is `oriented`, those of an earlier
    /// place. Places are in the order of numbers of neighbours, and then in that of `ranks`.
    pub(super) fn gathered(&self, oriented: bool, ranks: &[u32]) -> &PartRows {
        if !oriented {
            return &self.rows;
        }
        self.earlier.get_or_init(|| {
            let place = |v: u32| (self.degree(v), ranks[v as usize]);
            self.kept(|v, end| place(end) < place(v))
        })
    }

    /// Returns the number of neighbours of a vertex of the part.
    pub(crate) fn degree(&self, v: u32) -> u64 {
        self.degrees[v as usize + 1] - self.degrees[v as usize]
    }

    /// Returns rows of those neighbours of own vertices for which `is_kept(vertex, neighbour)`.
    fn kept(&self, is_kept: impl Fn(u32, u32) -> bool + Copy + Send + Sync) -> PartRows {
        let rows = self.rows.rows();
        let own = (0..rows.num_vertices()).into_par_iter();
        let kept = |v: u32| rows.row(v).iter().copied().filter(move |&end| is_kept(v, end));
        let lengths: Vec<u64> = own.clone().map(|v| kept(v).count() as u64).collect();
        let mut offsets = vec![0; lengths.len() + 1];
        (0..lengths.len()).for_each(|v| offsets[v + 1] = offsets[v] + lengths[v]);
        PartRows::new(offsets, own.flat_map_iter(kept).collect(), Vec::new())
    }
}
