//! Writes the record as a Markdown page.

use std::fmt::Write;

use serde_json::Value;

use super::HASH_ROW;
use super::output::Output;

/// Returns the whole page. Machines with several devices are not always at hand, so if no new output is of several devices, that
/// part of the `earlier` page is kept.
pub(crate) fn text(output: &Output, earlier: &str) -> String {
    let new = super::several::section(output.several.as_ref());
    let several = if output.several.is_none() { super::several::kept(earlier).unwrap_or(new) } else { new };
    let parts = [
        head(output),
        tests(output),
        soak(output),
        several,
        benches(output),
        shows(output),
        examples(output),
        sanitized(output),
    ];
    parts.join("\n")
}

fn head(output: &Output) -> String {
    let mut text = String::from(
        "# GPU verification\n\n\
         `cargo xtask gpu-record` wrote this page from the output of the folder that `cargo xtask gpu-bundle` builds.\n\
         `cargo xtask gpu-record --check` checks whether the sources have changed since.\n\n",
    );
    machine(&mut text, output);
    text
}

/// Adds the table of commit, device, versions and date.
pub(crate) fn machine(text: &mut String, output: &Output) {
    let hash = output.of("sources");
    line(text, "| what | |\n|---|---|");
    line(text, &format!("| commit | `{}` |", output.of("commit")));
    line(text, &format!("{HASH_ROW}{hash}`, a hash of the kernels, the macro and the CUDA engine |"));
    for key in ["device", "driver", "cuda", "nvrtc", "cores", "date"] {
        if !output.of(key).is_empty() {
            line(text, &format!("| {} | {} |", named(key), output.of(key)));
        }
    }
}

/// Returns the name under which the page shows a line of the provenance.
fn named(key: &str) -> &str {
    match key {
        "cuda" => "CUDA of the driver",
        "nvrtc" => "NVRTC",
        "cores" => "CPU cores",
        "date" => "date (UTC)",
        _ => key,
    }
}

/// Adds a line. Writing to a `String` cannot fail.
pub(crate) fn line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{line}");
}

pub(super) const NOT_RUN: &str = "Not run.\n";

fn tests(output: &Output) -> String {
    let mut text = String::from("## Tests\n\n");
    let Some(suite) = &output.suite else { return text + NOT_RUN };
    line(&mut text, "| suite | passed | failed | not finished |\n|---|---:|---:|---:|");
    let (passed, failed) = (suite.passed.len(), suite.failed.len());
    line(&mut text, &format!("| conformance, CUDA engine | {passed} | {failed} | {} |", suite.unfinished()));
    let others = [
        ("conformance, rows packed and in host memory, short queues", output.rows.as_ref()),
        ("conformance, rows streamed, short queues", output.streamed.as_ref()),
        ("tests of random programs", output.corpus.as_ref()),
    ];
    let others = || others.iter().filter_map(|(name, suite)| Some((name, (*suite)?)));
    for (name, suite) in others() {
        let (passed, failed) = (suite.passed.len(), suite.failed.len());
        line(&mut text, &format!("| {name} | {passed} | {failed} | {} |", suite.unfinished()));
    }
    if suite.is_good() && others().all(|(_, suite)| suite.is_good()) {
        line(&mut text, "\nAll passed.");
    }
    if !suite.is_complete || others().any(|(_, suite)| !suite.is_complete) {
        line(&mut text, "\nThe test runner was stopped before its last line.");
    }
    for (word, names) in [("Failed", &suite.failed), ("Passed", &suite.passed)] {
        if !names.is_empty() {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            line(&mut text, &format!("\n{word}: {}.", names.join(", ")));
        }
    }
    text
}

fn benches(output: &Output) -> String {
    let mut text = String::from("## Benchmarks\n\n");
    let lines: Vec<&Value> = output.benches.iter().filter(|line| line["kind"] == "line").collect();
    if lines.is_empty() {
        return text + NOT_RUN;
    }
    line(
        &mut text,
        "Milliseconds by the device's clock, from initial values to final values on the device. The floor is the least time\n\
         for the run's own reads and barriers ([what is counted](measuring.md#floors)). Every answer is compared with the\n\
         CPU engine's, bit for bit (PageRank within 1e-5).\n",
    );
    // The rates need not be those of the device that ran.
    if let Some(rates) = output.benches.iter().find(|line| line["kind"] == "head").map(|head| &head["rates"])
    {
        let words = |key: &str| rates[key].as_str().unwrap_or_default();
        line(
            &mut text,
            &format!("Floors are computed with rates of {}, {}.\n", words("device"), words("date")),
        );
    }
    line(
        &mut text,
        "| graph | program | median | least | most | runs | floor | steps | edges visited | launches | answers |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    );
    for bench in lines {
        let number = |key: &str| bench[key].as_f64().unwrap_or_default();
        let whole = |key: &str| bench[key].as_u64().unwrap_or_default();
        let words = |key: &str| bench[key].as_str().unwrap_or_default().to_owned();
        let answer = answer(bench);
        let row = format!(
            "| {} | {} | **{:.3}** | {:.3} | {:.3} | {} | {:.3} | {} | {} | {} | {answer} |",
            words("graph"),
            words("program"),
            number("median_ms"),
            number("min_ms"),
            number("max_ms"),
            whole("runs"),
            number("floor_ms"),
            whole("steps"),
            whole("edges"),
            whole("launches")
        );
        line(&mut text, &row);
    }
    text + &rows(output) + &starts(output) + &compilations(output)
}

/// Returns the last cell of a line: the number of wrong answers, or the error.
pub(crate) fn answer(bench: &Value) -> String {
    match (bench["error"].as_str(), bench["wrong"].as_u64().unwrap_or_default()) {
        (Some(error), _) => format!("**failed: {error}**"),
        (None, 0) => "right".to_owned(),
        (None, wrong) => format!("**{wrong} wrong**"),
    }
}

/// Adds the table of lines with their rows packed, in host memory, and streamed.
fn rows(output: &Output) -> String {
    let rows: Vec<&Value> = output.benches.iter().filter(|line| line["kind"] == "rows").collect();
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    line(
        &mut text,
        "\nRows packed, in host memory, and streamed (home: file), as multiples of the time with plain rows on the device. The\n\
         bytes are those in host memory, or those that were streamed; `link, ms` is the time that the link takes to move them\n\
         once.\n\n\
         | graph | program | rows | home | median, ms | multiple | bytes | link, ms | answers |\n\
         |---|---|---|---|---:|---:|---:|---:|---|",
    );
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or_default();
        let words = |key: &str| row[key].as_str().unwrap_or_default();
        let form = if row["packed"].as_bool().unwrap_or_default() { "packed" } else { "plain" };
        let (graph, program, home) = (words("graph"), words("program"), words("home"));
        let times = format!("{:.3} | {:.2}", number("median_ms"), number("times_resident"));
        let link = format!("{} | {:.2}", row["host_bytes"], number("pass_ms"));
        let answer = match row["stopped"].as_str() {
            Some(stopped) => format!("**{stopped}**"),
            None => answer(row),
        };
        line(&mut text, &format!("| {graph} | {program} | {form} | {home} | {times} | {link} | {answer} |"));
    }
    text
}

/// Adds the table of the time that NVRTC takes for each bundled program.
fn compilations(output: &Output) -> String {
    let compiled: Vec<&Value> = output.benches.iter().filter(|line| line["compiled"].is_string()).collect();
    let mut text = String::new();
    if compiled.is_empty() {
        return text;
    }
    line(
        &mut text,
        "\nTime to compile each bundled program with NVRTC, and to load it from the cache, in milliseconds.\n\n\
         | program | compile | from the cache |\n|---|---:|---:|",
    );
    for times in compiled {
        let number = |key: &str| times[key].as_f64().unwrap_or_default();
        let name = times["compiled"].as_str().unwrap_or_default();
        line(&mut text, &format!("| {name} | {:.1} | {:.2} |", number("first_ms"), number("second_ms")));
    }
    text
}

/// Adds the table of the times of the first and second start of a program.
fn starts(output: &Output) -> String {
    let starts: Vec<&Value> = output.benches.iter().filter(|line| line["start"].is_string()).collect();
    let mut text = String::new();
    if starts.is_empty() {
        return text;
    }
    line(
        &mut text,
        "\nStarts of one program, each in its own process, in milliseconds. The first start compiles the program, the second finds it\nin the cache.\n\n\
         | start | context | program ready | first run, in total |\n|---|---:|---:|---:|",
    );
    for start in starts {
        let number = |key: &str| start["times"][key].as_f64().unwrap_or_default();
        let name = start["start"].as_str().unwrap_or_default();
        let (context, compile, first) = (number("context_ms"), number("compile_ms"), number("first_run_ms"));
        line(&mut text, &format!("| {name} | {context:.1} | {compile:.2} | {first:.2} |"));
    }
    text
}

fn shows(output: &Output) -> String {
    let mut text = String::from("## The command\n\n");
    if output.shows.is_empty() {
        return text + NOT_RUN;
    }
    line(
        &mut text,
        "| command | exit code | vertices that differ from the oracle | steps | launches | run, ms |\n\
         |---|---:|---:|---:|---:|---:|",
    );
    for show in &output.shows {
        let count = |value: &Value| value.as_u64().map_or_else(String::new, |count| count.to_string());
        let (answer, verified) = (&show.answer, &show.answer["verification"]);
        let differ = match (verified["differences"].as_u64(), verified["compared"].as_u64()) {
            (Some(differ), Some(all)) => format!("{differ} of {all}"),
            _ => String::new(),
        };
        let run =
            answer["seconds"]["run"].as_f64().map_or_else(String::new, |run| format!("{:.3}", run * 1e3));
        let (steps, launches) = (count(&answer["steps"]), count(&answer["launches"]));
        line(
            &mut text,
            &format!(
                "| `{}` | {} | {differ} | {steps} | {launches} | {run} |",
                without_folders(&show.command),
                show.exit
            ),
        );
    }
    text
}

/// Returns a command with only the names of the files that it names by an absolute path, since the folders mean nothing on
/// another machine.
pub(crate) fn without_folders(command: &str) -> String {
    let name = |word: &str| match word.rsplit_once('/') {
        Some((_, name)) if word.starts_with('/') => name.to_owned(),
        _ => word.to_owned(),
    };
    command.split(' ').map(name).collect::<Vec<_>>().join(" ")
}

fn examples(output: &Output) -> String {
    let mut text = String::from("## Examples\n\n");
    if output.examples.is_empty() {
        return text + NOT_RUN;
    }
    line(&mut text, "Each example verifies its answer.\n\n| example | exit code | engine |\n|---|---:|---|");
    for [name, exit, engine] in &output.examples {
        line(&mut text, &format!("| {name} | {exit} | {engine} |"));
    }
    text
}

/// Says how many random runs with delays agreed with the CPU engine.
fn soak(output: &Output) -> String {
    let text = String::from("## Soak\n\n");
    let Some((said, passed)) = &output.soak else { return text + NOT_RUN };
    let verdict = if *passed { "All agree with the CPU engine." } else { "**It failed.**" };
    text + &format!(
        "Seven programs over random graphs, by schedules chosen at random, whose threads wait for random times at barriers\n\
         and atomics: {said}. {verdict}\n"
    )
}

fn sanitized(output: &Output) -> String {
    let mut text = String::from("## compute-sanitizer\n\n");
    if output.sanitized.is_empty() {
        return text + NOT_RUN;
    }
    line(&mut text, "| tool | exit code | summary |\n|---|---|---|");
    for [tool, exit, summary] in &output.sanitized {
        line(&mut text, &format!("| {tool} | {exit} | {summary} |"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::suite::Suite;
    use super::*;
    use crate::record::output::Show;
    use serde_json::json;

    #[test]
    fn a_page_says_what_ran() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let output = Output {
            provenance: vec![pair("commit", "c0ffee"), pair("sources", "abc"), pair("device", "H100")],
            suite: Some(Suite::read("running 1 test\ntest cuda::bfs ... ok\ntest result: ok. 1 passed")),
            rows: None,
            streamed: None,
            corpus: None,
            shows: vec![Show {
                command: "wolfpath run bfs data/g --trace /tmp/out/t.json".to_owned(),
                exit: "0".to_owned(),
                answer: json!({
                    "steps": 7, "launches": 1, "seconds": {"run": 0.0015},
                    "verification": {"differences": 0, "compared": 9},
                }),
            }],
            examples: vec![["sssp", "0", "cuda"].map(str::to_owned)],
            benches: vec![
                json!({"kind": "head", "rates": {"device": "H200", "date": "2026-01-02"}}),
                json!({"kind": "line", "graph": "g", "program": "bfs", "median_ms": 1.25, "floor_ms": 0.5, "wrong": 0}),
                json!({"start": "cold", "times": {"context_ms": 134.0, "compile_ms": 800.0}}),
            ],
            performance: Vec::new(),
            sanitized: Vec::new(),
            several: None,
            soak: Some(("9 runs with random delays, seed 1".to_owned(), true)),
        };
        let page = text(&output, "");
        for part in [
            "`c0ffee`",
            "| sources | `abc`",
            "| 1 | 0 | 0 |",
            "| g | bfs | **1.250** |",
            "rates of H200, 2026-01-02.",
            "| `wolfpath run bfs data/g --trace t.json` |",
            "| cold | 134.0 |",
            "| 0 of 9 | 7 | 1 | 1.500 |",
            "9 runs with random delays, seed 1. All agree",
        ] {
            assert!(page.contains(part), "{part} in:\n{page}");
        }
        assert_eq!(page.matches(NOT_RUN).count(), 2);
    }
}
