//! Opens the graph that a command uses, and looks up ids in it.

use std::path::Path;
use std::time::{Duration, Instant};

use wolfpath::graph::{LayeredGraph, OpenGraph, OpenOptions, Origin};

use crate::arguments::GraphArguments;
use crate::bars::Bars;
use crate::console;
use crate::error::Error;

/// Opens a graph and prints its notes to standard error. Also returns the time that opening took.
pub(crate) fn open(
    arguments: &GraphArguments,
    options: &OpenOptions,
) -> Result<(LayeredGraph, Duration), Error> {
    #[cfg(feature = "cluster")]
    crate::shards::refuse(&arguments.path)?;
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

/// Starts the number of threads that `--threads` requests, if any.
pub(crate) fn start_threads(threads: Option<usize>) -> Result<(), Error> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| Error::Threads { threads, message: error.to_string() })
}

/// Returns the origin of a graph as text.
pub(crate) fn origin(graph: &LayeredGraph) -> String {
    match graph.opened_from() {
        Origin::Memory => "built in memory".to_owned(),
        Origin::File(_) => "a layered graph".to_owned(),
        Origin::Cache(kept) => format!("layered by an earlier run and kept in {}", kept.display()),
        Origin::Input { kept: Some(kept), .. } => format!("read and layered, and kept in {}", kept.display()),
        Origin::Input { kept: None, .. } => "read and layered, not kept".to_owned(),
    }
}

/// Returns an error if one of `ids` is not in the graph. `option` is the option that named them.
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
            format!("name one of its {} ids, which are between {first} and {last}", graph.num_vertices())
        }
    }
}
