//! Writes the page from the JSON objects that the benchmark printed.

use serde_json::Value;

use super::chart;
use super::end_to_end::end_to_end;
use super::steps::steps;
use super::variants::{ablations, schedules};
use crate::record::output::Output;
use crate::record::page::{answer, line, machine};

/// Returns the whole page.
pub(crate) fn text(output: &Output) -> String {
    let objects = Objects(&output.performance);
    let parts = [lines, floors, end_to_end, steps, schedules, ablations].map(|part| part(&objects));
    [head(output, &objects)].into_iter().chain(parts).collect::<Vec<_>>().join("\n")
}

/// Returns the charts as SVG: of the results and other systems, and of the results and their floors.
pub(super) fn charts(output: &Output) -> crate::Result<[String; 2]> {
    let date = output.of("date").split('T').next().unwrap_or_default();
    let (objects, device) = (Objects(&output.performance), output.of("device"));
    Ok([chart::svg(&objects, device, date)?, chart::floors_svg(&objects, device, date)?])
}

/// Objects that the benchmark printed.
pub(super) struct Objects<'a>(pub(super) &'a [Value]);

impl<'a> Objects<'a> {
    /// Returns the objects of one kind.
    pub(super) fn of(&self, kind: &'static str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.0.iter().filter(move |object| object["kind"] == kind)
    }
}

/// Returns a text of an object, or an empty text if there is none.
pub(super) fn words<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_default()
}

/// Returns a time in milliseconds with three decimals, or an empty text if there is none.
pub(super) fn time(object: &Value, key: &str) -> String {
    object[key].as_f64().map_or_else(String::new, |time| format!("{time:.3}"))
}

fn count(object: &Value, key: &str) -> String {
    object[key].as_u64().map_or_else(String::new, |count| count.to_string())
}

fn head(output: &Output, objects: &Objects<'_>) -> String {
    let mut text = String::from(
        "# Performance\n\n\
         `cargo xtask performance` wrote this page from a run of `cargo bench --features full --bench gpu` on a GPU.\n\
         [Measuring](measuring.md) describes what is measured, and how.\n\n",
    );
    machine(&mut text, output);
    for object in objects.of("head") {
        line(
            &mut text,
            &format!("| command | `{}` |", words(object, "command").trim_end_matches([' ', '-'])),
        );
    }
    text
}

fn lines(objects: &Objects<'_>) -> String {
    let mut text = String::from(
        "## Times and targets\n\n\
         Milliseconds by the device's clock, from initial values to final values on the device. Each line has a target\n\
         (*must*), and some an aim. The fastest other system was timed on the same kind of device over the same file.\n\
         *x floor* is the median divided by the [floor](#floors).\n\n\
         ![The time of each line, its floor, and the time of the fastest other system](images/floors.svg)\n\n\
         | graph | program | median | range | runs | fastest other system | must | aim | verdict | steps | edges visited | launches | x floor | answers |\n\
         |---|---|---:|---:|---:|---|---|---|---|---:|---:|---:|---:|---|\n",
    );
    for object in objects.of("line") {
        line(&mut text, &line_row(object));
    }
    line(&mut text, "");
    line(&mut text, &verdict(objects));
    for object in objects.of("graph") {
        if let Some(error) = object["error"].as_str() {
            line(&mut text, &format!("\n**{} was not run**: {error}.", words(object, "graph")));
        }
        if let Some(note) = object["note"].as_str() {
            line(&mut text, &format!("\n{}: {note}.", words(object, "graph")));
        }
    }
    text
}

fn line_row(object: &Value) -> String {
    let peer = object["peer_ms"]
        .as_f64()
        .map_or_else(String::new, |time| format!("{time} {}{}", words(object, "peer"), note(object)));
    let verdict = match words(object, "verdict") {
        "MISSED" => "**missed**",
        other => other,
    };
    let distance = object["distance"].as_f64().map_or_else(String::new, |times| format!("{times:.2}"));
    format!(
        "| {} | {} | **{}** | {} to {} | {} | {peer} | {} | {} | {verdict} | {} | {} | {} | {distance} | {} |",
        words(object, "graph"),
        words(object, "program"),
        time(object, "median_ms"),
        time(object, "min_ms"),
        time(object, "max_ms"),
        count(object, "runs"),
        bound(object, "must", "must_ms", words(object, "shown")),
        bound(object, "aim", "aim_ms", ""),
        count(object, "steps"),
        count(object, "edges"),
        count(object, "launches"),
        answer(object)
    )
}

/// Returns the note about the peer's time, in parentheses.
fn note(object: &Value) -> String {
    object["peer_note"].as_str().map_or_else(String::new, |note| format!(" ({note})"))
}

/// Returns a bound in milliseconds. If the bound was set in another unit, adds the bound and the median in that unit.
fn bound(object: &Value, set: &str, milliseconds: &str, shown: &str) -> String {
    let (set, time) = (words(object, set), time(object, milliseconds));
    match (set.is_empty() || set.ends_with(" ms"), shown.is_empty()) {
        (true, _) => time,
        (false, true) => format!("{time} ({set})"),
        (false, false) => format!("{time} ({set}; it takes {shown})"),
    }
}

/// Returns a text about the lines that miss their targets, and those that were not measured.
fn verdict(objects: &Objects<'_>) -> String {
    let held: Vec<&Value> = objects.of("line").filter(|object| object["must"].is_string()).collect();
    let missed: Vec<String> =
        held.iter().filter(|object| object["verdict"] == "MISSED").map(|object| name(object)).collect();
    let mut text = match missed.len() {
        0 => format!("All {} lines with a target reach it.", held.len()),
        some => format!("Of {} lines with a target, {some} miss it: {}.", held.len(), missed.join("; ")),
    };
    let not_run: Vec<String> = objects.of("not run").map(name).collect();
    if !not_run.is_empty() {
        text += &format!(" Not measured: {}.", not_run.join("; "));
    }
    for object in objects.of("left out") {
        text += &format!(" The time limit was reached before {}.", words(object, "what"));
    }
    text
}

pub(super) fn name(object: &Value) -> String {
    format!("{}, {}", words(object, "graph"), words(object, "program"))
}

fn floors(objects: &Objects<'_>) -> String {
    let mut text = String::from("## Floors\n\n");
    let Some(rates) = objects.of("head").map(|head| &head["rates"]).next() else { return text };
    let reads = rates["random_reads"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let reads: Vec<String> = reads
        .map(|read| {
            let (size, rate) = (read["table_mib"].as_f64(), read["reads_a_second"].as_f64());
            format!("{} G at {} MiB", rate.unwrap_or_default() / 1e9, size.unwrap_or_default())
        })
        .collect();
    line(
        &mut text,
        &format!(
            "The floor is the least time that the device needs for what the run did: the larger of sequential and random reads, plus\n\
             one barrier per step ([what is counted](measuring.md#floors)). It uses rates of {}, {}: {:.2} TB/s sequentially;\n\
             random reads per second by table size {}, interpolated; {} us per barrier. Times are in milliseconds.\n\n\
             | graph | program | sequential reads | random reads | barriers | floor | largest part |\n|---|---|---:|---:|---:|---:|---|",
            words(rates, "device"),
            words(rates, "date"),
            rates["bytes_a_second"].as_f64().unwrap_or_default() / 1e12,
            reads.join(", "),
            rates["barrier_us"].as_f64().map_or_else(String::new, |time| format!("{time:.2}")),
        ),
    );
    for object in objects.of("line").filter(|object| object["error"].is_null()) {
        let row = format!(
            "| {} | {} | {} | {} | {} | **{}** | {} |",
            words(object, "graph"),
            words(object, "program"),
            time(object, "floor_bytes_ms"),
            time(object, "floor_random_ms"),
            time(object, "floor_barriers_ms"),
            time(object, "floor_ms"),
            words(object, "floor_of")
        );
        line(&mut text, &row);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects as the benchmark prints them. The figures are invented.
    const SAMPLE: &str = include_str!("sample.jsonl");

    fn page() -> String {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let objects = SAMPLE.lines().map(|line| serde_json::from_str(line).expect("one object per line"));
        text(&Output {
            provenance: vec![
                pair("commit", "c0ffee"),
                pair("sources", "abc"),
                pair("device", "H100"),
                pair("date", "D"),
            ],
            suite: None,
            rows: None,
            streamed: None,
            corpus: None,
            shows: Vec::new(),
            examples: Vec::new(),
            benches: Vec::new(),
            performance: objects.collect(),
            sanitized: Vec::new(),
            soak: None,
            several: None,
        })
    }

    #[test]
    fn a_page_of_a_run() {
        let page = page();
        for part in [
            "| commit | `c0ffee` |",
            "| device | H100 |",
            "| command | `cargo bench --bench gpu -- --json --schedules --ablations` |",
            "| R-MAT 22 | bfs | **0.200** | 0.190 to 0.210 | 10 | 0.69 Gunrock 1.2 | 0.280 | 0.180 | met | 6 | 4000000 | 1 | 2.00 | right |",
            "| path 1M | bfs | **1.600** | 1.500 to 1.700 | 10 |  | 1.500 (1.5 us per level; it takes 1.60 us per level) | 0.700 (0.7 us per level) | **missed** |",
            "**failed: the device is lost**",
            "Of 4 lines with a target, 2 miss it: R-MAT 22, sssp; path 1M, bfs. Not measured: R-MAT 22, bfs, 64 sources at once.",
            "The time limit was reached before star 10M.",
            "cnr-2000: from 0, which reaches 9 of 10 vertices (tried 0: 9).",
            "3.09 TB/s sequentially;\nrandom reads per second by table size 137 G at 16 MiB, 100 G at 32 MiB,",
            "| R-MAT 22 | bfs | 0.020 | 0.080 | 0.020 | **0.100** | random reads |",
            "| R-MAT 22 | bfs | 0.400 (2.00 x) | refused | **3 wrong** | stopped |",
            "No time for bfs over R-MAT 22 by bucket: its messages have no order.",
            "| layered order | R-MAT 22 | bfs | 0.200 | 0.500 | **2.50** |",
            "| barrier | 1.01 |",
            "| **sum** | **2.81** |",
            "| **whole step** | **4.31** |",
            "bfs over USA-road-NE takes 1086 steps and 4.681 ms",
            "| buckets | R-MAT 22 | sssp | 2.500 | not done after 1 s and 7 steps |  |",
        ] {
            assert!(page.contains(part), "{part} in:\n{page}");
        }
    }

    #[test]
    fn parts_that_did_not_run_are_said() {
        let only = Value::from_iter([("kind", "line"), ("graph", "g"), ("program", "bfs")]);
        let objects = Objects(std::slice::from_ref(&only));
        assert!(schedules(&objects).contains("Not run.") && ablations(&objects).contains("Not run."));
    }
}
