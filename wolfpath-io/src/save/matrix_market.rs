//! Matrix Market in coordinate form. If the list is symmetric, the file is `symmetric` and contains every edge once, in
//! the lower triangle. Otherwise it is `general`. The values are `pattern`, `integer` or `real`, depending on the
//! weights.

use super::chunks::write_in_chunks;
use super::edge_text::Numbers;
use super::error::WriteError;
use super::job::{Job, Writer};
use wolfpath_core::assemble::Take;

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    let ids = job.ids_from(1)?;
    let (lines, weights) = (job.lines, job.weights);
    let values = match weights {
        None => "pattern",
        Some(weights) if weights.kind().is_float() => "real",
        Some(_) => "integer",
    };
    let symmetric = job.list.is_symmetric();
    let (take, structure) = if symmetric { (Take::Once, "symmetric") } else { (Take::Directions, "general") };
    let (vertices, entries) = (job.list.num_vertices(), lines.count(take));
    Ok(Box::new(move |out| {
        writeln!(out, "%%MatrixMarket matrix coordinate {values} {structure}")?;
        writeln!(out, "{vertices} {vertices} {entries}")?;
        write_in_chunks(out, lines.len(), |range, text| {
            let mut numbers = Numbers::default();
            lines.visit(range, take, |edge| {
                // For a symmetric matrix, the lower triangle is written. The larger id is therefore the row:
                // `Take::Once` makes the smaller one the source.
                let (row, column) =
                    if symmetric { (edge.target, edge.source) } else { (edge.source, edge.target) };
                numbers.integer(ids.id(row), text);
                text.push(b' ');
                numbers.integer(ids.id(column), text);
                if let Some(weights) = weights {
                    text.push(b' ');
                    numbers.weight(weights, edge.line, text);
                }
                text.push(b'\n');
            });
        })
    }))
}
