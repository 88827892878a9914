//! How much memory a build takes, before it begins.

use super::rows::End;
use crate::partition::bytes_a_record;

/// What a build is about, in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildSize {
    pub(super) lines: u64,
    pub(super) edges: u64,
    pub(super) vertices: u64,
    /// Bytes of a weight: 0, 4 or 8.
    pub(super) weight_bytes: u64,
    /// In-rows are built beside the out-rows.
    pub(super) directed: bool,
}

impl BuildSize {
    /// Bytes of what the build is for: rows, weights, layered order.
    pub(super) fn finished(&self) -> u64 {
        let both = u64::from(self.directed);
        self.edges * (4 + self.weight_bytes + 4 * both) + self.vertices * (8 + 8 * both + 4)
    }

    /// Bytes that are in use at once at the worst moment, when everything is in memory.
    pub(super) fn peak(&self) -> u64 {
        let BuildSize { lines, edges, vertices, weight_bytes, directed } = *self;
        let ends = lines * 8;
        let parted = edges * self.bytes_a_record();
        let rows = edges * (4 + weight_bytes) + vertices * 8;
        // The other direction has no weights.
        let (turned_parted, turned) = (edges * bytes_a_record::<End<()>>() as u64, edges * 4 + vertices * 8);
        let order = self.order();
        let stages = if directed {
            [
                ends + lines * weight_bytes + parted,
                ends + parted + rows,
                ends + rows + turned_parted,
                rows + turned_parted + turned,
                rows + turned + order + rows,
            ]
        } else {
            [ends + lines * weight_bytes + parted, parted + rows, rows + order + rows, 0, 0]
        };
        stages.into_iter().max().unwrap_or(0)
    }

    /// Bytes of the lines, which are there before the build begins.
    pub(super) fn held(&self) -> u64 {
        self.lines * (8 + self.weight_bytes)
    }

    /// The same when rows lie on the disk: what has the size of the vertices, and the weights of the lines.
    pub(super) fn peak_on_disk(&self) -> u64 {
        let directions = 1 + u64::from(self.directed);
        self.vertices * 8 * (directions + 1) + self.order() + self.lines * self.weight_bytes
    }

    /// Order, places, and a bit a vertex.
    fn order(&self) -> u64 {
        self.vertices * 8 + self.vertices.div_ceil(8)
    }

    fn bytes_a_record(&self) -> u64 {
        let bytes = match self.weight_bytes {
            0 => bytes_a_record::<End<()>>(),
            4 => bytes_a_record::<End<u32>>(),
            _ => bytes_a_record::<End<u64>>(),
        };
        bytes as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_two_and_a_half_times_what_is_made() {
        for directed in [false, true] {
            for weight_bytes in [0, 4] {
                for (vertices, edges) in
                    [(1_500_000u64, 3_900_000u64), (16_777_216, 520_000_000), (1000, 1 << 34)]
                {
                    let lines = if directed { edges } else { edges / 2 };
                    let size = BuildSize { lines, edges, vertices, weight_bytes, directed };
                    assert!(2 * size.peak() <= 5 * size.finished(), "{size:?}");
                    assert!(weight_bytes > 0 || size.peak_on_disk() <= 40 * vertices, "{size:?}");
                }
            }
        }
    }
}
