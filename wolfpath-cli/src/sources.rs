//! Sources of a traversal: `--source`, `--sources-from`, or the root of the layers.

use wolfpath::graph::LayeredGraph;
use wolfpath::load::each_id;
use wolfpath::programs::LABELS;

use crate::arguments::{Program, RunArguments};
use crate::console;
use crate::error::Error;
use crate::open::known;

/// Returns the requested sources in the given order, or the root if none were requested.
pub(crate) fn sources(arguments: &RunArguments, graph: &LayeredGraph) -> Result<Vec<u64>, Error> {
    let named = NamedSources::of(arguments)?;
    if let Some(&(id, _)) = named.0.iter().find(|&&(id, _)| graph.vertex_of(id).is_none()) {
        return Err(named.unknown(arguments, id, known(graph)));
    }
    named.or_root(arguments, || root(graph.root(), graph.root_reason()))
}

/// Sources that the user has named: each id, and its line if it is from a file.
pub(crate) struct NamedSources(Vec<(u64, Option<u64>)>);

impl NamedSources {
    /// Returns the sources in the given order, and then those of the file.
    pub(crate) fn of(arguments: &RunArguments) -> Result<NamedSources, Error> {
        let mut named: Vec<_> = arguments.sources.iter().map(|&id| (id, None)).collect();
        if let Some(file) = &arguments.sources_from {
            let before = named.len();
            each_id(file, |line, id| named.push((id, Some(line))))?;
            if named.len() == before {
                return Err(Error::NoSources { path: file.clone() });
            }
        }
        Ok(NamedSources(named))
    }

    /// Returns no sources.
    #[cfg(feature = "cluster")]
    pub(crate) fn none() -> NamedSources {
        NamedSources(Vec::new())
    }

    fn ids(&self) -> Vec<u64> {
        self.0.iter().map(|&(id, _)| id).collect()
    }

    /// Returns the sources of the run: those named or, for a traversal without any, the `root`.
    pub(crate) fn or_root(
        &self,
        arguments: &RunArguments,
        root: impl FnOnce() -> Option<u64>,
    ) -> Result<Vec<u64>, Error> {
        let mut sources = self.ids();
        if sources.is_empty() && arguments.program.takes_sources() {
            sources.extend(root());
        }
        if arguments.program == Program::Adsorption {
            sources.sort_unstable();
            sources.dedup();
            if sources.len() > LABELS {
                return Err(Error::TooManyLabels { labels: sources.len(), most: LABELS });
            }
        }
        Ok(sources)
    }

    /// Returns the error for a source that is not in the graph. `known` says which ids are.
    pub(crate) fn unknown(&self, arguments: &RunArguments, id: u64, known: String) -> Error {
        let graph = arguments.graph.path.clone();
        let line = self.0.iter().find(|named| named.0 == id).and_then(|&(_, line)| line);
        match (line, &arguments.sources_from) {
            (Some(line), Some(path)) => Error::UnknownSource { path: path.clone(), line, id, graph, known },
            _ => Error::UnknownVertex { path: graph, option: "--source", id, known },
        }
    }
}

/// Returns the root of the layers as the source, and says so.
pub(crate) fn root(root: Option<u64>, reason: &str) -> Option<u64> {
    match root {
        Some(root) => {
            console::note(format_args!("no --source: starting at the root of the layers, {root} ({reason})"))
        }
        None => console::note("the graph has no vertices: the run has no source"),
    }
    root
}
