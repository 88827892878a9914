//! `.gr` in the dialect that fits the graph: DIMACS shortest paths for edges with weights, with one line per direction,
//! and PACE for undirected edges without weights. No dialect supports one-way edges without weights.

use super::chunks::write_in_chunks;
use super::edge_text::Numbers;
use super::error::WriteError;
use super::job::{Job, Writer};
use wolfpath_core::assemble::Take;

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    if !job.list.is_symmetric() {
        job.with_weights("read the input as undirected (p tw)")?;
    }
    let ids = job.ids_from(1)?;
    let (lines, weights, vertices) = (job.lines, job.weights, job.list.num_vertices());
    let (take, dialect) = if weights.is_some() { (Take::Directions, "sp") } else { (Take::Once, "tw") };
    if weights.is_some_and(|weights| weights.kind().is_float()) {
        job.notes.push("DIMACS programs expect weights that are integers; these are not".to_owned());
    }
    let edges = lines.count(take);
    Ok(Box::new(move |out| {
        writeln!(out, "p {dialect} {vertices} {edges}")?;
        write_in_chunks(out, lines.len(), |range, text| {
            let mut numbers = Numbers::default();
            lines.visit(range, take, |edge| {
                if weights.is_some() {
                    text.extend_from_slice(b"a ");
                }
                numbers.integer(ids.id(edge.source), text);
                text.push(b' ');
                numbers.integer(ids.id(edge.target), text);
                if let Some(weights) = weights {
                    text.push(b' ');
                    numbers.weight(weights, edge.line, text);
                }
                text.push(b'\n');
            });
        })
    }))
}
