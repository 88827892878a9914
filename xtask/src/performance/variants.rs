//! Writes the tables of runs that override the plan: with every schedule, and without each optimization.

use serde_json::Value;

use super::page::{Objects, name, time, words};
use crate::record::page::{answer, line};

/// Schedules, in the order of the table's columns.
const SCHEDULES: [&str; 5] = ["frontier", "bucket", "pull", "sweep", "union"];

pub(super) fn schedules(objects: &Objects<'_>) -> String {
    let mut text = String::from("## Every schedule\n\n");
    let all: Vec<&Value> = objects.of("schedule").collect();
    if all.is_empty() {
        return text + "Not run.\n";
    }
    line(
        &mut text,
        "Medians in milliseconds, and in multiples of the time of the plan's own choice.\n\n\
         | graph | program | frontier | bucket | pull | sweep | union |\n|---|---|---:|---:|---:|---:|---:|",
    );
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for object in &all {
        let row = (words(object, "graph"), words(object, "program"));
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let mut refused: Vec<(String, Vec<String>)> = Vec::new();
    for (graph, program) in rows {
        let cells = SCHEDULES.map(|asked| {
            let is_it = |object: &&&Value| {
                object["graph"] == graph && object["program"] == program && object["asked"] == asked
            };
            let Some(object) = all.iter().find(is_it) else { return String::new() };
            if let Some(reason) = object["refused"].as_str().or(object["stopped"].as_str()) {
                let case = format!("{program} over {graph} by {asked}");
                match refused.iter_mut().find(|(of, _)| of == reason) {
                    Some((_, cases)) => cases.push(case),
                    None => refused.push((reason.to_owned(), vec![case])),
                }
            }
            schedule_cell(object)
        });
        line(&mut text, &format!("| {graph} | {program} | {} |", cells.join(" | ")));
    }
    for (reason, cases) in refused {
        line(&mut text, &format!("\nNo time for {}: {reason}.", cases.join("; ")));
    }
    failures(&mut text, &all);
    text
}

fn schedule_cell(object: &Value) -> String {
    if let Some(word) = ["refused", "stopped"].into_iter().find(|&word| object[word].is_string()) {
        return word.to_owned();
    }
    let times = object["times_chosen"].as_f64().map_or_else(String::new, |times| format!(" ({times:.2} x)"));
    match object["wrong"].as_u64() {
        Some(0) => time(object, "median_ms") + &times,
        _ => answer(object),
    }
}

pub(super) fn ablations(objects: &Objects<'_>) -> String {
    let mut text = String::from("## Effect of each optimization\n\n");
    let all: Vec<&Value> = objects.of("ablation").collect();
    if all.is_empty() {
        return text + "Not run.\n";
    }
    line(
        &mut text,
        "Medians in milliseconds, with and without one optimization. Without layered order, the same graph has\n\
         its vertices in random order. Buckets and sweeps are compared with the schedule `frontier`.\n\n\
         | optimization | graph | program | with | without | without / with |\n|---|---|---|---:|---:|---:|",
    );
    let side =
        |object: &Value, key: &str| object[key].as_str().map_or_else(|| time(object, key), str::to_owned);
    for object in all.iter().filter(|object| object["error"].is_null()) {
        let ratio = object["ratio"].as_f64().map_or_else(String::new, |ratio| format!("**{ratio:.2}**"));
        let row = format!(
            "| {} | {} | {} | {} | {} | {ratio} |",
            words(object, "technique"),
            words(object, "graph"),
            words(object, "program"),
            side(object, "with_ms"),
            side(object, "without_ms")
        );
        line(&mut text, &row);
    }
    failures(&mut text, &all);
    text
}

/// Adds the lines that ended with an error.
pub(super) fn failures(text: &mut String, objects: &[&Value]) {
    for object in objects.iter().filter(|object| object["error"].is_string()) {
        line(text, &format!("\n**{} failed**: {}.", name(object), words(object, "error")));
    }
}
