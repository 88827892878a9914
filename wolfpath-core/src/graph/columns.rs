//! Named columns. A column can be read as it is stored, as the weight, or as a field of the struct that a program
//! reads.

use std::borrow::Cow;
use std::sync::Arc;

use super::error::WeightError;
use super::layered_graph::{GraphData, LayeredGraph};
use super::rows::Direction;
use super::weighting::{WeightChoice, Weighting};
use crate::program::{Datum, DatumKind, EdgeProgram, WeightField};
use crate::weights::{FieldNumbers, WeightSlice, first_negative_in, listed_columns, structs_of};

impl GraphData {
    /// Returns the number of columns, including the weight.
    pub(super) fn columns(&self) -> usize {
        usize::from(self.contents.weights.is_some()) + self.contents.columns.others.len()
    }

    /// Returns the column at index `at`, in the order of out-rows.
    ///
    /// # Panics
    /// Panics if there is no such column.
    pub(super) fn column(&self, at: usize) -> WeightSlice<'_> {
        let column = self.contents.column(at);
        column.unwrap_or_else(|| panic!("there is no column {at}: the graph has {}", self.columns())).slice()
    }
}

impl LayeredGraph {
    /// Returns the names of the columns. If there is a weight, it comes first. (A weight without a name is called
    /// `weight`.)
    pub fn column_names(&self) -> Vec<&str> {
        self.data.contents.column_names()
    }

    /// Returns a column of the input in the order of [`out_edges`](Self::out_edges); `None` if no column has this name.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let edges = wolfpath::edge_list::EdgeList::from_edges([(17, 5), (5, 6)])?.with_column("toll", &[3u32, 0])?;
    /// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
    /// let sum = graph.column("toll").and_then(|toll| toll.sum_integer());
    /// assert_eq!(sum, Some(3));
    /// assert!(graph.column("length").is_none());
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn column(&self, name: &str) -> Option<WeightSlice<'_>> {
        self.data.contents.find_column(name).map(|at| self.data.column(at))
    }

    /// Returns the type and the size in bytes of each column, in the order of [`column_names`](Self::column_names).
    pub fn column_sizes(&self) -> Vec<(DatumKind, u64)> {
        let columns = (0..self.data.columns()).map(|at| self.data.column(at));
        columns.map(|column| (column.kind(), column.bytes().len() as u64)).collect()
    }

    /// Returns the same graph with a column of the input as its [weights](Self::weights). All other data is shared
    /// between the two graphs.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let edges = wolfpath::edge_list::EdgeList::from_edges([(17, 5)])?
    ///     .with_column("length", &[900u32])?
    ///     .with_column("toll", &[3u32])?;
    /// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
    /// assert!(graph.weights().is_none(), "neither column is called weight");
    /// let tolls = graph.with_weight_column("toll")?;
    /// assert_eq!(tolls.weights().map(|weights| weights.get(0)), Some(3.0));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn with_weight_column(&self, name: &str) -> Result<LayeredGraph, WeightError> {
        let column = self.data.contents.find_column(name).ok_or_else(|| self.no_column(name))?;
        let weighting = Weighting { column: Some(column), ..Weighting::default() };
        Ok(LayeredGraph { weighting: Arc::new(weighting), ..self.clone() })
    }

    /// Returns the name of the column that [`weights`](Self::weights) returns: the chosen column, else `weight`, else
    /// the only column. Returns `None` if there is no such column, or if the weights do not come from a column because
    /// another [choice](Self::weight_choice) was made (all 1, or random).
    pub fn weight_column(&self) -> Option<&str> {
        let place = self.weight_place().ok().flatten()?;
        self.column_names().into_iter().nth(place)
    }

    /// Returns the index of the column that serves as the weight; `None` if the weights do not come from the input.
    pub(super) fn weight_place(&self) -> Result<Option<usize>, WeightError> {
        let contents = &self.data.contents;
        match (self.weighting.choice, self.weighting.column) {
            (WeightChoice::Unit | WeightChoice::Random { .. }, _) => Ok(None),
            (WeightChoice::Input, Some(column)) => Ok(Some(column)),
            (WeightChoice::Input, None) if contents.weights.is_some() => Ok(Some(0)),
            (WeightChoice::Input, None) if contents.columns.others.is_empty() => Ok(None),
            (WeightChoice::Input, None) => Err(WeightError::WhichColumn { known: self.known_columns() }),
        }
    }

    /// Returns the size of the weights in bytes. If the weights come from the input, this is the size of all its
    /// columns.
    pub(super) fn bytes_of_weights(&self) -> u64 {
        match self.weighting.choice {
            WeightChoice::Input => self.data.contents.weight_bytes(),
            _ => self.weights().map_or(0, |weights| weights.bytes().len() as u64),
        }
    }

    /// Checks that the graph has the columns that a program reads. The error names the missing column and the existing
    /// ones.
    #[doc(hidden)]
    pub fn check_columns(&self, fields: &[WeightField]) -> Result<(), WeightError> {
        match fields {
            [] => self.weight_place().map(drop),
            fields => fields.iter().try_for_each(|field| self.place_of(field).map(drop)),
        }
    }

    /// Returns the weights as program `P` reads them, in the order of the rows of `direction`. If the weight is a
    /// number, this is [`weights_as`](Self::weights_as). If it is a struct, each field is read from the input's column
    /// of the same name and converted to the field's type. Unless `lossy` is `true`, the conversion must be exact.
    ///
    /// A program that counts what the ends of edges have in common reads these counts instead.
    ///
    /// # Panics
    /// Panics if the program reads such counts, unless the graph is one that an engine has derived from another.
    ///
    /// ```
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 30u64), (17, 6, 10)])?;
    /// let weights = graph.weights_for::<sssp>(Direction::Out, false)?;
    /// assert_eq!(weights.iter().sum::<u32>(), 40);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn weights_for<P: EdgeProgram>(
        &self,
        direction: Direction,
        lossy: bool,
    ) -> Result<Cow<'_, [P::Load]>, WeightError> {
        if let Some(common) = P::MODEL.reads.common() {
            let counts = self.common(common, direction)?.convert(lossy);
            return counts.map_err(|_| WeightError::NotANumber { to: P::Load::KIND });
        }
        match P::MODEL.weight_columns {
            [] => self.weights_as(direction, lossy),
            fields => Ok(Cow::Owned(self.structs(fields, direction, lossy)?)),
        }
    }

    /// Finds a negative number in the columns that a program reads (`fields`, or the weight if `fields` is empty).
    /// Fields are searched in order, and each in layered order. Returns the source id and the target id of the edge,
    /// and the number as text. If `fields` are given, the text also names the column.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 1.0f32), (5, 6, -0.5)])?;
    /// let (source, target, weight) = graph.first_negative_of(&[])?.expect("the weight of 5 -> 6 is negative");
    /// assert_eq!((source, target, &*weight), (5, 6, "-0.5"));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn first_negative_of(
        &self,
        fields: &[WeightField],
    ) -> Result<Option<(u64, u64, String)>, WeightError> {
        if fields.is_empty() {
            return Ok(self.first_negative_weight());
        }
        let columns = fields.iter().map(|field| Ok((field.name, self.data.column(self.place_of(field)?))));
        let found = first_negative_in(columns.collect::<Result<Vec<_>, WeightError>>()?);
        Ok(found.map(|(position, number)| {
            let (source_id, target_id) = self.edge_ids(position);
            (source_id, target_id, number)
        }))
    }

    /// Builds an array of structs whose fields come from columns.
    fn structs<W: Datum>(
        &self,
        fields: &[WeightField],
        direction: Direction,
        lossy: bool,
    ) -> Result<Vec<W>, WeightError> {
        let positions = match direction {
            Direction::In if !self.columns_serve_in_rows() => Some(self.in_positions()?),
            Direction::In | Direction::Out => None,
        };
        let position = |edge| positions.as_ref().map_or(edge, |positions| positions[edge] as usize);
        structs_of(fields, self.num_edges() as usize, |field| self.numbers_of(field, lossy), position)
    }

    /// Returns the numbers of a field, in the field's type.
    fn numbers_of(&self, field: &WeightField, lossy: bool) -> Result<FieldNumbers<'_>, WeightError> {
        let numbers = self.data.column(self.place_of(field)?);
        FieldNumbers::of_field(numbers, field, lossy, |position| self.edge_ids(position))
    }

    fn place_of(&self, field: &WeightField) -> Result<usize, WeightError> {
        self.data.contents.find_column(field.name).ok_or_else(|| self.no_column(field.name))
    }

    fn no_column(&self, name: &str) -> WeightError {
        WeightError::NoColumn { name: name.to_owned(), known: self.known_columns() }
    }

    /// Returns a phrase that lists the existing columns.
    fn known_columns(&self) -> String {
        listed_columns(&self.column_names())
    }
}
