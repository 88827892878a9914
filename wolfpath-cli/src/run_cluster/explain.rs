//! `wolfpath explain --engine cluster`: prints what each process would need for a run, without connecting any.

use std::fmt::Write;
use std::num::NonZeroU16;

use serde_json::{Value, json};
use wolfpath::RunOptions;
use wolfpath::cluster::{ClusterPlan, ProcessPlan, Shards};
use wolfpath::prelude::*;
use wolfpath::program::Datum;

use super::weights::FileWeights;
use super::{described, open, sources_or_root};
use crate::arguments::RunArguments;
use crate::console;
use crate::error::Error;
use crate::json::object;
use crate::number;
use crate::open::start_threads;
use crate::run::{ignored_weights, options};
use crate::shards::refuse_reading_options;
use crate::sources::NamedSources;
use crate::task::{self, Asked, Setup, Visitor};

pub(crate) fn explain(arguments: &RunArguments) -> Result<(), Error> {
    refuse_reading_options(&arguments.graph, &arguments.keeping)?;
    start_threads(arguments.graph.threads)?;
    let shards = open(arguments)?;
    let mut idle = arguments.of_a_run();
    // The plan has the bytes of a checkpoint.
    idle.retain(|&option| option != "--checkpoint");
    idle.extend(arguments.cluster.given().filter(|&option| option != "--processes"));
    if !idle.is_empty() {
        console::note(format_args!("explain does not run the program and ignores {}", idle.join(", ")));
    }
    let named = NamedSources::of(arguments)?;
    let sources = sources_or_root(&named, arguments, &shards)?;
    let weights = FileWeights(&shards, arguments.weights);
    let (number, note) = number::choose(arguments.program, arguments.precision, weights)?;
    let ignored = ignored_weights(arguments, shards.columns().len() > 0);
    let notes: Vec<String> = note.into_iter().chain(ignored).chain(arguments.notes(false)).collect();
    shards.notes().iter().chain(&notes).for_each(console::note);
    let setup = Setup::new(arguments, sources, None);
    let explainer = Explainer { arguments, shards: &shards, setup: &setup, options: options(arguments) };
    let (plan, number) = task::visit(arguments.program, number, &setup, explainer)?;
    match arguments.json {
        true => console::print(&format!("{:#}\n", json_of(arguments, &shards, &plan, number))),
        false => console::print(&text_of(arguments, &shards, &plan, number)),
    }
}

/// Visitor that plans the run of the selected program.
struct Explainer<'a> {
    arguments: &'a RunArguments,
    shards: &'a Shards,
    setup: &'a Setup,
    options: RunOptions,
}

impl Visitor for Explainer<'_> {
    type Output = (ClusterPlan, &'static str);

    fn visit<P: EdgeProgram>(self, asked: &Asked<'_, P>) -> Result<Self::Output, Error> {
        let program = (asked.from)(&self.setup.sources);
        let processes = NonZeroU16::new(self.arguments.cluster.processes()).unwrap_or(NonZeroU16::MIN);
        let plan = self.shards.plan(&program, processes, self.arguments.weights, &self.options)?;
        Ok((plan, P::Value::KIND.name()))
    }
}

/// The numbers of a process: name of the column, name of the JSON field, and value.
fn numbers(process: &ProcessPlan) -> [(&'static str, &'static str, u64); 12] {
    [
        ("vertices", "vertices", process.vertices),
        ("edges", "edges", process.edges),
        ("mirrors", "mirrors", process.mirrors),
        ("row bytes", "row_bytes", process.row_bytes),
        ("name bytes", "name_bytes", process.name_bytes),
        ("value bytes", "value_bytes", process.value_bytes),
        ("message bytes", "message_bytes", process.message_bytes),
        ("memory", "memory_bytes", process.memory_bytes()),
        ("mapped", "mapped_bytes", process.mapped_bytes),
        ("sent", "sent_bytes", process.sent_bytes),
        ("received", "received_bytes", process.received_bytes),
        ("checkpoint", "checkpoint_bytes", process.checkpoint_bytes),
    ]
}

fn text_of(arguments: &RunArguments, shards: &Shards, plan: &ClusterPlan, number: &str) -> String {
    let processes = plan.processes();
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10} {what}");
    };
    line(
        "graph",
        format!("{}: {}", arguments.graph.path.display(), described(shards, arguments, processes.len()).text),
    );
    line("program", format!("{} with {number} values", arguments.program.name()));
    line("engine", format!("cluster: {} share the rows", processes_of(processes.len())));
    line("schedule", plan.schedule().name().to_owned());
    line(
        "memory",
        "sum of the bytes of rows, names, values and messages; files of shards are mapped".to_owned(),
    );
    line("sent", "bytes to other processes, in a step in which all vertices take part".to_owned());
    let keeps = arguments.checkpoints.kept().is_some();
    if keeps {
        let what = "bytes of a copy of the state; besides the memory, twice while it is copied, then once";
        line("checkpoint", what.to_owned());
    }
    let shown = |process: &ProcessPlan| {
        numbers(process).into_iter().filter(move |(_, name, _)| keeps || *name != "checkpoint_bytes")
    };
    let rows: Vec<Vec<String>> = processes
        .iter()
        .enumerate()
        .map(|(at, process)| {
            let numbers = shown(process).map(|(_, _, number)| number.to_string());
            [at.to_string()].into_iter().chain(numbers).collect()
        })
        .collect();
    let heads = shown(&ProcessPlan::default()).map(|(head, _, _)| head.to_owned());
    let heads: Vec<String> = ["process".to_owned()].into_iter().chain(heads).collect();
    let width = |at: usize| rows.iter().chain([&heads]).map(|row| row[at].len()).max().unwrap_or(0);
    for row in [&heads].into_iter().chain(&rows) {
        let cells: Vec<String> =
            row.iter().enumerate().map(|(at, cell)| format!("{cell:>width$}", width = width(at))).collect();
        let _ = writeln!(text, "{}", cells.join("  "));
    }
    text
}

fn processes_of(number: usize) -> String {
    if number == 1 { "1 process".to_owned() } else { format!("{number} processes") }
}

fn json_of(arguments: &RunArguments, shards: &Shards, plan: &ClusterPlan, number: &str) -> Value {
    let process = |process: &ProcessPlan| -> Value {
        Value::Object(
            numbers(process).map(|(_, name, number)| (name.to_owned(), json!(number))).into_iter().collect(),
        )
    };
    object([
        ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
        ("program", json!(arguments.program.name())),
        ("number", json!(number)),
        ("graph", described(shards, arguments, plan.processes().len()).json),
        ("engine", json!("cluster")),
        ("schedule", json!(plan.schedule().name())),
        ("processes", plan.processes().iter().map(process).collect()),
    ])
}
