//! `wolfpath generate`: generates graphs.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::load::Format;
use wolfpath::resources::Resources;
use wolfpath::save::{SaveOptions, save_with};
use wolfpath::store::is_wolf;

use crate::arguments::GenerateArguments;
use crate::bars::Bars;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::open::start_threads;
use crate::summary::Summary;

pub(crate) fn generate(arguments: &GenerateArguments) -> Result<(), Error> {
    let made = arguments.made();
    let path = &made.output;
    Destination::File(path.clone()).check()?;
    start_threads(made.threads)?;
    let mut summary = Summary::begin();
    let bars = Bars::begin(format_args!("generating {}", path.display()));
    let edges = make(arguments, &bars)?;
    console::go_on()?;
    let (vertices, count) = (edges.num_vertices(), edges.num_edges());
    let lost = if is_wolf(path) { 0 } else { isolated(&edges) };
    if is_wolf(path) {
        let resources = Resources::new().progress(bars.progress());
        let graph = LayeredGraph::from_edge_list_with(edges, &LayerOptions::default(), &resources)?;
        console::go_on()?;
        bars.say(format_args!("writing {}", path.display()));
        graph.write_with(path, &bars.progress())?;
    } else {
        bars.say(format_args!("writing {}", path.display()));
        let options = SaveOptions::new().format(Format::EdgeList);
        save_with(&edges, path, &options, &bars.progress())?;
    }
    drop(bars);
    if lost > 0 {
        console::note(format_args!(
            "{lost} of the {vertices} vertices have no edge and cannot be stored in an edge list (a .wolf file stores them)"
        ));
    }
    summary.edges(count);
    summary.written(path);
    summary.tell("generate");
    let description = arguments.description();
    console::print(&format!("{}: {vertices} vertices, {count} edges ({description})\n", path.display()))
}

fn make(arguments: &GenerateArguments, bars: &Bars) -> Result<EdgeList, Error> {
    let made = arguments.made();
    let edges = arguments.recipe().make(made.seed, &bars.progress())?;
    Ok(match made.max_weight {
        Some(max) => edges.with_random_weights(made.seed, max),
        None => edges,
    })
}

/// Counts the vertices without edges.
fn isolated(edges: &EdgeList) -> usize {
    let mut seen = vec![false; edges.num_vertices() as usize];
    let ends = edges.sources().iter().chain(edges.targets());
    ends.for_each(|&end| seen[end as usize] = true);
    seen.into_iter().filter(|&seen| !seen).count()
}
