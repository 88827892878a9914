//! Dispatch of the formats that must be read from start to end.

use super::bytes::Bytes;
use super::error::LoadError;
use super::format::WholeFormat;
use super::reader::{Parsed, Said};
use super::{binary, metis, serialized};
use std::ops::Range;
use wolfpath_core::assemble::{Piece, WeightBuilder};

/// Contents of a file that was read from start to end, before the options are applied.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) edges: Piece,
    /// One weight per edge, or `None`.
    pub(super) weights: Option<WeightBuilder>,
    /// Names of the columns of the edges, if columns were requested.
    pub(super) columns: Vec<String>,
    /// Ids of all vertices, if the format declares them.
    pub(super) declared: Option<Range<u64>>,
    /// `true` if the format states that edges go both ways.
    pub(super) undirected: bool,
    pub(super) notes: Vec<String>,
}

/// Reads a file whose format must be read from start to end. `asked` are the requested columns.
pub(super) fn read_whole(
    format: WholeFormat,
    bytes: &mut Bytes<'_>,
    asked: &[String],
) -> Result<Parsed, LoadError> {
    let mut lines = 0;
    let whole = match format {
        WholeFormat::Serialized => serialized::read_serialized(bytes, false)?,
        WholeFormat::SerializedWeighted => serialized::read_serialized(bytes, true)?,
        WholeFormat::Binary(record) => binary::read_binary(bytes, record)?,
        WholeFormat::Parquet => parquet(bytes, asked)?,
        WholeFormat::WebGraph => webgraph(bytes)?,
        WholeFormat::Metis => {
            let (whole, read) = metis::read_metis(bytes)?;
            lines = read;
            whole
        }
    };
    let Whole { mut edges, weights, columns, declared, undirected, notes } = whole;
    edges.weights = weights.unwrap_or_default();
    let said = Said { declared, undirected, columns, notes, ..Said::default() };
    Ok(Parsed { pieces: vec![edges], said, lines, spilled: false })
}

#[cfg(feature = "parquet")]
fn parquet(bytes: &mut Bytes<'_>, asked: &[String]) -> Result<Whole, LoadError> {
    super::parquet::read_parquet(bytes, asked)
}

#[cfg(not(feature = "parquet"))]
fn parquet(bytes: &mut Bytes<'_>, _: &[String]) -> Result<Whole, LoadError> {
    Err(LoadError::Feature {
        path: bytes.path().to_owned(),
        format: super::Format::Parquet,
        feature: "parquet",
    })
}

#[cfg(feature = "webgraph")]
fn webgraph(bytes: &mut Bytes<'_>) -> Result<Whole, LoadError> {
    super::webgraph::read_webgraph(bytes)
}

#[cfg(not(feature = "webgraph"))]
fn webgraph(bytes: &mut Bytes<'_>) -> Result<Whole, LoadError> {
    Err(LoadError::Feature {
        path: bytes.path().to_owned(),
        format: super::Format::WebGraph,
        feature: "webgraph",
    })
}
