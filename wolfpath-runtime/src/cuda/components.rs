//! Which device has each vertex in runs in the order of paths: a component of paths is on one device, and its successors are
//! where most of their predecessors are. (An idea of DiGraph; Zhang et al., ASPLOS 2019.)
//!
//! Rows are dealt in units of consecutive vertices. So the components are dealt first, as if each vertex could be dealt by
//! itself, and then each unit goes where most edges of its vertices are.
//!
//! A component with more edges than a device's share is dealt in turns. It is often the last one to converge, and so each
//! device must have a part of what is still active in it: pieces along its paths would leave most devices idle.

use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::graph::{LayeredGraph, Rows};

use crate::error::PlanError;
use crate::path_order::in_components;

/// The votes for a device are ignored if, with the component, it would have more than this multiple of its share. The more uneven
/// devices may be, the fewer edges lead from one to another: with 1.1 instead of 1, 26 instead of 43 % of those of cnr-2000 on two
/// devices, and 28 instead of 47 % of those of uk-2007-05@100000.
const SLACK: f64 = 1.1;

/// Stands for the device of a vertex that was not dealt yet.
const NOBODY: u8 = u8::MAX;

/// Returns the weight of vertices and of the edges along which they send. A vertex counts a quarter of an edge, so that those
/// without edges are spread evenly, too.
fn weight(vertices: u64, edges: u64) -> u64 {
    4 * edges + vertices
}

/// Sums of the weights that were dealt to each device so far.
struct Loads {
    weights: Vec<u64>,
    /// An even share of the weight of the whole graph.
    share: f64,
}

impl Loads {
    fn new(graph: &LayeredGraph, devices: usize) -> Loads {
        let all = weight(graph.num_vertices().into(), graph.num_edges());
        Loads { weights: vec![0; devices], share: all as f64 / devices as f64 }
    }

    fn least(&self) -> usize {
        (0..self.weights.len()).min_by_key(|&device| (self.weights[device], device)).unwrap_or(0)
    }

    /// Chooses the device that gets more, and returns it: the one with the most votes or, of several, with the least weight. If
    /// that would then have too much, or if no device has votes, it is the one with the least weight of all.
    fn give(&mut self, votes: &[u64], more: u64) -> usize {
        let best = (0..votes.len())
            .max_by_key(|&device| (votes[device], std::cmp::Reverse((self.weights[device], device))))
            .filter(|&device| votes[device] > 0)
            .filter(|&device| (self.weights[device] + more) as f64 <= SLACK * self.share);
        let device = best.unwrap_or_else(|| self.least());
        self.weights[device] += more;
        device
    }
}

/// Returns the device of each unit of `unit` consecutive vertices, for runs that send along the edges or, if `backward`, against
/// them.
///
/// # Errors
/// Returns an error if the graph's in-rows or paths cannot be computed.
pub(super) fn owners(
    graph: &LayeredGraph,
    devices: usize,
    unit: usize,
    backward: bool,
) -> Result<Vec<u8>, PlanError> {
    let (out, inward) = (graph.out_edges(), graph.in_edges()?);
    let (along, against) = if backward { (inward, out) } else { (out, inward) };
    let (places, firsts) = in_components(graph, backward)?;
    let of_vertices = deal_components(&places, &firsts, (along, against), Loads::new(graph, devices), unit);
    let vertices = graph.num_vertices() as usize;
    let range = |number: usize| number * unit..((number + 1) * unit).min(vertices);
    let votes: Vec<Vec<u64>> = (0..vertices.div_ceil(unit))
        .into_par_iter()
        .map(|number| votes(&of_vertices, along, range(number), devices))
        .collect();
    let mut loads = Loads::new(graph, devices);
    let weight_of =
        |unit: Range<usize>| weight(unit.len() as u64, along.offsets[unit.end] - along.offsets[unit.start]);
    let give = |(number, votes): (usize, &Vec<u64>)| loads.give(votes, weight_of(range(number))) as u8;
    Ok(votes.iter().enumerate().map(give).collect())
}

/// Returns the weight of those of some vertices that each device has.
fn votes(of_vertices: &[u8], rows: Rows<'_>, vertices: Range<usize>, devices: usize) -> Vec<u64> {
    let mut votes = vec![0; devices];
    vertices.for_each(|v| votes[usize::from(of_vertices[v])] += weight(1, rows.degree(v as u32)));
    votes
}

/// Returns the device of each vertex. `places` are the vertices that send, `firsts` the first places of components, the rows
/// are those along which messages travel, and those against them, and `unit` is the number of vertices of a unit.
fn deal_components(
    places: &[u32],
    firsts: &[u32],
    (along, against): (Rows<'_>, Rows<'_>),
    mut loads: Loads,
    unit: usize,
) -> Vec<u8> {
    let devices = loads.weights.len();
    let mut owners = vec![NOBODY; along.num_vertices() as usize];
    for pair in firsts.windows(2) {
        let component = &places[pair[0] as usize..pair[1] as usize];
        let more: u64 = component.iter().map(|&v| weight(1, along.degree(v))).sum();
        if more as f64 > loads.share {
            for &v in component {
                let device = v as usize / unit % devices;
                owners[v as usize] = device as u8;
                loads.weights[device] += weight(1, along.degree(v));
            }
            continue;
        }
        let mut votes = vec![0; devices];
        for &sender in component.iter().flat_map(|&v| against.row(v)) {
            if let Some(votes) = votes.get_mut(usize::from(owners[sender as usize])) {
                *votes += 1;
            }
        }
        let device = loads.give(&votes, more) as u8;
        component.iter().for_each(|&v| owners[v as usize] = device);
    }
    // Vertices that do not send have no place in the order.
    let of_receiver = |v: u32| {
        let mut votes = vec![0u64; devices];
        against.row(v).iter().for_each(|&sender| votes[usize::from(owners[sender as usize])] += 1);
        // Those without votes are dealt in turns.
        let first = v as usize % devices;
        let best = (0..devices).max_by_key(|&device| (votes[device], device == first));
        best.unwrap_or(0) as u8
    };
    let rest: Vec<(u32, u8)> = (0..along.num_vertices())
        .into_par_iter()
        .filter(|&v| owners[v as usize] == NOBODY)
        .map(|v| (v, of_receiver(v)))
        .collect();
    rest.into_iter().for_each(|(v, device)| owners[v as usize] = device);
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the share of edges between vertices of different devices, and the largest share of edges and of vertices of a
    /// device. Messages travel along `rows`.
    fn cut(rows: Rows<'_>, owners: &[u8], devices: usize) -> [f64; 3] {
        let owner = |v: u32| owners[v as usize / 64];
        let (mut edges, mut vertices) = (vec![0u64; devices], vec![0u32; devices]);
        let mut crossing = 0;
        for v in 0..rows.num_vertices() {
            edges[usize::from(owner(v))] += rows.degree(v);
            vertices[usize::from(owner(v))] += 1;
            crossing += rows.row(v).iter().filter(|&&end| owner(end) != owner(v)).count();
        }
        let all = rows.ends.len() as f64;
        let most_edges = *edges.iter().max().expect("there are devices") as f64 / all;
        let most_vertices = *vertices.iter().max().expect("there are devices");
        [crossing as f64 / all, most_edges, f64::from(most_vertices) / f64::from(rows.num_vertices())]
    }

    #[test]
    fn clusters_stay_together() {
        // Eight rings of 512 vertices, each with chords; few edges lead from one to the next.
        let ring = |cluster: u64, at: u64| cluster * 512 + at % 512;
        let inner = (0..8u64).flat_map(|cluster| {
            (0..512u64).flat_map(move |at| [1, 5, 77].map(|far| (ring(cluster, at), ring(cluster, at + far))))
        });
        let between = (0..7u64).map(|cluster| (ring(cluster, 3), ring(cluster + 1, 9)));
        let graph = LayeredGraph::from_edges(inner.chain(between)).expect("the edges form a graph");
        for (devices, backward) in [(2, false), (4, false), (2, true), (4, true)] {
            let owners = owners(&graph, devices, 64, backward).expect("the graph has paths");
            assert_eq!(owners.len(), 64);
            let [crossing, most, _] = cut(graph.out_edges(), &owners, devices);
            assert!(crossing < 0.1, "{devices}: {crossing}");
            assert!(most <= SLACK / devices as f64 + 0.02, "{devices}: {most}");
        }
    }

    #[test]
    fn a_large_component_is_dealt_in_turns() {
        let ring = (0..3000u64).flat_map(|v| [(v, (v + 1) % 3000), (v, (v + 2) % 3000)]);
        let graph = LayeredGraph::from_edges(ring).expect("the edges form a graph");
        for devices in [1, 2, 3, 8] {
            let owners = owners(&graph, devices, 64, false).expect("the graph has paths");
            let [_, most, _] = cut(graph.out_edges(), &owners, devices);
            assert!(most <= 1.0 / devices as f64 * SLACK + 0.03, "{devices}: {most}");
            assert!(owners.iter().enumerate().all(|(unit, &device)| usize::from(device) == unit % devices));
        }
        let empty = LayeredGraph::from_edges([(1u64, 1u64)]).expect("a valid graph");
        assert_eq!(owners(&empty, 2, 64, false).expect("there is a vertex").len(), 1);
    }

    /// Vertices that do not send are dealt, too, and the edges that count are those along which messages travel.
    #[test]
    fn every_device_has_work() {
        let bipartite = (0..2000u64).flat_map(|v| [(v, 10_000 + v * 7 % 2000), (v, 10_000 + v * 11 % 2000)]);
        let leaves = (0..4u64).flat_map(|hub| (0..1500u64).map(move |v| (hub, 20_000 + 1500 * hub + v)));
        for edges in [bipartite.collect::<Vec<_>>(), leaves.collect()] {
            let graph = LayeredGraph::from_edges(edges).expect("the edges form a graph");
            for (devices, backward) in [(2, false), (2, true), (3, false), (3, true)] {
                let owners = owners(&graph, devices, 64, backward).expect("the graph has paths");
                let rows = if backward { graph.in_edges().expect("in-rows") } else { graph.out_edges() };
                let [_, edges, vertices] = cut(rows, &owners, devices);
                // The hubs are in one unit.
                let has_hubs = rows.degree(0) > 1000;
                assert!(has_hubs || edges < 1.25 / devices as f64, "{devices} {backward}: {edges}");
                assert!(has_hubs || vertices < 0.75, "{devices} {backward}: {vertices}");
            }
        }
    }
}
