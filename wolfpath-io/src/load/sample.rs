//! Estimates the number of edges in a file from its first block.

use super::LoadOptions;
use super::blocks::Blocks;
use super::error::LoadError;
use super::fields::cut_all;
use super::format::{LineFormat, ReaderKind, Told};
use crate::compression::Telling;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use wolfpath_core::assemble::InputSize;
use wolfpath_core::progress::Progress;

/// Estimates the size of an input from its first block. Returns `None` if the input is empty or not a file.
pub(crate) fn sample(path: &Path, options: &LoadOptions) -> Result<Option<InputSize>, LoadError> {
    let failed = |source| LoadError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let lines_of = match Told::of_file(options.format, path).decide() {
        // These formats use at least four bytes per edge.
        ReaderKind::Whole(_) => {
            return Ok(Some(InputSize {
                lines: metadata.len() / 4,
                columns: options.columns.len() as u64,
                undirected: options.undirected,
            }));
        }
        ReaderKind::Lines(lines) => lines,
    };
    let read = AtomicU64::new(0);
    let blocks = Blocks::open(Counted { file, read: &read }, path, Telling::Bytes, &Progress::NONE)?;
    let Some(first) = blocks.next(Vec::new())? else { return Ok(None) };
    let lines = memchr::memchr_iter(b'\n', &first.text).count() as u64;
    let share = metadata.len() as f64 / read.load(Ordering::Relaxed).max(1) as f64;
    let last = first.text.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap_or_default();
    let fields = cut_all(last).map_or(0, |fields| fields.len());
    let columns = match lines_of.format(&first.text) {
        LineFormat::Gr => fields.saturating_sub(3).min(1),
        LineFormat::EdgeList if !options.columns.is_empty() => options.columns.len(),
        LineFormat::EdgeList if !options.ignore_extra_columns => fields.saturating_sub(2),
        LineFormat::EdgeList | LineFormat::MatrixMarket => fields.saturating_sub(2).min(1),
    };
    Ok(Some(InputSize {
        lines: (lines as f64 * share.max(1.0)) as u64,
        columns: columns as u64,
        undirected: options.undirected || says_undirected(&first.text),
    }))
}

/// Returns `true` if the first lines of a text state that the graph is undirected.
fn says_undirected(text: &[u8]) -> bool {
    let head = &text[..text.len().min(1 << 12)];
    let line_with = |start: &[u8], word: &str| {
        let mut lines = head.split(|&byte| byte == b'\n');
        let line = lines.find(|line| line.starts_with(start)).map(|line| line.to_ascii_lowercase());
        line.is_some_and(|line| String::from_utf8_lossy(&line).split_whitespace().any(|found| found == word))
    };
    line_with(b"%%", "symmetric") || line_with(b"p ", "tw")
}

/// Reader that counts the bytes read from the file, which are still compressed.
struct Counted<'a> {
    file: File,
    read: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
