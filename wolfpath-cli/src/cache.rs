//! `wolfpath cache`: shows, removes and limits what is kept between runs.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use wolfpath::cache::{CacheContents, CacheFolder, Cleared, KeptGraph, Kind, Total};

use crate::arguments::CacheCommand;
use crate::bars::scaled;
use crate::console;
use crate::error::Error;
use crate::json::object;

pub(crate) fn cache(command: CacheCommand) -> Result<(), Error> {
    let folder = CacheFolder::of_user()?;
    match command {
        CacheCommand::List { json: false } => console::print(&list(&folder, &folder.contents()?)),
        CacheCommand::List { json: true } => {
            console::print(&format!("{:#}\n", list_json(&folder, &folder.contents()?)))
        }
        CacheCommand::Clear => console::print(&cleared(&folder, &folder.clear()?)),
        CacheCommand::Limit { size } => {
            size.map(|size| folder.set_limit(size)).transpose()?;
            let contents = folder.contents()?;
            let (limit, taken) = (bytes(contents.limit), bytes(sum(&contents.graphs).bytes));
            let from_now_on = if size.is_some() { ", enforced when the next graph is kept" } else { "" };
            console::print(&format!(
                "the limit for kept graphs is {limit} ({} bytes){from_now_on}; they use {taken}\n",
                contents.limit
            ))
        }
    }
}

fn list(folder: &CacheFolder, contents: &CacheContents) -> String {
    let CacheContents { graphs, programs, devices, limit, .. } = contents;
    let all = sum(graphs);
    let mut text = format!("folder     {}\n", folder.path().display());
    // Writing to a String cannot fail.
    let _ = writeln!(text, "graphs     {}, {} of at most {}", all.files, bytes(all.bytes), bytes(*limit));
    let _ = writeln!(text, "programs   {}, {}, compiled for GPUs", programs.files, bytes(programs.bytes));
    let _ = writeln!(text, "devices    {}, {}, measured costs", devices.files, bytes(devices.bytes));
    if !graphs.is_empty() {
        let _ = writeln!(text, "\n{:>10}  {:>8}  {:>8}  input", "size", "used", "made");
    }
    let now = SystemTime::now();
    for graph in graphs {
        let (used, made) = (ago(now, graph.used), ago(now, graph.made));
        let _ = writeln!(text, "{:>10}  {used:>8}  {made:>8}  {}", bytes(graph.bytes), input(graph));
    }
    text
}

/// Returns the input of a kept graph and the options that it was read with, as text.
fn input(graph: &KeptGraph) -> String {
    match (&graph.input, &graph.options) {
        (Some(input), Some(options)) => format!("{input} ({options})"),
        (Some(input), None) => input.clone(),
        (None, _) => format!("unknown: {} is damaged or of another version", graph.name),
    }
}

fn list_json(folder: &CacheFolder, contents: &CacheContents) -> Value {
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let graph = |graph: &KeptGraph| {
        object([
            ("input", json!(graph.input)),
            ("options", json!(graph.options)),
            ("file", json!(folder.file(Kind::Graphs, &graph.name).to_string_lossy())),
            ("bytes", json!(graph.bytes)),
            ("made", json!(seconds(graph.made))),
            ("used", json!(seconds(graph.used))),
        ])
    };
    let total = |total: Total| object([("files", json!(total.files)), ("bytes", json!(total.bytes))]);
    object([
        ("folder", json!(folder.path().to_string_lossy())),
        ("limit", json!(contents.limit)),
        ("bytes", json!(sum(&contents.graphs).bytes)),
        ("graphs", contents.graphs.iter().map(graph).collect()),
        ("programs", total(contents.programs)),
        ("devices", total(contents.devices)),
    ])
}

fn cleared(folder: &CacheFolder, Cleared { graphs, programs, devices, .. }: &Cleared) -> String {
    let removed = |what: &str, total: &Total| format!("{what}: {} ({})", total.files, bytes(total.bytes));
    let all = [
        removed("kept graphs", graphs),
        removed("compiled programs", programs),
        removed("measured costs of devices", devices),
    ];
    format!("removed from {}: {}\n", folder.path().display(), all.join(", "))
}

fn sum(graphs: &[KeptGraph]) -> Total {
    Total { files: graphs.len() as u64, bytes: graphs.iter().map(|graph| graph.bytes).sum() }
}

fn bytes(bytes: u64) -> String {
    let (number, prefix) = scaled(bytes as f64);
    if prefix.is_empty() { format!("{bytes} B") } else { format!("{number} {prefix}B") }
}

/// Returns the age of a time as text, in the largest unit in which it is at least 2.
fn ago(now: SystemTime, time: SystemTime) -> String {
    let seconds = now.duration_since(time).unwrap_or(Duration::ZERO).as_secs();
    let units = [(86_400, "d"), (3600, "h"), (60, "min")];
    let unit = units.into_iter().find(|(length, _)| seconds >= 2 * length);
    unit.map_or_else(|| format!("{seconds} s"), |(length, name)| format!("{} {name}", seconds / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_words() {
        let begin = UNIX_EPOCH;
        for (seconds, words) in [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (200_000, "2 d")]
        {
            assert_eq!(ago(begin + Duration::from_secs(seconds), begin), words);
        }
        assert_eq!(ago(begin, begin + Duration::from_secs(9)), "0 s", "a time in the future");
    }
}
