//! `wolfpath build`: layers a graph and keeps it in the cache folder, beside its input or in a named file.

use wolfpath::graph::{LayeredGraph, OpenOptions, Origin};
use wolfpath::store::is_wolf;

use crate::arguments::BuildArguments;
use crate::bars::{Bars, scaled};
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::open::{check_ids, open, origin};
use crate::summary::Summary;

pub(crate) fn build(arguments: &BuildArguments) -> Result<(), Error> {
    let options = arguments.options()?;
    if let Some(path) = &arguments.output {
        let to = Destination::File(path.clone());
        to.check()?;
        arguments.graph.check_beside(&to)?;
    }
    say_what_it_takes(arguments, &options);
    let mut summary = Summary::begin();
    let (graph, took) = open(&arguments.graph, &options)?;
    let root: Vec<u64> = arguments.root.into_iter().collect();
    check_ids(&graph, &arguments.graph.path, "--root", &root)?;
    let made = match &arguments.output {
        Some(path) => {
            let bars = Bars::begin(format_args!("writing {}", path.display()));
            graph.write_with(path, &bars.progress())?;
            drop(bars);
            summary.written(path);
            format!("written to {}", path.display())
        }
        None => kept(arguments, &graph),
    };
    if let Origin::Input { .. } = graph.opened_from() {
        summary.read(&arguments.graph.path);
        summary.edges(graph.num_edges());
    }
    summary.tell("build");
    let path = arguments.graph.path.display();
    let (vertices, edges, layers) = (graph.num_vertices(), graph.num_edges(), graph.num_layers());
    console::print(&format!(
        "{path}: {vertices} vertices, {edges} edges, {layers} layers; {made} ({took:.1?})\n"
    ))
}

/// Prints how much memory the build will need, if it has to read an input.
fn say_what_it_takes(arguments: &BuildArguments, options: &OpenOptions) {
    // Errors of the input are ignored here: reading it reports them.
    let path = &arguments.graph.path;
    if is_wolf(path) || options.kept(path).is_some() {
        return;
    }
    let Ok(Some(estimate)) = options.estimate(path) else { return };
    let bytes = |bytes: u64| {
        let (number, prefix) = scaled(bytes as f64);
        format!("{number} {prefix}B")
    };
    let (finished, peak) = (bytes(estimate.finished), bytes(estimate.peak));
    let have = match arguments.memory {
        Some(limit) => format!("the limit is {}", bytes(limit)),
        None => format!("{} are available", bytes(estimate.budget)),
    };
    let then = if estimate.peak <= estimate.budget {
        String::new()
    } else {
        format!(
            ": large arrays go to working files, and about {} stay in memory",
            bytes(estimate.peak_on_disk)
        )
    };
    console::note(format_args!(
        "needs about {peak} of memory for a graph of about {finished} (estimated from the first lines); {have}{then}"
    ));
}

fn kept(arguments: &BuildArguments, graph: &LayeredGraph) -> String {
    let fresh = match graph.opened_from() {
        Origin::Cache(_) => "; still fresh (--force rebuilds it)",
        Origin::File(_) if arguments.force => "; it can only be rebuilt from its input",
        _ => "",
    };
    format!("{}{fresh}", origin(graph))
}
