//! Lists of ids in files, one id per line. A list contains the sources of runs, or vertices without edges.

use super::blocks::Blocks;
use super::error::{LoadError, shown};
use super::fields::id;
use crate::compression::Telling;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use wolfpath_core::progress::Progress;

/// Maximum length of a line in bytes, including comments.
const LONGEST: usize = 4096;

/// Reads a list of ids from a file, plain or compressed, and calls `visit(line, id)` for each id in order. Lines count
/// from 1. Empty lines and lines that start with `#`, possibly after blanks, are skipped.
///
/// # Errors
/// [`LoadError`] if the file cannot be read, or if a line is not an id or is longer than 4,096 bytes.
///
/// ```
/// use wolfpath::load::{LoadOptions, each_id, read};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "# islands\n7\n9\n")?;
/// let mut islands = Vec::new();
/// each_id(file.path(), |_, id| islands.push(id))?;
/// let options = LoadOptions::new().vertices(islands);
/// assert_eq!(read(&b"1 2\n"[..], "g.el", &options)?.num_vertices(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn each_id(path: impl AsRef<Path>, visit: impl FnMut(u64, u64)) -> Result<(), LoadError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
    each_id_in(file, path, visit)
}

fn each_id_in(
    input: impl Read + Send,
    path: &Path,
    mut visit: impl FnMut(u64, u64),
) -> Result<(), LoadError> {
    let progress = Progress::NONE;
    let blocks = Blocks::open(input, path, Telling::Bytes, &progress)?;
    let (mut number, mut memory) = (0, Vec::new());
    while let Some(block) = blocks.next(memory)? {
        let text = block.text.strip_suffix(b"\n").unwrap_or(&block.text);
        for line in text.split(|&byte| byte == b'\n') {
            number += 1;
            if line.len() > LONGEST {
                let (path, limit) = (path.to_owned(), LONGEST as u64);
                return Err(LoadError::LongLine { path, line: number, limit });
            }
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let no_id = |_| LoadError::NoId { path: path.to_owned(), line: number, found: shown(line) };
            visit(number, id(line).map_err(no_id)?);
        }
        memory = block.text;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::Compression;

    fn ids(text: &[u8]) -> Result<Vec<(u64, u64)>, LoadError> {
        let mut ids = Vec::new();
        each_id_in(text, Path::new("ids"), |line, id| ids.push((line, id)))?;
        Ok(ids)
    }

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let text: &[u8] = b"\xef\xbb\xbf7\n# a comment\n# \xff\n\n  3 \r\n7";
        assert_eq!(ids(text).unwrap(), [(1, 7), (5, 3), (6, 7)]);
        assert_eq!(ids(b"# nothing\n").unwrap(), []);
        let comment = format!("#{}\n1", "-".repeat(LONGEST - 1));
        assert_eq!(ids(comment.as_bytes()).unwrap(), [(2, 1)]);
    }

    #[test]
    fn compressed_lists_of_any_length() {
        let text: String = (0..200_000).map(|id| format!("{id}\n")).collect();
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd, Compression::Xz] {
            let Some(encode) = compression.encoder() else { continue };
            let mut packed = Vec::new();
            encode(&mut packed, Box::new(|out| out.write_all(text.as_bytes()))).unwrap();
            let read = ids(&packed).unwrap();
            assert!(read.len() == 200_000 && read.iter().all(|&(line, id)| line == id + 1));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let wrong: [(&[u8], u64, &str); 7] = [
            (b"1\nx\n", 2, "x"),
            (b"-1\n", 1, "-1"),
            (b"1 2\n", 1, "1 2"),
            (b"+1\n", 1, "+1"),
            (b"3\n4\xff\n", 2, "4\u{fffd}"),
            (b"\x1b[31m", 1, "\\u{1b}[31m"),
            (b"18446744073709551616", 1, "18446744073709551616"),
        ];
        for (text, at, what) in wrong {
            match ids(text) {
                Err(LoadError::NoId { line, found, .. }) => assert_eq!((line, found.as_str()), (at, what)),
                other => panic!("{text:?}: {other:?}"),
            }
        }
        for endless in [vec![b'1'; 5000], vec![0; 3 << 20]] {
            assert!(matches!(ids(&endless), Err(LoadError::LongLine { line: 1, limit: 4096, .. })));
        }
    }
}
