//! The order of paths: by their dependencies, then by the degrees of their vertices.
//!
//! A path precedes another one if a vertex of it, other than its first, is a vertex of the other one, other than its last: what
//! the one changes, the other passes on. Paths that precede each other, directly or by way of others, form a component, and
//! components have layers in topological order.
//!
//! Pairs of paths are too many to be listed. Instead, vertices and the components of paths are merged to *knots* in such a way
//! that edges between knots never form a cycle:
//!
//! - the vertices of a strongly connected component, and all paths with an inner vertex in it;
//! - the inner vertices of any other path of several edges, and the path itself.
//!
//! All other paths have one edge, which leads from one knot to another and is a component by itself.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::super::degree_classes::DegreeClasses;
use super::super::error::LayerError;
use super::super::spread::spread;
use super::decompose::{Bits, Chains, NONE, Path, VERTICES_A_TASK};

/// Paths and their order.
pub(super) struct Ordered {
    /// The paths in the order of their first edges.
    pub(super) paths: Vec<Path>,
    /// Their positions among those, in the order in which they are stored.
    pub(super) order: Vec<u32>,
    /// The first path of each component, then the number of paths.
    pub(super) components: Vec<u32>,
    /// The first component of each layer, then the number of components.
    pub(super) layers: Vec<u32>,
}

/// Orders the paths of a graph.
///
/// # Errors
/// Returns an error if there are more than 2^32 - 1 paths and vertices.
pub(super) fn ordered(chains: &Chains<'_>) -> Result<Ordered, LayerError> {
    let paths = chains.paths();
    if u32::try_from(paths.len() as u64 + u64::from(chains.out.num_vertices())).is_err() {
        return Err(LayerError::ManyPaths { paths: paths.len() as u64 });
    }
    let knots = Knots::of(chains, &paths);
    let depths = knots.depths(chains, &paths);
    // Knots with paths in them, layer by layer, and their places among each other.
    let with_paths =
        (0..depths.len() as u32).into_par_iter().filter(|&knot| knots.has_paths.get(knot as usize));
    let mut filled: Vec<(u32, u32)> = with_paths.map(|knot| (depths[knot as usize], knot)).collect();
    filled.par_sort_unstable();
    let mut places = vec![0; depths.len()];
    (0..).zip(&filled).for_each(|(place, &(_, knot))| places[knot as usize] = place);
    // Paths in knots are sorted by the places of these, and behind them those between knots, by layer.
    let key = |path: &Path| match path.knot {
        NONE => filled.len() as u32 + depths[knots.of[path.first as usize] as usize],
        knot => places[knot as usize],
    };
    let keys: Vec<u32> = paths.par_iter().map(key).collect();
    let colds: Vec<u16> = paths.par_iter().map(|path| COLDEST - path.heat).collect();
    // Sorting by one key and then, stably, by another one leaves those of equal keys sorted by the former.
    let (by_heat, _) = sorted(&colds, 0..paths.len() as u32);
    let (numbers, begins) = sorted(&keys, by_heat.into_iter());
    let (order, components, layers) = merged(&filled, &numbers, &begins);
    Ok(Ordered { paths, order, components, layers })
}

/// Key of the coldest path.
const COLDEST: u16 = DegreeClasses::CLASSES as u16 - 1;

/// Sorts numbers by their keys. Those of equal keys keep their order. Also returns where those of each key begin.
fn sorted<K: Copy + Ord + Send + Sync + Into<u32>>(
    keys: &[K],
    numbers: impl Iterator<Item = u32>,
) -> (Vec<u32>, Vec<u32>) {
    let largest = keys.par_iter().max().map_or(0, |&key| key.into() as usize + 1);
    let mut begins = vec![0; largest + 1];
    keys.iter().for_each(|&key| begins[key.into() as usize + 1] += 1);
    for key in 0..largest {
        begins[key + 1] += begins[key];
    }
    let (mut sorted, mut ends) = (vec![0; keys.len()], begins.clone());
    for number in numbers {
        let end = &mut ends[keys[number as usize].into() as usize];
        sorted[*end as usize] = number;
        *end += 1;
    }
    (sorted, begins)
}

/// Merges, layer by layer, the paths of knots and those between them. Each of the latter is a component by itself. Returns the
/// order of the paths, and where components and layers begin.
fn merged(filled: &[(u32, u32)], numbers: &[u32], begins: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let of_key = |key: usize| {
        let range = begins.get(key).zip(begins.get(key + 1));
        range.map_or(&[][..], |(&begin, &end)| &numbers[begin as usize..end as usize])
    };
    let (mut order, mut components, mut layers) = (Vec::with_capacity(numbers.len()), Vec::new(), Vec::new());
    let mut knots = (0..).zip(filled).peekable();
    for before in 0.. {
        let first = components.len() as u32;
        while let Some((place, _)) = knots.next_if(|(_, (depth, _))| *depth == before + 1) {
            components.push(order.len() as u32);
            order.extend(of_key(place));
        }
        let between = of_key(filled.len() + before as usize);
        components.extend(order.len() as u32..(order.len() + between.len()) as u32);
        order.extend(between);
        // Layers follow each other without gaps.
        if components.len() as u32 == first {
            break;
        }
        layers.push(first);
    }
    layers.push(components.len() as u32);
    components.push(order.len() as u32);
    (order, components, layers)
}

/// The knots of the graph of dependencies.
struct Knots {
    /// The knot of each vertex, which is named after one of its vertices.
    of: Vec<u32>,
    /// Knots with paths inside.
    has_paths: Bits,
}

impl Knots {
    fn of(chains: &Chains<'_>, paths: &[Path]) -> Knots {
        // Only vertices of a core can be inner vertices of several paths.
        let of: Vec<AtomicU32> = chains.heads.par_iter().map(|&head| AtomicU32::new(head)).collect();
        let has_paths = Bits::new(of.len());
        paths.par_iter().for_each(|&path| {
            if path.knot != NONE {
                has_paths.set(path.knot as usize);
            }
            if path.passes {
                let edges = chains.edges_of(path).take(usize::from(path.edges) - 1);
                let inner = edges.map(|edge| chains.out.ends[edge]);
                inner.for_each(|v| of[v as usize].store(path.knot, Ordering::Relaxed));
            }
        });
        Knots { of: of.into_par_iter().map(AtomicU32::into_inner).collect(), has_paths }
    }

    /// Returns the layer of each knot's paths, from 1; or, if it has none, the largest layer of those that end in it.
    fn depths(&self, chains: &Chains<'_>, paths: &[Path]) -> Vec<u32> {
        let vertices = chains.out.num_vertices();
        let members = Members::of(&self.of);
        let depths: Vec<AtomicU32> = (0..vertices).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        // Edges that are paths between knots.
        let between = Bits::new(chains.out.ends.len());
        paths
            .par_iter()
            .filter(|path| path.knot == NONE)
            .for_each(|&path| between.set(chains.first_edge(path)));
        let edges_out = |v: u32| {
            let others = chains.out.range(v).map(|edge| (edge, self.of[chains.out.ends[edge] as usize]));
            others.filter(move |&(_, other)| other != self.of[v as usize])
        };
        // Number of edges that lead into a knot from knots whose depths are not yet known.
        let awaited: Vec<AtomicU64> = (0..vertices).into_par_iter().map(|_| AtomicU64::new(0)).collect();
        (0..vertices).into_par_iter().with_min_len(VERTICES_A_TASK).flat_map_iter(edges_out).for_each(
            |(_, other)| {
                awaited[other as usize].fetch_add(1, Ordering::Relaxed);
            },
        );
        let is_free = |&v: &u32| self.of[v as usize] == v && awaited[v as usize].load(Ordering::Relaxed) == 0;
        let free = (0..vertices).into_par_iter().filter(is_free).collect();
        spread(free, &|knot, added| {
            let deeper = u32::from(self.has_paths.get(knot as usize));
            let depth = depths[knot as usize].fetch_add(deeper, Ordering::Relaxed) + deeper;
            // Returns the other knot if it awaits nothing more.
            let reach = |(edge, other): (usize, u32)| {
                let layer = depth + u32::from(between.get(edge));
                depths[other as usize].fetch_max(layer, Ordering::Relaxed);
                // The thread that takes the last one sees the depths that all others have stored.
                (awaited[other as usize].fetch_sub(1, Ordering::AcqRel) == 1).then_some(other)
            };
            // Large components have most of the edges of many graphs.
            let own = members.of_knot(knot);
            if own.len() <= VERTICES_A_TASK {
                added.extend(own.iter().flat_map(|&v| edges_out(v)).filter_map(reach));
            } else {
                let own = own.par_iter().with_min_len(VERTICES_A_TASK);
                added.par_extend(own.flat_map_iter(|&v| edges_out(v)).filter_map(reach));
            }
        });
        let is_known = |awaited: &AtomicU64| awaited.load(Ordering::Relaxed) == 0;
        debug_assert!(awaited.par_iter().all(is_known), "edges between knots form a cycle");
        depths.into_par_iter().map(AtomicU32::into_inner).collect()
    }
}

/// The vertices of each knot.
struct Members {
    begins: Vec<u32>,
    vertices: Vec<u32>,
}

impl Members {
    fn of(knots: &[u32]) -> Members {
        let mut begins = vec![0; knots.len() + 1];
        knots.iter().for_each(|&knot| begins[knot as usize + 1] += 1);
        for knot in 0..knots.len() {
            begins[knot + 1] += begins[knot];
        }
        let mut ends = begins.clone();
        let mut vertices = vec![0; knots.len()];
        for (v, &knot) in (0..).zip(knots) {
            vertices[ends[knot as usize] as usize] = v;
            ends[knot as usize] += 1;
        }
        Members { begins, vertices }
    }

    fn of_knot(&self, knot: u32) -> &[u32] {
        &self.vertices[self.begins[knot as usize] as usize..self.begins[knot as usize + 1] as usize]
    }
}
