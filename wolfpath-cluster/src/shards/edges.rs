//! All edges of the shards: as an edge list, and the search for a negative weight among them.

use rayon::prelude::*;
use wolfpath_core::assemble::Named;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{Direction, WeightChoice};
use wolfpath_core::weights::WeightSlice;

use super::{Shard, ShardRow, Shards};
use crate::error::ShardError;
use crate::part::Numbers;

impl Shards {
    /// Returns the ids of source and target of an edge with a negative weight, and the weight as text. All shards must be in
    /// the folder.
    ///
    /// # Errors
    /// Returns an error if a shard is missing, damaged, or not the one that the manifest lists.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30i32), (5, 6, -10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(shards.negative_weight()?, Some((5, 6, "-10".to_owned())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn negative_weight(&self) -> Result<Option<(u64, u64, String)>, ShardError> {
        let (whole, weights) = (self.whole(), self.weights(WeightChoice::Input));
        let column = whole.weight_column(weights).ok().filter(|_| whole.may_be_negative(weights));
        let Some(column) = column else { return Ok(None) };
        let shards = self.open_all()?;
        let negative = |shard: &Shard| {
            let numbers = shard.column(Direction::Out, column);
            let position = numbers.first_negative()?;
            let row = shard.rows(Direction::Out).find(|row| row.edges.contains(&position))?;
            Some((row.vertex, shard.ends(Direction::Out)[position], numbers.text(position)))
        };
        let id = |vertex: u32| {
            let of = |shard: &Shard| {
                let position = shard.vertices().position(|own| own == vertex)?;
                Some(shard.id_of(position as u32))
            };
            shards.iter().find_map(of)
        };
        let ids = |(source, target, weight)| Some((id(source)?, id(target)?, weight));
        Ok(shards.iter().find_map(negative).and_then(ids))
    }

    /// Opens all shards.
    pub(crate) fn open_all(&self) -> Result<Vec<Shard>, ShardError> {
        (0..self.num_shards()).map(|shard| self.open_shard(shard)).collect()
    }

    /// Returns all edges as an edge list with the user's ids and the columns of the input. A symmetric graph lists each edge in
    /// both directions, parallel edges are in input order, and vertices without edges are kept. All shards must be in the
    /// folder, and one machine must have the memory for all edges.
    ///
    /// # Errors
    /// Returns an error if a shard is missing, damaged, or not the one that the manifest lists, or for lack of memory.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30u32), (5, 6, 10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let list = shards.to_edge_list()?;
    /// assert_eq!((list.edge(0), list.edge(1)), ((17, 5), (5, 6)));
    /// assert_eq!(list.weights().map(|weights| weights.get(1)), Some(10.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_edge_list(&self) -> Result<EdgeList, ShardError> {
        let shards = self.open_all()?;
        let mut ids = vec![0; self.num_vertices() as usize];
        for shard in &shards {
            for (position, vertex) in (0..).zip(shard.vertices()) {
                ids[vertex as usize] = shard.id_of(position);
            }
        }
        let rows = shards.iter().flat_map(|shard| shard.rows(Direction::Out).map(move |row| (shard, row)));
        let mut rows: Vec<(&Shard, ShardRow)> = rows.collect();
        rows.par_sort_unstable_by_key(|(_, row)| (row.vertex, row.first));
        let edges = self.num_edges() as usize;
        let (mut sources, mut targets) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        for (shard, row) in &rows {
            let ends = &shard.ends(Direction::Out)[row.edges.clone()];
            sources.resize(sources.len() + ends.len(), ids[row.vertex as usize]);
            targets.extend(ends.iter().map(|&end| ids[end as usize]));
        }
        let list = EdgeList::from_columns(&sources, &targets)?.with_more_vertices(&ids)?;
        let columns = self.columns().enumerate().map(|(at, (kind, name))| {
            let mut numbers = Numbers::new(kind.size(), edges);
            let mut first = 0;
            for (shard, row) in &rows {
                numbers.put(first, shard.column(Direction::Out, at).bytes_of(row.edges.clone()));
                first += row.edges.len();
            }
            let numbers = WeightSlice::from_bytes(kind, numbers.bytes());
            let numbers = numbers.expect("words are aligned for numbers").to_weights().for_list();
            Named { name: name.to_owned(), numbers }
        });
        Ok(list.with_columns(columns.collect()))
    }
}
