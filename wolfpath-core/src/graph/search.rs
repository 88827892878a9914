//! Breadth-first search that orders the vertices of a layer by smallest parent, then by id. The order does not depend
//! on which thread finds a vertex.
//!
//! There are three methods of finding the next layer, and each layer uses the cheapest one. (Switching between the
//! second and the third is due to Beamer, Asanović and Patterson 2012.)
//!
//! - thin layers: one thread expands the layer in queue order. One bit per vertex records whether the vertex was
//!   reached. These bits stay in the cache while the thread reads the rows;
//! - thick layers, downwards: for each target, the smallest parent is found by atomic minimum. Then each parent
//!   collects its own children;
//! - thick layers, upwards: every unreached vertex looks for its smallest parent among its in-neighbours. All reached
//!   in-neighbours are candidates, because they are all in the current layer: an in-neighbour in an earlier layer would
//!   already have reached the vertex.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::prefetch::{BATCH, prefetch};
use super::rows::Rows;
use crate::memory;
use crate::progress::Progress;

/// Layer size below which one thread expands a layer, because starting the others costs more.
const THIN: usize = 4096;

/// Number of newly reached vertices between two reports of progress.
const TELL: usize = 1 << 16;

/// The search goes upwards if the number of out-edges of the layer, divided by the number of in-edges of the unreached
/// vertices, is above this value. A search upwards visits the unreached vertices' in-edges once. A search downwards
/// visits the layer's out-edges twice, and its visits cost more because they write. On R-MAT 20 with two cores, the
/// optimum is near this value.
const UPWARDS_ABOVE: f64 = 0.25;

/// Marker for a vertex that is not yet reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// A search that determines the order of the vertices.
pub(super) struct Search<'a> {
    pub(super) out: Rows<'a>,
    pub(super) into: Rows<'a>,
    /// The first `reached_many` elements are the reached vertices, in order. The rest is space for the vertices that
    /// are reached later.
    order: Vec<u32>,
    reached_many: usize,
    /// The out-degrees of the vertices, in the sequence of `order`, preceded by a 0. Row offsets are computed from them
    /// later.
    degrees: Vec<u64>,
    /// The position of each vertex in `order`, stored only when needed. While a downward search is finding a vertex,
    /// this is the position of its smallest parent so far.
    places: Vec<AtomicU32>,
    /// One bit per vertex.
    pub(super) reached: Vec<AtomicU64>,
    progress: &'a Progress,
    /// Number of reached vertices that have already been reported as progress.
    told: usize,
    /// Number of in-edges of all vertices, minus those of the first `counted` vertices in `order`.
    unexplored: u64,
    counted: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(out: Rows<'a>, into: Rows<'a>, progress: &'a Progress) -> Search<'a> {
        let vertices = out.num_vertices() as usize;
        let mut places = memory::with_room(vertices);
        (0..vertices).into_par_iter().map(|_| AtomicU32::new(UNREACHED)).collect_into_vec(&mut places);
        let reached = (0..vertices.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let mut order = memory::with_room(vertices);
        order.resize(vertices, 0);
        let unexplored = into.ends.len() as u64;
        let mut degrees = memory::with_room(vertices + 1);
        degrees.resize(vertices + 1, 0);
        Search {
            out,
            into,
            order,
            reached_many: 0,
            degrees,
            places,
            reached,
            progress,
            told: 0,
            unexplored,
            counted: 0,
        }
    }

    /// Returns the number of reached vertices.
    pub(super) fn reached_many(&self) -> usize {
        self.reached_many
    }

    /// Finds all vertices reachable from these roots (ascending, unreached), layer by layer, and appends the end of
    /// each layer to `layer_offsets`. Returns the number of layers.
    pub(super) fn round(&mut self, roots: &[u32], layer_offsets: &mut Vec<u32>) -> u32 {
        let layers_before = layer_offsets.len();
        let mut begin = self.reached_many;
        self.mark_all(roots);
        self.append(roots);
        while begin < self.reached_many {
            layer_offsets.push(self.reached_many as u32);
            let end = self.reached_many;
            if end - self.told >= TELL {
                self.progress.advance((end - self.told) as u64);
                self.told = end;
            }
            self.next_layer(begin);
            begin = end;
        }
        (layer_offsets.len() - layers_before) as u32
    }

    /// Returns the order, the position of each vertex in it, and the out-degrees in that order, preceded by a 0.
    pub(super) fn finish(self) -> (Vec<u32>, Vec<u32>, Vec<u64>) {
        self.place(0);
        self.progress.advance((self.reached_many - self.told) as u64);
        let places = self.places.into_iter().map(AtomicU32::into_inner).collect();
        (self.order, places, self.degrees)
    }

    /// Returns the vertices reached so far, from position `begin`.
    fn layer(&self, begin: usize) -> &[u32] {
        &self.order[begin..self.reached_many]
    }

    fn append(&mut self, layer: &[u32]) {
        let end = self.reached_many + layer.len();
        self.order[self.reached_many..end].copy_from_slice(layer);
        self.reached_many = end;
    }

    /// Stores the positions of the vertices from position `begin`.
    fn place(&self, begin: usize) {
        self.layer(begin).par_iter().enumerate().with_min_len(THIN).for_each(|(index, &vertex)| {
            self.places[vertex as usize].store((begin + index) as u32, Ordering::Relaxed);
        });
    }

    /// Returns the number of in-edges of unreached vertices.
    fn unexplored(&mut self) -> u64 {
        let new = self.layer(self.counted).par_iter().with_min_len(THIN);
        let explored: u64 = new.map(|&vertex| self.into.degree(vertex)).sum();
        self.counted = self.reached_many;
        self.unexplored -= explored;
        self.unexplored
    }

    fn mark_all(&self, vertices: &[u32]) {
        vertices.par_iter().with_min_len(THIN).for_each(|&vertex| {
            self.reached[vertex as usize / 64].fetch_or(1 << (vertex % 64), Ordering::Relaxed);
        });
    }

    /// Finds the next layer, and appends its vertices in order. They are the unreached targets of the layer that starts
    /// at position `begin`.
    fn next_layer(&mut self, begin: usize) {
        let layer = self.layer(begin);
        if layer.len() < THIN && !self.is_heavy(layer) {
            return self.expand(begin);
        }
        let degrees = self.degrees[begin + 1..].par_iter_mut().zip(&self.order[begin..self.reached_many]);
        let out = self.out;
        let edges: u64 = degrees
            .with_min_len(THIN)
            .map(|(degree, &vertex)| {
                *degree = out.degree(vertex);
                *degree
            })
            .sum();
        let next = if edges as f64 > UPWARDS_ABOVE * self.unexplored() as f64 {
            self.upwards(begin)
        } else {
            self.downwards(begin)
        };
        self.mark_all(&next);
        self.append(&next);
    }

    /// Returns `true` if the layer has enough edges to use all threads.
    fn is_heavy(&self, layer: &[u32]) -> bool {
        const HEAVY: u64 = 1 << 16;
        // In larger layers, a sample of one vertex in sixteen suffices. In smaller ones, a sample could miss a hub.
        let step = if layer.len() < 64 { 1 } else { 16 };
        let degrees = layer.iter().step_by(step).map(|&vertex| self.out.degree(vertex));
        step as u64 * degrees.sum::<u64>() > HEAVY
    }

    /// Finds the next layer with one thread. It visits parents in ascending order, so the first to reach a vertex is
    /// its smallest parent.
    fn expand(&mut self, begin: usize) {
        let mut ranges = [(0, 0); BATCH];
        let (offsets, ends) = (self.out.offsets, self.out.ends);
        let (layer_end, mut found) = (self.reached_many, self.reached_many);
        for first in (begin..layer_end).step_by(BATCH) {
            let batch = BATCH.min(layer_end - first);
            for (range, &vertex) in ranges.iter_mut().zip(&self.order[first..first + batch]) {
                *range = (offsets[vertex as usize] as usize, offsets[vertex as usize + 1] as usize);
                prefetch(ends, range.0);
            }
            for (degree, range) in self.degrees[first + 1..].iter_mut().zip(&ranges[..batch]) {
                *degree = (range.1 - range.0) as u64;
            }
            for &(row_begin, row_end) in &ranges[..batch] {
                let before = found;
                for &target in &ends[row_begin..row_end] {
                    // A branch on whether the target was reached before would be unpredictable, so every target is
                    // stored, and `found` is incremented only for a new one. If all vertices have been found, there is
                    // no slot left, and none is needed.
                    if let Some(place) = self.order.get_mut(found) {
                        *place = target;
                    }
                    found += usize::from(reach(&self.reached, target));
                }
                sort_short(&mut self.order[before..found]);
            }
        }
        self.reached_many = found;
    }

    /// Finds the next layer by visiting the parents' out-edges twice: first to determine the smallest parent of each
    /// vertex by atomic minimum, then to collect the children of each parent.
    fn downwards(&self, begin: usize) -> Vec<u32> {
        const CHUNK: usize = 256;
        let layer = self.layer(begin);
        layer.par_iter().enumerate().with_min_len(16).for_each(|(index, &vertex)| {
            for &target in self.out.row(vertex) {
                if !self.is_reached(target) {
                    self.places[target as usize].fetch_min((begin + index) as u32, Ordering::Relaxed);
                }
            }
        });
        let pieces: Vec<Vec<u32>> = layer
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, vertices)| {
                let mut found = Vec::new();
                for (index, &vertex) in vertices.iter().enumerate() {
                    self.collect_children((begin + chunk * CHUNK + index) as u32, vertex, &mut found);
                }
                found
            })
            .collect();
        pieces.concat()
    }

    /// Appends the children of the vertex at position `place`, each once, by ascending id.
    fn collect_children(&self, place: u32, vertex: u32, found: &mut Vec<u32>) {
        let is_own = |target: u32| {
            self.places[target as usize].load(Ordering::Relaxed) == place && !self.is_reached(target)
        };
        let before = found.len();
        found.extend(self.out.row(vertex).iter().copied().filter(|&target| is_own(target)));
        let children = &mut found[before..];
        children.sort_unstable();
        let mut kept = before;
        for index in before..found.len() {
            if index == before || found[index] != found[index - 1] {
                found[kept] = found[index];
                kept += 1;
            }
        }
        found.truncate(kept);
    }

    /// Finds the next layer by visiting the in-edges of all unreached vertices: each vertex looks for its smallest
    /// parent. The vertices that have one are then sorted by parent.
    fn upwards(&self, begin: usize) -> Vec<u32> {
        const WORDS: usize = 64;
        self.place(begin);
        let vertices = self.out.num_vertices();
        let pieces: Vec<Vec<(u32, u32)>> = self
            .reached
            .par_chunks(WORDS)
            .enumerate()
            .map(|(chunk, words)| {
                let mut found = Vec::new();
                for (index, word) in words.iter().enumerate() {
                    let first = ((chunk * WORDS + index) * 64) as u32;
                    let mut left = !word.load(Ordering::Relaxed);
                    while left != 0 {
                        let vertex = first + left.trailing_zeros();
                        left &= left - 1;
                        if vertex < vertices {
                            found.extend(self.smallest_parent(vertex).map(|parent| (parent, vertex)));
                        }
                    }
                }
                found
            })
            .collect();
        self.by_parent(begin, &pieces)
    }

    fn smallest_parent(&self, vertex: u32) -> Option<u32> {
        let places = self.into.row(vertex).iter();
        let smallest = places.map(|&parent| self.places[parent as usize].load(Ordering::Relaxed)).min();
        smallest.filter(|&parent| parent != UNREACHED)
    }

    /// Sorts vertices by the position of their parent, with a counting sort. Vertices of one parent keep their order.
    fn by_parent(&self, begin: usize, pieces: &[Vec<(u32, u32)>]) -> Vec<u32> {
        let mut next = vec![0u32; self.reached_many - begin + 1];
        for &(parent, _) in pieces.iter().flatten() {
            next[parent as usize - begin + 1] += 1;
        }
        for index in 1..next.len() {
            next[index] += next[index - 1];
        }
        let mut ordered = vec![0; pieces.iter().map(Vec::len).sum()];
        for &(parent, vertex) in pieces.iter().flatten() {
            let slot = &mut next[parent as usize - begin];
            ordered[*slot as usize] = vertex;
            *slot += 1;
        }
        ordered
    }
}

/// Marks a vertex as reached. Returns `true` if it was not reached before. Must not be called from several threads at
/// the same time.
#[inline(always)]
fn reach(reached: &[AtomicU64], vertex: u32) -> bool {
    let (word, bit) = (&reached[vertex as usize / 64], 1 << (vertex % 64));
    let before = word.load(Ordering::Relaxed);
    word.store(before | bit, Ordering::Relaxed);
    before & bit == 0
}

/// Sorts a slice that nearly always has at most two elements.
#[inline(always)]
fn sort_short(found: &mut [u32]) {
    match found {
        [] | [_] => {}
        [a, b] => (*a, *b) = ((*a).min(*b), (*a).max(*b)),
        _ => found.sort_unstable(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::OwnedRows;
    use super::*;
    use crate::random::{below, hash};

    /// Returns rows of random edges, including parallel edges and self-loops. Some vertices have very high in-degrees.
    fn random_rows(vertices: u32, edges: u64, seed: u64) -> OwnedRows {
        let skewed = |random: u64| below(1 + below(vertices, random), hash(random, 7));
        let mut rows = vec![Vec::new(); vertices as usize];
        for edge in 0..edges {
            let source = below(vertices, hash(seed, 2 * edge));
            rows[source as usize].push(skewed(hash(seed, 2 * edge + 1)));
        }
        let mut offsets = vec![0];
        offsets.extend(rows.iter().scan(0, |sum, row| {
            *sum += row.len() as u64;
            Some(*sum)
        }));
        OwnedRows { offsets, ends: rows.concat().into(), weights: vec![(); edges as usize].into() }
    }

    #[test]
    fn all_ways_find_the_same_layers() {
        for (vertices, edges, seed) in [(1, 1, 0), (50, 120, 1), (3000, 9000, 2), (30_000, 200_000, 3)] {
            let rows = random_rows(vertices, edges, seed);
            let transposed = rows.rows().transposed().unwrap();
            let mut search = Search::new(rows.rows(), transposed.rows(), &Progress::NONE);
            search.mark_all(&[0]);
            search.append(&[0]);
            let mut begin = 0;
            while begin < search.reached_many {
                let end = search.reached_many;
                let upwards = search.upwards(begin);
                let downwards = search.downwards(begin);
                // Only `downwards` uses `places`, so reset the entries that it wrote.
                downwards.iter().for_each(|&v| search.places[v as usize].store(UNREACHED, Ordering::Relaxed));
                assert_eq!(upwards, downwards, "{vertices} vertices, place {begin}");
                search.expand(begin);
                assert_eq!(upwards, search.layer(end), "{vertices} vertices, place {begin}");
                begin = end;
            }
        }
    }
}
