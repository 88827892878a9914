//! Writes the table of the parts of a thin step.

use serde_json::Value;

use super::page::{Objects, time, words};
use crate::record::page::line;

/// Returns the table of the parts, with the time of a whole step.
pub(super) fn steps(objects: &Objects<'_>) -> String {
    let mut text = String::from("## Parts of a thin step\n\n");
    let Some(step) = objects.of("step").next() else {
        return text + "Not run.\n";
    };
    if let Some(error) = step["error"].as_str() {
        return text + &format!("Not measured: {error}\n");
    }
    let us = |value: &Value| value.as_f64().map_or_else(String::new, |time| format!("{time:.2}"));
    line(
        &mut text,
        &format!(
            "Without local rounds, {} over {} takes {} steps and {} ms. The memory latencies of such a step were measured\n\
             separately, without a graph: every warp takes one edge, and each part is a read, from a table of 16 MB, whose\n\
             address depends on the previous part. The rest of a step is instructions, and edges beyond one per warp.\n\n\
             | part | us |\n|---|---:|",
            words(step, "program"),
            words(step, "graph"),
            step["steps"],
            time(step, "median_ms"),
        ),
    );
    for part in step["parts"].as_array().map_or(&[][..], Vec::as_slice) {
        line(&mut text, &format!("| {} | {} |", words(part, "part"), us(&part["us"])));
    }
    line(&mut text, &format!("| **sum** | **{}** |", us(&step["waited_us"])));
    line(&mut text, &format!("| **whole step** | **{}** |", us(&step["step_us"])));
    text
}
