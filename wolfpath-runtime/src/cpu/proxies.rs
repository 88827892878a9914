//! Sums of workers for busy vertices.
//!
//! A cache line belongs to one core at a time, so threads that add to the same vertex wait for each other. Over
//! uk-2007-05@100000, where 349 of 100,000 vertices receive along 43 % of the edges, accumulating PageRank by frontier took nearly
//! as long on 16 threads as on one. So each worker adds up by itself what busy vertices receive, and passes on the sums from time
//! to time: on 16 threads, this run took 0.33 times as long, and 0.39 times over cnr-2000 (2026-11-30). DiGraph (ASPLOS 2019)
//! keeps such sums, its *proxies*, in the shared memory of a block.

use std::sync::atomic::AtomicU64;

use wolfpath_core::program::{Combiner, EdgeProgram};

use super::lane::SendRows;
use super::words::marked;
use crate::plan::{ArrayName, PlannedArray};

/// Minimum number of edges that are examined in order to find busy vertices. Fewer than twice as many are.
const EXAMINED: u64 = 1 << 13;

/// A vertex is busy if at least one of this number of the edges examined leads to it, so there are at most as many. With 1,024, runs
/// over uk-2007-05@100000 took 1.3 times as long (16 threads).
const SHARE: usize = 2048;

/// Busy vertices have proxies only if at least one of this number of the edges examined leads to any of them. Over R-MAT graphs,
/// where 2 % do, looking up each receiver took a fifth of the time (two threads).
const TOGETHER: usize = 8;

/// Number of words of a cache line, or of two that are fetched together.
const LINE_WORDS: usize = 16;

/// Returns `true` if an accumulating run over this number of edges can have proxies.
pub(crate) fn can_have_proxies(edges: u64, threads: usize) -> bool {
    edges >= EXAMINED && threads > 1
}

/// Returns the array of the proxies of all threads for the largest possible number of busy vertices, or `None` if there are no
/// proxies. `words` is the number of words of a sum.
pub(crate) fn array(edges: u64, words: usize, threads: usize) -> Option<PlannedArray> {
    can_have_proxies(edges, threads)
        .then(|| PlannedArray::new(ArrayName::Proxies, SHARE as u64, (8 * words * threads) as u64))
}

/// Vertex of an empty entry. No graph has so many vertices.
const EMPTY: u32 = u32::MAX;

/// The busy vertices of a graph, numbered. At least about one of [`SHARE`] edges leads to each of them, and at least one of
/// [`TOGETHER`] edges to any of them; otherwise, the graph has no busy vertices.
#[derive(Debug)]
pub(super) struct Busy {
    vertices: Vec<u32>,
    /// Hash table (open addressing) of the vertices and their numbers. Its length is a power of two. At least seven of eight entries
    /// are empty, so for most vertices that are not busy, one entry is enough to tell.
    entries: Vec<(u32, u32)>,
}

impl Busy {
    /// Returns the busy vertices, found from a sample of the edges that is the same in every run. A graph with fewer than
    /// [`EXAMINED`] edges has none.
    pub(super) fn of(rows: SendRows<'_>) -> Busy {
        let edges: u64 = rows.iter().map(|rows| rows.ends.len() as u64).sum();
        let stride = edges / EXAMINED;
        if stride == 0 {
            return Busy::default();
        }
        let mut ends: Vec<u32> = Vec::with_capacity(2 * EXAMINED as usize);
        for rows in rows.iter() {
            // The places within strides differ, because rows of equal lengths may have the same end at the same place.
            let place = |at: u64| at * stride + hash(at as u32) as u64 % stride;
            let strides = rows.ends.len() as u64 / stride;
            ends.extend((0..strides).map(|at| rows.ends[place(at) as usize]));
        }
        ends.sort_unstable();
        let many = ends.chunk_by(|a, b| a == b).filter(|equal| SHARE * equal.len() >= ends.len());
        let many: Vec<&[u32]> = many.collect();
        let together: usize = many.iter().map(|equal| equal.len()).sum();
        if TOGETHER * together < ends.len() {
            return Busy::default();
        }
        Busy::new(many.iter().map(|equal| equal[0]).collect())
    }

    /// Returns these vertices, all of which must be different.
    fn new(vertices: Vec<u32>) -> Busy {
        let mut entries = vec![(EMPTY, 0); (8 * vertices.len()).next_power_of_two()];
        let mask = entries.len() - 1;
        for (number, &v) in (0..).zip(&vertices) {
            let mut at = hash(v) & mask;
            while entries[at].0 != EMPTY {
                at = (at + 1) & mask;
            }
            entries[at] = (v, number);
        }
        Busy { vertices, entries }
    }

    /// Returns `true` if no vertex is busy.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Returns the number of a vertex, if it is busy.
    #[inline(always)]
    pub(super) fn number_of(&self, v: u32) -> Option<usize> {
        let mask = self.entries.len() - 1;
        let mut at = hash(v) & mask;
        loop {
            match self.entries[at] {
                (found, number) if found == v => return Some(number as usize),
                (EMPTY, _) => return None,
                _ => at = (at + 1) & mask,
            }
        }
    }
}

impl Default for Busy {
    /// Returns no vertices.
    fn default() -> Busy {
        Busy::new(Vec::new())
    }
}

/// Returns a hash of 16 bits.
#[inline(always)]
fn hash(v: u32) -> usize {
    (v.wrapping_mul(0x9e37_79b9) >> 16) as usize
}

/// Sums of one worker for the busy vertices.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    sums: Vec<AtomicU64>,
    /// One bit for each vertex, set if it has received something since its sum was last taken, be it 0.
    touched: Vec<u64>,
}

impl Proxies {
    /// Returns sums that are all 0.
    pub(super) fn of<P: EdgeProgram>(busy: &Busy) -> Proxies {
        let (vertices, sums) = (busy.vertices.len(), busy.vertices.len() * words::<P>());
        // With room at their ends, these arrays share no line with those of another worker, which may follow in memory.
        let mut proxies = Proxies {
            sums: Vec::with_capacity(sums + LINE_WORDS),
            touched: Vec::with_capacity(vertices.div_ceil(64) + LINE_WORDS),
        };
        proxies.sums.resize_with(sums, AtomicU64::default);
        proxies.touched.resize(vertices.div_ceil(64), 0);
        proxies
    }

    #[inline(always)]
    fn sum<P: EdgeProgram>(&self, number: usize) -> &[AtomicU64] {
        &self.sums[number * words::<P>()..][..words::<P>()]
    }

    /// Adds a message to the sum of the vertex with this number. Returns `true` if a number that it changed was 0.
    #[inline(always)]
    pub(super) fn add<P: EdgeProgram>(&mut self, number: usize, message: P::Message) -> bool {
        // Also if the message is 0: a vertex that has received nothing else has a value.
        self.touched[number / 64] |= 1 << (number % 64);
        P::Combine::add_portion(self.sum::<P>(number), message, true)
    }

    /// Takes the sum of the vertex with this number, if the vertex has received something since it was last taken.
    #[inline]
    pub(super) fn take<P: EdgeProgram>(&mut self, number: usize) -> Option<P::Message> {
        let (word, bit) = (&mut self.touched[number / 64], 1 << (number % 64));
        let was_touched = *word & bit != 0;
        *word &= !bit;
        was_touched.then(|| P::Combine::portion(self.sum::<P>(number), true, true))
    }

    /// Takes all sums, and calls `pass(vertex, sum)` for the vertices that have received something.
    pub(super) fn take_all<P: EdgeProgram>(&mut self, busy: &Busy, mut pass: impl FnMut(u32, P::Message)) {
        for word in 0..self.touched.len() {
            for number in marked(word, std::mem::take(&mut self.touched[word])) {
                let number = number as usize;
                pass(busy.vertices[number], P::Combine::portion(self.sum::<P>(number), true, true));
            }
        }
    }
}

/// Returns the number of words of a sum.
const fn words<P: EdgeProgram>() -> usize {
    <P::Combine as Combiner<P::Message>>::PORTION_WORDS
}

#[cfg(test)]
mod tests {
    use wolfpath_core::graph::LayeredGraph;

    use super::*;

    fn busy_of(graph: &LayeredGraph) -> Busy {
        Busy::of(SendRows { out: Some(graph.out_edges()), inward: None })
    }

    #[test]
    fn vertices_with_a_large_share_of_the_edges_are_busy() {
        // One of 4 edges leads to vertex 7, one of 512 to vertex 9, and the others to vertices of their own.
        let end = |v: u64| match v {
            _ if v % 4 == 1 => 7,
            _ if v % 512 == 3 => 9,
            _ => 1_000_000 + v,
        };
        let edges = (10..100_010).map(|v| (v, end(v)));
        let graph = LayeredGraph::from_edges(edges).expect("a valid graph");
        let busy = busy_of(&graph);
        let mut ids: Vec<u64> = busy.vertices.iter().map(|&v| graph.id_of(v)).collect();
        ids.sort_unstable();
        assert_eq!(ids, [7, 9]);
        for v in 0..graph.num_vertices() {
            let number = busy.vertices.iter().position(|&of| of == v);
            assert_eq!(busy.number_of(v), number);
        }
    }

    #[test]
    fn graphs_without_large_hubs_or_with_few_edges_have_no_busy_vertices() {
        let ring = (0..50_000u64).map(|v| (v, (v + 1) % 50_000));
        let few = (1..EXAMINED).map(|v| (v, 0));
        // One of 16 edges leads to vertex 0.
        let small_hub = (1..100_000u64).map(|v| (v, if v % 16 == 0 { 0 } else { 100_000 + v }));
        for edges in [ring.collect::<Vec<_>>(), few.collect(), small_hub.collect()] {
            let busy = busy_of(&LayeredGraph::from_edges(edges).expect("a valid graph"));
            assert!(busy.is_empty() && busy.number_of(0).is_none());
        }
    }

    #[test]
    fn vertices_with_equal_hashes_are_told_apart() {
        let vertices: Vec<u32> = (0..SHARE as u32).map(|at| at << 20).collect();
        let busy = Busy::new(vertices.clone());
        for (number, &v) in vertices.iter().enumerate() {
            assert_eq!(busy.number_of(v), Some(number));
            assert_eq!(busy.number_of(v + 1), None);
        }
    }
}
