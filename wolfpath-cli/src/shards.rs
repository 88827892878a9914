//! `wolfpath shard`: writes the shards of a graph. Also describes them for `wolfpath info`.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wolfpath::cluster::{BuildError, Deal, Shards};
use wolfpath::graph::{Direction, Origin};

use crate::arguments::{GraphArguments, InfoArguments, KeepingArguments, ShardArguments};
use crate::bars::Bars;
use crate::console;
use crate::destination::is_in;
use crate::error::Error;
use crate::json::object;
use crate::open::{open, start_threads};
use crate::processes::{Processes, connect, threads};
use crate::summary::Summary;

pub(crate) fn shard(arguments: &ShardArguments) -> Result<(), Error> {
    if arguments.is_shared() {
        return shard_together(arguments);
    }
    let options = arguments.keeping.of(arguments.graph.options()?);
    let folder = &arguments.output;
    Shards::check_folder(folder)?;
    let mut summary = Summary::begin();
    refuse_inside(&arguments.graph.path, folder)?;
    let began = Instant::now();
    let (graph, _) = open(&arguments.graph, &options)?;
    let bars = Bars::begin("dealing");
    let deal = Deal::new(&graph, arguments.shards)?;
    console::go_on()?;
    bars.say(format_args!("writing {}", folder.display()));
    let shards = Shards::write_with(&graph, &deal, folder, &bars.progress())?;
    drop(bars);
    console::go_on()?;
    if let Origin::Input { .. } = graph.opened_from() {
        summary.read(&arguments.graph.path);
    }
    written(arguments, summary, &shards, began)
}

/// Takes part in sharding a graph by the processes of a cluster. Every process executes this, with the same options, and
/// process 0 reports.
fn shard_together(arguments: &ShardArguments) -> Result<(), Error> {
    let (path, folder) = (&arguments.graph.path, &arguments.output);
    let options = arguments.graph.load_options()?;
    let mut summary = Summary::begin();
    refuse(path)?;
    refuse_inside(path, folder)?;
    start_threads(threads(&arguments.cluster, arguments.graph.threads))?;
    let began = Instant::now();
    // Dropped in reverse order: the others leave only when this process does.
    let Processes { started: _started, mut cluster } = connect(&arguments.cluster)?;
    let is_first = cluster.process() == 0;
    let bars = Bars::begin(format_args!("sharding {}", path.display()));
    let (progress, number) = (bars.progress(), arguments.shards);
    let watched = (&progress, console::cancel_handle());
    let built = Shards::build_on_with(&mut cluster, path, &options, number, folder, watched);
    drop(bars);
    if matches!(built, Err(BuildError::Cancelled { .. })) {
        console::go_on()?;
    }
    let shards = built?;
    if !is_first {
        return Ok(());
    }
    shards.notes().iter().for_each(console::note);
    summary.read(path);
    written(arguments, summary, &shards, began)
}

/// Tells that shards were written.
fn written(
    arguments: &ShardArguments,
    mut summary: Summary,
    shards: &Shards,
    began: Instant,
) -> Result<(), Error> {
    let folder = &arguments.output;
    summary.edges(shards.num_edges());
    summary.tell("shard");
    let (path, number) = (arguments.graph.path.display(), shards.num_shards());
    let (vertices, edges, bytes) = (shards.num_vertices(), shards.num_edges(), shards.bytes());
    console::print(&format!(
        "{path}: {vertices} vertices, {edges} edges; {}, {bytes} bytes in all, written to {} ({:.1?})\n",
        shards_of(number),
        folder.display(),
        began.elapsed(),
    ))
}

/// Returns a number of shards as text.
pub(crate) fn shards_of(number: u16) -> String {
    if number == 1 { "1 shard".to_owned() } else { format!("{number} shards") }
}

/// Returns an error if a file is in a folder that shards are written to.
fn refuse_inside(path: &Path, folder: &Path) -> Result<(), Error> {
    match is_in(path, folder) {
        true => Err(Error::OntoInput {
            path: path.to_owned(),
            what: "the graph itself, in the folder of the shards",
        }),
        false => Ok(()),
    }
}

/// Returns an error if a path is a folder of shards, which only some commands read.
pub(crate) fn refuse(path: &Path) -> Result<(), Error> {
    match Shards::are_in(path) {
        true => Err(Error::AreShards { path: path.to_owned() }),
        false => Ok(()),
    }
}

/// Returns an error if options are given that control how an input is read, because shards have been written before.
pub(crate) fn refuse_reading_options(
    graph: &GraphArguments,
    keeping: &KeepingArguments,
) -> Result<(), Error> {
    let options: Vec<&str> = graph.of_reading().chain(keeping.given()).collect();
    match options.is_empty() {
        true => Ok(()),
        false => Err(Error::ReadBefore { path: graph.path.clone(), options: options.join(", ") }),
    }
}

/// Describes a folder of shards, if the path is one. All of them are verified first.
pub(crate) fn info(arguments: &InfoArguments) -> Option<Result<(), Error>> {
    Shards::are_in(&arguments.graph.path).then(|| describe(arguments))
}

fn describe(arguments: &InfoArguments) -> Result<(), Error> {
    let path = &arguments.graph.path;
    if arguments.plot.is_some() {
        return Err(Error::AreShards { path: path.clone() });
    }
    refuse_reading_options(&arguments.graph, &arguments.keeping)?;
    start_threads(arguments.graph.threads)?;
    let began = Instant::now();
    let shards = Shards::open(path)?;
    let bars = Bars::begin(format_args!("verifying {}", path.display()));
    shards.verify(&bars.progress())?;
    drop(bars);
    shards.notes().iter().for_each(console::note);
    match arguments.json {
        true => console::print(&format!("{:#}\n", json_of(&shards, path))),
        false => console::print(&text_of(&shards, path, began.elapsed())),
    }
}

fn text_of(shards: &Shards, path: &Path, took: Duration) -> String {
    let number = shards.num_shards();
    let kind = if shards.has_in_rows() { "directed" } else { "each in both directions" };
    let columns: Vec<String> =
        shards.columns().map(|(kind, name)| format!("{name} {}", kind.name())).collect();
    let root = shards.root().map_or_else(|| "none".to_owned(), |root| root.to_string());
    let layers = shards.layer_offsets().len() - 1;
    let mut text = format!("graph      {}; {}, verified ({took:.1?})\n", path.display(), shards_of(number));
    let mut lines = vec![
        (
            "vertices",
            format!("{}; {}", shards.num_vertices(), range(shards, |shard| shards.vertices_of(shard))),
        ),
        ("edges", format!("{}, {kind}", shards.num_edges())),
        ("out-rows", range(shards, |shard| shards.edges_of(shard, Direction::Out))),
        ("columns", if columns.is_empty() { "none".to_owned() } else { columns.join(", ") }),
        ("root", format!("{root}: {}", shards.root_reason())),
        ("layers", layers.to_string()),
        ("bytes", shards.bytes().to_string()),
    ];
    if shards.has_in_rows() {
        lines.insert(3, ("in-rows", range(shards, |shard| shards.edges_of(shard, Direction::In))));
    }
    for (name, what) in lines {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10} {what}");
    }
    text
}

/// Returns the smallest and the largest of a number of each shard, as text.
fn range(shards: &Shards, number: impl Fn(u16) -> u64) -> String {
    let numbers = || (0..shards.num_shards()).map(&number);
    let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
    if least == most { format!("{least} per shard") } else { format!("{least} to {most} per shard") }
}

fn json_of(shards: &Shards, path: &Path) -> Value {
    let each = |number: &dyn Fn(u16) -> u64| json!((0..shards.num_shards()).map(number).collect::<Vec<_>>());
    let in_edges = match shards.has_in_rows() {
        true => each(&|shard| shards.edges_of(shard, Direction::In)),
        false => Value::Null,
    };
    let columns: Vec<Value> = shards
        .columns()
        .map(|(kind, name)| object([("name", json!(name)), ("type", json!(kind.name()))]))
        .collect();
    object([
        ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
        ("shards", json!(shards.num_shards())),
        ("path", json!(path.display().to_string())),
        ("vertices", json!(shards.num_vertices())),
        ("edges", json!(shards.num_edges())),
        ("symmetric", json!(!shards.has_in_rows())),
        ("columns", json!(columns)),
        ("root", json!(shards.root())),
        ("layers", json!(shards.layer_offsets().len() - 1)),
        ("bytes", json!(shards.bytes())),
        (
            "each",
            object([
                ("vertices", each(&|shard| shards.vertices_of(shard))),
                ("out_edges", each(&|shard| shards.edges_of(shard, Direction::Out))),
                ("in_edges", in_edges),
            ]),
        ),
    ])
}
