//! Edge lists as text: one line per edge, in order. The separator is a comma in `.csv`, a tab in `.tsv`, and otherwise
//! a space. A `.csv` file starts with a line that names the columns. Other files start with a comment, and a second
//! comment names the columns unless `weight` is the only column.

use super::chunks::write_in_chunks;
use super::error::WriteError;
use super::job::{Job, Writer};
use crate::load::ending;
use wolfpath_core::assemble::Take;
use wolfpath_core::weights::WeightSlice;

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    let ending = ending(job.path).unwrap_or_default();
    match ending.as_str() {
        "el" => {
            job.one_weight()?;
            job.without_weights("name the file .wel")?;
        }
        "wel" => {
            job.one_weight()?;
            job.with_weights("name the file .el")?;
        }
        _ => {}
    }
    let named = job.has_names() && ending != "wel";
    let ids = job.any_ids(u64::MAX)?;
    let (lines, columns) = (job.lines, std::mem::take(&mut job.columns));
    let names: Vec<&str> =
        ["source", "target"].into_iter().chain(columns.iter().map(|(name, _)| *name)).collect();
    let comment = |separator| {
        let named = named.then(|| format!("# {}\n", names.join(separator)));
        comment(job) + &named.unwrap_or_default()
    };
    let (separator, header) = match ending.as_str() {
        "csv" => (b',', names.join(",") + "\n"),
        "tsv" => (b'\t', comment("\t")),
        _ => (b' ', comment(" ")),
    };
    let columns: Vec<WeightSlice<'_>> = columns.into_iter().map(|(_, column)| column).collect();
    Ok(Box::new(move |out| {
        out.write_all(header.as_bytes())?;
        write_in_chunks(out, lines.len(), |range, text| {
            let mut numbers = Numbers::default();
            lines.visit(range, Take::Directions, |edge| {
                numbers.integer(ids.id(edge.source), text);
                text.push(separator);
                numbers.integer(ids.id(edge.target), text);
                for &column in &columns {
                    text.push(separator);
                    numbers.weight(column, edge.line, text);
                }
                text.push(b'\n');
            });
        })
    }))
}

fn comment(job: &Job<'_, '_>) -> String {
    let (vertices, edges) = (job.list.num_vertices(), job.list.num_edges());
    format!("# {vertices} vertices, {edges} edges, one per line\n")
}

/// Formatter of numbers. Reading its text returns exactly the same numbers.
#[derive(Default)]
pub(super) struct Numbers {
    integers: itoa::Buffer,
    floats: zmij::Buffer,
}

impl Numbers {
    #[inline]
    pub(super) fn integer(&mut self, integer: impl itoa::Integer, text: &mut Vec<u8>) {
        text.extend_from_slice(self.integers.format(integer).as_bytes());
    }

    /// Appends the weight of a line.
    #[inline]
    pub(super) fn weight(&mut self, weights: WeightSlice<'_>, line: usize, text: &mut Vec<u8>) {
        match weights {
            WeightSlice::U8(column) => self.integer(column[line], text),
            WeightSlice::U16(column) => self.integer(column[line], text),
            WeightSlice::U32(column) => self.integer(column[line], text),
            WeightSlice::I32(column) => self.integer(column[line], text),
            WeightSlice::U64(column) => self.integer(column[line], text),
            WeightSlice::I64(column) => self.integer(column[line], text),
            // Readers parse f64. The shortest text that identifies an f32 would be read as an f64 that differs from it,
            // so the number is formatted as an f64.
            WeightSlice::F32(column) => self.float(column[line].into(), text),
            WeightSlice::F64(column) => self.float(column[line], text),
        }
    }

    fn float(&mut self, float: f64, text: &mut Vec<u8>) {
        match float {
            f64::INFINITY => text.extend_from_slice(b"inf"),
            f64::NEG_INFINITY => text.extend_from_slice(b"-inf"),
            finite => text.extend_from_slice(self.floats.format(finite).as_bytes()),
        }
    }
}
