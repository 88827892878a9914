//! Writes the table of the time that a user waits for the command.

use serde_json::Value;

use super::page::{Objects, words};
use crate::record::page::line;

/// Columns of the table: their titles, and the stages in the benchmark's objects.
const STAGES: [(&str, &str); 7] = [
    ("engine", "engine"),
    ("open", "open"),
    ("plan", "plan"),
    ("compile", "compile"),
    ("load", "load"),
    ("run", "run"),
    ("read back", "read_back"),
];

/// Returns the table of times from the start of the command to its end, by stages.
pub(super) fn end_to_end(objects: &Objects<'_>) -> String {
    let mut text = String::from("## From start to answer\n\n");
    if objects.of("end to end").next().is_none() {
        return text + "Not run.\n";
    }
    text += "Milliseconds of `wolfpath run PROGRAM GRAPH --engine cuda --json`, by `--end-to-end`: medians of 7 processes\n\
             over a kept graph, whose pages and program are in caches. *Start to end* is the whole process; its end\n\
             includes releasing the device. *Answer* is the time from the start until the report is printed. The engine\n\
             is created while the graph is opened, and a program is compiled while the graph is loaded. *First time* is a\n\
             process with an empty cache of programs.\n\n";
    let titles: Vec<&str> = STAGES.iter().map(|(title, _)| *title).collect();
    line(
        &mut text,
        &format!(
            "| graph | program | start to end | answer | {} | first time | of which NVRTC |",
            titles.join(" | ")
        ),
    );
    line(&mut text, &format!("|---|---|{}", "---:|".repeat(STAGES.len() + 4)));
    for object in objects.of("end to end") {
        let (graph, program) = (words(object, "graph"), words(object, "program"));
        if let Some(error) = object["error"].as_str() {
            line(&mut text, &format!("| {graph} | {program} | failed: {error} |"));
            continue;
        }
        let stages: Vec<String> = STAGES.iter().map(|(_, key)| tenths(&object["stages_ms"][key])).collect();
        let row = [
            format!("**{}**", tenths(&object["wall_ms"])),
            tenths(&object["total_ms"]),
            stages.join(" | "),
            tenths(&object["first_wall_ms"]),
            tenths(&object["first_compile_ms"]),
        ];
        line(&mut text, &format!("| {graph} | {program} | {} |", row.join(" | ")));
    }
    for object in objects.of("read back") {
        let graph = words(object, "graph");
        let [read, paired] = ["read_ms", "with_ids_ms"].map(|key| hundredths(&object[key]));
        line(
            &mut text,
            &format!(
                "\nReading back the {} values of bfs over {graph} takes {read} ms, and with their ids {paired} ms \
                 (medians of 7 outcomes).",
                object["values"]
            ),
        );
    }
    text
}

/// Returns a time in milliseconds with two decimals, or an empty text if there is none.
fn hundredths(time: &Value) -> String {
    time.as_f64().map_or_else(String::new, |time| format!("{time:.2}"))
}

/// Returns a time in milliseconds with one decimal, or an empty text if there is none.
fn tenths(time: &Value) -> String {
    time.as_f64().map_or_else(String::new, |time| format!("{time:.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_a_column() {
        assert!(end_to_end(&Objects(&[])).ends_with("Not run.\n"));
        let object = serde_json::json!({
            "kind": "end to end", "graph": "G", "program": "bfs", "wall_ms": 240.04, "total_ms": 180.0,
            "stages_ms": {"engine": 150.0, "open": 15.0, "plan": 0.1, "compile": 2.0, "load": 12.0, "run": 0.25,
            "read_back": 2.0}, "first_wall_ms": 600.0, "first_compile_ms": 380.0,
        });
        let text = end_to_end(&Objects(&[object]));
        let last = text.lines().last().expect("there is a row");
        assert_eq!(
            last,
            "| G | bfs | **240.0** | 180.0 | 150.0 | 15.0 | 0.1 | 2.0 | 12.0 | 0.2 | 2.0 | 600.0 | 380.0 |"
        );
        let columns = |line: &str| line.matches('|').count();
        let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert!(table.iter().all(|line| columns(line) == columns(last)), "{text}");
    }
}
