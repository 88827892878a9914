//! Tables of edges in Parquet: the columns `source`, `target` and, where there are weights, `weight`.

use super::error::WriteError;
use super::job::{Ids, Job, Writer};
use super::lines::{Edge, Lines, Take};
use crate::weights::WeightSlice;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// How many lines a row group has: what is held in memory at once.
const GROUP: usize = 1 << 20;

/// Checks and prepares.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    let ids = job.any_ids(u64::MAX)?;
    let last = job.list.num_vertices().checked_sub(1).map_or(0, |rank| ids.id(rank));
    let table = Table { lines: job.lines, ids, weights: job.weights, wide: last > i64::MAX as u64 };
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

/// What is written.
struct Table<'a> {
    lines: Lines<'a>,
    ids: Ids<'a>,
    weights: Option<WeightSlice<'a>>,
    /// Some id needs all 64 bits. Where none does, the type has a sign: more readers know it.
    wide: bool,
}

impl Table<'_> {
    fn schema(&self) -> String {
        let id = if self.wide { " (INTEGER(64,false))" } else { "" };
        let ends = format!("REQUIRED INT64 source{id}; REQUIRED INT64 target{id};");
        let weight = match self.weights {
            None => "",
            Some(WeightSlice::U32(_)) => "REQUIRED INT32 weight (INTEGER(32,false));",
            Some(WeightSlice::I32(_)) => "REQUIRED INT32 weight;",
            Some(WeightSlice::U64(_)) => "REQUIRED INT64 weight (INTEGER(64,false));",
            Some(WeightSlice::I64(_)) => "REQUIRED INT64 weight;",
            Some(WeightSlice::F32(_)) => "REQUIRED FLOAT weight;",
            Some(WeightSlice::F64(_)) => "REQUIRED DOUBLE weight;",
        };
        format!("message edges {{ {ends} {weight} }}")
    }

    fn write(&self, out: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
        let schema = Arc::new(parse_message_type(&self.schema())?);
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

    /// One column of some lines.
    fn column(
        &self,
        column: usize,
        range: Range<usize>,
        writer: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        match (column, self.weights) {
            (0, _) => {
                let ids = self.collect(range, |edge| self.ids.id(edge.source) as i64);
                writer.typed::<Int64Type>().write_batch(&ids, None, None).map(drop)
            }
            (1, _) => {
                let ids = self.collect(range, |edge| self.ids.id(edge.target) as i64);
                writer.typed::<Int64Type>().write_batch(&ids, None, None).map(drop)
            }
            (_, Some(WeightSlice::U32(weights))) => {
                let weights = self.collect(range, |edge| weights[edge.line] as i32);
                writer.typed::<Int32Type>().write_batch(&weights, None, None).map(drop)
            }
            (_, Some(WeightSlice::I32(weights))) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<Int32Type>().write_batch(&weights, None, None).map(drop)
            }
            (_, Some(WeightSlice::U64(weights))) => {
                let weights = self.collect(range, |edge| weights[edge.line] as i64);
                writer.typed::<Int64Type>().write_batch(&weights, None, None).map(drop)
            }
            (_, Some(WeightSlice::I64(weights))) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<Int64Type>().write_batch(&weights, None, None).map(drop)
            }
            (_, Some(WeightSlice::F32(weights))) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<FloatType>().write_batch(&weights, None, None).map(drop)
            }
            (_, Some(WeightSlice::F64(weights))) => {
                let weights = self.collect(range, |edge| weights[edge.line]);
                writer.typed::<DoubleType>().write_batch(&weights, None, None).map(drop)
            }
            (_, None) => Ok(()),
        }
    }

    fn collect<T>(&self, range: Range<usize>, value: impl Fn(Edge) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(range.len());
        self.lines.visit(range, Take::Directions, |edge| values.push(value(edge)));
        values
    }
}
