//! Tables of edges in Parquet: the columns `source` and `target`, then all columns of the edges under their names
//! (`weight` if a column has none).

use super::error::WriteError;
use super::job::{Ids, Job, Writer};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use wolfpath_core::assemble::{Lines, RankedEdge, Take};
use wolfpath_core::weights::WeightSlice;

/// Number of lines per row group, which are held in memory at a time.
const GROUP: usize = 1 << 20;

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    let ids = job.any_ids(u64::MAX)?;
    let last = job.list.num_vertices().checked_sub(1).map_or(0, |rank| ids.id(rank));
    let columns = std::mem::take(&mut job.columns);
    check_names(job, &columns)?;
    let table = Table { lines: job.lines, ids, columns, wide: last > i64::MAX as u64 };
    Ok(Box::new(move |out| {
        table.write(out).map_err(|error| match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(source) => *source,
                Err(source) => io::Error::other(source),
            },
            error => io::Error::other(error),
        })
    }))
}

/// Checks that no column is called `source` or `target`.
fn check_names(job: &Job<'_, '_>, columns: &[(&str, WeightSlice<'_>)]) -> Result<(), WriteError> {
    let is_end = |name: &str| name.eq_ignore_ascii_case("source") || name.eq_ignore_ascii_case("target");
    match columns.iter().find(|(name, _)| is_end(name)) {
        Some((name, _)) => {
            let (path, format, columns) = (job.path.to_owned(), job.format, (*name).to_owned());
            Err(WriteError::Columns { path, format, columns })
        }
        None => Ok(()),
    }
}

/// Table to be written.
struct Table<'a> {
    lines: Lines<'a>,
    ids: Ids<'a>,
    columns: Vec<(&'a str, WeightSlice<'a>)>,
    /// `true` if some id needs all 64 bits. Otherwise the type is signed, which more readers support.
    wide: bool,
}

/// Returns a column with a number in every row.
fn required(name: &str, physical: Physical, logical: Option<LogicalType>) -> Result<Type, ParquetError> {
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
    builder.with_logical_type(logical).build()
}

impl Table<'_> {
    /// Returns the columns and their types.
    fn schema(&self) -> Result<Type, ParquetError> {
        let id = |name: &str| {
            let unsigned = self.wide.then(|| LogicalType::integer(64, false));
            required(name, Physical::INT64, unsigned)
        };
        let mut fields = vec![Arc::new(id("source")?), Arc::new(id("target")?)];
        for &(name, column) in &self.columns {
            let (physical, logical) = match column {
                WeightSlice::U8(_) => (Physical::INT32, Some(LogicalType::integer(8, false))),
                WeightSlice::U16(_) => (Physical::INT32, Some(LogicalType::integer(16, false))),
                WeightSlice::U32(_) => (Physical::INT32, Some(LogicalType::integer(32, false))),
                WeightSlice::I32(_) => (Physical::INT32, None),
                WeightSlice::U64(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
                WeightSlice::I64(_) => (Physical::INT64, None),
                WeightSlice::F32(_) => (Physical::FLOAT, None),
                WeightSlice::F64(_) => (Physical::DOUBLE, None),
            };
            fields.push(Arc::new(required(name, physical, logical)?));
        }
        Type::group_type_builder("edges").with_fields(fields).build()
    }

    fn write(&self, out: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
        let schema = Arc::new(self.schema()?);
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties.build()))?;
        for start in (0..self.lines.len()).step_by(GROUP) {
            let range = start..self.lines.len().min(start + GROUP);
            let mut group = file.next_row_group()?;
            let mut column = 0;
            while let Some(mut writer) = group.next_column()? {
                self.column(column, range.clone(), &mut writer)?;
                writer.close()?;
                column += 1;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    }

    /// Writes one column of a range of lines.
    fn column(
        &self,
        column: usize,
        range: Range<usize>,
        writer: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        let column = match column {
            0 => {
                let ids = self.collect(range, |edge| self.ids.id(edge.source) as i64);
                return writer.typed::<Int64Type>().write_batch(&ids, None, None).map(drop);
            }
            1 => {
                let ids = self.collect(range, |edge| self.ids.id(edge.target) as i64);
                return writer.typed::<Int64Type>().write_batch(&ids, None, None).map(drop);
            }
            further => self.columns.get(further - 2).map(|&(_, column)| column),
        };
        match column {
            Some(WeightSlice::U8(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line].into());
                writer.typed::<Int32Type>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::U16(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line].into());
                writer.typed::<Int32Type>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::U32(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line] as i32);
                writer.typed::<Int32Type>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::I32(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<Int32Type>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::U64(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line] as i64);
                writer.typed::<Int64Type>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::I64(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<Int64Type>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::F32(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<FloatType>().write_batch(&weights, None, None).map(drop)
            }
            Some(WeightSlice::F64(weights)) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<DoubleType>().write_batch(&weights, None, None).map(drop)
            }
            None => Ok(()),
        }
    }

    fn collect<T>(&self, range: Range<usize>, value: impl Fn(RankedEdge) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(range.len());
        self.lines.visit(range, Take::Directions, |edge| values.push(value(edge)));
        values
    }
}
