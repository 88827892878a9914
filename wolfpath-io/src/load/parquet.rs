//! Tables of edges in Parquet, with one edge per row. The columns that contain source and target are found by their
//! names, as in text (see `ends`). If no names match, they are the first two columns. The column `weight` is the
//! weight, unless specific columns are requested. Other columns are ignored, with a note.

use super::bytes::Bytes;
use super::ends::{self, Ends};
use super::error::LoadError;
use super::whole::Whole;
use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use wolfpath_core::assemble::{Number, WeightBuilder, find_name};

/// Number of rows that are read at a time.
const ROWS: usize = 1 << 16;

/// Reads a table. The whole file is read into memory first, because the list of its parts is at its end.
pub(super) fn read_parquet(bytes: &mut Bytes<'_>, asked: &[String]) -> Result<Whole, LoadError> {
    let table = Table { path: bytes.path(), asked };
    let whole = bytes.rest()?;
    // The decoder has panicked on damaged files before, so a panic is reported as a damaged file.
    let read = catch_unwind(AssertUnwindSafe(|| table.read(whole)));
    read.unwrap_or_else(|_| {
        Err(table.wrong("the file", "data that its decoder cannot read", "a Parquet table"))
    })
}

/// Path and requested columns of the table that is read. Its methods find the columns and build errors.
#[derive(Clone, Copy)]
struct Table<'a> {
    path: &'a Path,
    /// Requested columns.
    asked: &'a [String],
}

/// Indices of the columns that are read, by their meaning.
#[derive(Debug)]
struct Columns {
    source: usize,
    target: usize,
    weight: Option<usize>,
    /// Indices of the requested columns. If there are any, `weight` is `None`, because the weight is then read only if
    /// it is one of the requested columns.
    named: Vec<usize>,
}

impl<'a> Table<'a> {
    fn read(self, whole: Vec<u8>) -> Result<Whole, LoadError> {
        let reader =
            SerializedFileReader::new(bytes::Bytes::from(whole)).map_err(|error| self.damaged(error))?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let mut parsed = Whole::default();
        let columns = self.columns(&schema, &mut parsed.notes)?;
        parsed.weights = columns.weight.map(|_| WeightBuilder::default());
        parsed.columns = self.asked.to_vec();
        parsed.edges.columns.resize_with(columns.named.len(), WeightBuilder::default);
        let mut rows = 0;
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(|error| self.damaged(error))?;
            self.read_group(&*group, &columns, rows, &mut parsed)?;
            rows += group.metadata().num_rows().max(0) as u64;
        }
        Ok(parsed)
    }

    /// Finds the columns by their names. Source and target are found by position if no names match.
    fn columns(self, schema: &SchemaDescriptor, notes: &mut Vec<String>) -> Result<Columns, LoadError> {
        let names: Vec<String> =
            schema.columns().iter().map(|column| column.path().string().to_ascii_lowercase()).collect();
        if names.len() < 2 {
            let found = format!("{} columns", names.len());
            return Err(self.wrong("the schema", found, "at least two: source and target of every edge"));
        }
        let ends = self.ends(&names)?;
        notes.extend(ends.note(&names, "the schema"));
        let Ends { source, target } = ends;
        let carried: Vec<usize> = (0..names.len()).filter(|&at| !ends.contains(at)).collect();
        let named = self.named(&carried, schema)?;
        let weight = carried.iter().copied().find(|&at| names[at] == "weight" && named.is_empty());
        let others = carried.iter().filter(|&&at| Some(at) != weight && !named.contains(&at));
        let others: Vec<&str> = others.map(|&at| names[at].as_str()).collect();
        if !others.is_empty() {
            notes.push(format!("columns ignored: {}", others.join(", ")));
        }
        Ok(Columns { source, target, weight, named })
    }

    /// Returns the columns of the two ends.
    fn ends(self, names: &[String]) -> Result<Ends, LoadError> {
        let unclear = |problem: ends::EndsProblem| {
            let asked = match self.asked {
                [] => String::new(),
                asked => format!(" (requested: {})", asked.join(",")),
            };
            let columns = format!("{}{asked}", names.join(", "));
            LoadError::UnclearColumns { path: self.path.to_owned(), columns, problem: problem.to_string() }
        };
        Ok(ends::find(names, self.asked).map_err(unclear)?.unwrap_or(Ends::FIRST))
    }

    /// Finds the requested columns among `carried`, the columns other than source and target.
    fn named(self, carried: &[usize], schema: &SchemaDescriptor) -> Result<Vec<usize>, LoadError> {
        let names: Vec<String> = carried.iter().map(|&at| schema.column(at).path().string()).collect();
        let find = |name: &String| {
            let known = if names.is_empty() { "only source and target".to_owned() } else { names.join(", ") };
            let missing =
                || self.wrong("the schema", format!("the columns {known}"), format!("a column {name}"));
            find_name(&names, name).map(|place| carried[place]).ok_or_else(missing)
        };
        self.asked.iter().map(find).collect()
    }

    fn read_group(
        self,
        group: &dyn RowGroupReader,
        columns: &Columns,
        first: u64,
        parsed: &mut Whole,
    ) -> Result<(), LoadError> {
        let rows = group.metadata().num_rows().max(0) as usize;
        let mut sources = self.column(group, columns.source)?;
        let mut targets = self.column(group, columns.target)?;
        let mut weights = columns.weight.map(|weight| self.column(group, weight)).transpose()?;
        let named = columns.named.iter().map(|&column| self.column(group, column));
        let mut named = named.collect::<Result<Vec<_>, LoadError>>()?;
        for start in (0..rows).step_by(ROWS) {
            let many = ROWS.min(rows - start);
            let first = first + start as u64;
            let (sources, targets) = (sources.ids(many, first)?, targets.ids(many, first)?);
            sources.into_iter().zip(targets).for_each(|(source, target)| parsed.edges.push(source, target));
            if let (Some(column), Some(into)) = (&mut weights, &mut parsed.weights) {
                self.push(column, many, first, into)?;
            }
            for (column, into) in named.iter_mut().zip(&mut parsed.edges.columns) {
                self.push(column, many, first, into)?;
            }
        }
        Ok(())
    }

    /// Appends the next rows of a column. `first` is the number of the first of them, for errors.
    fn push(
        self,
        column: &mut TableColumn<'_>,
        many: usize,
        first: u64,
        into: &mut WeightBuilder,
    ) -> Result<(), LoadError> {
        column.numbers(many, first)?;
        for (row, &number) in column.numbers.iter().enumerate() {
            if matches!(number, Number::Float(float) if float.is_nan()) {
                let place = format!("row {}, column {}", first + row as u64, column.name);
                return Err(self.wrong(place, "a weight that is NaN", "a number"));
            }
            into.push(number);
        }
        Ok(())
    }

    fn column(self, group: &dyn RowGroupReader, index: usize) -> Result<TableColumn<'a>, LoadError> {
        let reader = group.get_column_reader(index).map_err(|error| self.damaged(error))?;
        let described = group.metadata().column(index).column_descr();
        let unsigned = match described.logical_type_ref() {
            Some(LogicalType::Integer(integer)) => !integer.is_signed,
            _ => matches!(described.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64),
        };
        let name = described.path().string();
        let place = || format!("column {name}");
        if described.max_rep_level() > 0 {
            return Err(self.wrong(place(), "a list in every row", "one number in every row"));
        }
        let reader = match reader {
            ColumnReader::Int32ColumnReader(reader) => Values::Int32(reader, Vec::new()),
            ColumnReader::Int64ColumnReader(reader) => Values::Int64(reader, Vec::new()),
            ColumnReader::FloatColumnReader(reader) => Values::Float(reader, Vec::new()),
            ColumnReader::DoubleColumnReader(reader) => Values::Double(reader, Vec::new()),
            ColumnReader::BoolColumnReader(reader) => Values::Bool(reader, Vec::new()),
            _ => {
                let found = format!("values of the type {}", described.physical_type());
                return Err(self.wrong(place(), found, "INT32, INT64, FLOAT, DOUBLE or BOOLEAN"));
            }
        };
        Ok(TableColumn { table: self, name, unsigned, reader, numbers: Vec::new() })
    }

    fn damaged(self, error: ParquetError) -> LoadError {
        self.wrong("the file", error.to_string(), "a Parquet table; fetch or make it again")
    }

    fn wrong(
        self,
        place: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> LoadError {
        let (place, found, expected) = (place.into(), found.into(), expected.into());
        LoadError::Table { path: self.path.to_owned(), place, found, expected }
    }
}

/// Column that is being read.
struct TableColumn<'a> {
    table: Table<'a>,
    name: String,
    /// `true` if integers are unsigned, whatever their physical type.
    unsigned: bool,
    reader: Values,
    numbers: Vec<Number>,
}

enum Values {
    Int32(ColumnReaderImpl<parquet::data_type::Int32Type>, Vec<i32>),
    Int64(ColumnReaderImpl<parquet::data_type::Int64Type>, Vec<i64>),
    Float(ColumnReaderImpl<parquet::data_type::FloatType>, Vec<f32>),
    Double(ColumnReaderImpl<parquet::data_type::DoubleType>, Vec<f64>),
    Bool(ColumnReaderImpl<parquet::data_type::BoolType>, Vec<bool>),
}

impl TableColumn<'_> {
    /// Returns the next rows as ids.
    fn ids(&mut self, rows: usize, first: u64) -> Result<Vec<u64>, LoadError> {
        self.numbers(rows, first)?;
        let ids = self.numbers.iter().enumerate().map(|(row, &number)| {
            let found = match number {
                Number::Integer(integer) => match u64::try_from(integer) {
                    Ok(id) => return Ok(id),
                    Err(_) => integer.to_string(),
                },
                Number::Float(float) => format!("{float:?}"),
            };
            let place = format!("row {}, column {}", first + row as u64, self.name);
            Err(self.table.wrong(place, format!("the vertex id {found}"), "a whole number from 0"))
        });
        ids.collect()
    }

    /// Returns the next rows as numbers. `first` is the number of the first of them, for errors.
    fn numbers(&mut self, rows: usize, first: u64) -> Result<&[Number], LoadError> {
        let (unsigned, numbers) = (self.unsigned, &mut self.numbers);
        let read = match &mut self.reader {
            Values::Int32(reader, values) => next(reader, values, numbers, rows, |value| {
                Number::Integer(if unsigned { (value as u32).into() } else { value.into() })
            }),
            Values::Int64(reader, values) => next(reader, values, numbers, rows, |value| {
                Number::Integer(if unsigned { (value as u64).into() } else { value.into() })
            }),
            Values::Float(reader, values) => {
                next(reader, values, numbers, rows, |value| Number::Float(value.into()))
            }
            Values::Double(reader, values) => next(reader, values, numbers, rows, Number::Float),
            Values::Bool(reader, values) => {
                next(reader, values, numbers, rows, |value| Number::Integer(value.into()))
            }
        };
        read.map_err(|error| self.table.damaged(error))?;
        if self.numbers.len() < rows {
            let place = format!("rows {first} to {}, column {}", first + rows as u64 - 1, self.name);
            let found = format!("only {} values", self.numbers.len());
            return Err(self.table.wrong(place, found, format!("{rows}: a value in every row")));
        }
        Ok(&self.numbers)
    }
}

/// Reads rows of one type as numbers.
fn next<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    values: &mut Vec<T::T>,
    numbers: &mut Vec<Number>,
    rows: usize,
    number: impl Fn(T::T) -> Number,
) -> Result<(), ParquetError>
where
    T::T: Copy,
{
    numbers.clear();
    let mut left = rows;
    while left > 0 {
        values.clear();
        // The decoder requires a buffer for definition levels (which state where values are missing) if a column may
        // lack values. The levels themselves are not used: the caller detects a missing value because there are fewer
        // values than rows.
        let mut levels = Vec::new();
        let (records, _, _) = reader.read_records(left, Some(&mut levels), None, values)?;
        numbers.extend(values.iter().map(|&value| number(value)));
        if records == 0 {
            break;
        }
        left -= records.min(left);
    }
    Ok(())
}
