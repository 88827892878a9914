//! A user's program: shows the cost of a program that is not bundled.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wolfpath::edge_program;
use wolfpath::graph::Rows;

/// Earliest arrival if every crossing has a traffic light, which is green for half a minute and then red for half a
/// minute. An arrival at red waits. Leaving later never means arriving earlier.
#[edge_program(combine = min, non_negative)]
pub(crate) fn arrivals(time: u32, weight: u32) -> u32 {
    let second = time % 60;
    let leaves = if second < 30 { time } else { time + (60 - second) };
    leaves + weight
}

/// Computes the same with Dijkstra's algorithm, by internal index.
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
