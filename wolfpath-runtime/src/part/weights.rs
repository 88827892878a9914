//! Weights of a part's edges in the type of a program.

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LengthBound, WeightChoice, WeightError, WeightLimits};
use wolfpath_core::program::{Along, Datum, EdgeProgram, WeightField};
use wolfpath_core::random;
use wolfpath_core::weights::{
    ConvertError, FieldNumbers, WEIGHT, WeightSlice, find_column, first_negative_in, listed_columns,
    structs_of,
};

use super::{GraphPart, PartNeighbours, PartRows, PeerError, Peers, WholeGraph};
use crate::cpu::{Lane, Weights};
use crate::error::PlanError;
use crate::options::RunOptions;
use crate::plan::RowUse;

/// Weights of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunWeights {
    pub choice: WeightChoice,
    /// Place of the column that was chosen as the weight, if one was.
    pub column: Option<usize>,
}

impl From<WeightChoice> for RunWeights {
    fn from(choice: WeightChoice) -> RunWeights {
        RunWeights { choice, column: None }
    }
}

/// Rows and weights that a run reads in a part.
#[derive(Clone, Copy)]
pub(crate) struct PartUse {
    pub(crate) rows: RowUse,
    pub(crate) weights: RunWeights,
    /// `true` if vertices send along no rows.
    pub(crate) gathers_only: bool,
    /// `true` if weights may be rounded.
    pub(crate) lossy: bool,
}

/// Lanes of a run over a part.
pub(crate) struct PartLanes<'a, P: EdgeProgram> {
    /// Rows along which vertices send, out-rows first, then in-rows.
    pub(crate) send: [Option<Lane<'a, P>>; 2],
    /// Rows over which vertices gather, likewise.
    pub(crate) gather: [Option<Lane<'a, P>>; 2],
}

/// Places of the columns that a program reads as weights.
pub(super) struct ReadColumns {
    /// Places of the fields of its weights.
    fields: Vec<usize>,
    /// Place of its weight, if it is one number from a column.
    weight: Option<usize>,
}

/// Returns the limits of the numbers of two lists, given those of each.
fn joined(one: Option<WeightLimits>, other: Option<WeightLimits>) -> Option<WeightLimits> {
    one.zip(other).map(|(one, other)| WeightLimits {
        largest: one.largest.max(other.largest),
        sum: one.sum.saturating_add(other.sum),
    })
}

impl WholeGraph {
    /// Returns the weights of a run with these options over a graph with these weights.
    ///
    /// # Errors
    ///
    /// Returns an error if the options name a column that does not exist.
    pub fn weights_of(&self, weights: RunWeights, options: &RunOptions) -> Result<RunWeights, WeightError> {
        options.weight_column.as_ref().map_or(Ok(weights), |name| self.weights_in(name))
    }

    /// Returns the weights in the column with this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the graph does not have this column.
    pub fn weights_in(&self, name: &str) -> Result<RunWeights, WeightError> {
        Ok(RunWeights { choice: WeightChoice::Input, column: Some(self.column_named(name)?) })
    }

    /// Returns `true` if the edges have weights for program `P`, and `false` if all weights are 1.
    pub(crate) fn is_weighted<P: EdgeProgram>(&self, weights: RunWeights) -> bool {
        if !P::MODEL.reads.edge_load() {
            return false;
        }
        let fields = P::MODEL.weight_columns;
        !fields.is_empty()
            || P::MODEL.reads.common().is_some()
            || match weights.choice {
                WeightChoice::Input => !self.columns.is_empty(),
                WeightChoice::Random { .. } => true,
                _ => false,
            }
    }

    /// Returns the columns that program `P` reads as weights.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them does not exist, or if it is not known which of several columns is the weight.
    pub(super) fn check_columns<P: EdgeProgram>(
        &self,
        weights: RunWeights,
    ) -> Result<ReadColumns, WeightError> {
        if !P::MODEL.reads.edge_weight || !self.is_weighted::<P>(weights) {
            return Ok(ReadColumns { fields: Vec::new(), weight: None });
        }
        let fields = P::MODEL.weight_columns;
        let weight = match (fields, weights.choice) {
            ([], WeightChoice::Input) => Some(self.weight_column(weights)?),
            _ => None,
        };
        let fields = fields.iter().map(|field| self.column_named(field.name));
        let fields = fields.collect::<Result<Vec<usize>, _>>()?;
        Ok(ReadColumns { fields, weight })
    }

    /// Returns `true` if the type of the weights has negative numbers.
    pub fn may_be_negative(&self, weights: RunWeights) -> bool {
        let kind =
            self.weight_column(weights).ok().and_then(|at| self.columns.get(at)).map(|(kind, _)| *kind);
        weights.choice == WeightChoice::Input
            && kind.is_some_and(|kind| WeightLimits::of_type(kind).is_none())
    }

    /// Returns the index of the column that is the weight.
    ///
    /// # Errors
    ///
    /// Returns an error if none was chosen, and it is not known which of several columns is the weight.
    pub fn weight_column(&self, weights: RunWeights) -> Result<usize, WeightError> {
        if let Some(at) = weights.column {
            return Ok(at);
        }
        match self.columns.iter().position(|(_, name)| name == WEIGHT) {
            Some(at) => Ok(at),
            None if self.columns.len() == 1 => Ok(0),
            None => Err(WeightError::WhichColumn { known: listed_columns(&self.column_names()) }),
        }
    }

    fn column_named(&self, name: &str) -> Result<usize, WeightError> {
        let names = self.column_names();
        find_column(&names, name)
            .ok_or_else(|| WeightError::NoColumn { name: name.to_owned(), known: listed_columns(&names) })
    }

    /// Returns a bound on the values of a run that adds up weights along paths, as
    /// [`LayeredGraph::length_bound`](wolfpath_core::graph::LayeredGraph::length_bound) describes it. `read` returns the limits of
    /// all numbers of the column that is the weight. It is called only if the type of the weights does not suffice.
    pub fn length_bound<E>(
        &self,
        weights: RunWeights,
        first: u64,
        most: u64,
        read: impl FnOnce() -> Result<Option<WeightLimits>, E>,
    ) -> Result<Option<LengthBound>, E> {
        let bound =
            |limits: WeightLimits| limits.bound(self.vertices, || self.most_tree_layers(), first, most);
        let (by_type, is_read) = match weights.choice {
            WeightChoice::Random { max, .. } => {
                (Some(WeightLimits { largest: max.max(1).into(), sum: u128::MAX }), false)
            }
            WeightChoice::Input if !self.columns.is_empty() => {
                let kind = self.weight_column(weights).map(|at| self.columns[at].0);
                (kind.ok().and_then(WeightLimits::of_type), true)
            }
            _ => (Some(WeightLimits { largest: 1, sum: self.edges.into() }), false),
        };
        match by_type.and_then(bound) {
            None if is_read => Ok(read()?.and_then(bound)),
            bound => Ok(bound),
        }
    }

    /// Returns the limits of the numbers of the column that is the weight, parts of which `columns` returns; `None` if one of
    /// them is negative or not an integer, or if it is not known which of several columns is the weight.
    pub fn limits<'s, I: Iterator<Item = WeightSlice<'s>>>(
        &self,
        weights: RunWeights,
        columns: impl FnOnce(usize) -> I,
    ) -> Option<WeightLimits> {
        let limits = columns(self.weight_column(weights).ok()?).map(|numbers| match numbers.is_empty() {
            true => Some(WeightLimits { largest: 0, sum: 0 }),
            false => Some(WeightLimits { largest: numbers.max_integer()?, sum: numbers.sum_integer()? }),
        });
        limits.fold(Some(WeightLimits { largest: 0, sum: 0 }), joined)
    }

    /// Returns an upper bound on the layers of any component's tree, if every edge has its reverse and the layers are known
    /// to be those of breadth-first trees.
    fn most_tree_layers(&self) -> Option<u32> {
        let (root, all) = (self.root_layers, self.layers);
        let may_be_shuffled = (root, all) == (2, 2);
        (self.symmetric_edges && !may_be_shuffled).then_some(root.max(all.saturating_sub(root)))
    }

    fn column_names(&self) -> Vec<&str> {
        self.columns.iter().map(|(_, name)| &**name).collect()
    }
}

impl GraphPart {
    /// Returns the rows over which own vertices gather in a direction of edges.
    fn edge_rows(&self, direction: Direction) -> &PartRows {
        let rows = match direction {
            Direction::Out => &self.gather_out,
            Direction::In => &self.gather_in,
        };
        rows.as_ref().expect("a part has the rows that its runs traverse")
    }

    /// Returns the rows over which own vertices gather in runs of program `P`, if it uses them.
    pub(super) fn gather_rows<P: EdgeProgram>(&self, direction: Direction) -> &PartRows {
        match P::ALONG {
            Along::Neighbours => self.all_neighbours().gathered(P::ORIENTED, &self.ranks),
            _ => self.edge_rows(direction),
        }
    }

    /// Returns the distinct neighbours of own vertices.
    pub(crate) fn all_neighbours(&self) -> &PartNeighbours {
        self.neighbours.as_ref().expect("a part has the rows that its runs traverse")
    }

    /// Returns the lanes of a run.
    pub(crate) fn lanes<P: EdgeProgram>(&self, run: PartUse) -> Result<PartLanes<'_, P>, PlanError> {
        let rows = run.rows;
        let mut lanes = PartLanes { send: [None, None], gather: [None, None] };
        let symmetric = rows.gather_out && rows.send_out && !rows.gather_in;
        for (at, direction, is_used) in
            [(0, Direction::Out, rows.gather_out), (1, Direction::In, rows.gather_in)]
        {
            if !is_used {
                continue;
            }
            let gathered = self.gather_rows::<P>(direction);
            let weights = self.weights::<P>(gathered, direction, run)?;
            let places = gathered.places.get().filter(|_| P::MODEL.reads.edge_place).cloned();
            let forward = direction == Direction::In || symmetric;
            if !run.gathers_only {
                let sends = gathered.sends(self.num_senders());
                let weights =
                    weights.as_ref().map(|weights| Weights::Converted(gathered.by_sender(sends, weights)));
                let places = places.as_ref().map(|places| gathered.by_sender(sends, places));
                // Own vertices gather over in-rows what others send along out-rows.
                let send_at = if symmetric { at } else { 1 - at };
                lanes.send[send_at] = Some(Lane::of_part(sends.rows(), weights, places, forward));
            }
            lanes.gather[at] = Some(Lane::of_part(gathered.rows(), weights, places, forward));
        }
        Ok(lanes)
    }

    /// Returns the weights as program `P` reads them, in the order of rows; `None` if all are 1.
    fn weights<'a, P: EdgeProgram>(
        &self,
        rows: &'a PartRows,
        direction: Direction,
        PartUse { weights, lossy, .. }: PartUse,
    ) -> Result<Option<Weights<'a, P::Load>>, WeightError> {
        if !self.whole.is_weighted::<P>(weights) {
            return Ok(None);
        }
        let converted = |weights: Vec<P::Load>| Some(Weights::Converted(Arc::new(weights)));
        if let Some(common) = P::MODEL.reads.common() {
            let counts = rows.counts.slice(common).expect("a run counts what it reads before it begins");
            return match counts.convert(lossy) {
                Ok(Cow::Borrowed(counts)) => Ok(Some(Weights::Borrowed(counts))),
                Ok(Cow::Owned(counts)) => Ok(converted(counts)),
                Err(_) => Err(WeightError::NotANumber { to: P::Load::KIND }),
            };
        }
        if !P::MODEL.weight_columns.is_empty() {
            let numbers_of = |field: &WeightField| {
                let column = rows.columns[self.whole.column_named(field.name)?].slice();
                FieldNumbers::of_field(column, field, lossy, |position| {
                    self.edge_ids(rows, direction, position)
                })
            };
            let fields = P::MODEL.weight_columns;
            return structs_of(fields, rows.rows().ends.len(), numbers_of, |edge| edge).map(converted);
        }
        let random;
        let column = match weights.choice {
            WeightChoice::Random { seed, max } => {
                random = self.random_weights(rows, seed, max);
                WeightSlice::U32(&random)
            }
            _ => rows.columns[self.whole.weight_column(weights)?].slice(),
        };
        match column.convert(lossy) {
            Ok(numbers) => Ok(converted(numbers.into_owned())),
            Err(ConvertError::Inexact { position, value, from, to }) => {
                let (source_id, target_id) = self.edge_ids(rows, direction, position);
                Err(WeightError::Inexact { source_id, target_id, value, from, to })
            }
            Err(_) => Err(WeightError::NotANumber { to: P::Load::KIND }),
        }
    }

    fn random_weights(&self, rows: &PartRows, seed: u64, max: u32) -> Vec<u32> {
        let weights = (0..rows.number()).into_par_iter().flat_map_iter(|row| {
            let id = self.ids[self.receiver_of(row) as usize];
            let ends = rows.rows().row(row as u32).iter();
            ends.map(move |&end| random::edge_weight(seed, max, id, self.ids[end as usize]))
        });
        weights.collect()
    }

    /// Returns the ids of the source and the target of an edge in the rows of a direction.
    fn edge_ids(&self, rows: &PartRows, direction: Direction, position: usize) -> (u64, u64) {
        let row = rows.offsets.partition_point(|&offset| offset <= position as u64) - 1;
        let receiver = self.receiver_of(row) as usize;
        let (receiver, sender) = (self.ids[receiver], self.ids[rows.ends[position] as usize]);
        match direction {
            Direction::In => (sender, receiver),
            Direction::Out => (receiver, sender),
        }
    }

    /// Checks that the program's columns exist and that, if the program does not accept negative weights, the numbers of
    /// own vertices' edges are not negative.
    pub(crate) fn check_weights<P: EdgeProgram>(&self, weights: RunWeights) -> Result<(), PlanError> {
        let ReadColumns { fields: places, weight } = self.whole.check_columns::<P>(weights)?;
        let fields = P::MODEL.weight_columns;
        if !P::NON_NEGATIVE_WEIGHTS || places.is_empty() && weight.is_none() {
            return Ok(());
        }
        let (direction, rows) = self.own_rows();
        let columns = fields.iter().zip(&places).map(|(field, &at)| (field.name, rows.columns[at].slice()));
        let of_fields = || {
            let (position, weight) = first_negative_in(columns)?;
            let (source_id, target_id) = self.edge_ids(rows, direction, position);
            Some((source_id, target_id, weight))
        };
        let found = if weight.is_some() { self.negative_weight(weights) } else { of_fields() };
        found.map_or(Ok(()), |(source_id, target_id, weight)| {
            Err(PlanError::NegativeWeight { program: P::MODEL.name, source_id, target_id, weight })
        })
    }

    /// Returns the ids of source and target of an edge of own vertices with a negative weight, and the weight as text.
    pub fn negative_weight(&self, weights: RunWeights) -> Option<(u64, u64, String)> {
        let (direction, rows) = self.own_rows();
        let numbers = rows.columns[self.whole.weight_column(weights).ok()?].slice();
        let position = numbers.first_negative()?;
        let (source_id, target_id) = self.edge_ids(rows, direction, position);
        Some((source_id, target_id, numbers.text(position)))
    }

    /// Returns a bound on the values of a run that adds up weights along paths, as
    /// [`LayeredGraph::length_bound`](wolfpath_core::graph::LayeredGraph::length_bound) describes it. All processes must call
    /// this together, with the same numbers.
    pub fn length_bound(
        &self,
        peers: &dyn Peers,
        weights: RunWeights,
        first: u64,
        most: u64,
    ) -> Result<Option<LengthBound>, PeerError> {
        self.whole.length_bound(weights, first, most, || {
            let (_, rows) = self.own_rows();
            let columns = |at: usize| std::iter::once(rows.columns[at].slice());
            let told =
                self.whole.limits(weights, columns).map_or(Vec::new(), |WeightLimits { largest, sum }| {
                    [&largest.to_le_bytes()[..], &sum.to_le_bytes()[..]].concat()
                });
            let heard = peers.exchange(vec![told; peers.processes()])?;
            let limits = heard.iter().map(|message| {
                let (largest, sum) = message.split_first_chunk()?;
                let sum = u128::from_le_bytes(*sum.first_chunk()?);
                Some(WeightLimits { largest: u64::from_le_bytes(*largest), sum })
            });
            Ok(limits.reduce(joined).flatten())
        })
    }

    /// Returns rows of one direction, with all edges over which this process gathers in it.
    fn own_rows(&self) -> (Direction, &PartRows) {
        let direction = if self.gather_in.is_some() { Direction::In } else { Direction::Out };
        (direction, self.edge_rows(direction))
    }
}
