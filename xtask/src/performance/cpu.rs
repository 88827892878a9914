//! Writes the sections on the CPU engine: its times beside those of other programs, and on more and more threads.

use serde_json::Value;

use super::page::{Objects, name, time, words};
use super::variants::failures;
use crate::record::page::{answer, line};

/// Files with the output of the benchmark, and the headings of their sections.
pub(super) const FILES: [(&str, &str); 2] =
    [("cpu.json", "## CPU engine"), ("cpu16.json", "## CPU engine, 16 cores")];

/// Programs that the CPU engine is compared with: their names in the output, a heading, and what is compared.
const PEERS: [(&str, &str, &str); 3] = [
    (
        "GAP",
        "Beside GAP",
        "Medians in milliseconds. The programs of the GAP Benchmark Suite and wolfpath ran in turns over the same graphs. Both\n\
         clocks start when the graph is in memory in the program's own form.",
    ),
    (
        "serial",
        "Beside the serial answer",
        "Medians in milliseconds. The serial answer is that of `wolfpath::oracle`, which the tests compare with.",
    ),
    (
        "scipy",
        "Beside scipy",
        "Medians in milliseconds per step, on one thread each. A step of scipy is a sparse matrix-vector product and the vector\n\
         arithmetic around it (`benches/scipy_step.py`).",
    ),
];

/// Returns a section with this heading.
pub(super) fn section(heading: &str, objects: &[Value]) -> String {
    let objects = Objects(objects);
    // The page has two such sections, whose headings must have different links.
    let suffix = heading.split_once(',').map_or_else(String::new, |(_, suffix)| format!(",{suffix}"));
    let mut text = format!(
        "{heading}\n\n`cargo xtask performance` wrote this section from a run of `cargo bench --features full --bench cpu`.\n\
         [Measuring](measuring.md#beside-other-programs) describes what is measured, and how.\n\n"
    );
    machine(&mut text, &objects);
    for (peer, title, what) in PEERS {
        let lines: Vec<&Value> =
            objects.of("beside").filter(|object| words(object, "peer") == peer).collect();
        if !lines.is_empty() {
            line(&mut text, &format!("\n### {title}{suffix}\n\n{what}\n"));
            beside(&mut text, peer, &lines);
        }
    }
    scaling(&mut text, &objects, &suffix);
    for object in objects.of("graph") {
        if let Some(error) = object["error"].as_str() {
            line(&mut text, &format!("\n**{} was not run**: {error}.", words(object, "graph")));
        }
    }
    let failed = ["beside", "scaling"].into_iter().flat_map(|kind| objects.of(kind));
    failures(&mut text, &failed.collect::<Vec<_>>());
    for object in objects.of("left out") {
        line(&mut text, &format!("\nThe time limit was reached before {}.", words(object, "what")));
    }
    text
}

/// Adds the table of processor, threads, instruction sets, date and command.
fn machine(text: &mut String, objects: &Objects<'_>) {
    line(text, "| what | |\n|---|---|");
    for object in objects.of("machine") {
        let instructions = object["instructions"].as_array().map_or(&[][..], Vec::as_slice);
        let instructions: Vec<&str> = instructions.iter().filter_map(Value::as_str).collect();
        line(text, &format!("| processor | {} |", words(object, "cpu")));
        line(text, &format!("| CPU cores | {} |", object["cores"]));
        line(text, &format!("| threads | {} |", object["threads"]));
        line(text, &format!("| instruction sets | {} |", instructions.join(", ")));
        line(text, &format!("| date (UTC) | {} |", words(object, "date")));
    }
    for object in objects.of("head") {
        let command = words(object, "command").trim_end_matches([' ', '-']);
        line(text, &format!("| command | `{command}` |"));
    }
}

/// Adds the table of the lines beside one program, and a text about the lines that exceed their limits.
fn beside(text: &mut String, peer: &str, lines: &[&Value]) {
    line(
        text,
        &format!(
            "| graph | program | {peer} | wolfpath | ratio | must be at most | verdict | runs of each | schedule | answers |\n\
             |---|---|---:|---:|---:|---:|---|---:|---|---|"
        ),
    );
    for object in lines {
        let verdict = match words(object, "verdict") {
            "MISSED" => "**missed**",
            other => other,
        };
        let ratio = object["times"].as_f64().map_or_else(String::new, |times| format!("{times:.2}"));
        let row = format!(
            "| {} | {} | {} | **{}** | {ratio} | {} | {verdict} | {} | {} | {} |",
            words(object, "graph"),
            words(object, "program"),
            time(object, "peer_ms"),
            time(object, "median_ms"),
            object["must"],
            object["runs"],
            words(object, "schedule"),
            answer(object)
        );
        line(text, &row);
    }
    let missed: Vec<String> =
        lines.iter().filter(|object| object["verdict"] == "MISSED").map(|object| name(object)).collect();
    match &missed[..] {
        [] => line(text, "\nEvery line is within its limit."),
        missed => line(text, &format!("\nAbove the limit: {}.", missed.join("; "))),
    }
}

/// Adds the table of times on more and more threads: one row per line and system, one column per number of threads.
fn scaling(text: &mut String, objects: &Objects<'_>, suffix: &str) {
    let all: Vec<&Value> = objects.of("scaling").filter(|object| object["error"].is_null()).collect();
    let mut counts: Vec<u64> = all.iter().filter_map(|object| object["threads"].as_u64()).collect();
    counts.sort_unstable();
    counts.dedup();
    if counts.is_empty() {
        return;
    }
    let heads: Vec<String> = counts.iter().map(u64::to_string).collect();
    line(
        text,
        &format!(
            "\n### More threads{suffix}\n\nMedians in milliseconds by number of threads, and the speed-up over one thread.\n\n\
             | graph | program | system | {} |\n|---|---|---|{}",
            heads.join(" | "),
            "---:|".repeat(heads.len())
        ),
    );
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for object in &all {
        let of = (words(object, "graph"), words(object, "program"));
        if !lines.contains(&of) {
            lines.push(of);
        }
    }
    for (graph, program) in lines {
        let of: Vec<&Value> = all
            .iter()
            .filter(|object| object["graph"] == graph && object["program"] == program)
            .copied()
            .collect();
        for (system, milliseconds, speedup) in
            [("wolfpath", "median_ms", "speedup"), ("GAP", "peer_ms", "peer_speedup")]
        {
            if of.iter().all(|object| object[milliseconds].is_null()) {
                continue;
            }
            let cells = counts.iter().map(|&threads| {
                let object = of.iter().find(|object| object["threads"] == threads);
                object.map_or_else(String::new, |object| cell(object, milliseconds, speedup))
            });
            let cells: Vec<String> = cells.collect();
            line(text, &format!("| {graph} | {program} | {system} | {} |", cells.join(" | ")));
        }
    }
}

/// Returns a time with its speed-up, or the number of wrong answers.
fn cell(object: &Value, milliseconds: &str, speedup: &str) -> String {
    if milliseconds == "median_ms" && object["wrong"] != 0 {
        return answer(object);
    }
    let speedup = object[speedup].as_f64().map_or_else(String::new, |times| format!(" ({times:.2} x)"));
    time(object, milliseconds) + &speedup
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects as the benchmark prints them. The figures are invented.
    const SAMPLE: &str = include_str!("cpu_sample.jsonl");

    fn sample() -> Vec<Value> {
        SAMPLE.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect()
    }

    #[test]
    fn a_section_of_a_run() {
        let text = section(FILES[1].1, &sample());
        assert!(
            text.starts_with("## CPU engine, 16 cores\n\n`cargo xtask performance` wrote this section"),
            "{text}"
        );
        for part in [
            "| processor | Some CPU |\n| CPU cores | 4 |\n| threads | 2 |\n| instruction sets | sse2, avx2 |\n\
             | date (UTC) | 2026-11-23 |\n| command | `cargo bench --features full --bench cpu -- --gap DIR --json` |\n",
            "\n### Beside GAP, 16 cores\n\nMedians in milliseconds.",
            "| graph | program | GAP | wolfpath | ratio | must be at most | verdict |",
            "| R-MAT 20 | bfs | 15.700 | **14.130** | 0.90 | 1.0 | met | 21 | relax (frontier in place) | right |\n\
             | R-MAT 20 | components | 46.000 | **92.000** | 2.00 | 1.2 | **missed** | 21 | bucket | **3 wrong** |\n",
            "\nAbove the limit: R-MAT 20, components.\n",
            "\n### Beside the serial answer, 16 cores\n",
            "| grid 700 x 700 | widest | 126.000 | **79.000** | 0.63 | 1.5 | met | 21 | bucket | right |\n\n\
             Every line is within its limit.\n",
            "| path 300000 | pagerank, per step | 0.750 | **0.600** | 0.80 | 1.0 | met | 21 | pull | right |",
            "\n### More threads, 16 cores\n",
            "| graph | program | system | 1 | 2 | 4 |\n|---|---|---|---:|---:|---:|\n\
             | R-MAT 20 | bfs | wolfpath | 28.000 (1.00 x) | 14.000 (2.00 x) | **7 wrong** |\n\
             | R-MAT 20 | bfs | GAP | 30.000 (1.00 x) | 15.000 (2.00 x) | 7.500 (4.00 x) |\n\
             | cnr-2000 | bfs | wolfpath | 20.000 (1.00 x) |  |  |\n",
            "\n**osm-moscow was not run**: no such file.\n",
            "\n**cnr-2000, components failed**: cc failed.\n",
            "\nThe time limit was reached before USA-road-NE.\n",
        ] {
            assert!(text.contains(part), "{part} in:\n{text}");
        }
    }

    #[test]
    fn headings_differ_between_sections() {
        let headings = |heading| {
            let text = section(heading, &sample());
            text.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
        };
        let [two, sixteen] = FILES.map(|(_, heading)| headings(heading));
        assert_eq!((two.len(), sixteen.len()), (5, 5));
        assert!(two.iter().all(|heading| !sixteen.contains(heading)), "{two:?} {sixteen:?}");
    }

    #[test]
    fn parts_that_did_not_run_are_left_out() {
        let text = section(FILES[0].1, &[]);
        assert_eq!(text.matches("###").count(), 0, "{text}");
    }
}
