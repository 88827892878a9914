//! `wolfpath plan-cluster`: predicts the load of the machines of a cluster, without running anything.

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
    let mut dealt: Option<Deal> = None;
    let mut forecasts = Vec::new();
    for machines in numbers(arguments.machines) {
        bars.say(format_args!("counting for {machines} machines"));
        let shards = arguments.shards.unwrap_or(machines);
        let deal = match dealt.take() {
            Some(deal) if deal.num_shards() == shards.get() => deal,
            _ => Deal::new(&graph, shards)?,
        };
        console::go_on()?;
        forecasts.push((shards, Forecast::new(&graph, &deal, machines)?));
        console::go_on()?;
        dealt = Some(deal);
    }
    drop(bars);
    if arguments.json {
        let each: Vec<Value> =
            forecasts.iter().map(|(shards, forecast)| forecast_json(*shards, forecast)).collect();
        let plan = object([
            ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
            ("graph", graph_json(&graph, &arguments.graph.path)),
            ("message_bytes", json!(MESSAGE_BYTES)),
            ("forecasts", json!(each)),
        ]);
        return console::print(&format!("{plan:#}\n"));
    }
    let mut text = format!(
        "graph      {}; {} ({took:.1?})\n\n{:>8} {:>7} {:>12} {:>12} {:>7} {:>7} {:>12} {:>12} {:>8}\n",
        arguments.graph.path.display(),
        origin(&graph),
        "machines",
        "shards",
        "vertices",
        "edges",
        "most",
        "cut",
        "mirrors",
        "received",
        "guests",
    );
    for (shards, forecast) in &forecasts {
        let edges = forecast.mean(|machine| machine.edges);
        let of_edges = |number: f64| if edges > 0.0 { number / edges } else { 0.0 };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>8} {shards:>7} {:>12.0} {edges:>12.0} {:>7.3} {:>5.1} % {:>12.0} {:>12} {:>8.1}",
            forecast.machines().len(),
            forecast.mean(|machine| machine.vertices),
            of_edges(forecast.most(|machine| machine.edges) as f64),
            100.0 * of_edges(forecast.mean(|machine| machine.cut)),
            forecast.mean(|machine| machine.mirrors),
            forecast.most(received),
            forecast.mean(|machine| machine.guests),
        );
    }
    console::print(&text)
}

/// Returns the bytes that a machine receives in a step in which all vertices gather.
fn received(machine: &Machine) -> u64 {
    MESSAGE_BYTES * machine.mirrors + PART_BYTES * machine.parts
}

/// Returns the numbers of machines: powers of two from 2, and the largest number.
fn numbers(most: NonZeroU16) -> Vec<NonZeroU16> {
    let powers = (1..16).map(|power| 1u16 << power).take_while(|&number| number < most.get());
    powers.chain([most.get()]).filter_map(NonZeroU16::new).collect()
}

fn forecast_json(shards: NonZeroU16, forecast: &Forecast) -> Value {
    let each = |number: fn(&Machine) -> u64| {
        object([("mean", json!(forecast.mean(number))), ("most", json!(forecast.most(number)))])
    };
    object([
        ("machines", json!(forecast.machines().len())),
        ("shards", json!(shards)),
        ("vertices", each(|machine| machine.vertices)),
        ("edges", each(|machine| machine.edges)),
        ("cut", each(|machine| machine.cut)),
        ("mirrors", each(|machine| machine.mirrors)),
        ("receivers", each(|machine| machine.receivers)),
        ("guests", each(|machine| machine.guests)),
        ("parts", each(|machine| machine.parts)),
        ("received_bytes", each(received)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_sums_are_received_by_the_owner_of_a_row() {
        let mut machine = Machine::default();
        (machine.mirrors, machine.parts) = (5, 3);
        // Those that it has for others are sent, not received.
        machine.guests = 7;
        assert_eq!(received(&machine), 5 * 4 + 3 * 8);
    }

    #[test]
    fn numbers_are_powers_of_two_and_the_largest() {
        let of = |most| numbers(NonZeroU16::new(most).expect("it is positive")).into_iter().map(u16::from);
        assert!(of(1).eq([1]) && of(2).eq([2]) && of(3).eq([2, 3]) && of(8).eq([2, 4, 8]));
        assert!(of(u16::MAX).eq((1..16).map(|power| 1 << power).chain([u16::MAX])));
    }
}
