//! Parts of a thin step: how long the device waits in each part, compared with the measured time of a step over a road
//! network. The run uses no techniques, so every step ends with a barrier over the whole device.

use serde_json::json;
use wolfpath::cuda::{self, CostOrigin};
use wolfpath::{DeviceCosts, Techniques};

use super::timer::{Ran, Task, Timer};
use super::{Program, Result, Table};

/// Graph with thin steps.
const ROAD: &str = "USA-road-NE";

/// Times the steps of BFS if this is the road network, and prints them beside their parts.
pub(crate) fn measure(timer: &Timer<'_>, repeat: usize, table: &mut Table<'_>) -> Result<()> {
    if timer.prepared.of.name() != ROAD {
        return Ok(());
    }
    let calibration = match cuda::calibration(0) {
        Ok(calibration) => calibration,
        Err(error) => return table.failed("step", ROAD, "", &error.to_string()),
    };
    if let CostOrigin::Assumed { reason } = &calibration.origin {
        return table.failed("step", ROAD, "", reason);
    }
    let costs = calibration.costs;
    let options = Program::Bfs.options().techniques(Techniques::NONE);
    match timer.run(&Task { program: Program::Bfs, options, repeat }) {
        Ok(Ran::Timed(timing)) => {
            table.count(&timing);
            print(&costs, timing.steps, timing.median(), table)
        }
        Ok(Ran::Refused(reason) | Ran::Stopped(reason)) => table.failed("step", ROAD, "bfs", &reason),
        Err(error) => table.failed("step", ROAD, "bfs", &error.to_string()),
    }
}

fn print(costs: &DeviceCosts, steps: u64, median_ms: f64, table: &mut Table<'_>) -> Result<()> {
    let microseconds = |ns: f64| (ns / 10.0).round() / 100.0;
    let parts = costs.step_parts;
    let named = [
        ("barrier", costs.barrier_ns),
        ("queue", parts.queue_ns),
        ("row", parts.row_ns),
        ("destination", parts.end_ns),
        ("value", parts.value_ns),
    ];
    let whole = median_ms * 1e6 / steps.max(1) as f64;
    let waited: f64 = named.iter().map(|(_, ns)| ns).sum();
    let shown: Vec<String> =
        named.iter().map(|(name, ns)| format!("{name} {:.2}", microseconds(*ns))).collect();
    let words = format!(
        "a step of bfs over {ROAD} takes {:.2} us ({steps} steps, {median_ms:.3} ms); of that the device waits {:.2} us: {}",
        microseconds(whole),
        microseconds(waited),
        shown.join(", ")
    );
    let parts: Vec<_> =
        named.iter().map(|&(name, ns)| json!({"part": name, "us": microseconds(ns)})).collect();
    let object = json!({
        "kind": "step",
        "graph": ROAD,
        "program": Program::Bfs.name(),
        "steps": steps,
        "median_ms": median_ms,
        "step_us": microseconds(whole),
        "waited_us": microseconds(waited),
        "parts": parts,
    });
    table.say(&object, &words)
}
