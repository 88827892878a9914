//! Weights for a device: written piece by piece, by several threads, in the type that a program reads, or in 8 or 16 bits
//! if all of them fit.

use std::ops::Range;

use rayon::prelude::*;

use super::error::WeightError;
use super::layered_graph::LayeredGraph;
use super::rows::Direction;
use super::weighting::WeightChoice;
use crate::program::{Datum, DatumKind, EdgeProgram};
use crate::random;
use crate::weights::{ConvertError, WeightSlice, Weights};

/// Number of weights that are sampled to estimate their mean.
const MEAN_SAMPLES: usize = 4096;

/// Number of random weights that are computed before they are converted.
const BLOCK: usize = 1024;

/// The weights of all edges in the type in which a device stores them. They are converted while they are written, so that
/// neither an array of converted weights nor one of random weights is needed.
#[derive(Debug)]
pub struct WeightPieces<'a> {
    graph: &'a LayeredGraph,
    lossy: bool,
    kind: DatumKind,
    source: Source<'a>,
}

/// Where weights come from.
#[derive(Debug)]
enum Source<'a> {
    /// A column, in the order in which the weights are wanted.
    Column(WeightSlice<'a>),
    /// Random weights, in the order of out-rows.
    Random { seed: u64, max: u32 },
    /// A column that had to be reordered.
    Reordered(Weights),
    /// The bytes of all weights: weights that had to be assembled, or that programs of this type cannot read.
    Bytes(Vec<u8>),
}

impl LayeredGraph {
    /// Returns the weights as program `P` reads them, like [`weights_for`](Self::weights_for), to be written in pieces.
    ///
    /// # Errors
    /// Returns the errors of [`weights_for`](Self::weights_for), except those for weights that `P` cannot represent:
    /// [`WeightPieces::write`] returns them.
    #[doc(hidden)]
    pub fn weight_pieces<P: EdgeProgram>(
        &self,
        direction: Direction,
        lossy: bool,
    ) -> Result<WeightPieces<'_>, WeightError> {
        let kind = P::Load::KIND;
        let is_plain =
            P::MODEL.reads.common().is_none() && P::MODEL.weight_columns.is_empty() && kind.is_number();
        if is_plain && let Some(source) = self.weight_source(direction)? {
            let kind = self.narrow_weights().unwrap_or(kind);
            return Ok(WeightPieces { graph: self, lossy, kind, source });
        }
        let weights = self.weights_for::<P>(direction, lossy)?;
        let mut bytes = vec![0; weights.len() * kind.size()];
        if kind != DatumKind::Unit {
            let slots = bytes.par_chunks_exact_mut(kind.size());
            slots.zip(&weights[..]).for_each(|(slot, weight)| weight.write(slot));
        }
        Ok(WeightPieces { graph: self, lossy, kind, source: Source::Bytes(bytes) })
    }

    /// Returns where the weights come from, unless they are missing, or unless errors about them could not name the
    /// right edge: weights of 32 bits and more can be impossible to convert.
    fn weight_source(&self, direction: Direction) -> Result<Option<Source<'_>>, WeightError> {
        let is_ordered = direction == Direction::Out || self.out_weights_serve_in_rows();
        if !is_ordered && self.narrow_weights().is_none() {
            return Ok(None);
        }
        self.check_columns(&[])?;
        Ok(match self.weight_choice() {
            WeightChoice::Random { seed, max } if is_ordered => Some(Source::Random { seed, max }),
            _ if is_ordered => self.weights().map(Source::Column),
            _ => {
                let positions = self.in_positions()?;
                self.weights().map(|weights| Source::Reordered(weights.gather(&positions)))
            }
        })
    }

    /// Returns the type of 8 or 16 bits in which a device stores the weights, if all of them fit. Programs read them in
    /// any type of numbers.
    #[doc(hidden)]
    pub fn narrow_weights(&self) -> Option<DatumKind> {
        match self.weight_choice() {
            WeightChoice::Unit => None,
            WeightChoice::Random { max: 0..=0xff, .. } => Some(DatumKind::U8),
            WeightChoice::Random { max: 0x100..=0xffff, .. } => Some(DatumKind::U16),
            WeightChoice::Random { .. } => None,
            WeightChoice::Input => {
                let kind = self.weights()?.kind();
                matches!(kind, DatumKind::U8 | DatumKind::U16).then_some(kind)
            }
        }
    }
}

impl WeightPieces<'_> {
    /// Returns the size of one weight in bytes.
    pub fn each(&self) -> usize {
        self.kind.size()
    }

    /// Returns `true` if writing the weights takes computing, rather than only copying.
    pub fn are_computed(&self) -> bool {
        match &self.source {
            Source::Bytes(_) => false,
            Source::Column(column) => column.kind() != self.kind,
            Source::Reordered(column) => column.kind() != self.kind,
            Source::Random { .. } => true,
        }
    }

    /// Returns the size of all weights in bytes.
    pub fn length(&self) -> usize {
        match &self.source {
            Source::Bytes(bytes) => bytes.len(),
            Source::Column(column) => column.len() * self.each(),
            Source::Reordered(column) => column.len() * self.each(),
            Source::Random { .. } => self.graph.num_edges() as usize * self.each(),
        }
    }

    /// Returns the mean of a sample of the weights; meaningless if they are not numbers.
    pub fn mean(&self) -> f64 {
        match &self.source {
            Source::Bytes(bytes) => {
                let count = bytes.len().checked_div(self.each()).unwrap_or(0);
                mean(count, |at| number(self.kind, &bytes[at * self.each()..][..self.each()]))
            }
            Source::Column(column) => mean(column.len(), |at| column.get(at)),
            Source::Reordered(column) => mean(column.len(), |at| column.get(at)),
            Source::Random { seed, max } => mean(self.graph.num_edges() as usize, |at| {
                let mut weight = [0];
                self.graph.write_random_weights(*seed, *max, at, &mut weight);
                weight[0].into()
            }),
        }
    }

    /// Writes some bytes of the weights, always whole weights. `to` must be aligned for the weights' type. Different
    /// threads may write different parts at the same time.
    ///
    /// # Errors
    /// Returns an error that names the first weight in the range that the type cannot represent.
    pub fn write(&self, bytes: Range<usize>, to: &mut [u8]) -> Result<(), WeightError> {
        let each = self.each();
        let edges = bytes.start / each..bytes.end / each;
        match &self.source {
            Source::Bytes(all) => to.copy_from_slice(&all[bytes]),
            Source::Column(column) => {
                let written = column.write_as(self.kind, self.lossy, edges, to);
                written.map_err(|error| self.error(error, 0))?;
            }
            Source::Reordered(column) => {
                let written = column.slice().write_as(self.kind, self.lossy, edges, to);
                // Only weights that fit are reordered.
                written.map_err(|error| self.error(error, 0))?;
            }
            Source::Random { seed, max } => {
                let mut block = [0; BLOCK];
                for (to, first) in to.chunks_mut(BLOCK * each).zip(edges.step_by(BLOCK)) {
                    let weights = &mut block[..to.len() / each];
                    self.graph.write_random_weights(*seed, *max, first, weights);
                    let weights = WeightSlice::U32(weights);
                    let written = weights.write_as(self.kind, self.lossy, 0..weights.len(), to);
                    written.map_err(|error| self.error(error, first))?;
                }
            }
        }
        Ok(())
    }

    /// Writes some bytes of the weights like [`write`](Self::write). Weights that are stored in this type in the graph's
    /// file are read from it, not through its map.
    ///
    /// # Errors
    /// Returns the errors of [`write`](Self::write), and an error if the file cannot be read.
    pub fn read(&self, bytes: Range<usize>, to: &mut [u8]) -> Result<(), WeightError> {
        match &self.source {
            Source::Column(column) if column.kind() == self.kind => {
                Ok(self.graph.stored_bytes(column.bytes()).read(bytes, to)?)
            }
            _ => self.write(bytes, to),
        }
    }

    /// Converts an error about a part of the weights, which begins at position `first`.
    fn error(&self, error: ConvertError, first: usize) -> WeightError {
        match error {
            ConvertError::NotANumber { to } => WeightError::NotANumber { to },
            ConvertError::Inexact { position, value, from, to } => {
                let (source_id, target_id) = self.graph.edge_ids(first + position);
                WeightError::Inexact { source_id, target_id, value, from, to }
            }
        }
    }
}

impl LayeredGraph {
    /// Computes the random weights of consecutive edges in the order of out-rows, from position `first` on.
    pub(super) fn write_random_weights(&self, seed: u64, max: u32, first: usize, weights: &mut [u32]) {
        let rows = self.out_edges();
        let mut source = rows.source_of(first);
        for (weight, edge) in weights.iter_mut().zip(first..) {
            while rows.offsets[source as usize + 1] <= edge as u64 {
                source += 1;
            }
            *weight = random::edge_weight(seed, max, self.id_of(source), self.id_of(rows.ends[edge]));
        }
    }
}

/// Returns the number that is stored in these bytes; 0 if they are not a number.
fn number(kind: DatumKind, bytes: &[u8]) -> f64 {
    let mut aligned = [0u64];
    let aligned = bytemuck::bytes_of_mut(&mut aligned);
    let Some(room) = aligned.get_mut(..bytes.len()) else { return 0.0 };
    room.copy_from_slice(bytes);
    WeightSlice::from_bytes(kind, room).map_or(0.0, |weights| weights.get(0))
}

/// Returns the mean of a sample of `count` weights.
fn mean(count: usize, weight: impl Fn(usize) -> f64) -> f64 {
    let apart = count / MEAN_SAMPLES + 1;
    let sum: f64 = (0..count).step_by(apart).map(weight).sum();
    sum / count.div_ceil(apart).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_of_every_weight_or_of_some() {
        assert_eq!(mean(3, |at| [1.0, 2.0, 6.0][at]), 3.0);
        assert_eq!(mean(0, |_| unreachable!("there are no weights")), 0.0);
        assert_eq!(mean(10 * MEAN_SAMPLES, |_| 7.0), 7.0);
    }

    #[test]
    fn bytes_are_numbers_of_their_type() {
        assert_eq!(number(DatumKind::I32, &(-7i32).to_ne_bytes()), -7.0);
        assert_eq!(number(DatumKind::F64, &0.5f64.to_ne_bytes()), 0.5);
        assert_eq!(number(DatumKind::Struct { size: 16, align: 8 }, &[1; 16]), 0.0);
    }
}
