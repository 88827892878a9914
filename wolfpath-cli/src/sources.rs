//! Sources of a traversal: `--source`, `--sources-from`, or the root of the layers.

use wolfpath::graph::LayeredGraph;
use wolfpath::load::each_id;
use wolfpath::programs::LABELS;

use crate::arguments::{Program, RunArguments};
use crate::console;
use crate::error::Error;
use crate::open::{check_ids, known};

/// Returns the requested sources in the given order, or the root if none were requested.
pub(crate) fn sources(arguments: &RunArguments, graph: &LayeredGraph) -> Result<Vec<u64>, Error> {
    let path = &arguments.graph.path;
    check_ids(graph, path, "--source", &arguments.sources)?;
    let mut sources = arguments.sources.clone();
    if let Some(file) = &arguments.sources_from {
        let mut listed = Vec::new();
        each_id(file, |line, id| listed.push((line, id)))?;
        if listed.is_empty() {
            return Err(Error::NoSources { path: file.clone() });
        }
        for (line, id) in listed {
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
    if sources.is_empty() && arguments.program.takes_sources() {
        sources.extend(root(graph));
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

fn root(graph: &LayeredGraph) -> Option<u64> {
    match graph.root() {
        Some(root) => console::note(format_args!(
            "no --source: starting at the root of the layers, {root} ({})",
            graph.root_reason()
        )),
        None => console::note("the graph has no vertices: the run has no source"),
    }
    graph.root()
}
