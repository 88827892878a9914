//! The order in which the schedule `paths` visits vertices, derived from a graph's edge-disjoint paths.
//!
//! Every vertex that sends has a *home*: the first path on which it is followed by another vertex. Its *place* is its
//! position among the vertices of all homes, in the order of paths and along each path. Since the paths of a layer do not
//! precede those of earlier layers, the same holds for the vertices whose homes they are: an edge never leads to a vertex
//! of an earlier layer.
//!
//! If messages travel against the edges, paths are walked from their ends, last path first. If they travel both ways,
//! all vertices depend on each other, and there is one layer.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;
use wolfpath_core::graph::{LayeredGraph, PathIter, Paths};

use crate::error::PlanError;
use crate::plan::RowUse;

/// Place of a vertex that does not send, and home of a vertex that has none yet.
const NONE: u32 = u32::MAX;

/// Minimum number of places of a group of layers, except the last. A round over fewer would cost more than it visits.
const GROUP_PLACES: u32 = 4096;

/// Minimum number of edges to a vertex whose messages are combined apart from those of others, and largest number of such
/// vertices. Messages to one vertex wait for each other, for about a nanosecond each; with fewer, that does not matter.
const LEAST_RECEIVED: u64 = 1024;
const MOST_RECEIVERS: usize = 4096;

/// Number of paths in a task.
const TASK_PATHS: usize = 1 << 13;

/// Vertices in the order of paths.
#[derive(Debug)]
pub(crate) struct PathOrder {
    vertices: Vec<u32>,
    places: Vec<u32>,
    /// First places of the groups, and the number of places.
    groups: Vec<u32>,
    walk: Walk,
    /// The vertices with the most edges to them, in descending order of these, at most MOST_RECEIVERS.
    receivers: OnceLock<Vec<u32>>,
}

/// Way in which paths are walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    Forward,
    Backward,
    BothWays,
}

impl Walk {
    /// Returns the vertices of a path that send along it, in the order in which they are visited.
    fn senders(self, path: impl Iterator<Item = u32>, into: &mut Vec<u32>) {
        into.clear();
        into.extend(path);
        match self {
            Walk::Forward => drop(into.pop()),
            Walk::Backward => {
                into.reverse();
                into.pop();
            }
            Walk::BothWays => {}
        }
    }
}

/// Ranks of paths, in the order in which they are walked.
#[derive(Clone, Copy)]
struct Ranks {
    walk: Walk,
    paths: u32,
    /// Odd factor by which the numbers of paths are scattered, and mask of the bits that remain; `None` if paths are walked in
    /// the order of their dependencies.
    scattered: Option<(u32, u32)>,
}

impl Ranks {
    fn new(walk: Walk, paths: u32, is_ordered: bool) -> Ranks {
        let mask = paths.checked_next_power_of_two().map_or(u32::MAX, |all| all - 1);
        // More paths could have the rank `NONE`.
        let scatters = !is_ordered && mask < NONE;
        Ranks { walk, paths, scattered: scatters.then_some((0x9e37_79b1, mask)) }
    }

    /// Returns the rank of a path. Different paths have different ranks.
    fn of(self, path: u32) -> u32 {
        match (self.scattered, self.walk) {
            (Some((factor, mask)), _) => path.wrapping_mul(factor) & mask,
            (None, Walk::Backward) => self.paths - 1 - path,
            (None, _) => path,
        }
    }
}

impl PathOrder {
    /// Returns the order of the vertices of a graph that send along these rows. Unless `is_ordered`, paths follow each other in
    /// no particular order, in one group.
    pub(crate) fn new(graph: &LayeredGraph, rows: RowUse, is_ordered: bool) -> Result<PathOrder, PlanError> {
        let walk = match (rows.send_out, rows.send_in) {
            (true, true) => Walk::BothWays,
            (false, true) => Walk::Backward,
            _ => Walk::Forward,
        };
        let paths = graph.paths()?;
        let ranks = Ranks::new(walk, paths.num_paths(), is_ordered);
        let homes = homes(&paths, graph.num_vertices(), ranks);
        let vertices = in_order(&paths, &homes, ranks);
        let places: Vec<AtomicU32> =
            (0..graph.num_vertices()).into_par_iter().map(|_| AtomicU32::new(NONE)).collect();
        vertices
            .par_iter()
            .zip(0..vertices.len() as u32)
            .for_each(|(&v, place)| places[v as usize].store(place, Relaxed));
        let groups = groups(&paths, &homes, &vertices, ranks);
        let places = places.into_iter().map(AtomicU32::into_inner).collect();
        Ok(PathOrder { vertices, places, groups, walk, receivers: OnceLock::new() })
    }

    /// Returns the number of vertices that send.
    pub(crate) fn num_places(&self) -> u32 {
        self.vertices.len() as u32
    }

    #[inline(always)]
    pub(crate) fn vertex_at(&self, place: u32) -> u32 {
        self.vertices[place as usize]
    }

    /// Returns the place of a vertex, if it sends.
    #[inline(always)]
    pub(crate) fn place_of(&self, v: u32) -> Option<u32> {
        let place = self.places[v as usize];
        (place != NONE).then_some(place)
    }

    /// Returns the places of each group of layers. No edge leads to an earlier group.
    pub(crate) fn groups(&self) -> impl ExactSizeIterator<Item = Range<u32>> {
        self.groups.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// Returns the vertex at each place.
    pub(crate) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Returns the place of each vertex, and `u32::MAX` for those that do not send.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Returns the vertices with the most edges to them, in descending order of these. None has fewer than 1,024.
    /// `graph` is the one whose order this is.
    pub(crate) fn receivers(&self, graph: &LayeredGraph) -> &[u32] {
        self.receivers.get_or_init(|| receivers(graph, self.walk))
    }

    /// Returns the first place of each group of layers if groups are merged until each has at least this number of
    /// places (if all have), and then the number of places.
    pub(crate) fn groups_of(&self, least: u32) -> Vec<u32> {
        let (mut firsts, all) = (vec![0], self.num_places());
        for group in self.groups().skip(1) {
            let is_large = group.start - firsts[firsts.len() - 1] >= least;
            if is_large && all - group.start >= least {
                firsts.push(group.start);
            }
        }
        firsts.push(all);
        firsts
    }
}

/// Returns the vertices that send along the edges or, if `backward`, against them, in the order of paths, and the first place of
/// each component of paths that has vertices, and then the number of places. Components are in the order of their
/// dependencies.
pub(crate) fn in_components(graph: &LayeredGraph, backward: bool) -> Result<(Vec<u32>, Vec<u32>), PlanError> {
    let paths = graph.paths()?;
    let walk = if backward { Walk::Backward } else { Walk::Forward };
    let ranks = Ranks::new(walk, paths.num_paths(), true);
    let homes = homes(&paths, graph.num_vertices(), ranks);
    let vertices = in_order(&paths, &homes, ranks);
    let (mut firsts, mut next, mut known) = (Vec::new(), 0, 0..0);
    for (place, &v) in (0..).zip(&vertices) {
        let rank = homes[v as usize].load(Relaxed);
        let path = if backward { paths.num_paths() - 1 - rank } else { rank };
        if known.contains(&path) {
            continue;
        }
        firsts.push(place);
        while !known.contains(&path) {
            let component = if backward { paths.num_components() - 1 - next } else { next };
            known = paths.of_component(component);
            next += 1;
        }
    }
    firsts.push(vertices.len() as u32);
    Ok((vertices, firsts))
}

/// Returns the vertices with the most edges along which they receive messages, in descending order of these.
fn receivers(graph: &LayeredGraph, walk: Walk) -> Vec<u32> {
    let out = graph.out_edges();
    let sources = |v: u32| out.degree(v);
    let inward = if graph.has_in_edges() { graph.in_edges().ok() } else { None };
    let received: Box<dyn Fn(u32) -> u64 + Sync + '_> = if walk == Walk::Backward || graph.is_symmetric() {
        Box::new(sources)
    } else if let Some(inward) = inward {
        Box::new(move |v| inward.degree(v) + if walk == Walk::BothWays { sources(v) } else { 0 })
    } else {
        let counts: Vec<AtomicU32> =
            (0..graph.num_vertices()).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        out.ends.par_iter().for_each(|&v| {
            counts[v as usize].fetch_add(1, Relaxed);
        });
        let both = walk == Walk::BothWays;
        Box::new(move |v| u64::from(counts[v as usize].load(Relaxed)) + if both { sources(v) } else { 0 })
    };
    let many = |v: u32| (received(v) >= LEAST_RECEIVED).then(|| (std::cmp::Reverse(received(v)), v));
    let mut all: Vec<_> = (0..graph.num_vertices()).into_par_iter().filter_map(many).collect();
    all.par_sort_unstable();
    all.truncate(MOST_RECEIVERS);
    all.into_iter().map(|(_, v)| v).collect()
}

/// Returns the rank of each vertex's home.
fn homes(paths: &Paths<'_>, vertices: u32, ranks: Ranks) -> Vec<AtomicU32> {
    let homes: Vec<AtomicU32> = (0..vertices).into_par_iter().map(|_| AtomicU32::new(NONE)).collect();
    paths.parts(TASK_PATHS).into_par_iter().for_each(|part| {
        let mut senders = Vec::new();
        for (number, path) in numbered(part) {
            ranks.walk.senders(path.vertices(), &mut senders);
            let rank = ranks.of(number);
            for &v in &senders {
                homes[v as usize].fetch_min(rank, Relaxed);
            }
        }
    });
    homes
}

/// Returns the paths of a part with their numbers.
fn numbered<'a>(part: PathIter<'a>) -> impl Iterator<Item = (u32, wolfpath_core::graph::EdgePath<'a>)> {
    (part.number()..).zip(part)
}

/// Returns the vertices that have a home, in the order of their homes and along them.
fn in_order(paths: &Paths<'_>, homes: &[AtomicU32], ranks: Ranks) -> Vec<u32> {
    let found = |part: PathIter<'_>| {
        let (mut senders, mut all, mut of_path) = (Vec::new(), Vec::new(), Vec::new());
        for (number, path) in numbered(part) {
            ranks.walk.senders(path.vertices(), &mut senders);
            let rank = ranks.of(number);
            of_path.clear();
            for &v in senders.iter().filter(|&&v| homes[v as usize].load(Relaxed) == rank) {
                // A path may visit a vertex again.
                if !of_path.contains(&v) {
                    of_path.push(v);
                }
            }
            // Parts are walked forward. For the other way, the whole list is reversed in the end.
            match ranks.walk {
                Walk::Backward => all.extend(of_path.iter().rev()),
                _ => all.extend(&of_path),
            }
        }
        all
    };
    let parts: Vec<Vec<u32>> = paths.parts(TASK_PATHS).into_par_iter().map(found).collect();
    let mut vertices = parts.concat();
    if ranks.walk == Walk::Backward {
        vertices.reverse();
    }
    if ranks.scattered.is_some() {
        // Stable, so that the vertices of a path stay in its order.
        vertices.par_sort_by_key(|&v| homes[v as usize].load(Relaxed));
    }
    vertices
}

/// Returns the first places of groups of layers, and the number of places.
fn groups(paths: &Paths<'_>, homes: &[AtomicU32], vertices: &[u32], ranks: Ranks) -> Vec<u32> {
    let walk = ranks.walk;
    let all = vertices.len() as u32;
    let mut groups = vec![0];
    if walk != Walk::BothWays && ranks.scattered.is_none() {
        let layers = paths.num_layers();
        for nth in 1..layers {
            let layer = if walk == Walk::Backward { layers - nth } else { nth };
            let component = paths.of_layer(layer).start;
            let path = paths.of_component(component).start;
            // The rank of the first path that belongs to this layer or, backward, to the one before.
            let rank = if walk == Walk::Backward { paths.num_paths() - path } else { path };
            let place = vertices.partition_point(|&v| homes[v as usize].load(Relaxed) < rank) as u32;
            if place - groups[groups.len() - 1] >= GROUP_PLACES && all - place >= GROUP_PLACES {
                groups.push(place);
            }
        }
    }
    groups.push(all);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(out: bool, inward: bool) -> RowUse {
        RowUse { send_out: out, send_in: inward, gather_out: inward, gather_in: out }
    }

    /// A graph of cycles whose vertices have edges to later ones.
    fn layered() -> LayeredGraph {
        let cycles = (0u64..30_000).map(|v| (v, if v % 3 == 2 { v - 2 } else { v + 1 }));
        let onward = (0u64..20_000).map(|v| (v, v + 10_000)).chain((0..2000).map(|v| (v, 40_000 + v % 7)));
        LayeredGraph::from_edges(cycles.chain(onward)).unwrap()
    }

    #[test]
    fn every_sender_has_one_place() {
        let graph = layered();
        for (out, inward) in [(true, false), (false, true), (true, true)] {
            for is_ordered in [true, false] {
                let order = PathOrder::new(&graph, rows(out, inward), is_ordered).unwrap();
                let sends = |v: u32| {
                    (out && graph.out_edges().degree(v) > 0)
                        || (inward && graph.in_edges().unwrap().degree(v) > 0)
                };
                let senders: Vec<u32> = (0..graph.num_vertices()).filter(|&v| sends(v)).collect();
                let mut vertices = order.vertices.clone();
                vertices.sort_unstable();
                assert_eq!(vertices, senders, "{out} {inward}");
                assert!(
                    (0..graph.num_vertices())
                        .all(|v| order.place_of(v).is_none_or(|at| order.vertex_at(at) == v))
                );
                assert!(is_ordered || order.groups().len() == 1);
            }
        }
    }

    #[test]
    fn no_edge_leads_to_an_earlier_group() {
        let graph = layered();
        for out in [true, false] {
            let order = PathOrder::new(&graph, rows(out, !out), true).unwrap();
            let group = |v| {
                let place = order.place_of(v)?;
                order.groups().position(|places| places.contains(&place))
            };
            assert!(order.groups().len() > 1, "the graph has several layers");
            let rows = graph.out_edges();
            for v in 0..graph.num_vertices() {
                for &end in &rows.ends[rows.range(v)] {
                    let (from, to) = if out { (v, end) } else { (end, v) };
                    assert!(group(to).is_none_or(|to| group(from).unwrap() <= to));
                }
            }
        }
        assert_eq!(PathOrder::new(&graph, rows(true, true), true).unwrap().groups().len(), 1);
    }

    #[test]
    fn groups_are_merged_until_they_are_large() {
        let graph = layered();
        let order = PathOrder::new(&graph, rows(true, false), true).unwrap();
        let all = order.groups_of(1);
        assert_eq!(all, order.groups);
        assert!(all.len() > 2, "the graph has several layers");
        let least = all[1] + 1;
        let merged = order.groups_of(least);
        assert!(merged.len() < all.len() && merged.iter().all(|first| all.contains(first)), "{merged:?}");
        assert!(merged.windows(2).all(|pair| pair[1] - pair[0] >= least), "{merged:?}");
        assert_eq!(order.groups_of(u32::MAX), [0, order.num_places()]);
    }

    #[test]
    fn receivers_are_those_with_many_edges() {
        let to = |end: u64, from: std::ops::Range<u64>| from.map(move |v| (v, end));
        let edges = to(10_000, 0..1500).chain(to(10_001, 0..4000)).chain(to(10_002, 0..1000));
        let graph = LayeredGraph::from_edges(edges).unwrap();
        let ids = |out, inward| -> Vec<u64> {
            let order = PathOrder::new(&graph, rows(out, inward), true).unwrap();
            order.receivers(&graph).iter().map(|&v| graph.id_of(v)).collect()
        };
        assert_eq!(ids(true, false), [10_001, 10_000]);
        assert!(ids(false, true).is_empty(), "no vertex has many out-edges");
        assert_eq!(ids(true, true), [10_001, 10_000]);
    }

    #[test]
    fn a_path_is_walked_from_its_first_sender() {
        let path = LayeredGraph::from_edges((0..5000u64).map(|v| (v, v + 1))).unwrap();
        let ids = |order: &PathOrder| order.vertices.iter().map(|&v| path.id_of(v)).collect::<Vec<_>>();
        let forward = PathOrder::new(&path, rows(true, false), true).unwrap();
        assert!(ids(&forward).into_iter().eq(0..5000));
        let backward = PathOrder::new(&path, rows(false, true), true).unwrap();
        assert!(ids(&backward).into_iter().eq((1..=5000).rev()));
    }
}
