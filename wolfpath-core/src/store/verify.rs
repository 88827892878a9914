//! Checks of a mapped graph: the checksum of each section, and that its numbers make a layered graph. Nothing that
//! reads a graph has to doubt an index afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::column::Column;
use super::contents::Contents;
use super::error::StoreError;

impl Contents {
    /// Whether the numbers lie in a file, so that they need checking.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.ends, Column::Mapped(_))
    }

    /// The internal index of each rank.
    pub(crate) fn by_rank(&self) -> Vec<u32> {
        let places: Vec<AtomicU32> =
            (0..self.vertices).into_par_iter().map(|_| AtomicU32::new(u32::MAX)).collect();
        self.ranks.values().par_iter().enumerate().for_each(|(vertex, &rank)| {
            if let Some(place) = places.get(rank as usize) {
                place.store(vertex as u32, Ordering::Relaxed);
            }
        });
        places.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// Checks layers, ranks and ids. Returns the internal index of each rank, which is a by-product.
    pub(crate) fn check_vertices(&self) -> Result<Vec<u32>, StoreError> {
        if !self.is_mapped() {
            return Ok(self.by_rank());
        }
        self.check_layers()?;
        self.check_ids()?;
        self.ranks.verify()?;
        let by_rank = self.by_rank();
        let values = self.ranks.values();
        // n ranks that leave no place empty are a permutation.
        let doubled = (0..values.len())
            .into_par_iter()
            .find_first(|&v| by_rank.get(values[v] as usize).is_none_or(|&place| place != v as u32));
        if let Some(vertex) = doubled {
            let found = format!("rank {} of vertex {vertex}", values[vertex]);
            return Err(self.ranks.broken(vertex, found, format!("each rank below {} once", self.vertices)));
        }
        match values.first() {
            Some(&first) if Some(self.id_of_rank(first)) != self.root => {
                Err(self.ranks.broken(0, "a first vertex that is not the root", "the root"))
            }
            _ => Ok(by_rank),
        }
    }

    fn check_layers(&self) -> Result<(), StoreError> {
        self.layers.verify()?;
        let layers = self.layers.values();
        let last = layers.len() - 1;
        let unsorted = (1..layers.len()).find(|&index| layers[index - 1] >= layers[index]);
        if let Some(index) = unsorted {
            return Err(self.layers.broken(
                index,
                format!("{} after {}", layers[index], layers[index - 1]),
                "more",
            ));
        }
        if layers[0] != 0 || layers[last] != self.vertices {
            let found = format!("layers from {} to {}", layers[0], layers[last]);
            return Err(self.layers.broken(0, found, format!("0 to {}", self.vertices)));
        }
        if self.root_layers as usize > last || (self.root_layers == 0) != (self.vertices == 0) {
            let found = format!("{} layers of the root", self.root_layers);
            return Err(self.layers.broken(0, found, format!("1 to {last}")));
        }
        Ok(())
    }

    fn check_ids(&self) -> Result<(), StoreError> {
        let Some(column) = &self.ids else {
            return Ok(());
        };
        column.verify()?;
        let ids = column.values();
        match (1..ids.len()).into_par_iter().find_first(|&rank| ids[rank - 1] >= ids[rank]) {
            Some(rank) => {
                Err(column.broken(rank, format!("id {} after {}", ids[rank], ids[rank - 1]), "more"))
            }
            None => Ok(()),
        }
    }

    /// Checks rows: offsets ascend, ends ascend within a row and lie below the layer after the next.
    pub(crate) fn check_edges(&self) -> Result<(), StoreError> {
        if !self.is_mapped() {
            return Ok(());
        }
        self.offsets.verify()?;
        self.check_offsets()?;
        self.ends.verify()?;
        let layers = self.layers.values();
        (0..layers.len() - 1).into_par_iter().try_for_each(|layer| {
            let limit = layers[(layer + 2).min(layers.len() - 1)];
            (layers[layer]..layers[layer + 1])
                .into_par_iter()
                .with_min_len(1024)
                .try_for_each(|v| self.check_row(v, limit))
        })
    }

    fn check_offsets(&self) -> Result<(), StoreError> {
        let offsets = self.offsets.values();
        let last = offsets.len() - 1;
        if offsets[0] != 0 || offsets[last] != self.edges {
            let found = format!("rows from {} to {}", offsets[0], offsets[last]);
            return Err(self.offsets.broken(0, found, format!("0 to {}", self.edges)));
        }
        match (1..offsets.len()).into_par_iter().find_first(|&row| offsets[row - 1] > offsets[row]) {
            Some(row) => {
                let found = format!("offset {} after {}", offsets[row], offsets[row - 1]);
                Err(self.offsets.broken(row, found, "no less"))
            }
            None => Ok(()),
        }
    }

    fn check_row(&self, vertex: u32, limit: u32) -> Result<(), StoreError> {
        let offsets = self.offsets.values();
        let begin = offsets[vertex as usize] as usize;
        let row = &self.ends.values()[begin..offsets[vertex as usize + 1] as usize];
        if let Some(index) = (1..row.len()).find(|&index| row[index - 1] > row[index]) {
            let found = format!("end {} after {}", row[index], row[index - 1]);
            return Err(self.ends.broken(begin + index, found, "rows in ascending order"));
        }
        match row.last() {
            Some(&end) if end >= limit => {
                let found = format!("an edge from vertex {vertex} to {end}");
                Err(self.ends.broken(begin + row.len() - 1, found, format!("an end below {limit}")))
            }
            _ => Ok(()),
        }
    }

    /// Checks weights: no NaN among them.
    pub(crate) fn check_weights(&self) -> Result<(), StoreError> {
        self.weights.as_ref().map_or(Ok(()), |weights| weights.verify())
    }
}
