//! Where a traversal starts: `--source`, `--sources-from`, or the root of the layers.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use wolfpath::graph::LayeredGraph;

use crate::arguments::RunArguments;
use crate::console;
use crate::error::Error;
use crate::open::{check_ids, known};

/// Most characters of a line that an error shows.
const SHOWN: usize = 40;

/// Most bytes of a line, comments included.
const LONGEST: u64 = 4096;

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The sources that were asked for, in that order; else the root.
pub(crate) fn sources(arguments: &RunArguments, graph: &LayeredGraph) -> Result<Vec<u64>, Error> {
    let path = &arguments.graph.path;
    check_ids(graph, path, "--source", &arguments.sources)?;
    let mut sources = arguments.sources.clone();
    if let Some(file) = &arguments.sources_from {
        let unreadable = |source| Error::ReadSources { path: file.clone(), source };
        let text = BufReader::new(File::open(file).map_err(unreadable)?);
        for (line, id) in listed(file, text)? {
            if graph.vertex_of(id).is_none() {
                let (path, known) = (file.clone(), known(graph));
                return Err(Error::UnknownSource {
                    path,
                    line,
                    id,
                    graph: arguments.graph.path.clone(),
                    known,
                });
            }
            sources.push(id);
        }
    }
    if sources.is_empty() && arguments.program.is_traversal() {
        sources.extend(root(graph));
    }
    Ok(sources)
}

/// The ids of a file, one a line, each with the number of its line.
fn listed(path: &Path, mut text: impl BufRead) -> Result<Vec<(usize, u64)>, Error> {
    let unreadable = |source| Error::ReadSources { path: path.to_owned(), source };
    let (mut ids, mut line) = (Vec::new(), Vec::new());
    for number in 1.. {
        line.clear();
        // No file is read to its end in search of that of a line.
        let read = text.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        if read as u64 > LONGEST && !line.ends_with(b"\n") {
            return Err(Error::LongLine { path: path.to_owned(), line: number, limit: LONGEST });
        }
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1).unwrap_or(&line).trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let digits = std::str::from_utf8(line).ok().filter(|line| line.bytes().all(|c| c.is_ascii_digit()));
        let Some(id) = digits.and_then(|digits| digits.parse().ok()) else {
            let text = String::from_utf8_lossy(line);
            let mut found = String::new();
            for c in text.chars().take(SHOWN) {
                if c.is_control() { found.extend(c.escape_debug()) } else { found.push(c) }
            }
            return Err(Error::NoId { path: path.to_owned(), line: number, found });
        };
        ids.push((number, id));
    }
    if ids.is_empty() { Err(Error::NoSources { path: path.to_owned() }) } else { Ok(ids) }
}

fn root(graph: &LayeredGraph) -> Option<u64> {
    match graph.root() {
        Some(root) => console::note(format_args!(
            "no --source: starts at the root of the layers, {root} ({})",
            graph.root_reason()
        )),
        None => console::note("the graph has no vertices: there is nowhere to start"),
    }
    graph.root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_ids() {
        let ids = |text: &[u8]| listed(Path::new("ids"), text);
        let text: &[u8] = b"\xef\xbb\xbf7\n# a comment\n# \xff\n\n  3 \r\n7\n";
        assert_eq!(ids(text).expect("ids"), [(1, 7), (5, 3), (6, 7)]);
        let wrong: [(&[u8], usize, &str); 7] = [
            (b"1\nx\n", 2, "x"),
            (b"-1\n", 1, "-1"),
            (b"1 2\n", 1, "1 2"),
            (b"+1\n", 1, "+1"),
            (b"3\n4\xff\n", 2, "4\u{fffd}"),
            (b"\x1b[31m\"", 1, "\\u{1b}[31m\""),
            (b"18446744073709551616", 1, "18446744073709551616"),
        ];
        for (text, at, what) in wrong {
            match ids(text) {
                Err(Error::NoId { line, found, .. }) => assert_eq!((line, found.as_str()), (at, what)),
                other => panic!("{text:?}: {other:?}"),
            }
        }
        let comment = format!("#{}\n1", "-".repeat(LONGEST as usize - 1));
        assert_eq!(ids(comment.as_bytes()).expect("ids"), [(2, 1)]);
        let endless = ids(&[b'1'; 5000]);
        assert!(matches!(endless, Err(Error::LongLine { line: 1, limit: LONGEST, .. })));
        assert!(matches!(ids(b"# nothing\n"), Err(Error::NoSources { .. })));
    }
}
