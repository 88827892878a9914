//! Layering: from edges in input order to rows in layered order.

use rayon::prelude::*;

use super::error::{GraphError, LayerError};
use super::forest::Forest;
use super::group::Grouped;
use super::layered_graph::{LayeredGraph, Origin};
use super::root;
use super::rows::{Rows, for_each_row};
use super::symmetry::symmetry_of;
use crate::edge_list::EdgeList;
use crate::store::{Column, Contents, WeightColumn};
use crate::weights::{WeightNumber, Weights};

/// How to layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LayerOptions {
    /// The id of the root; `None` lets a rule choose, and [`LayeredGraph::root_reason`] says what it chose and why.
    pub root: Option<u64>,
}

impl LayeredGraph {
    /// A graph of these edges, by ids, without weights.
    pub fn from_edges(edges: impl IntoIterator<Item = (u64, u64)>) -> Result<LayeredGraph, GraphError> {
        LayeredGraph::from_edge_list(EdgeList::from_edges(edges)?, &LayerOptions::default())
    }

    /// A graph of these edges, by ids, with weights.
    pub fn from_weighted_edges<W: WeightNumber>(
        edges: impl IntoIterator<Item = (u64, u64, W)>,
    ) -> Result<LayeredGraph, GraphError> {
        LayeredGraph::from_edge_list(EdgeList::from_weighted_edges(edges)?, &LayerOptions::default())
    }

    /// Layers an edge list.
    pub fn from_edge_list(edges: EdgeList, options: &LayerOptions) -> Result<LayeredGraph, GraphError> {
        let contents = layer(&edges, options)?;
        Ok(LayeredGraph::new(contents, edges.notes().to_vec(), Origin::Memory, None))
    }
}

/// Layers an edge list.
pub(super) fn layer(edges: &EdgeList, options: &LayerOptions) -> Result<Contents, LayerError> {
    let ids = edges.ids();
    let grouped =
        Grouped::new(edges.num_vertices(), edges.sources(), edges.targets(), edges.weights().is_some());
    let root = root::choose(&grouped, |rank| ids.id(rank), |id| ids.rank(id), options.root)?;
    let forest = Forest::grow(&grouped, root.as_ref().map(|root| root.rank));
    let (offsets, ends, inputs) = rows_in_order(grouped, &forest.order);
    let weights: Option<Weights> =
        edges.weights().zip(inputs).map(|(weights, inputs)| weights.gather(&inputs));
    let symmetry = symmetry_of(Rows { offsets: &offsets, ends: &ends }, weights.as_ref().map(Weights::slice));
    Ok(Contents {
        vertices: edges.num_vertices(),
        edges: edges.num_edges(),
        root: root.as_ref().map(|root| ids.id(root.rank)),
        root_layers: forest.root_layers,
        reason: root.map_or_else(|| "the graph is empty".to_owned(), |root| root.reason),
        symmetry,
        layers: Column::Owned(forest.layer_offsets),
        ranks: Column::Owned(forest.order),
        ids: ids.table().map(|table| Column::Owned(table.to_vec())),
        first_id: ids.contiguous_from().unwrap_or(0),
        offsets: Column::Owned(offsets),
        ends: Column::Owned(ends),
        weights: weights.map(WeightColumn::Owned),
    })
}

/// The rows of the vertices in `order` (ranks): offsets, ends as places in that order, ascending in each row, and
/// the input position of each edge. Parallel edges stay in input order.
fn rows_in_order(grouped: Grouped, order: &[u32]) -> (Vec<u64>, Vec<u32>, Option<Vec<u64>>) {
    let mut places = vec![0; order.len()];
    for (place, &rank) in order.iter().enumerate() {
        places[rank as usize] = place as u32;
    }
    let mut offsets = Vec::with_capacity(order.len() + 1);
    offsets.push(0);
    offsets.extend(order.iter().scan(0, |sum, &rank| {
        *sum += grouped.out_degree(rank);
        Some(*sum)
    }));
    let ends_of = |place: u32| grouped.row(order[place as usize]).iter().map(|&end| places[end as usize]);
    let Some(inputs) = &grouped.inputs else {
        let mut ends = vec![0; grouped.targets.len()];
        for_each_row(&offsets, &mut ends, |place, row| {
            row.iter_mut().zip(ends_of(place)).for_each(|(slot, end)| *slot = end);
            row.sort_unstable();
        });
        return (offsets, ends, None);
    };
    let mut edges = vec![(0, 0); grouped.targets.len()];
    for_each_row(&offsets, &mut edges, |place, row| {
        let begin = grouped.offsets[order[place as usize] as usize] as usize;
        let edges = ends_of(place).zip(&inputs[begin..]);
        row.iter_mut().zip(edges).for_each(|(slot, (end, &input))| *slot = (end, input));
        row.sort_unstable();
    });
    let ends = edges.par_iter().map(|&(end, _)| end).collect();
    let inputs = edges.par_iter().map(|&(_, input)| input).collect();
    (offsets, ends, Some(inputs))
}
