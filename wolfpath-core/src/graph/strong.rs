//! Strongly connected components: the largest sets of vertices that all reach each other.
//!
//! Three methods take turns:
//!
//! 1. *Trimming*: a vertex without in-edges, or without out-edges, from vertices that are left is a component of its own.
//! 2. *Forward and backward*: what a vertex reaches and what reaches it have that vertex's component in common. Both searches
//!    run on all threads, and find the giant component that most graphs have. Every other component is completely inside one of
//!    the three sets that are left: what only one of the searches found, and what neither did.
//! 3. *Tarjan's algorithm* (1972), one thread per set, for sets that are small or were divided several times.
//!
//! In symmetric graphs, these are the connected components, which union-find finds faster.
//!
//! The combination is that of Slota, Rajamanickam and Madduri ("BFS and coloring-based parallel algorithms for strongly
//! connected components and related problems", 2014), with Tarjan's algorithm in place of their coloring. Its worst case, sets
//! of many components of about the same size, takes one thread linear time.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use rayon::prelude::*;

use super::rows::Rows;
use super::spread::spread;
use crate::trees::Trees;

/// Mark of a vertex in no set, and of a count that is too large.
const NONE: u32 = u32::MAX;

/// Number of vertices from which on a set is divided.
const LARGE: usize = 1 << 14;

/// Largest number of times that a set is divided. Divisions that find only small components would otherwise take quadratic time.
const MOST_DIVISIONS: u32 = 4;

/// Returns the smallest vertex of each vertex's strongly connected component. If `out` and `into` are the same rows, the graph must
/// be symmetric.
pub(super) fn strong_components(out: Rows<'_>, into: Rows<'_>) -> Vec<u32> {
    if std::ptr::eq(out.ends, into.ends) {
        return connected_components(out);
    }
    let vertices = out.num_vertices();
    let marks = |mark: u32| (0..vertices).into_par_iter().map(|_| AtomicU32::new(mark)).collect();
    let work = Components { out, into, heads: marks(0), sets: marks(0) };
    work.trim(into, out);
    work.trim(out, into);
    let left: Vec<u32> = (0..vertices).into_par_iter().filter(|&v| work.is_left(v)).collect();
    if !left.is_empty() {
        let seen = (0..vertices).into_par_iter().map(|_| AtomicU8::new(0)).collect();
        let tarjan = Tarjan { numbers: marks(0), lows: marks(0) };
        work.divide(left, MOST_DIVISIONS, &seen, &tarjan, &AtomicU32::new(1));
    }
    work.heads.into_par_iter().map(AtomicU32::into_inner).collect()
}

/// Returns the smallest vertex of each vertex's connected component, in a symmetric graph.
fn connected_components(rows: Rows<'_>) -> Vec<u32> {
    let trees = Trees::single(rows.num_vertices());
    let vertices = (0..rows.num_vertices()).into_par_iter();
    vertices.clone().with_min_len(1 << 8).for_each(|v| {
        // Each edge has a twin in the other direction.
        for &end in rows.row(v).iter().take_while(|&&end| end < v) {
            trees.link(v, end);
        }
    });
    vertices.map(|v| trees.root(v)).collect()
}

struct Components<'a> {
    out: Rows<'a>,
    into: Rows<'a>,
    /// The smallest vertex of each vertex's component.
    heads: Vec<AtomicU32>,
    /// The set to which each vertex belongs that is left, that is, has no component yet; otherwise [`NONE`].
    sets: Vec<AtomicU32>,
}

impl Components<'_> {
    fn is_left(&self, v: u32) -> bool {
        self.set_of(v) != NONE
    }

    /// Adds a vertex to the component whose smallest vertex is `head`.
    fn settle(&self, v: u32, head: u32) {
        self.heads[v as usize].store(head, Ordering::Relaxed);
        self.sets[v as usize].store(NONE, Ordering::Relaxed);
    }

    fn set_of(&self, v: u32) -> u32 {
        self.sets[v as usize].load(Ordering::Relaxed)
    }

    /// Makes each vertex a component whose row in `before` has no vertex that is left. `after` is the transpose. Self-loops do not
    /// count.
    fn trim(&self, before: Rows<'_>, after: Rows<'_>) {
        let vertices = 0..before.num_vertices();
        // No vertex that is left has an edge to one that was trimmed for lack of edges in: that one would have to be left, too.
        let count = |v: u32| {
            let row = before.row(v);
            row.len() - (row.partition_point(|&end| end <= v) - row.partition_point(|&end| end < v))
        };
        // A vertex with 2^32 edges or more is not trimmed, which only costs time.
        let counts = vertices.clone().into_par_iter().with_min_len(1 << 10).map(count);
        let counts: Vec<AtomicU32> =
            counts.map(|count| AtomicU32::new(count.try_into().unwrap_or(NONE))).collect();
        let is_free = |&v: &u32| self.is_left(v) && counts[v as usize].load(Ordering::Relaxed) == 0;
        let free: Vec<u32> = vertices.into_par_iter().filter(is_free).collect();
        spread(free, &|v, added| {
            self.settle(v, v);
            let others = after.row(v).iter().filter(|&&end| end != v && self.is_left(end));
            added.extend(others.filter(|&&end| {
                let count = &counts[end as usize];
                count.load(Ordering::Relaxed) != NONE && count.fetch_sub(1, Ordering::Relaxed) == 1
            }));
        });
    }

    /// Finds the components of a set, of which no component has vertices outside.
    fn divide(
        &self,
        set: Vec<u32>,
        divisions: u32,
        seen: &Vec<AtomicU8>,
        tarjan: &Tarjan,
        next_set: &AtomicU32,
    ) {
        let Some(&first) = set.first() else { return };
        if set.len() < LARGE || divisions == 0 {
            return tarjan.run(self, &set);
        }
        // A vertex of many edges in both directions is probably in the largest component.
        let edges = |v: u32| u128::from(self.out.degree(v)) * u128::from(self.into.degree(v));
        let pivot = set.par_iter().map(|&v| (edges(v), std::cmp::Reverse(v))).max();
        let pivot = pivot.map_or(first, |(_, std::cmp::Reverse(v))| v);
        let number = self.set_of(pivot);
        let search = |rows: Rows<'_>, bit: u8| {
            seen[pivot as usize].fetch_or(bit, Ordering::Relaxed);
            spread(vec![pivot], &|v, added| {
                let ends = rows.row(v).iter().copied();
                added.extend(ends.filter(|&end| {
                    self.set_of(end) == number
                        && seen[end as usize].load(Ordering::Relaxed) & bit == 0
                        && seen[end as usize].fetch_or(bit, Ordering::Relaxed) & bit == 0
                }));
            });
        };
        rayon::join(|| search(self.out, 1), || search(self.into, 2));
        let mut parts: [Vec<u32>; 4] = Default::default();
        // Vertices ascend, so the first one in both is the smallest.
        for &v in &set {
            parts[seen[v as usize].swap(0, Ordering::Relaxed) as usize].push(v);
        }
        let [neither, forward, backward, both] = parts;
        let head = both[0];
        both.par_iter().for_each(|&v| self.settle(v, head));
        [neither, forward, backward].into_par_iter().for_each(|part| {
            let own = next_set.fetch_add(1, Ordering::Relaxed);
            part.par_iter().for_each(|&v| self.sets[v as usize].store(own, Ordering::Relaxed));
            self.divide(part, divisions - 1, seen, tarjan, next_set);
        });
    }
}

/// Tarjan's algorithm. Each vertex belongs to one set, so several sets can share the arrays.
struct Tarjan {
    /// Numbers of the vertices in the order in which they were found, from 1.
    numbers: Vec<AtomicU32>,
    /// The least number that is known to be in a vertex's component.
    lows: Vec<AtomicU32>,
}

impl Tarjan {
    /// Finds the components of a set whose vertices ascend.
    fn run(&self, work: &Components<'_>, set: &[u32]) {
        let load = |array: &[AtomicU32], v: u32| array[v as usize].load(Ordering::Relaxed);
        let store =
            |array: &[AtomicU32], v: u32, value: u32| array[v as usize].store(value, Ordering::Relaxed);
        let (mut found, mut calls, mut open) = (0, Vec::new(), Vec::new());
        for &start in set {
            if load(&self.numbers, start) != 0 {
                continue;
            }
            let own = work.set_of(start);
            let mut next = Some(start);
            loop {
                if let Some(v) = next.take() {
                    found += 1;
                    store(&self.numbers, v, found);
                    store(&self.lows, v, found);
                    open.push(v);
                    calls.push((v, work.out.range(v).start));
                }
                let Some((v, at)) = calls.last_mut() else { break };
                let v = *v;
                if *at < work.out.range(v).end {
                    let end = work.out.ends[*at];
                    *at += 1;
                    if work.set_of(end) != own {
                        continue;
                    }
                    match load(&self.numbers, end) {
                        0 => next = Some(end),
                        // A vertex without a component is open.
                        number => store(&self.lows, v, load(&self.lows, v).min(number)),
                    }
                    continue;
                }
                calls.pop();
                let low = load(&self.lows, v);
                if let Some(&(caller, _)) = calls.last() {
                    store(&self.lows, caller, load(&self.lows, caller).min(low));
                }
                if low == load(&self.numbers, v) {
                    let begin = open.iter().rposition(|&other| other == v).unwrap_or_default();
                    let head = open[begin..].iter().copied().min().unwrap_or(v);
                    open.drain(begin..).for_each(|member| work.settle(member, head));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge_list::EdgeList;
    use crate::graph::{LayerOptions, LayeredGraph};
    use crate::random;

    /// Returns the smallest vertex of each component, by searching from every vertex.
    fn expected(graph: &LayeredGraph) -> Vec<u32> {
        let reached = |from: u32| {
            let mut seen = vec![false; graph.num_vertices() as usize];
            let mut left = vec![from];
            while let Some(v) = left.pop() {
                if !std::mem::replace(&mut seen[v as usize], true) {
                    left.extend(graph.out_edges().row(v));
                }
            }
            seen
        };
        let all: Vec<Vec<bool>> = (0..graph.num_vertices()).map(reached).collect();
        let is_mutual = |v: usize, w: usize| all[v][w] && all[w][v];
        (0..all.len()).map(|v| (0..=v).find(|&w| is_mutual(v, w)).unwrap_or(v) as u32).collect()
    }

    fn found(graph: &LayeredGraph) -> Vec<u32> {
        strong_components(graph.out_edges(), graph.in_edges().expect("there is memory for them"))
    }

    #[test]
    fn components_of_random_graphs() {
        for seed in 0..60 {
            let mut drawn = 0..;
            let mut below = |bound| {
                let number = drawn.next().unwrap_or_default();
                u64::from(random::below(bound, random::hash(seed, number)))
            };
            let (vertices, edges) = (2 + below(40), below(90));
            let edges = (0..=edges).map(|_| (below(vertices as u32), below(vertices as u32)));
            let graph = LayeredGraph::from_edges(edges.collect::<Vec<_>>()).expect("it can be built");
            assert_eq!(found(&graph), expected(&graph), "seed {seed}");
        }
    }

    #[test]
    fn components_of_symmetric_graphs() {
        let edges = |edges: Vec<(u64, u64)>| {
            let list = EdgeList::from_edges(edges).expect("the edges are valid").undirected();
            LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("it can be built")
        };
        for seed in 0..30 {
            let drawn = |number: u64| u64::from(random::below(40, random::hash(seed, number)));
            let graph = edges((0..=2 * seed).map(|edge| (drawn(2 * edge), drawn(2 * edge + 1))).collect());
            assert!(graph.is_symmetric());
            assert_eq!(found(&graph), expected(&graph), "seed {seed}");
        }
        // Threads join the same components.
        let tree = edges(
            (1..300_000u64).map(|v| (v, u64::from(random::below(v as u32, random::hash(7, v))))).collect(),
        );
        assert!(found(&tree).iter().all(|&head| head == 0));
    }

    #[test]
    fn large_sets_are_divided() {
        // A giant cycle, cycles of three before and behind it, cycles of two apart from it, and a chain without cycles.
        let mut edges: Vec<(u64, u64)> = (0..40_000).map(|v| (v, (v + 1) % 40_000)).collect();
        let mut expected = vec![40_000];
        for group in 0..9000u64 {
            let begin = 50_000 + 3 * group;
            edges.extend([(begin, begin + 1), (begin + 1, begin + 2), (begin + 2, begin)]);
            edges.push(if group % 2 == 0 { (begin, group) } else { (group, begin) });
            expected.push(3);
        }
        for pair in 0..20_000u64 {
            edges
                .extend([(100_000 + 2 * pair, 100_001 + 2 * pair), (100_001 + 2 * pair, 100_000 + 2 * pair)]);
            expected.push(2);
        }
        edges.extend((200_000..230_000).map(|v| (v, v + 1)));
        expected.extend([1; 30_001]);
        let graph = LayeredGraph::from_edges(edges).expect("it can be built");
        let heads = found(&graph);
        let mut sizes = vec![0; heads.len()];
        for (v, &head) in heads.iter().enumerate() {
            assert!(head as usize <= v && heads[head as usize] == head);
            sizes[head as usize] += 1;
        }
        sizes.retain(|&size| size > 0);
        sizes.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sizes, expected);
    }
}
