//! Opening the graph that a command is about, and looking up ids in it.

use std::path::Path;
use std::time::{Duration, Instant};

use wolfpath::graph::{LayeredGraph, OpenGraph, OpenOptions, Origin};

use crate::arguments::GraphArguments;
use crate::bars::Bars;
use crate::console;
use crate::error::Error;

/// Opens a graph, says on standard error what its reader should know, and how long it took.
pub(crate) fn open(
    arguments: &GraphArguments,
    options: &OpenOptions,
) -> Result<(LayeredGraph, Duration), Error> {
    start_threads(arguments.threads)?;
    let bars = Bars::begin(format_args!("opening {}", arguments.path.display()));
    let options = options.clone().progress(bars.progress());
    let began = Instant::now();
    let graph = LayeredGraph::open_with(&arguments.path, &options)?;
    let took = began.elapsed();
    drop(bars);
    graph.notes().iter().for_each(console::note);
    console::go_on()?;
    Ok((graph, took))
}

/// Starts so many threads, where somebody asked for a number.
pub(crate) fn start_threads(threads: Option<usize>) -> Result<(), Error> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| Error::Threads { threads, message: error.to_string() })
}

/// Where a graph came from, in words.
pub(crate) fn origin(graph: &LayeredGraph) -> String {
    match graph.opened_from() {
        Origin::Memory => "made in memory".to_owned(),
        Origin::File(_) => "a layered graph".to_owned(),
        Origin::Cache(kept) => format!("layered in an earlier run and kept in {}", kept.display()),
        Origin::Input { kept: Some(kept), .. } => format!("read and layered, and kept in {}", kept.display()),
        Origin::Input { kept: None, .. } => "read and layered, kept nowhere".to_owned(),
    }
}

/// Refuses ids that are not in the graph. `option` named them.
pub(crate) fn check_ids(
    graph: &LayeredGraph,
    path: &Path,
    option: &'static str,
    ids: &[u64],
) -> Result<(), Error> {
    match ids.iter().find(|&&id| graph.vertex_of(id).is_none()) {
        Some(&id) => Err(Error::UnknownVertex { path: path.to_owned(), option, id, known: known(graph) }),
        None => Ok(()),
    }
}

pub(crate) fn known(graph: &LayeredGraph) -> String {
    match graph.by_rank() {
        [] => "it has no vertices".to_owned(),
        [only] => format!("its only vertex is {}", graph.id_of(*only)),
        [first, .., last] => {
            let (first, last) = (graph.id_of(*first), graph.id_of(*last));
            format!("name one of its {} ids, which lie between {first} and {last}", graph.num_vertices())
        }
    }
}
