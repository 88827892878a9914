//! Checks that numbers are edge-disjoint paths of a graph, in an order that their dependencies allow.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{EdgePath, PathIter, Paths};
use crate::parallel::PIECE;

/// A fault: its position in a column, what was found there, and what was expected.
pub(crate) enum Fault {
    Layer(usize, String, String),
    Component(usize, String, String),
    First(usize, String, String),
    Length(usize, String, String),
    Edge(usize, String, String),
}

/// Returns the first fault of paths, if any. Their rows must be valid.
pub(crate) fn fault_of(paths: Paths<'_>) -> Option<Fault> {
    let Paths { firsts, lengths, slots, components, layers, .. } = paths;
    if let Some((at, found, expected)) = wrong_starts(layers, components.len() as u64 - 1) {
        return Some(Fault::Layer(at, found, expected));
    }
    if let Some((at, found, expected)) = wrong_starts(components, firsts.len() as u64) {
        return Some(Fault::Component(at, found, expected));
    }
    let sum: u64 = lengths.par_iter().map(|&length| u64::from(length)).sum();
    if let Some(at) = lengths.par_iter().position_first(|&length| length == 0) {
        return Some(Fault::Length(at, "a path without edges".to_owned(), "at least one edge".to_owned()));
    }
    if sum != slots.len() as u64 {
        let found = format!("paths of {sum} edges in all");
        return Some(Fault::Length(0, found, format!("paths of {} edges", slots.len())));
    }
    wrong_edge(paths).or_else(|| wrong_order(paths))
}

/// Checks that numbers ascend from 0 to `count`.
fn wrong_starts(starts: &[u32], count: u64) -> Option<(usize, String, String)> {
    let last = starts.len() - 1;
    if starts[0] != 0 || u64::from(starts[last]) != count {
        let found = format!("numbers from {} to {}", starts[0], starts[last]);
        return Some((0, found, format!("0 to {count}")));
    }
    let at = (1..starts.len()).find(|&at| starts[at - 1] >= starts[at])?;
    Some((at, format!("{} after {}", starts[at], starts[at - 1]), "a larger number".to_owned()))
}

/// Returns the number of each element's part, of which `starts` has the first elements.
fn numbers(starts: &[u32]) -> Vec<u32> {
    let parts = (0..).zip(starts.windows(2));
    parts.flat_map(|(part, pair)| std::iter::repeat_n(part, (pair[1] - pair[0]) as usize)).collect()
}

/// Calls `visit` for all paths on all threads, with the number of each path and that of its first edge among those of all paths.
/// Returns the first result other than `None`. The lengths must be those of the edges.
fn first_of<R: Send>(
    paths: Paths<'_>,
    visit: impl Fn(usize, usize, EdgePath<'_>) -> Option<R> + Sync,
) -> Option<R> {
    let pieces =
        paths.lengths.par_chunks(PIECE).map(|piece| piece.iter().map(|&length| usize::from(length)).sum());
    let mut begins: Vec<usize> = pieces.collect();
    let mut begin = 0;
    for length in &mut begins {
        begin += std::mem::replace(length, begin);
    }
    begins.into_par_iter().enumerate().find_map_first(|(piece, begin)| {
        let mut slot = begin;
        let own = PathIter { paths, next: piece * PIECE, end: paths.firsts.len(), slot: begin }.take(PIECE);
        (piece * PIECE..).zip(own).find_map(|(number, path)| {
            let found = visit(number, slot, path);
            slot += path.len();
            found
        })
    })
}

/// Checks that each edge of the graph is on one path.
fn wrong_edge(paths: Paths<'_>) -> Option<Fault> {
    let edges = paths.rows.ends.len();
    let taken: Vec<AtomicU64> = (0..edges.div_ceil(64)).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    let take = |edge: usize| {
        let bit = 1 << (edge % 64);
        taken[edge / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0
    };
    first_of(paths, |number, begin, path| wrong_edge_of(paths, number, begin, path, take))?;
    // If an edge is on two paths, the fault is in the second one. Only one thread knows which that is.
    let mut taken = vec![false; edges];
    let mut begin = 0;
    paths.iter().enumerate().find_map(|(number, path)| {
        let fault =
            wrong_edge_of(paths, number, begin, path, |edge| !std::mem::replace(&mut taken[edge], true));
        begin += path.len();
        fault
    })
}

/// Returns the first fault of a path. `take` returns `false` if another path has an edge.
fn wrong_edge_of(
    paths: Paths<'_>,
    number: usize,
    begin: usize,
    path: EdgePath<'_>,
    mut take: impl FnMut(usize) -> bool,
) -> Option<Fault> {
    let rows = paths.rows;
    let mut v = path.first;
    if v >= rows.num_vertices() {
        let expected = format!("a vertex below {}", rows.num_vertices());
        return Some(Fault::First(number, format!("the vertex {v}"), expected));
    }
    path.slots.iter().zip(begin..).find_map(|(&slot, at)| {
        let row = rows.range(v);
        if slot as usize >= row.len() {
            let found = format!("edge {slot} of the vertex {v} on path {number}");
            return Some(Fault::Edge(at, found, format!("one of its {} edges", row.len())));
        }
        let edge = row.start + slot as usize;
        let source = std::mem::replace(&mut v, rows.ends[edge]);
        (!take(edge)).then(|| {
            let found = format!("edge {slot} of the vertex {source} again on path {number}");
            Fault::Edge(at, found, "each edge once".to_owned())
        })
    })
}

/// Checks that paths come after those that precede them, unless they are in the same component.
fn wrong_order(paths: Paths<'_>) -> Option<Fault> {
    let (component_of, layer_of) = (numbers(paths.components), numbers(paths.layers));
    let component_of = |path: usize| component_of[path] as usize;
    let layer_of = |component: usize| layer_of[component];
    // For each vertex, the last component whose paths enter it, from 1; and a bit if another one of its layer does.
    let vertices = paths.rows.num_vertices() as usize;
    let entered: Vec<AtomicU64> = (0..vertices).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    let enter = |path: EdgePath<'_>, note: &dyn Fn(&AtomicU64)| {
        path.vertices().skip(1).for_each(|v| note(&entered[v as usize]));
    };
    first_of(paths, |number, _, path| {
        let component = component_of(number) as u64 + 1;
        enter(path, &|last| {
            last.fetch_max(component << 1, Ordering::Relaxed);
        });
        None::<()>
    });
    first_of(paths, |number, _, path| {
        let component = component_of(number);
        enter(path, &|last| {
            let other = (last.load(Ordering::Relaxed) >> 1) as usize - 1;
            if other != component && layer_of(other) == layer_of(component) {
                last.fetch_or(1, Ordering::Relaxed);
            }
        });
        None::<()>
    });
    first_of(paths, |number, _, path| {
        let component = component_of(number);
        path.vertices().take(path.len()).find_map(|v| {
            let entered = entered[v as usize].load(Ordering::Relaxed);
            let last = (entered >> 1).checked_sub(1)? as usize;
            let is_right = match layer_of(last).cmp(&layer_of(component)) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => last == component && entered & 1 == 0,
                std::cmp::Ordering::Greater => false,
            };
            (!is_right).then(|| {
                let found = format!(
                    "path {number} of layer {}, which leaves the vertex {v}, that paths of layer {} enter",
                    layer_of(component),
                    layer_of(last)
                );
                let expected = "paths in the order of their dependencies".to_owned();
                Fault::Component(component, found, expected)
            })
        })
    })
}
