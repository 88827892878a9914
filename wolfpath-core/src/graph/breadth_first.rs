//! Checks that the vertices of a layered graph are in the order of a breadth-first forest, as `forest` builds it.
//!
//! An edge out of layer *i* ends in layer *i+1* or an earlier one (this was checked before), so no in-neighbour of a
//! vertex is in a layer before the previous one. If a vertex has in-neighbours in the previous layer, the smallest of
//! them is therefore its smallest in-neighbour, and is its parent. Otherwise it has no parent. The forest grows in
//! rounds, each of which starts one or more trees. In the first layer of a round, no vertex has a parent; in every
//! other layer, every vertex has one. One pass over the edges checks this rule and the order within each layer. The
//! check does not verify that the roots of later rounds are the smallest of their components, because that would take
//! one search per round.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::layered_graph::{in_rows, out_rows};
use super::rows::Rows;
use crate::store::Contents;

/// Marker for "no in-neighbour".
const NOBODY: u32 = u32::MAX;

/// Layer size below which one thread checks a layer, because starting the others costs more.
const SERIAL_BELOW: usize = 4096;

/// Returns the faults in the order of the vertices: the first fault of each kind. The caller must have checked layers,
/// ranks and rows before.
pub(super) fn problems(contents: &Contents, with_in_rows: bool) -> Vec<String> {
    if contents.vertices == 0 {
        return Vec::new();
    }
    let out = out_rows(contents);
    let stored = contents.in_rows.as_ref().filter(|_| with_in_rows).map(in_rows);
    let inward = if contents.symmetry.edges { Some(out) } else { stored };
    let order = Order { contents, out, first: smallest_in_neighbours(out, inward) };
    let rounds = order.rounds();
    [
        order.first_wrong_vertex(),
        order.wrong_root(&rounds),
        order.late_start(&rounds),
        order.misplaced_isolated(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the smallest in-neighbour of every vertex.
fn smallest_in_neighbours(out: Rows<'_>, inward: Option<Rows<'_>>) -> Vec<u32> {
    let vertices = (0..out.num_vertices()).into_par_iter();
    if let Some(inward) = inward {
        return vertices.map(|v| inward.row(v).first().copied().unwrap_or(NOBODY)).collect();
    }
    let smallest: Vec<AtomicU32> = vertices.clone().map(|_| AtomicU32::new(NOBODY)).collect();
    vertices.with_min_len(256).for_each(|source| {
        for &end in out.row(source) {
            let smallest = &smallest[end as usize];
            // For most edges, a smaller source was already stored, and a load is cheaper than an atomic minimum.
            if source < smallest.load(Ordering::Relaxed) {
                smallest.fetch_min(source, Ordering::Relaxed);
            }
        }
    });
    smallest.into_iter().map(AtomicU32::into_inner).collect()
}

struct Order<'a> {
    contents: &'a Contents,
    out: Rows<'a>,
    /// The smallest in-neighbour of each vertex.
    first: Vec<u32>,
}

impl Order<'_> {
    fn layers(&self) -> impl Iterator<Item = (usize, Range<u32>)> {
        self.contents.layers.values().windows(2).map(|pair| pair[0]..pair[1]).enumerate()
    }

    /// Returns `true` if a vertex has a parent. `begin` is the start of the vertex's layer.
    fn has_parent(&self, vertex: u32, begin: u32) -> bool {
        self.first[vertex as usize] < begin
    }

    fn is_isolated(&self, vertex: u32) -> bool {
        self.first[vertex as usize] == NOBODY && self.out.degree(vertex) == 0
    }

    /// Returns the layers that start a round.
    fn rounds(&self) -> Vec<usize> {
        let begins = |(layer, range): (usize, Range<u32>)| {
            (!self.has_parent(range.start, range.start)).then_some(layer)
        };
        self.layers().filter_map(begins).collect()
    }

    /// Checks that in each layer either all vertices have a parent or none has, and that they are sorted by parent,
    /// then id.
    fn first_wrong_vertex(&self) -> Option<String> {
        let ranks = self.contents.ranks.values();
        self.layers().find_map(|(layer, range)| {
            let begin = range.start;
            let with_parent = self.has_parent(begin, begin);
            let place = |v: u32| (if with_parent { self.first[v as usize] } else { 0 }, ranks[v as usize]);
            let is_wrong = |&v: &u32| {
                self.has_parent(v, begin) != with_parent || (v > begin && place(v - 1) >= place(v))
            };
            let vertex = find(range, is_wrong)?;
            Some(if self.has_parent(vertex, begin) == with_parent {
                format!(
                    "{} comes too late in layer {layer}: vertices must be sorted by smallest parent, then id",
                    self.name(vertex)
                )
            } else if with_parent {
                format!(
                    "{} of layer {layer} has no parent in the layer before, unlike the others of its layer",
                    self.name(vertex)
                )
            } else {
                format!(
                    "{} of layer {layer} has a parent in the layer before, although a round starts there",
                    self.name(vertex)
                )
            })
        })
    }

    /// Checks that layer 0 holds only the root, and that the root's tree has as many layers as the header states.
    fn wrong_root(&self, rounds: &[usize]) -> Option<String> {
        let layers = self.contents.layers.values();
        if layers[1] != 1 {
            return Some(format!("layer 0 holds {} vertices, expected the root alone", layers[1]));
        }
        let found = rounds.get(1).copied().unwrap_or(layers.len() - 1);
        let stated = self.contents.root_layers as usize;
        (found != stated)
            .then(|| format!("the header states {stated} layers of the root's tree, expected {found}"))
    }

    /// Checks that the second round starts with exactly the vertices that have out-edges but no in-edges, except the
    /// root.
    fn late_start(&self, rounds: &[usize]) -> Option<String> {
        let layers = self.contents.layers.values();
        let starts = |&v: &u32| self.first[v as usize] == NOBODY && self.out.degree(v) > 0;
        let second = rounds.get(1).map_or(0..0, |&layer| layers[layer]..layers[layer + 1]);
        let late = find(1..self.contents.vertices, |v| starts(v) && !second.contains(v));
        if let Some(vertex) = late {
            return Some(format!(
                "{} has no in-edges, but is not at the start of the second round",
                self.name(vertex)
            ));
        }
        if !second.clone().next().is_some_and(|v| starts(&v)) {
            return None;
        }
        let vertex = find(second, |v| !starts(v))?;
        Some(format!(
            "{} is at the start of the second round, among vertices without in-edges, but has in-edges",
            self.name(vertex)
        ))
    }

    /// Checks that the isolated vertices form the last layer. An isolated root is an exception, because it is in the
    /// first layer.
    fn misplaced_isolated(&self) -> Option<String> {
        let vertices = self.contents.vertices;
        let first = find(1..vertices, |&v| self.is_isolated(v))?;
        let layers = self.contents.layers.values();
        let last = layers[layers.len() - 2];
        let vertex = if first != last { first } else { find(last..vertices, |&v| !self.is_isolated(v))? };
        Some(format!("{}: the last layer must hold all isolated vertices and no others", self.name(vertex)))
    }

    fn name(&self, vertex: u32) -> String {
        let id = self.contents.id_of_rank(self.contents.ranks.values()[vertex as usize]);
        format!("vertex {vertex} (id {id})")
    }
}

/// Returns the first vertex for which `holds` returns `true`.
fn find(mut range: Range<u32>, holds: impl Fn(&u32) -> bool + Send + Sync) -> Option<u32> {
    if range.len() < SERIAL_BELOW {
        return range.find(|vertex| holds(vertex));
    }
    range.into_par_iter().find_first(holds)
}
