//! Graphs of the WebGraph framework: `NAME.graph`, with `NAME.properties` and `NAME.offsets` next to it. The
//! framework's own crate compresses them, with the default parameters and byte order of the Java version, so that both
//! versions can read them.

use super::error::WriteError;
use super::file::Counted;
use super::job::Job;
use super::{SaveOptions, SaveReport};
use crate::load::{Compression, Format};
use dsi_bitstream::impls::{BufBitWriter, WordAdapter};
use dsi_bitstream::traits::BE;
use std::cell::RefCell;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use webgraph::prelude::{BvComp, CompFlags, CompStats, DynCodesEncoder, OffsetsWriter};
use wolfpath_core::assemble::Csr;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::progress::Progress;
use wolfpath_core::replace::replace_or_write;

/// Number of bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// Checks that the format can store the graph, and writes its files.
pub(super) fn save(
    list: &EdgeList,
    path: &Path,
    options: &SaveOptions,
    progress: &Progress,
) -> Result<SaveReport, WriteError> {
    let format = Format::WebGraph;
    if path.extension().is_none_or(|ending| ending != "graph") {
        return Err(WriteError::Files { path: path.to_owned(), format });
    }
    let mut job = Job::new(list, path, format, options);
    job.one_weight()?;
    job.without_weights("choose another format (mtx, wsg, parquet)")?;
    job.ids_from(0)?;
    let rows = Csr::by_source(&job.lines, list.num_vertices(), |_| ());
    refuse_parallel(&job, &rows)?;
    if list.is_symmetric() && list.num_edges() > 0 {
        job.notes.push(
            "webgraph files do not say that edges are undirected: both directions were written; read them as \
             undirected"
                .to_owned(),
        );
    }
    // Readers look for `NAME.graph`, so it appears last.
    let (offsets, properties) = (path.with_extension("offsets"), path.with_extension("properties"));
    let written = replace_or_write(path, |graph| {
        replace_or_write(&offsets, |offsets| {
            replace_or_write(&properties, |properties| {
                let flags = CompFlags::default();
                let stats = compress(&rows, &flags, Counted { file: graph, progress }, offsets)?;
                properties.write_all(flags.to_properties::<BE>(&stats).map_err(io_error)?.as_bytes())
            })
        })
    });
    written.map_err(|source| WriteError::Io { path: path.to_owned(), source })?;
    Ok(SaveReport { format, compression: Compression::None, notes: job.notes })
}

/// Checks that there are no parallel edges, since a row in this format contains each successor only once.
fn refuse_parallel(job: &Job<'_, '_>, rows: &Csr<()>) -> Result<(), WriteError> {
    for row in 0..rows.offsets.len() - 1 {
        let ends = &rows.ends[rows.range(row)];
        if let Some(pair) = ends.windows(2).find(|pair| pair[0] == pair[1]) {
            let ids = job.list.ids();
            return Err(WriteError::Parallel {
                path: job.path.to_owned(),
                format: job.format,
                source_id: ids.id(row as u32),
                target_id: ids.id(pair[0]),
            });
        }
    }
    Ok(())
}

fn compress(
    rows: &Csr<()>,
    flags: &CompFlags,
    graph: Counted<'_>,
    offsets: &mut File,
) -> io::Result<CompStats> {
    let failure = RefCell::new(None);
    let graph = Patient { out: BufWriter::with_capacity(BUFFER, graph), failure: &failure };
    let bits = BufBitWriter::<BE, _>::new(WordAdapter::<u64, _>::new(graph));
    let encoder = DynCodesEncoder::new(bits, flags).map_err(io_error)?;
    let offsets = Patient { out: offsets, failure: &failure };
    let offsets = OffsetsWriter::from_write(offsets, true).map_err(io_error)?;
    let (window, references) = (flags.compression_window, flags.max_ref_count);
    let mut compressor = BvComp::new(encoder, offsets, window, references, flags.min_interval_length, 0, ());
    for row in 0..rows.offsets.len() - 1 {
        let ends = rows.ends[rows.range(row)].iter();
        compressor.push(ends.map(|&end| (end as usize, ()))).map_err(io_error)?;
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
    }
    let stats = compressor.flush().map_err(io_error)?;
    failure.take().map_or(Ok(stats), Err)
}

/// Writer that stores the first error and pretends to succeed from then on. This is needed because a bit writer writes
/// its remaining bits when it is dropped, and panics if that fails.
struct Patient<'a, W> {
    out: W,
    failure: &'a RefCell<Option<io::Error>>,
}

impl<W> Patient<'_, W> {
    fn kept(&self, failure: io::Error) {
        self.failure.borrow_mut().get_or_insert(failure);
    }
}

impl<W: Write> Write for Patient<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(failure) = self.out.write_all(bytes) {
            self.kept(failure);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Err(failure) = self.out.flush() {
            self.kept(failure);
        }
        Ok(())
    }
}

/// Converts an error to an `io::Error`. If it wraps an error from the operating system, returns that one.
fn io_error(error: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    match error.into().downcast::<io::Error>() {
        Ok(error) => *error,
        Err(error) => io::Error::other(error),
    }
}
