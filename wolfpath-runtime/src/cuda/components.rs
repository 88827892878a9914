//! Which device has each vertex in runs in the order of paths: a component of paths is on one device, and its successors are
//! where most of their predecessors are. (An idea of DiGraph; Zhang et al., ASPLOS 2019.)
//!
//! Rows are dealt in units of consecutive vertices, so the components are dealt first, and then each unit goes where most
//! receivers of its edges are. A component with more edges than a device's share is cut into pieces along its paths.

use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::graph::{LayeredGraph, Rows};

use crate::error::PlanError;
use crate::path_order::in_components;

/// Largest number of edges of a device, as a multiple of its share. Fewer edges between devices are worth some imbalance:
/// with 1.1, they fall from 41 to 4 % of cnr-2000 on two devices, and from 44 to 6 % of uk-2007-05@100000.
const SLACK: f64 = 1.1;

/// Device of a vertex that has none yet.
const NOBODY: u8 = u8::MAX;

/// Edges of the vertices that each device has so far.
struct Loads {
    edges: Vec<u64>,
    /// A device's share of all edges.
    fair: f64,
}

impl Loads {
    fn new(edges: u64, devices: usize) -> Loads {
        Loads { edges: vec![0; devices], fair: edges as f64 / devices as f64 }
    }

    fn least(&self) -> usize {
        (0..self.edges.len()).min_by_key(|&device| (self.edges[device], device)).unwrap_or(0)
    }

    /// Gives a device more edges: the one with the most votes (of those, the one with the fewest edges) or, if that would have
    /// too many edges or nobody has votes, the one with the fewest. Returns the device.
    fn give(&mut self, votes: &[u64], more: u64) -> usize {
        let best = (0..votes.len())
            .max_by_key(|&device| (votes[device], std::cmp::Reverse((self.edges[device], device))))
            .filter(|&device| votes[device] > 0)
            .filter(|&device| (self.edges[device] + more) as f64 <= SLACK * self.fair);
        let device = best.unwrap_or_else(|| self.least());
        self.edges[device] += more;
        device
    }

    /// Gives the edges of a large component to devices with room, in pieces. Returns the end of each device's piece, in edges
    /// of the component, and the device.
    fn cut(&mut self, all: u64) -> Vec<(u64, u8)> {
        let room: Vec<f64> = self.edges.iter().map(|&edges| (self.fair - edges as f64).max(0.0)).collect();
        let sum = room.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let (mut pieces, mut end, mut before) = (Vec::new(), 0.0, 0);
        for (device, room) in room.into_iter().enumerate().filter(|&(_, room)| room > 0.0) {
            end += room / sum * all as f64;
            let whole = (end.round() as u64).min(all);
            self.edges[device] += whole - before;
            before = whole;
            pieces.push((whole, device as u8));
        }
        pieces
    }
}

/// Returns the device of each unit of `unit` consecutive vertices.
///
/// # Errors
/// Returns an error if the graph's in-rows or paths cannot be computed.
pub(super) fn owners(graph: &LayeredGraph, devices: usize, unit: usize) -> Result<Vec<u8>, PlanError> {
    let (out, inward) = (graph.out_edges(), graph.in_edges()?);
    let of_vertices = deal_components(graph, out, inward, devices)?;
    let vertices = out.num_vertices() as usize;
    let range = |number: usize| number * unit..((number + 1) * unit).min(vertices);
    let votes: Vec<Vec<u64>> = (0..vertices.div_ceil(unit))
        .into_par_iter()
        .map(|number| votes(&of_vertices, out, range(number), devices))
        .collect();
    let mut loads = Loads::new(graph.num_edges(), devices);
    let edges_of = |units: Range<usize>| out.offsets[units.end] - out.offsets[units.start];
    let give = |(number, votes): (usize, &Vec<u64>)| loads.give(votes, edges_of(range(number))) as u8;
    Ok(votes.iter().enumerate().map(give).collect())
}

/// Returns how many of the receivers of some vertices each device has.
fn votes(of_vertices: &[u8], rows: Rows<'_>, vertices: Range<usize>, devices: usize) -> Vec<u64> {
    let mut votes = vec![0; devices];
    for &end in &rows.ends[rows.offsets[vertices.start] as usize..rows.offsets[vertices.end] as usize] {
        if let Some(votes) = votes.get_mut(usize::from(of_vertices[end as usize])) {
            *votes += 1;
        }
    }
    votes
}

/// Returns the device of each vertex, if every vertex could be dealt apart.
fn deal_components(
    graph: &LayeredGraph,
    out: Rows<'_>,
    inward: Rows<'_>,
    devices: usize,
) -> Result<Vec<u8>, PlanError> {
    let mut owners = vec![NOBODY; out.num_vertices() as usize];
    let mut loads = Loads::new(graph.num_edges(), devices);
    let (vertices, firsts) = in_components(graph)?;
    for pair in firsts.windows(2) {
        let component = &vertices[pair[0] as usize..pair[1] as usize];
        let edges: u64 = component.iter().map(|&v| out.degree(v)).sum();
        if edges as f64 > loads.fair {
            let pieces = loads.cut(edges);
            let mut before = 0;
            for &v in component {
                let piece = pieces.partition_point(|&(end, _)| end <= before).min(pieces.len() - 1);
                owners[v as usize] = pieces[piece].1;
                before += out.degree(v);
            }
            continue;
        }
        let mut votes = vec![0; devices];
        for &sender in component.iter().flat_map(|&v| inward.row(v)) {
            if let Some(votes) = votes.get_mut(usize::from(owners[sender as usize])) {
                *votes += 1;
            }
        }
        let device = loads.give(&votes, edges) as u8;
        component.iter().for_each(|&v| owners[v as usize] = device);
    }
    // Vertices without out-edges have no place in the order.
    let of_receiver = |v: u32| {
        let mut votes = vec![0u64; devices];
        inward.row(v).iter().for_each(|&sender| votes[usize::from(owners[sender as usize])] += 1);
        let best = (0..devices).max_by_key(|&device| (votes[device], std::cmp::Reverse(device)));
        best.unwrap_or(0) as u8
    };
    let rest: Vec<(u32, u8)> = (0..out.num_vertices())
        .into_par_iter()
        .filter(|&v| owners[v as usize] == NOBODY)
        .map(|v| (v, of_receiver(v)))
        .collect();
    rest.into_iter().for_each(|(v, device)| owners[v as usize] = device);
    Ok(owners)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the share of edges between vertices of different devices, and the largest share of edges of a device.
    fn cut(graph: &LayeredGraph, owners: &[u8], unit: usize, devices: usize) -> (f64, f64) {
        let out = graph.out_edges();
        let owner = |v: u32| owners[v as usize / unit];
        let mut edges = vec![0u64; devices];
        let mut crossing = 0u64;
        for v in 0..out.num_vertices() {
            edges[usize::from(owner(v))] += out.degree(v);
            crossing += out.row(v).iter().filter(|&&end| owner(end) != owner(v)).count() as u64;
        }
        let all = graph.num_edges() as f64;
        (crossing as f64 / all, *edges.iter().max().expect("there are devices") as f64 / all)
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
        for devices in [2, 4] {
            let owners = owners(&graph, devices, 64).expect("the graph has paths");
            assert_eq!(owners.len(), 64);
            let (crossing, most) = cut(&graph, &owners, 64, devices);
            assert!(crossing < 0.1, "{devices}: {crossing}");
            assert!(most <= SLACK / devices as f64 + 0.02, "{devices}: {most}");
        }
    }

    #[test]
    fn one_component_is_cut() {
        let ring = (0..3000u64).flat_map(|v| [(v, (v + 1) % 3000), (v, (v + 2) % 3000)]);
        let graph = LayeredGraph::from_edges(ring).expect("the edges form a graph");
        for devices in [1, 2, 3, 8] {
            let owners = owners(&graph, devices, 64).expect("the graph has paths");
            let (_, most) = cut(&graph, &owners, 64, devices);
            assert!(most <= 1.0 / devices as f64 * SLACK + 0.03, "{devices}: {most}");
        }
        let empty = LayeredGraph::from_edges([(1u64, 1u64)]).expect("a valid graph");
        assert_eq!(owners(&empty, 2, 64).expect("there is a vertex").len(), 1);
    }
}
