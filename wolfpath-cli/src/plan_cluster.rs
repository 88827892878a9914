//! `wolfpath plan-cluster`: what the machines of a cluster would hold and receive, without running anything.

use std::fmt::Write;
use std::num::NonZeroU16;

use serde_json::{Value, json};
use wolfpath::cluster::{Deal, Forecast, Machine};

use crate::arguments::PlanClusterArguments;
use crate::bars::Bars;
use crate::console;
use crate::error::Error;
use crate::json::{graph_json, object};
use crate::open::{open, origin};

/// Bytes of a message, as in most bundled programs, and of a part of a sum.
const MESSAGE_BYTES: u64 = 4;
const PART_BYTES: u64 = 8;

pub(crate) fn plan_cluster(arguments: &PlanClusterArguments) -> Result<(), Error> {
    let options = arguments.keeping.of(arguments.graph.options()?);
    let (graph, took) = open(&arguments.graph, &options)?;
    let bars = Bars::begin("dealing");
    let deal = Deal::new(&graph, arguments.shards.unwrap_or(arguments.machines))?;
    let mut forecasts = Vec::new();
    for machines in numbers(arguments.machines) {
        bars.say(format_args!("counting for {machines} machines"));
        forecasts.push(Forecast::new(&graph, &deal, machines)?);
        console::go_on()?;
    }
    drop(bars);
    if arguments.json {
        let each: Vec<Value> = forecasts.iter().map(json).collect();
        let plan = object([
            ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
            ("graph", graph_json(&graph, &arguments.graph.path)),
            ("shards", json!(deal.num_shards())),
            ("message_bytes", json!(MESSAGE_BYTES)),
            ("forecasts", json!(each)),
        ]);
        return console::print(&format!("{plan:#}\n"));
    }
    let mut text = format!(
        "graph      {}; {} ({took:.1?})\nshards     {}\n\n{:>8} {:>12} {:>12} {:>7} {:>7} {:>12} {:>12} {:>8}\n",
        arguments.graph.path.display(),
        origin(&graph),
        deal.num_shards(),
        "machines",
        "vertices",
        "edges",
        "most",
        "cut",
        "mirrors",
        "received",
        "guests",
    );
    for forecast in &forecasts {
        let (vertices, _) = forecast.mean_and_most(|machine| machine.vertices);
        let (edges, most_edges) = forecast.mean_and_most(|machine| machine.edges);
        let (cut, _) = forecast.mean_and_most(|machine| machine.cut);
        let (mirrors, _) = forecast.mean_and_most(|machine| machine.senders);
        let (_, received) = forecast.mean_and_most(received);
        let (guests, _) = forecast.mean_and_most(|machine| machine.guests);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>8} {vertices:>12.0} {edges:>12.0} {:>7.3} {:>5.1} % {mirrors:>12.0} {received:>12} {guests:>8.1}",
            forecast.machines().len(),
            most_edges as f64 / edges.max(1.0),
            100.0 * cut / edges.max(1.0),
        );
    }
    console::print(&text)
}

/// Returns the bytes that a machine receives in a step in which all vertices send 4 bytes and gather.
fn received(machine: &Machine) -> u64 {
    MESSAGE_BYTES * machine.senders + PART_BYTES * machine.guests
}

/// Returns the numbers of machines: powers of two, and the largest number.
fn numbers(most: NonZeroU16) -> Vec<NonZeroU16> {
    let powers = (1..16).map(|power| 1u16 << power).take_while(|&number| number < most.get());
    powers.chain([most.get()]).filter_map(NonZeroU16::new).collect()
}

fn json(forecast: &Forecast) -> Value {
    let each = |number: fn(&Machine) -> u64| {
        let (mean, most) = forecast.mean_and_most(number);
        object([("mean", json!(mean)), ("most", json!(most))])
    };
    object([
        ("machines", json!(forecast.machines().len())),
        ("vertices", each(|machine| machine.vertices)),
        ("edges", each(|machine| machine.edges)),
        ("cut", each(|machine| machine.cut)),
        ("senders", each(|machine| machine.senders)),
        ("receivers", each(|machine| machine.receivers)),
        ("guests", each(|machine| machine.guests)),
        ("received_bytes", each(received)),
    ])
}
