//! What the readers of all formats share.

use super::error::LineProblem;
use crate::edge_list::EdgeBuilder;
use crate::weights::{Number, WeightColumn};
use std::ops::Range;

/// One line of text, without its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: u64,
    pub(super) bytes: &'a [u8],
}

/// Reads a format line by line.
pub(super) trait LineReader {
    fn line(&mut self, line: Line<'_>) -> Result<(), LineProblem>;

    /// After the last line: what was read, or what is missing.
    fn finish(self) -> Result<Parsed, LineProblem>;
}

/// What a text says, before the options are applied.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) edges: EdgeBuilder,
    /// One an edge, or none at all.
    pub(super) weights: Option<WeightColumn>,
    /// The ids of all vertices, where the format declares them.
    pub(super) declared: Option<Range<u64>>,
    /// The format says that edges go both ways.
    pub(super) undirected: bool,
    pub(super) notes: Vec<String>,
}

impl Parsed {
    #[inline]
    pub(super) fn push_weight(&mut self, weight: Number) {
        self.weights.get_or_insert_default().push(weight);
    }
}

/// The ids 1 to `count`, as formats declare them.
pub(super) fn ids_from_one(count: u64) -> Result<Range<u64>, LineProblem> {
    if count > crate::edge_list::MAX_VERTICES {
        return Err(LineProblem::TooManyVertices { declared: count });
    }
    Ok(1..count + 1)
}

/// Refuses an id outside the declared ones.
#[inline]
pub(super) fn check_declared(declared: &Range<u64>, id: u64) -> Result<(), LineProblem> {
    if declared.contains(&id) {
        return Ok(());
    }
    Err(LineProblem::UndeclaredId { id, first: declared.start, last: declared.end.saturating_sub(1) })
}
