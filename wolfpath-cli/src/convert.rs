//! `wolfpath convert`: writes a graph in another format.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph, WeightError};
use wolfpath::load;
use wolfpath::resources::Resources;
use wolfpath::save::{SaveOptions, save_with};
use wolfpath::store::is_wolf;

use crate::arguments::{ConvertArguments, Target};
use crate::bars::Bars;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::open::{open, start_threads};
use crate::summary::Summary;

pub(crate) fn convert(arguments: &ConvertArguments) -> Result<(), Error> {
    #[cfg(feature = "cluster")]
    crate::shards::refuse(&arguments.graph.path)?;
    let (input, path) = (&arguments.graph.path, &arguments.output);
    arguments.graph.check_beside(&Destination::File(path.clone()))?;
    let mut summary = Summary::begin();
    let opened = || open(&arguments.graph, &arguments.graph.options()?.cache(false));
    let (vertices, edges) = match (is_wolf(input), arguments.target()) {
        (true, Some(Target::Layered)) if arguments.weight_column.is_none() => {
            let (graph, _) = opened()?;
            write_layered(arguments, &graph)?
        }
        (true, _) => {
            let (graph, _) = opened()?;
            write_edges(arguments, chosen(arguments, graph.to_edge_list())?)?
        }
        (false, _) => write_edges(arguments, chosen(arguments, read(arguments)?)?)?,
    };
    summary.read(input);
    summary.edges(edges);
    summary.written(path);
    summary.tell("convert");
    console::print(&format!("{}: {vertices} vertices, {edges} edges\n", path.display()))
}

fn read(arguments: &ConvertArguments) -> Result<EdgeList, Error> {
    let options = arguments.graph.load_options()?;
    start_threads(arguments.graph.threads)?;
    let path = &arguments.graph.path;
    let bars = Bars::begin(format_args!("reading {}", path.display()));
    let resources = Resources::new().progress(bars.progress());
    let edges = load::load_with(path, &options, &resources)?;
    drop(bars);
    edges.notes().iter().for_each(console::note);
    console::go_on()?;
    Ok(edges)
}

/// Returns the edges with only the column that `--weight-column` names, or unchanged without that option.
fn chosen(arguments: &ConvertArguments, edges: EdgeList) -> Result<EdgeList, Error> {
    let Some(name) = &arguments.weight_column else { return Ok(edges) };
    let names: Vec<&str> = edges.columns().map(|(name, _)| name).collect();
    let known =
        if names.is_empty() { "no columns".to_owned() } else { format!("the columns {}", names.join(", ")) };
    edges.with_only_column(name).ok_or_else(|| WeightError::NoColumn { name: name.clone(), known }.into())
}

/// Writes edges in the requested format. Returns the numbers of vertices and edges.
fn write_edges(arguments: &ConvertArguments, edges: EdgeList) -> Result<(u32, u64), Error> {
    let path = &arguments.output;
    let format = match arguments.target() {
        Some(Target::Layered) => {
            return write_layered(arguments, &layered(edges)?);
        }
        Some(Target::Format(format)) => Some(format),
        None => None,
    };
    let bars = Bars::begin(format_args!("writing {}", path.display()));
    let (renumber, drop_weights) = (arguments.renumber, arguments.drop_weights);
    let options = SaveOptions::new().format(format).renumber(renumber).drop_weights(drop_weights);
    let report = save_with(&edges, path, &options, &bars.progress())?;
    drop(bars);
    report.notes.iter().for_each(console::note);
    Ok((edges.num_vertices(), edges.num_edges()))
}

fn layered(edges: EdgeList) -> Result<LayeredGraph, Error> {
    let bars = Bars::begin("layering");
    let resources = Resources::new().progress(bars.progress());
    let graph = LayeredGraph::from_edge_list_with(edges, &LayerOptions::default(), &resources)?;
    drop(bars);
    console::go_on()?;
    Ok(graph)
}

fn write_layered(arguments: &ConvertArguments, graph: &LayeredGraph) -> Result<(u32, u64), Error> {
    let bars = Bars::begin(format_args!("writing {}", arguments.output.display()));
    graph.write_with(&arguments.output, &bars.progress())?;
    Ok((graph.num_vertices(), graph.num_edges()))
}
