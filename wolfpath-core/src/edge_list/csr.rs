//! Edges grouped by one endpoint, for formats that list the neighbours of every vertex.

use super::lines::{Lines, Take};

/// Every directed edge in compressed sparse rows (CSR).
#[derive(Debug)]
pub struct Csr<W> {
    /// Start of each row in `ends`, followed by the number of edges.
    pub offsets: Vec<u64>,
    /// The other endpoint of each edge.
    pub ends: Vec<u32>,
    /// The weight of each edge.
    pub weights: Vec<W>,
}

impl<W: Copy + Default> Csr<W> {
    /// Groups edges by source. Targets ascend within a row; parallel edges are in input order.
    pub fn by_source(lines: &Lines<'_>, vertices: u32, weight: impl Fn(usize) -> W) -> Csr<W> {
        let by_target = Csr::grouped(vertices, |visit| {
            lines.visit(0..lines.len(), Take::Directions, |edge| {
                visit(edge.target, edge.source, weight(edge.line));
            });
        });
        by_target.transposed()
    }

    /// Returns the transpose: the same edges grouped by their other endpoint. Ends ascend within a row.
    pub fn transposed(&self) -> Csr<W> {
        Csr::grouped(self.offsets.len() as u32 - 1, |visit| {
            for (row, range) in self.offsets.windows(2).enumerate() {
                for place in range[0] as usize..range[1] as usize {
                    visit(self.ends[place], row as u32, self.weights[place]);
                }
            }
        })
    }

    /// Groups the edges that `each` visits, and keeps their order within a row. An edge is visited as (row, other
    /// endpoint, weight). `each` is called twice, and must visit the same edges both times.
    fn grouped(vertices: u32, each: impl Fn(&mut dyn FnMut(u32, u32, W))) -> Csr<W> {
        let mut offsets = vec![0u64; vertices as usize + 1];
        each(&mut |row, _, _| offsets[row as usize + 1] += 1);
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        let mut next = offsets.clone();
        let (mut ends, mut weights) = (vec![0; sum as usize], vec![W::default(); sum as usize]);
        each(&mut |row, end, weight| {
            let place = next[row as usize] as usize;
            next[row as usize] += 1;
            (ends[place], weights[place]) = (end, weight);
        });
        Csr { offsets, ends, weights }
    }

    /// Returns the positions of a row's edges.
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }
}
