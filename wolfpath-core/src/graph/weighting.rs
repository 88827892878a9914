//! Weights as programs see them: the input's, all 1, or made up; in the program's type; in the order of out-rows
//! or of in-rows.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::apart::apart;
use super::error::WeightError;
use super::layered_graph::LayeredGraph;
use super::rows::{Direction, Rows};
use crate::program::{Datum, DatumKind};
use crate::random;
use crate::store::StoreError;
use crate::weights::{ConvertError, WeightSlice};

/// Which weights a graph shows.
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
    /// The input's: the column `weight`, or the only one; all 1 when it has none.
    #[default]
    Input,
    /// All 1.
    Unit,
    /// From 1 to `max`, a hash of `seed` and the unordered pair of the edge's ids: the same both ways, the same on
    /// every machine.
    Random {
        /// Another seed, other weights.
        seed: u64,
        /// The largest weight.
        max: u32,
    },
}

/// `input`, `unit` or `random:SEED:MAX`.
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

/// A choice of weights and what was made for it.
#[derive(Debug, Default)]
pub(super) struct Weighting {
    pub(super) choice: WeightChoice,
    /// The place of the column of the input that was named as the weight.
    pub(super) column: Option<usize>,
    pub(super) random: OnceLock<Vec<u32>>,
}

impl LayeredGraph {
    /// The same graph with other weights. Everything else is shared; so are the columns that a program reads as a struct.
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

    /// Which weights this graph shows.
    pub fn weight_choice(&self) -> WeightChoice {
        self.weighting.choice
    }

    /// Whether edges have weights of their own; otherwise all are 1.
    pub fn has_weights(&self) -> bool {
        match self.weighting.choice {
            WeightChoice::Input => self.data.columns() > 0,
            WeightChoice::Unit => false,
            WeightChoice::Random { .. } => true,
        }
    }

    /// Whether the multiset of edges (source, target, weight) equals that of (target, source, weight), where the weight
    /// stands for all columns.
    pub fn is_symmetric(&self) -> bool {
        let symmetry = self.data.contents.symmetry;
        match self.weighting.choice {
            WeightChoice::Input => symmetry.weights,
            WeightChoice::Unit | WeightChoice::Random { .. } => symmetry.edges,
        }
    }

    /// Returns the weights in the order of [`out_edges`](Self::out_edges); `None` if all are 1, and if none of several
    /// [columns](Self::column_names) was chosen as the weight.
    pub fn weights(&self) -> Option<WeightSlice<'_>> {
        match self.weighting.choice {
            WeightChoice::Unit => None,
            WeightChoice::Input => self.weight_place().ok().flatten().map(|place| self.data.column(place)),
            WeightChoice::Random { seed, max } => {
                let make = || apart(self.data.size(), || self.random_weights(self.out_edges(), seed, max));
                Some(WeightSlice::U32(self.weighting.random.get_or_init(make)))
            }
        }
    }

    fn random_weights(&self, rows: Rows<'_>, seed: u64, max: u32) -> Vec<u32> {
        let ids = self.ids();
        let vertices = (0..self.num_vertices()).into_par_iter();
        let edges = vertices.flat_map_iter(|v| rows.row(v).iter().map(move |&end| (v, end)));
        edges.map(|(v, end)| random::edge_weight(seed, max, ids[v as usize], ids[end as usize])).collect()
    }

    /// The weights as numbers of type `W`, in the order of the rows of that direction. Absent weights are 1. A weight
    /// that `W` cannot hold exactly is refused unless `lossy`. `()` gives an empty column. Of several columns none of
    /// which is called `weight`, [one must be named](Self::with_weight_column).
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

    /// A weight of 1 for every edge.
    fn ones<W: Datum>(&self) -> Result<Cow<'_, [W]>, WeightError> {
        let one = WeightSlice::U32(&[1]).convert::<W>(false);
        let one = one.map_err(|_| WeightError::NotANumber { to: W::KIND })?;
        Ok(Cow::Owned(one.first().map_or_else(Vec::new, |&one| vec![one; self.num_edges() as usize])))
    }

    /// Whether in-rows carry the weights of out-rows in the same order.
    fn out_weights_serve_in_rows(&self) -> bool {
        match self.weighting.choice {
            WeightChoice::Input => self.columns_serve_in_rows(),
            WeightChoice::Unit | WeightChoice::Random { .. } => self.data.contents.symmetry.edges,
        }
    }

    /// Whether in-rows carry the columns of out-rows in the same order.
    pub(super) fn columns_serve_in_rows(&self) -> bool {
        self.data.contents.symmetry.order
    }

    /// For every edge in the order of in-rows, its position in out-rows.
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
                // Only a file made up with right checksums has in-rows, or flags, that its out-rows belie.
                (out_rows.ends.get(position) == Some(&vertex)).then_some(position as u64)
            })
        });
        let positions: Option<Vec<u64>> = positions.collect();
        positions.ok_or_else(|| {
            let found = "in-rows, or a flag of symmetry, that the out-rows belie";
            self.data.contents.ends.broken(0, found, "the same edges both ways")
        })
    }

    /// Makes the error for the weight at a position of the out-rows.
    fn refused(&self, weights: WeightSlice<'_>, position: usize, to: DatumKind) -> WeightError {
        let (source_id, target_id) = self.edge_ids(position);
        let (value, from) = (weights.text(position), weights.kind());
        WeightError::Inexact { source_id, target_id, value, from, to }
    }

    /// Returns the first edge, in layered order, whose weight is below zero: source id, target id, weight.
    pub fn first_negative_weight(&self) -> Option<(u64, u64, String)> {
        let weights = self.weights()?;
        let position = weights.first_negative()?;
        let (source_id, target_id) = self.edge_ids(position);
        Some((source_id, target_id, weights.text(position)))
    }

    /// Returns the ids of the ends of the edge at a position of the out-rows.
    pub(super) fn edge_ids(&self, position: usize) -> (u64, u64) {
        let rows = self.out_edges();
        (self.id_of(rows.source_of(position)), self.id_of(rows.ends[position]))
    }
}
