//! Where a traversal starts: `--source`, `--sources-from`, or the root of the layers.

use std::path::Path;

use wolfpath::graph::LayeredGraph;

use crate::arguments::RunArguments;
use crate::console;
use crate::error::Error;
use crate::open::check_ids;

/// Most characters of a line that an error shows.
const SHOWN: usize = 40;

/// The sources that were asked for, in that order; else the root.
pub(crate) fn sources(arguments: &RunArguments, graph: &LayeredGraph) -> Result<Vec<u64>, Error> {
    let path = &arguments.graph.path;
    check_ids(graph, path, "--source", &arguments.sources)?;
    let mut sources = arguments.sources.clone();
    if let Some(file) = &arguments.sources_from {
        let text = std::fs::read_to_string(file)
            .map_err(|source| Error::ReadSources { path: file.clone(), source })?;
        let more = listed(file, &text)?;
        check_ids(graph, path, "--sources-from", &more)?;
        sources.extend(more);
    }
    if sources.is_empty() && arguments.program.is_traversal() {
        sources.extend(root(graph));
    }
    Ok(sources)
}

/// The ids of a file, one a line.
fn listed(path: &Path, text: &str) -> Result<Vec<u64>, Error> {
    let mut ids = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let id = line.parse().ok().filter(|_| line.bytes().all(|c| c.is_ascii_digit()));
        let found = || line.chars().take(SHOWN).collect();
        ids.push(id.ok_or_else(|| Error::NoId { path: path.to_owned(), line: number, found: found() })?);
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
        let ids = |text| listed(Path::new("ids"), text);
        assert_eq!(ids("7\n# a comment\n\n  3 \r\n7\n").expect("ids"), [7, 3, 7]);
        for (text, line) in
            [("1\nx\n", 2), ("-1\n", 1), ("1 2\n", 1), ("+1\n", 1), ("18446744073709551616", 1)]
        {
            match ids(text) {
                Err(Error::NoId { line: found, .. }) => assert_eq!(found, line, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert!(matches!(ids("# nothing\n"), Err(Error::NoSources { .. })));
    }
}
