//! `wolfpath build`: layers a graph and keeps it, beside its input or where it is told to.

use wolfpath::graph::{LayeredGraph, OpenOptions, Origin};

use crate::arguments::BuildArguments;
use crate::bars::Bars;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::open::{check_ids, open, origin};
use crate::summary::Summary;

pub(crate) fn build(arguments: &BuildArguments) -> Result<(), Error> {
    let options = OpenOptions {
        root: arguments.root,
        // Whoever names a file wants that file, and no second one beside the input.
        cache: arguments.output.is_none(),
        rebuild: arguments.force,
        ..arguments.graph.options()
    };
    if let Some(path) = &arguments.output {
        Destination::File(path.clone()).check()?;
    }
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
        None => {
            graph.check()?;
            kept(arguments, &graph)
        }
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

fn kept(arguments: &BuildArguments, graph: &LayeredGraph) -> String {
    let fresh = match graph.opened_from() {
        Origin::Cache(_) => "; still fresh, --force builds it anew",
        Origin::File(_) if arguments.force => "; it can only be built anew from its input",
        _ => "",
    };
    format!("{}{fresh}", origin(graph))
}
