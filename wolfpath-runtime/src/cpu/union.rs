//! Union-find: for programs whose messages are the senders' values, and travel in both directions of every edge. Every
//! vertex of a component then gets the component's best first value, so it is enough to find the components.
//!
//! The method is Afforest (M. Sutton, T. Ben-Nun and A. Barak, "Optimizing parallel graph connectivity computation via
//! subgraph sampling", IPDPS 2018). It first links every vertex to a few neighbours, here to the smallest one: in
//! layered order that is a neighbour in an earlier layer, so a single round joins nearly every component. It then looks
//! for the largest tree in a sample, and links the remaining edges of the vertices outside of this tree only. An edge
//! between both sides is found from the outer side, which is why directed graphs need their in-rows.
//!
//! The trees are those of `wolfpath_core::trees`, in which no parent is greater than its child.

mod borders;

pub(crate) use self::borders::name_message_bytes;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytemuck::Zeroable;
use wolfpath_core::graph::Rows;
use wolfpath_core::program::{Checked, CombineKind, Combiner, Datum, EdgeProgram, Fault, Starts};
use wolfpath_core::random;
use wolfpath_core::trees::Trees;

use super::halt::Halt;
use super::outcome::Values;
use super::tasks::map_tasks;
use super::view::View;
use super::words::{Bits, Word, from_word, identity, is_dropped, to_word};
use super::{About, CpuRun, Ended};
use crate::error::RunError;
use crate::start::Sources;
use crate::stop;

/// Number of vertices of a task. A pass over them takes some tens of microseconds, far more than starting a task.
const TASK_VERTICES: usize = 16_384;

/// Number of edges above which the row of a vertex is cut into pieces, and the size of these pieces.
const PIECE_EDGES: usize = 65_536;

/// Number of vertices in the sample that determines the largest tree.
const SAMPLE: u32 = 1024;

/// Seed of the sample.
const SEED: u64 = 0;

/// Trees over the vertices of a graph, or over a part's own vertices and its mirrors. In the end, each tree is a component of
/// the edges that are known here.
struct Forest<'a> {
    /// Rows along which vertices send. Of a mirror, they contain all edges that are known here.
    sends: &'a [Rows<'a>],
    /// Rows of own vertices with all of their edges; those along which vertices send, unless the graph is a part of one.
    whole: &'a [Rows<'a>],
    /// Number of own vertices, which come first.
    own: u32,
    trees: Trees,
}

/// A piece of a long row: the vertex, and some of its neighbours.
type Piece<'a> = (u32, &'a [u32]);

/// Result of linking a range of vertices.
struct Linked<'a> {
    /// Number of edges in the vertices' rows.
    edges: u64,
    /// `true` if trees were joined.
    joined: bool,
    /// Pieces of long rows, which are still to be linked.
    pieces: Vec<Piece<'a>>,
}

impl<'a> Forest<'a> {
    fn new(rows: &'a [Rows<'a>], vertices: u32) -> Forest<'a> {
        Forest::of_part(rows, rows, vertices, vertices)
    }

    /// Returns the forest of a part. `own` is the number of its own vertices, and `vertices` also counts mirrors.
    fn of_part(sends: &'a [Rows<'a>], whole: &'a [Rows<'a>], own: u32, vertices: u32) -> Forest<'a> {
        Forest { sends, whole, own, trees: Trees::unset(vertices) }
    }

    /// Returns the rows with all edges of a vertex that are known here.
    fn rows(&self, v: u32) -> impl Iterator<Item = &'a [u32]> {
        let rows = if v < self.own { self.whole } else { self.sends };
        rows.iter().map(move |rows| rows.row(v))
    }

    #[inline]
    fn parent(&self, v: u32) -> u32 {
        self.trees.parent(v)
    }

    /// Makes the smallest neighbour of each vertex its parent, if it is smaller than the vertex. Returns the number of edges
    /// visited.
    ///
    /// In a part, the first layers are those of the whole graph: the smallest neighbour of a vertex there is often a mirror. Own
    /// vertices do not become children of mirrors, but of a mirror's own parent.
    fn link_smallest(&self) -> Checked<u64> {
        if self.own == self.trees.num_vertices() {
            return self.link_each(|range| range, |_| None);
        }
        let of_mirrors = self.link_each(|range| range.start.max(self.own)..range.end, |_| None)?;
        let parent_of_mirror = |v| {
            let first = self.rows(v).filter_map(|row| row.first().copied()).find(|&end| end >= self.own)?;
            Some(self.parent(first))
        };
        let of_own = self.link_each(|range| range.start..range.end.min(self.own), parent_of_mirror)?;
        Ok(of_mirrors + of_own)
    }

    /// Stores the parents of some vertices: the smallest of the vertex, its receivers, and what `above` returns. `some` selects
    /// the vertices from a range.
    fn link_each(
        &self,
        some: impl Fn(Range<u32>) -> Range<u32> + Sync,
        above: impl Fn(u32) -> Option<u32> + Sync,
    ) -> Checked<u64> {
        let edges = self.each_task(|range| {
            let mut edges = 0;
            for v in some(range) {
                let mut parent = above(v).map_or(v, |above| v.min(above));
                for rows in self.sends {
                    // These rows are ascending.
                    if let Some(&end) = rows.row(v).first() {
                        parent = parent.min(end);
                        edges += 1;
                    }
                }
                self.trees.set_parent(v, parent);
            }
            Ok(edges)
        })?;
        Ok(edges.iter().sum())
    }

    /// Makes the root of each tree the parent of all its vertices.
    fn compress(&self) -> Checked<()> {
        self.each_task(|range| {
            for v in range {
                let parent = self.parent(v);
                let above = self.parent(parent);
                if above != parent {
                    self.trees.set_parent(v, self.trees.root(above));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Returns the root of the tree that is most frequent in a sample. All paths must be compressed.
    fn largest_tree(&self) -> u32 {
        let vertices = self.trees.num_vertices();
        let sampled = |number| self.parent(random::below(vertices, random::hash(SEED, number)));
        let mut roots: Vec<u32> = (0..u64::from(SAMPLE.min(vertices))).map(sampled).collect();
        roots.sort_unstable();
        roots.chunk_by(u32::eq).max_by_key(|same| same.len()).map_or(0, |same| same[0])
    }

    /// Links all edges of the vertices outside of the tree with the root `largest`. Returns the number of edges
    /// visited, and `true` if trees were joined.
    fn link_outside(&self, largest: u32) -> Checked<(u64, bool)> {
        let parts = self.each_task(|range| self.link_rows(range, largest))?;
        let pieces: Vec<Piece<'_>> = parts.iter().flat_map(|part| part.pieces.iter().copied()).collect();
        let joined = map_tasks(pieces.len(), |piece| {
            stop::look()?;
            let (v, ends) = pieces[piece];
            Ok(self.link_row(v, ends))
        });
        let joined = joined.into_iter().collect::<Checked<Vec<bool>>>()?;
        let any = joined.contains(&true) || parts.iter().any(|part| part.joined);
        Ok((parts.iter().map(|part| part.edges).sum(), any))
    }

    /// Links the edges of the vertices in a range that are outside of the largest tree. Cuts long rows into pieces
    /// instead of linking them.
    fn link_rows(&self, range: Range<u32>, largest: u32) -> Checked<Linked<'a>> {
        let mut linked = Linked { edges: 0, joined: false, pieces: Vec::new() };
        let mut unchecked = 0;
        for v in range.filter(|&v| self.parent(v) != largest) {
            for row in self.rows(v) {
                linked.edges += row.len() as u64;
                if row.len() > PIECE_EDGES {
                    linked.pieces.extend(row.chunks(PIECE_EDGES).map(|piece| (v, piece)));
                } else {
                    linked.joined |= self.link_row(v, row);
                    unchecked += row.len();
                }
            }
            if unchecked > PIECE_EDGES {
                stop::look()?;
                unchecked = 0;
            }
        }
        Ok(linked)
    }

    /// Links a vertex to some of its neighbours. Returns `true` if trees were joined.
    fn link_row(&self, v: u32, ends: &[u32]) -> bool {
        let (mut root, mut any) = (v, false);
        for &end in ends {
            if self.parent(end) != root {
                let (joined, is_new) = self.trees.link(root, end);
                (root, any) = (joined, any | is_new);
            }
        }
        any
    }

    /// Calls `work` for ranges of vertices, on all threads, and returns the results in order.
    fn each_task<T: Send>(&self, work: impl Fn(Range<u32>) -> Checked<T> + Sync) -> Checked<Vec<T>> {
        each_task(self.trees.num_vertices(), work)
    }
}

/// Calls `work` for ranges of `0..vertices`, on all threads. Returns the results in order, or an error if the run must
/// stop.
fn each_task<T: Send, E: Send + From<Fault>>(
    vertices: u32,
    work: impl Fn(Range<u32>) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let vertices = vertices as usize;
    let parts = map_tasks(vertices.div_ceil(TASK_VERTICES), |task| {
        stop::look()?;
        let first = task * TASK_VERTICES;
        work(first as u32..(first + TASK_VERTICES).min(vertices) as u32)
    });
    parts.into_iter().collect()
}

/// Best first value of each tree, at the tree's root. A word is stored so that 0 means nothing and a greater word is
/// better. The array is therefore allocated as zeroed pages, of which only those with roots are ever touched.
struct Best<W> {
    kind: CombineKind,
    /// Identity of the combiner. A word is stored by `^` with it.
    nothing: u64,
    words: Vec<W>,
    /// Bitmap of the roots that have a value whose word is the identity.
    present: Bits,
}

impl<W: Word + Zeroable> Best<W> {
    fn new(kind: CombineKind, vertices: u32) -> Best<W> {
        let words = bytemuck::zeroed_vec(vertices as usize);
        Best { kind, nothing: identity(kind, W::MAX), words, present: Bits::new(vertices) }
    }

    /// Combines a first value into that of the tree with this root.
    #[inline]
    fn offer<V: Datum>(&self, root: u32, value: V) {
        let word = to_word(self.kind, W::MAX, value) ^ self.nothing;
        if word == 0 {
            if !self.present.get(root) {
                self.present.set(root);
            }
        } else if self.words[root as usize].load() < word {
            // Most vertices of a large tree do not improve its value, so they only read it.
            self.words[root as usize].fetch_max(word);
        }
    }

    /// Returns the value of the tree with this root, if any of its vertices has one.
    #[inline]
    fn value<V: Datum>(&self, root: u32) -> Option<V> {
        let word = self.words[root as usize].load();
        (word != 0 || self.present.get(root)).then(|| from_word(self.kind, word ^ self.nothing))
    }
}

impl<P: EdgeProgram> CpuRun<'_, '_, P> {
    /// Runs the program by union-find.
    pub(super) fn union<W: Word + Zeroable>(
        mut self,
        sources: &Sources<P::Value>,
    ) -> Result<Ended<P::Value>, RunError> {
        let ended = self.components::<W>(sources).map_err(|error| error.with_present(|| 0))?;
        Ok(ended.map_or(Ended::StartIsNan, |values| Ended::Ran(self.ran(values))))
    }

    /// Returns the values; `None` if `start` returned NaN.
    fn components<W: Word + Zeroable>(
        &mut self,
        sources: &Sources<P::Value>,
    ) -> Result<Option<Values<P::Value>>, RunError> {
        let (view, n) = (self.view, self.view.num_vertices());
        let (sends, gathers): (Vec<_>, Vec<_>) =
            (view.sends.iter().collect(), view.gathers().iter().collect());
        let forest = match view.mirrors {
            Some(_) => Forest::of_part(&sends, &gathers, n, view.num_senders()),
            None => Forest::new(&sends, n),
        };
        self.pass(|| Ok(((), forest.link_smallest()?)))?;
        self.pass(|| Ok((forest.compress()?, 0)))?;
        let joined = self.pass(|| {
            let (edges, joined) = forest.link_outside(forest.largest_tree())?;
            Ok((joined, edges))
        })?;
        // All processes that share a run take the same number of passes.
        if joined || view.mirrors.is_some() {
            self.pass(|| Ok((forest.compress()?, 0)))?;
        }
        let best = Best::<W>::new(<P::Combine as Combiner<P::Message>>::KIND, view.num_senders());
        let mut is_nan = self.pass(|| Ok((offer_first_values(view, sources, &forest, &best)?, 0)))?;
        if let Some(mirrors) = &view.mirrors {
            is_nan = self.pass(|| Ok((borders::join(mirrors, &forest, &best, is_nan)?, 0)))?;
        }
        if is_nan {
            return Ok(None);
        }
        self.pass(|| Ok((Some(Values::collect(n, |v| best.value(forest.parent(v)))), 0)))
    }

    /// Takes one pass over the graph by calling `work`, which returns a result and the number of edges visited.
    fn pass<T>(&mut self, work: impl FnOnce() -> Result<(T, u64), Halt>) -> Result<T, RunError> {
        let active = u64::from(self.view.num_vertices());
        self.may_step(u64::MAX, active)?;
        self.step(About::push(active), |_| work())
    }
}

/// Combines all first values into those of the vertices' trees. Returns `true` if one of them is NaN.
fn offer_first_values<P: EdgeProgram, W: Word + Zeroable>(
    view: &View<'_, P>,
    sources: &Sources<P::Value>,
    forest: &Forest<'_>,
    best: &Best<W>,
) -> Result<bool, Halt> {
    if P::MODEL.starts == Starts::Sources {
        // The plan has checked that no source has NaN.
        let first_values = sources.vertices.iter().zip(&sources.values);
        first_values.for_each(|(&v, &value)| best.offer(forest.parent(v), value));
        return Ok(false);
    }
    let is_nan = AtomicBool::new(false);
    each_task(view.num_vertices(), |range| {
        for v in range {
            match view.start(v)? {
                Some(value) if is_dropped(best.kind, value) => is_nan.store(true, Relaxed),
                Some(value) => best.offer(forest.parent(v), value),
                None => {}
            }
        }
        Ok::<_, Halt>(())
    })?;
    Ok(is_nan.into_inner())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;
    use std::time::{Duration, Instant};

    use wolfpath_core::graph::LayeredGraph;
    use wolfpath_core::oracle;

    use super::*;

    /// Joins all edges, as if no vertex were in the largest tree, and compares the components with the oracle's.
    fn joins(graph: &LayeredGraph) {
        let rows = [graph.out_edges(), graph.in_edges().expect("memory suffices")];
        let forest = Forest::new(&rows, graph.num_vertices());
        forest.link_smallest().expect("nothing stops the run");
        forest.compress().expect("nothing stops the run");
        let (edges, _) = forest.link_outside(u32::MAX).expect("nothing stops the run");
        assert_eq!(edges, 2 * graph.num_edges());
        forest.compress().expect("nothing stops the run");
        let labels: Vec<u64> = (0..u64::from(graph.num_vertices())).collect();
        let expected = oracle::components(graph.out_edges(), &labels);
        let found: Vec<u64> = (0..graph.num_vertices()).map(|v| u64::from(forest.parent(v))).collect();
        assert_eq!(found, expected);
    }

    fn of_edges(edges: impl Iterator<Item = (u64, u64)>) -> LayeredGraph {
        LayeredGraph::from_edges(edges).expect("the edges are valid")
    }

    #[test]
    fn long_rows_are_cut_into_pieces() {
        let leaves = 3 * PIECE_EDGES as u64;
        joins(&of_edges((1..=leaves).map(|leaf| (leaf, 0))));
        joins(&of_edges((1..=leaves).flat_map(|leaf| [(0, leaf), (leaf + leaves, leaf + leaves + 1)])));
    }

    #[test]
    fn paths_and_small_components_are_joined() {
        joins(&of_edges((0..200_000).map(|v| (v, v + 1))));
        joins(&of_edges((0..200_000).map(|v| (v + 1, v))));
        joins(&of_edges((0..50_000).map(|v| (2 * v + 1, 2 * v))));
        // Sources without in-edges meet at one end: all trees are joined only by in-edges.
        joins(&of_edges(
            (0..60_000u64).map(|v| (v, 100_000 + v / 3)).chain((0..20_000).map(|v| (v, 100_000 + v))),
        ));
    }

    #[test]
    fn compressed_paths_lead_to_the_root_at_once() {
        let graph = of_edges((0..1_500_000).map(|v| (v, v + 1)));
        let rows = [graph.out_edges(), graph.in_edges().expect("memory suffices")];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("threads can be started");
        for _ in 0..8 {
            let forest = Forest::new(&rows, graph.num_vertices());
            pool.install(|| forest.link_smallest().and_then(|_| forest.compress()))
                .expect("nothing stops the run");
            assert!((0..graph.num_vertices()).all(|v| forest.parent(v) == 0));
        }
    }

    #[test]
    fn the_largest_tree_is_the_most_frequent_one() {
        let graph = of_edges((1..5000).map(|leaf| (0, leaf)).chain([(9000, 9001), (9002, 9001)]));
        let rows = [graph.out_edges(), graph.in_edges().expect("memory suffices")];
        let forest = Forest::new(&rows, graph.num_vertices());
        forest.link_smallest().expect("nothing stops the run");
        forest.compress().expect("nothing stops the run");
        assert_eq!(forest.largest_tree(), forest.parent(graph.vertex_of(7).expect("the vertex exists")));
    }

    #[test]
    fn every_pass_stops_when_asked() {
        let graph = of_edges([(0, 1), (1, 2)].into_iter());
        let rows = [graph.out_edges()];
        let forest = Forest::new(&rows, graph.num_vertices());
        let passed = stop::Stop::new(None, Some(Instant::now() - Duration::from_millis(1)));
        stop::within(Some(Arc::new(passed)), || {
            assert!(forest.link_smallest().is_err());
            assert!(forest.compress().is_err());
            assert!(forest.link_outside(0).is_err());
        });
    }

    #[test]
    fn the_best_value_may_be_the_identity() {
        let best = Best::<AtomicU32>::new(CombineKind::Min, 3);
        best.offer(0, u32::MAX);
        best.offer(1, 7u32);
        best.offer(1, 9u32);
        assert_eq!([0, 1, 2].map(|root| best.value::<u32>(root)), [Some(u32::MAX), Some(7), None]);
        let best = Best::<AtomicU32>::new(CombineKind::Max, 3);
        best.offer(0, i32::MIN);
        best.offer(1, -7i32);
        best.offer(1, -9i32);
        assert_eq!([0, 1, 2].map(|root| best.value::<i32>(root)), [Some(i32::MIN), Some(-7), None]);
    }
}
