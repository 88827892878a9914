//! What a thin step is made of.

use serde_json::Value;

use super::page::{Objects, time, words};
use crate::record::page::line;

/// The table of parts, beside what a step takes.
pub(super) fn steps(objects: &Objects<'_>) -> String {
    let mut text = String::from("## What a thin step is made of\n\n");
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
            "Where the whole device goes from step to step, {} over {} takes {} steps and {} ms. What the device waits for in\n\
             such a step was measured on it without a graph: every warp takes one edge, each part depends on the one before,\n\
             and lies in a table of 16 MB. The rest is instructions, and steps with more than an edge a warp.\n\n\
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
    line(&mut text, &format!("| **waited for** | **{}** |", us(&step["waited_us"])));
    line(&mut text, &format!("| **a step** | **{}** |", us(&step["step_us"])));
    text
}
