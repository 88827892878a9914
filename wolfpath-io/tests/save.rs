//! Tests of writing through the public API: written files read back as the same graph, and graphs that a format cannot
//! store are rejected.

#[path = "save/gap.rs"]
mod gap;
#[path = "save/refusals.rs"]
mod refusals;
#[path = "save/round_trips.rs"]
mod round_trips;

use wolfpath_core::edge_list::{EdgeList, Symmetry};

/// An edge: its source id, its target id, and its weight as text.
type Edge = (u64, u64, String);

/// Returns every directed edge, in order.
fn directed(list: &EdgeList) -> Vec<Edge> {
    let implied = list.symmetry() == Symmetry::Doubled;
    let mut edges = Vec::new();
    for line in 0..list.sources().len() {
        let (source, target) = (list.ids().id(list.sources()[line]), list.ids().id(list.targets()[line]));
        let weight = list.weights().map_or_else(String::new, |weights| digits(weights.slice().text(line)));
        if implied && source != target {
            edges.push((target, source, weight.clone()));
        }
        edges.push((source, target, weight));
    }
    edges
}

/// Returns the text of a weight, with an integer always written in full. A large integer that is stored as a float has
/// an exponent in its text (6.7e16), and none if a file made it a 64-bit integer.
fn digits(text: String) -> String {
    match text.parse::<f64>() {
        Ok(weight) if text.contains('e') && weight.fract() == 0.0 => format!("{weight:.0}"),
        _ => text,
    }
}

/// Returns every directed edge, sorted.
fn sorted(list: &EdgeList) -> Vec<Edge> {
    let mut edges = directed(list);
    edges.sort();
    edges
}

/// Returns the ids of all vertices.
fn ids(list: &EdgeList) -> Vec<u64> {
    list.ids().iter().collect()
}
