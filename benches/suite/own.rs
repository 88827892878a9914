//! A program of a user's own: what leaving the bundled ones costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wolfpath::edge_program;
use wolfpath::graph::Rows;

/// The earliest arrivals where every crossing has a light: green for half a minute, red for the other half, and whoever
/// comes at red waits. Leaving later never means arriving earlier.
#[edge_program(combine = min, non_negative)]
pub(crate) fn arrivals(time: u32, weight: u32) -> u32 {
    let second = time % 60;
    let leaves = if second < 30 { time } else { time + (60 - second) };
    leaves + weight
}

/// The same by Dijkstra's algorithm, by internal index.
pub(crate) fn serial(rows: Rows<'_>, weights: &[u32], source: u32) -> Vec<Option<u32>> {
    let mut best = vec![None; rows.num_vertices() as usize];
    let mut queue = BinaryHeap::from([(Reverse(0), source)]);
    while let Some((Reverse(time), vertex)) = queue.pop() {
        if best[vertex as usize].is_some() {
            continue;
        }
        best[vertex as usize] = Some(time);
        for place in rows.range(vertex) {
            queue.push((Reverse(arrivals(time, weights[place])), rows.ends[place]));
        }
    }
    best
}
