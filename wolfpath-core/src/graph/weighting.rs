//! Weights as programs read them: either the input's weights, or all 1, or random. They are converted to the program's
//! type, and are in the order of out-rows or of in-rows.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::apart::apart;
use super::error::WeightError;
use super::layered_graph::LayeredGraph;
use super::rows::Direction;
use crate::parallel::{self, PIECE};
use crate::program::{Datum, DatumKind};
use crate::store::StoreError;
use crate::store::graph_header::GraphHeader;
use crate::weights::extent::Extent;
use crate::weights::{ConvertError, WeightSlice};

/// The choice of a graph's weights.
///
/// ```
/// use wolfpath::graph::WeightChoice;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_weighted_edges([(17, 5, 30u32)])?;
/// let hops = graph.with_weights(WeightChoice::Unit);
/// assert!(!hops.has_weights());
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WeightChoice {
    /// The input's weights: the column `weight`, or the only column. All weights are 1 if the input has no column.
    #[default]
    Input,
    /// All weights are 1.
    Unit,
    /// Pseudo-random weights from 1 to `max`. Each is a hash of `seed` and the unordered pair of the edge's ids, so
    /// both directions of an edge have the same weight, and all machines compute the same weights.
    Random {
        /// The seed. Different seeds give different weights.
        seed: u64,
        /// The largest weight.
        max: u32,
    },
}

/// Writes `input`, `unit` or `random:SEED:MAX`.
///
/// ```
/// use wolfpath::graph::WeightChoice;
///
/// assert_eq!(WeightChoice::Random { seed: 7, max: 100 }.to_string(), "random:7:100");
/// ```
impl fmt::Display for WeightChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightChoice::Input => f.write_str("input"),
            WeightChoice::Unit => f.write_str("unit"),
            WeightChoice::Random { seed, max } => write!(f, "random:{seed}:{max}"),
        }
    }
}

/// A choice of weights, with the weights that were computed for it.
#[derive(Debug, Default)]
pub(super) struct Weighting {
    pub(super) choice: WeightChoice,
    /// The index of the input's column that was chosen as the weight.
    pub(super) column: Option<usize>,
    pub(super) random: OnceLock<Vec<u32>>,
    /// What one pass over the weights found, once it was needed.
    pub(super) extent: OnceLock<Extent>,
}

impl LayeredGraph {
    /// Returns the same graph with other weights. All other data is shared between the two graphs. Columns that a
    /// program reads as a struct are not affected.
    ///
    /// ```
    /// use wolfpath::graph::WeightChoice;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let weighted = graph.with_weights(WeightChoice::Random { seed: 1, max: 64 });
    /// assert!(weighted.weights().and_then(|weights| weights.max_integer()) <= Some(64));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn with_weights(&self, choice: WeightChoice) -> LayeredGraph {
        let weighting = Arc::new(Weighting { choice, ..Weighting::default() });
        LayeredGraph { weighting, ..self.clone() }
    }

    /// Returns the choice of weights.
    pub fn weight_choice(&self) -> WeightChoice {
        self.weighting.choice
    }

    /// Returns `true` if edges have stored or random weights, and `false` if all weights are 1.
    pub fn has_weights(&self) -> bool {
        match self.weighting.choice {
            WeightChoice::Input => self.data.columns() > 0,
            WeightChoice::Unit => false,
            WeightChoice::Random { .. } => true,
        }
    }

    /// Returns `true` if the multiset of edges (source, target, weight) equals that of (target, source, weight). Here,
    /// the weight of an edge means the numbers in all of its columns.
    pub fn is_symmetric(&self) -> bool {
        if let Some(derived) = &self.derived {
            return derived.oriented.is_none();
        }
        let symmetry = self.data.contents.symmetry;
        match self.weighting.choice {
            WeightChoice::Input => symmetry.weights,
            WeightChoice::Unit | WeightChoice::Random { .. } => symmetry.edges,
        }
    }

    /// Returns the weights in the order of [`out_edges`](Self::out_edges). Returns `None` if all weights are 1, or if
    /// there are several [columns](Self::column_names) and none was chosen as the weight.
    pub fn weights(&self) -> Option<WeightSlice<'_>> {
        match self.weighting.choice {
            WeightChoice::Unit => None,
            WeightChoice::Input => self.weight_place().ok().flatten().map(|place| self.data.column(place)),
            WeightChoice::Random { seed, max } => {
                let make = || apart(self.data.size(), || self.random_weights(seed, max));
                Some(WeightSlice::U32(self.weighting.random.get_or_init(make)))
            }
        }
    }

    fn random_weights(&self, seed: u64, max: u32) -> Vec<u32> {
        let mut weights = vec![0; self.num_edges() as usize];
        parallel::fill(&mut weights, &|first, weights| self.write_random_weights(seed, max, first, weights));
        weights
    }

    /// Returns the weights as numbers of type `W`, in the order of the rows of `direction`. Missing weights are 1. With
    /// `W = ()` the result is empty.
    ///
    /// # Errors
    /// Returns an error
    ///
    /// - if `W` cannot represent a weight exactly and `lossy` is `false`;
    /// - if there are several columns, none is called `weight`, and [none was chosen](Self::with_weight_column);
    /// - if the in-rows have to be computed and there is not enough memory.
    ///
    /// ```
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 30u8 as u32)])?;
    /// assert_eq!(graph.weights_as::<f64>(Direction::Out, false)?[..], [30.0]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn weights_as<W: Datum>(
        &self,
        direction: Direction,
        lossy: bool,
    ) -> Result<Cow<'_, [W]>, WeightError> {
        if W::KIND != DatumKind::Unit {
            self.weight_place()?;
        }
        let Some(weights) = self.weights() else {
            return self.ones();
        };
        if direction == Direction::In && W::KIND != DatumKind::Unit && !self.out_weights_serve_in_rows() {
            let positions = self.in_positions()?;
            let gathered = weights.gather(&positions);
            return match gathered.slice().convert::<W>(lossy) {
                Ok(converted) => Ok(Cow::Owned(converted.into_owned())),
                Err(ConvertError::Inexact { position, .. }) => {
                    Err(self.refused(weights, positions[position] as usize, W::KIND))
                }
                Err(ConvertError::NotANumber { to }) => Err(WeightError::NotANumber { to }),
            };
        }
        match weights.convert(lossy) {
            Ok(converted) => Ok(converted),
            Err(ConvertError::Inexact { position, .. }) => Err(self.refused(weights, position, W::KIND)),
            Err(ConvertError::NotANumber { to }) => Err(WeightError::NotANumber { to }),
        }
    }

    /// Returns a weight of 1 for every edge.
    fn ones<W: Datum>(&self) -> Result<Cow<'_, [W]>, WeightError> {
        let one = WeightSlice::U32(&[1]).convert::<W>(false);
        let one = one.map_err(|_| WeightError::NotANumber { to: W::KIND })?;
        Ok(Cow::Owned(one.first().map_or_else(Vec::new, |&one| vec![one; self.num_edges() as usize])))
    }

    /// Returns `true` if the weights are in the same order by in-rows as by out-rows, so that one array serves both
    /// directions.
    pub(super) fn out_weights_serve_in_rows(&self) -> bool {
        match self.weighting.choice {
            WeightChoice::Input => self.columns_serve_in_rows(),
            WeightChoice::Unit | WeightChoice::Random { .. } => self.data.contents.symmetry.edges,
        }
    }

    /// Returns `true` if the numbers of each column are in the same order by in-rows as by out-rows.
    pub(super) fn columns_serve_in_rows(&self) -> bool {
        self.data.contents.symmetry.order
    }

    /// Returns, for every edge in the order of in-rows, its position in out-rows. Returns `None` if the numbers of each column
    /// are in the same order by both.
    #[doc(hidden)]
    pub fn in_edge_positions(&self) -> Result<Option<Vec<u64>>, StoreError> {
        if self.columns_serve_in_rows() { Ok(None) } else { self.in_positions().map(Some) }
    }

    /// Returns the header of a file of this graph with the number `own`, and whether the file stores ids, because they are not
    /// consecutive.
    #[doc(hidden)]
    pub fn header(&self, own: u32) -> (GraphHeader, bool) {
        let contents = &self.data.contents;
        (GraphHeader::of(contents, own), contents.ids.is_some())
    }

    /// Returns, for every edge in the order of in-rows, its position in out-rows.
    pub(super) fn in_positions(&self) -> Result<Vec<u64>, StoreError> {
        let (out_rows, in_rows) = (self.out_edges(), self.in_edges()?);
        let vertices = (0..self.num_vertices()).into_par_iter();
        let positions = vertices.flat_map_iter(|vertex| {
            let mut parallel = 0;
            let mut before = None;
            in_rows.row(vertex).iter().map(move |&source| {
                parallel = if before == Some(source) { parallel + 1 } else { 0 };
                before = Some(source);
                let position = out_rows.twin(source, vertex, parallel);
                // In-rows or flags can contradict the out-rows only in a forged file with valid checksums.
                (out_rows.ends.get(position) == Some(&vertex)).then_some(position as u64)
            })
        });
        let positions: Option<Vec<u64>> = positions.collect();
        positions.ok_or_else(|| {
            let found = "in-rows or a symmetry flag that are inconsistent with the out-rows";
            self.data.contents.ends.broken(0, found, "the same edges in both directions")
        })
    }

    /// Returns the error for the weight at a position of the out-rows.
    fn refused(&self, weights: WeightSlice<'_>, position: usize, to: DatumKind) -> WeightError {
        let (source_id, target_id) = self.edge_ids(position);
        let (value, from) = (weights.text(position), weights.kind());
        WeightError::Inexact { source_id, target_id, value, from, to }
    }

    /// Returns the first edge, in layered order, with a negative weight: its source id, target id and weight.
    pub fn first_negative_weight(&self) -> Option<(u64, u64, String)> {
        if self.largest_possible_weight().is_some() {
            return None;
        }
        let weights = self.weights()?;
        let position = self.weight_extent()?.first_negative?;
        let (source_id, target_id) = self.edge_ids(position);
        Some((source_id, target_id, weights.text(position)))
    }

    /// Returns what one pass over the weights finds; `None` if all weights are 1. The pass takes place at most once.
    pub(super) fn weight_extent(&self) -> Option<Extent> {
        let weights = self.weights()?;
        // A single piece is read by this thread, without waiting for others.
        let measure = || match weights.len() {
            0..=PIECE => weights.extent(),
            _ => apart(self.data.size(), || weights.extent()),
        };
        Some(*self.weighting.extent.get_or_init(measure))
    }

    /// Returns the ids of the source and target of the edge at a position of the out-rows.
    pub(super) fn edge_ids(&self, position: usize) -> (u64, u64) {
        let rows = self.out_edges();
        (self.id_of(rows.source_of(position)), self.id_of(rows.ends[position]))
    }
}
