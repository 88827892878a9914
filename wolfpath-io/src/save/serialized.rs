//! GAP's serialized graphs, `.sg` and `.wsg`. The module `load::serialized` describes the layout. Neighbours are in
//! ascending order within a row, as in the output of GAP's own converter.

use super::chunks::write_in_chunks;
use super::error::WriteError;
use super::job::{Job, Writer};
use crate::load::serialized::MOST_VERTICES;
use std::io::{self, Write};
use wolfpath_core::assemble::Csr;

/// Checks the graph, and returns the function that writes it.
pub(super) fn prepare<'a>(job: &mut Job<'a, '_>, weighted: bool) -> Result<Writer<'a>, WriteError> {
    let weights = if weighted {
        let weights = job.with_weights("name the file .sg")?;
        Some(job.exact_weights::<i32>(weights, "integers from -2147483648 to 2147483647")?)
    } else {
        job.without_weights("name the file .wsg")?;
        None
    };
    job.ids_from(0)?;
    let vertices = job.list.num_vertices();
    if u64::from(vertices) > MOST_VERTICES {
        let (path, format) = (job.path.to_owned(), job.format);
        let (id, most) = (u64::from(vertices) - 1, MOST_VERTICES - 1);
        return Err(WriteError::IdTooLarge { path, format, id, most });
    }
    let (lines, directed) = (job.lines, !job.list.is_symmetric());
    Ok(Box::new(move |out| match weights {
        None => write(out, &Csr::by_source(&lines, vertices, |_| ()), directed, |(), _| {}),
        Some(weights) => {
            let rows = Csr::by_source(&lines, vertices, |line| weights[line]);
            write(out, &rows, directed, |weight, bytes| bytes.extend_from_slice(&weight.to_le_bytes()))
        }
    }))
}

fn write<W: Copy + Default + Sync>(
    out: &mut (dyn Write + Send),
    rows: &Csr<W>,
    directed: bool,
    weight: impl Fn(W, &mut Vec<u8>) + Copy + Sync,
) -> io::Result<()> {
    out.write_all(&[u8::from(directed)])?;
    out.write_all(&(rows.ends.len() as i64).to_le_bytes())?;
    out.write_all(&(rows.offsets.len() as i64 - 1).to_le_bytes())?;
    write_rows(out, rows, weight)?;
    if directed { write_rows(out, &rows.transposed(), weight) } else { Ok(()) }
}

fn write_rows<W: Copy + Sync>(
    out: &mut (dyn Write + Send),
    rows: &Csr<W>,
    weight: impl Fn(W, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    write_in_chunks(out, rows.offsets.len(), |range, bytes| {
        rows.offsets[range].iter().for_each(|offset| bytes.extend_from_slice(&offset.to_le_bytes()));
    })?;
    write_in_chunks(out, rows.ends.len(), |range, bytes| {
        for place in range {
            bytes.extend_from_slice(&rows.ends[place].to_le_bytes());
            weight(rows.weights[place], bytes);
        }
    })
}
