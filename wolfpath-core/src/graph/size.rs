//! Computes how much memory a build will take, before it starts.

use super::rows::End;
use crate::partition::bytes_a_record;

/// The numbers that determine the memory of a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildSize {
    pub(super) lines: u64,
    pub(super) edges: u64,
    pub(super) vertices: u64,
    /// Size in bytes of the weight in each edge's record: 0, 1, 2, 4 or 8.
    pub(super) weight_bytes: u64,
    /// Size in bytes per edge of the columns that are gathered after the edges have been ordered; 0 if the weight is
    /// part of the edge's record.
    pub(super) column_bytes: u64,
    /// `true` if in-rows are built in addition to the out-rows.
    pub(super) directed: bool,
    /// Upper bound of the bytes that the packed rows of one direction take per edge; 0 if rows are not packed.
    pub(super) packed_bytes: u64,
    /// `true` if paths are found.
    pub(super) has_paths: bool,
}

/// Bytes that finding paths takes per edge, if every edge is a path by itself: 13 of the result, 34 while paths are ordered, and
/// 5 to join edges.
const PATH_BYTES: u64 = 52;

/// Bytes that finding paths takes per vertex.
const PATH_VERTEX_BYTES: u64 = 56;

impl BuildSize {
    /// Returns the size of the result in bytes: rows, weights and layered order, without packed rows.
    pub(super) fn finished(&self) -> u64 {
        let both = u64::from(self.directed);
        let carried = if self.column_bytes > 0 { self.column_bytes } else { self.weight_bytes };
        self.edges * (4 + carried + 4 * both) + self.vertices * (8 + 8 * both + 4)
    }

    /// Returns the peak memory in bytes if everything is in memory.
    pub(super) fn peak(&self) -> u64 {
        let BuildSize {
            lines,
            edges,
            vertices,
            weight_bytes,
            column_bytes,
            directed,
            packed_bytes,
            has_paths,
        } = *self;
        let ends = lines * 8;
        let parted = edges * self.bytes_a_record();
        let rows = edges * (4 + weight_bytes) + vertices * 8;
        // The transposed rows have no weights.
        let (transposed_parted, transposed) =
            (edges * bytes_a_record::<End<()>>() as u64, edges * 4 + vertices * 8);
        let order = self.order();
        let stages = if directed {
            [
                ends + lines * weight_bytes + parted,
                ends + parted + rows,
                ends + rows + transposed_parted,
                rows + transposed_parted + transposed,
                rows + transposed + order + rows,
            ]
        } else {
            [ends + lines * weight_bytes + parted, parted + rows, rows + order + rows, 0, 0]
        };
        // The columns stay in the order of the lines until the rows are finished. Then each column is rearranged into
        // the order of the rows.
        let waiting = lines * column_bytes;
        let transposed = if directed { transposed } else { 0 };
        let fetching = rows + transposed + order + edges * column_bytes;
        // The positions of rows and bands take less than 3 bytes per vertex.
        let packed = if packed_bytes == 0 { 0 } else { edges * packed_bytes + vertices * 3 };
        let packing = self.finished() + order + self.directions() * packed;
        let paths = if has_paths { edges * PATH_BYTES + vertices * PATH_VERTEX_BYTES } else { 0 };
        let joining = self.finished() + order + paths;
        (waiting + stages.into_iter().chain([fetching]).max().unwrap_or(0)).max(packing).max(joining)
    }

    /// Returns the size in bytes of the lines, which are in memory before the build starts.
    pub(super) fn held(&self) -> u64 {
        self.lines * (8 + if self.column_bytes > 0 { self.column_bytes } else { self.weight_bytes })
    }

    /// Returns the peak memory in bytes if rows are on disk. In that case, memory contains only the arrays with one
    /// element per vertex or path, and the weights and columns of the lines.
    pub(super) fn peak_on_disk(&self) -> u64 {
        let layering = self.vertices * 8 * (self.directions() + 1)
            + self.order()
            + self.lines * (self.weight_bytes + self.column_bytes);
        // Of the arrays with an element per edge, two are on disk.
        let paths = self.edges * (PATH_BYTES - 8) + self.vertices * PATH_VERTEX_BYTES;
        if self.has_paths { layering + paths } else { layering }
    }

    fn directions(&self) -> u64 {
        1 + u64::from(self.directed)
    }

    /// Returns the size in bytes of the vertex order, the positions in it, and one bit per vertex.
    fn order(&self) -> u64 {
        self.vertices * 8 + self.vertices.div_ceil(8)
    }

    fn bytes_a_record(&self) -> u64 {
        let bytes = match self.weight_bytes {
            0 => bytes_a_record::<End<()>>(),
            1 => bytes_a_record::<End<u8>>(),
            2 => bytes_a_record::<End<u16>>(),
            4 => bytes_a_record::<End<u32>>(),
            _ => bytes_a_record::<End<u64>>(),
        };
        bytes as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An undirected graph with the rows alone.
    const PLAIN: BuildSize = BuildSize {
        lines: 1_000_000,
        edges: 2_000_000,
        vertices: 100_000,
        weight_bytes: 0,
        column_bytes: 0,
        directed: false,
        packed_bytes: 0,
        has_paths: false,
    };

    #[test]
    fn columns_are_counted() {
        let (lines, edges) = (1_000_000, 1_000_000);
        let one = BuildSize { lines, edges, weight_bytes: 4, directed: true, packed_bytes: 3, ..PLAIN };
        let three = BuildSize { column_bytes: 16, ..one };
        assert_eq!(three.finished() - one.finished(), 12 * edges);
        assert!(three.peak() >= one.peak() + 16 * lines && three.peak_on_disk() >= 20 * lines);
    }

    #[test]
    fn packed_rows_and_paths_are_counted() {
        let (plain, edges) = (PLAIN, PLAIN.edges);
        let packed = BuildSize { packed_bytes: 5, ..plain };
        assert!(packed.peak() >= plain.peak() && packed.peak() >= packed.finished() + 5 * edges);
        let with_paths = BuildSize { has_paths: true, ..plain };
        assert!(with_paths.peak() >= with_paths.finished() + PATH_BYTES * edges);
        assert!(with_paths.peak_on_disk() >= plain.peak_on_disk() + 40 * edges);
    }

    #[test]
    fn no_more_than_two_and_a_half_times_what_is_made() {
        for directed in [false, true] {
            for weight_bytes in [0, 4] {
                for (vertices, edges) in
                    [(1_500_000u64, 3_900_000u64), (16_777_216, 520_000_000), (1000, 1 << 34)]
                {
                    let lines = if directed { edges } else { edges / 2 };
                    let size = BuildSize {
                        lines,
                        edges,
                        vertices,
                        weight_bytes,
                        directed,
                        packed_bytes: 5,
                        ..PLAIN
                    };
                    assert!(2 * size.peak() <= 5 * size.finished(), "{size:?}");
                    assert!(weight_bytes > 0 || size.peak_on_disk() <= 40 * vertices, "{size:?}");
                }
            }
        }
    }
}
