//! METIS: one line of neighbours per vertex. Supports only undirected graphs, and weights that are integers from 1.

use super::chunks::write_in_chunks;
use super::edge_text::Numbers;
use super::error::WriteError;
use super::job::{Job, Writer};
use std::io::{self, Write};
use wolfpath_core::assemble::{Csr, Take};

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>) -> Result<Writer<'a>, WriteError> {
    job.symmetric()?;
    job.ids_from(1)?;
    let weights = match job.weights {
        None => None,
        Some(weights) => {
            let expected = "integers from 1";
            let exact = job.exact_weights::<u64>(weights, expected)?;
            if let Some(line) = exact.iter().position(|&weight| weight == 0) {
                return Err(job.refused_weight(weights, line, expected));
            }
            Some(exact)
        }
    };
    let failed = |source| WriteError::Edges { path: job.path.to_owned(), source };
    let counts = job.list.counts().map_err(failed)?;
    if counts.self_loops > 0 || counts.duplicates > 0 {
        job.notes.push(format!(
            "METIS itself accepts neither self-loops ({} here) nor parallel edges ({} here)",
            counts.self_loops, counts.duplicates
        ));
    }
    let (lines, vertices) = (job.lines, job.list.num_vertices());
    Ok(Box::new(move |out| match weights {
        None => {
            writeln!(out, "{vertices} {}", lines.count(Take::Once))?;
            write(out, &Csr::by_source(&lines, vertices, |_| ()), |(), _, _| {})
        }
        Some(weights) => {
            writeln!(out, "{vertices} {} 001", lines.count(Take::Once))?;
            let rows = Csr::by_source(&lines, vertices, |line| weights[line]);
            write(out, &rows, |weight, numbers, text| {
                text.push(b' ');
                numbers.integer(weight, text);
            })
        }
    }))
}

fn write<W: Copy + Default + Sync>(
    out: &mut (dyn Write + Send),
    rows: &Csr<W>,
    weight: impl Fn(W, &mut Numbers, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    write_in_chunks(out, rows.offsets.len() - 1, |range, text| {
        let mut numbers = Numbers::default();
        for row in range {
            for place in rows.range(row) {
                if place > rows.offsets[row] as usize {
                    text.push(b' ');
                }
                numbers.integer(u64::from(rows.ends[place]) + 1, text);
                weight(rows.weights[place], &mut numbers, text);
            }
            text.push(b'\n');
        }
    })
}
