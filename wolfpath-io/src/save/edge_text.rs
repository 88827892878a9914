//! Edge lists as text: a line an edge, in order. Fields stand between commas in `.csv`, after a line of words, between
//! tabs in `.tsv`, else between blanks, after a comment. Columns that are not just a weight are named there.

use super::chunks::write_in_chunks;
use super::error::WriteError;
use super::job::{Job, Writer};
use crate::load::ending;
use wolfpath_core::assemble::Take;
use wolfpath_core::weights::WeightSlice;

/// Checks and prepares.
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
    format!("# {vertices} vertices, {edges} edges, one a line\n")
}

/// Numbers as text that reads back exactly.
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

    /// The weight of a line.
    #[inline]
    pub(super) fn weight(&mut self, weights: WeightSlice<'_>, line: usize, text: &mut Vec<u8>) {
        match weights {
            WeightSlice::U32(column) => self.integer(column[line], text),
            WeightSlice::I32(column) => self.integer(column[line], text),
            WeightSlice::U64(column) => self.integer(column[line], text),
            WeightSlice::I64(column) => self.integer(column[line], text),
            // Readers read f64: the digits that tell an f32 from its neighbours would be another number there.
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
