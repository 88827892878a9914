//! `wolfpath convert`: a graph in another format.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{GraphError, LayerOptions, LayeredGraph, OpenOptions};
use wolfpath::load;
use wolfpath::save::{SaveOptions, save};

use crate::arguments::{ConvertArguments, Target, ending};
use crate::console::{self, Stage};
use crate::destination::Destination;
use crate::error::Error;
use crate::open::{open, start_threads};

pub(crate) fn convert(arguments: &ConvertArguments) -> Result<(), Error> {
    let (input, path) = (&arguments.graph.path, &arguments.output);
    Destination::File(path.clone()).check_beside(input)?;
    let options = OpenOptions { cache: false, ..arguments.graph.options() };
    let (vertices, edges) = match (ending(input) == "wolf", arguments.target()) {
        (true, Some(Target::Layered)) => {
            let (graph, _) = open(&arguments.graph, &options)?;
            write_layered(arguments, &graph)?
        }
        (true, _) => {
            let (graph, _) = open(&arguments.graph, &options)?;
            write_edges(arguments, graph.to_edge_list()?)?
        }
        (false, _) => write_edges(arguments, read(arguments, &options)?)?,
    };
    console::print(&format!("{}: {vertices} vertices, {edges} edges\n", path.display()))
}

fn read(arguments: &ConvertArguments, options: &OpenOptions) -> Result<EdgeList, Error> {
    start_threads(arguments.graph.threads)?;
    let path = &arguments.graph.path;
    let stage = Stage::begin(format_args!("reading {}", path.display()));
    let edges = load::load(path, &options.load).map_err(GraphError::from)?;
    drop(stage);
    edges.notes().iter().for_each(console::note);
    console::go_on()?;
    Ok(edges)
}

/// Writes edges in the format that is asked for. Returns how many vertices and edges there are.
fn write_edges(arguments: &ConvertArguments, edges: EdgeList) -> Result<(u32, u64), Error> {
    let path = &arguments.output;
    let format = match arguments.target() {
        Some(Target::Layered) => {
            let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
            return write_layered(arguments, &graph);
        }
        Some(Target::Format(format)) => Some(format),
        None => None,
    };
    let stage = Stage::begin(format_args!("writing {}", path.display()));
    let (renumber, drop_weights) = (arguments.renumber, arguments.drop_weights);
    let report = save(&edges, path, &SaveOptions { format, renumber, drop_weights })?;
    drop(stage);
    report.notes.iter().for_each(console::note);
    Ok((edges.num_vertices(), edges.num_edges()))
}

fn write_layered(arguments: &ConvertArguments, graph: &LayeredGraph) -> Result<(u32, u64), Error> {
    let _stage = Stage::begin(format_args!("writing {}", arguments.output.display()));
    graph.write(&arguments.output)?;
    Ok((graph.num_vertices(), graph.num_edges()))
}
