//! Writes the sections that compare the order of paths with other schedules, and their charts.

use serde_json::Value;

use super::chart;
use super::page::{Objects, words};
use crate::Result;
use crate::record::page::line;

/// Output of the section `paths` of run.sh for one engine.
pub(super) struct Source {
    pub(super) file: &'static str,
    pub(super) heading: &'static str,
    pub(super) chart: &'static str,
}

/// Comparisons, one per engine.
pub(super) const SOURCES: [Source; 4] = [
    Source {
        file: "paths-cuda.jsonl",
        heading: "## Order of paths on a GPU",
        chart: "docs/images/paths-gpu.svg",
    },
    Source {
        file: "paths-cuda-0-1.jsonl",
        heading: "## Order of paths on two GPUs",
        chart: "docs/images/paths-two-gpus.svg",
    },
    Source {
        file: "paths-cuda-0-1-2-3.jsonl",
        heading: "## Order of paths on four GPUs",
        chart: "docs/images/paths-four-gpus.svg",
    },
    Source {
        file: "paths-cpu.jsonl",
        heading: "## Order of paths on the CPU",
        chart: "docs/images/paths-cpu.svg",
    },
];

/// Schedules that are compared, as run.sh names them, and their titles.
const WAYS: [(&str, &str); 4] = [
    ("steps", "step by step; `sssp`: by buckets; `kcore`: by levels"),
    ("frontier", "by frontier, in place"),
    ("unordered", "paths in no order"),
    ("paths", "in the order of paths"),
];

/// Time and updates of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    milliseconds: f64,
    updates: Option<u64>,
    /// `true` if the plan took one of several devices.
    alone: bool,
}

/// Runs of one program over one graph, in the order of [`WAYS`].
struct Row {
    name: String,
    runs: [Option<Run>; WAYS.len()],
    /// Runs that were attempted.
    tried: [bool; WAYS.len()],
}

impl Row {
    /// Returns the cells of the row.
    fn cells(&self) -> [String; WAYS.len()] {
        let best = self.runs.iter().flatten().map(|run| run.milliseconds).fold(f64::INFINITY, f64::min);
        std::array::from_fn(|way| match self.tried[way] {
            true => cell(self.runs[way], best),
            false => "not run".to_owned(),
        })
    }
}

/// A row of the table, with its times in milliseconds.
struct Line {
    name: String,
    cells: [String; WAYS.len()],
    times: [Option<f64>; WAYS.len()],
}

/// Returns the section, and its chart. Rows of the old section that were not run again are kept if they are of the same
/// machine, and named with their date if it is another one.
///
/// # Errors
/// Returns an error if the chart cannot be drawn.
pub(super) fn section(source: &Source, objects: &[Value], old: &str) -> Result<(String, String)> {
    let objects = Objects(objects);
    // A run may take one of several devices.
    let engines = objects.of("run").filter_map(|run| run["answer"]["engine"].as_str());
    let engine = engines.max_by_key(|engine| engine.len()).unwrap_or("no engine");
    let model =
        objects.of("head").find_map(|head| head["cpu"].as_str()).filter(|_| engine.starts_with("cpu"));
    let machine = model.map_or_else(|| engine.to_owned(), |model| format!("{engine} ({model})"));
    let rows = rows(&objects, engine);
    let mut lines: Vec<Line> = rows.iter().map(line_of).collect();
    let is_same_machine = old.contains(&format!("\non {machine}, on "));
    let date = objects.of("head").next().map_or("", |head| words(head, "date"));
    let kept = if is_same_machine { kept_lines(old, &rows, date) } else { Vec::new() };
    let commands = commands(&objects, old, &kept);
    let is_dated = kept.iter().any(|row| row.name.contains(" ("));
    let earlier = if is_dated { " Rows with a date are from an earlier run." } else { "" };
    lines.extend(kept);
    let mut text = format!(
        "{}\n\n`cargo xtask performance` wrote this section from the section `paths` of a bundle's `run.sh`,\n\
         on {machine}, on {date}.\n\
         Each cell has the median time of seven runs (of three over R-MAT) in milliseconds, and the number of\n\
         updates, in thousands: of a vertex that takes what it has to send, of a value that a message improves or, step by\n\
         step, of all vertices in every step. Accumulating programs end with at most 10^-6 of all values unsent. Step by\n\
         step, PageRank ends when no rank changes by more than 10^-6 of itself, and adsorption when no share changes by more\n\
         than 10^-6. `sssp` has random weights from 1 to 100. The shortest time is bold. Core numbers (`kcore`) are found\n\
         level by level, so their vertices cannot take turns in another order. R-MAT is the directed graph of\n\
         `wolfpath generate rmat --scale 24 --directed --output rmat.el`, with the paths of\n\
         `wolfpath build rmat.el --paths --output rmat.wolf`. A cell says `failed` if the command failed or took over\n\
         100 s.{earlier}\n\n![times](images/{})\n\n",
        source.heading,
        source.chart.rsplit('/').next().unwrap_or_default(),
    );
    line(&mut text, &format!("| graph, program | {} |", WAYS.map(|(_, title)| title).join(" | ")));
    line(&mut text, &format!("|---|{}", "---|".repeat(WAYS.len())));
    for row in &lines {
        line(&mut text, &format!("| {} | {} |", row.name, row.cells.join(" | ")));
    }
    if lines.iter().flat_map(|row| &row.cells).any(|cell| cell.ends_with(ALONE)) {
        text += "\nIn runs marked with *1*, the plan takes the first device alone.\n";
    }
    text += &commands;
    let bars = lines.iter().map(|row| (row.name.clone(), row.times));
    let titles = WAYS.map(|(_, title)| title.replace('`', ""));
    Ok((text, chart::ways_svg(&bars.collect::<Vec<_>>(), &titles, engine, date)?))
}

/// Ends the cells of runs for which the plan took one of several devices.
const ALONE: &str = " *1*";

fn line_of(row: &Row) -> Line {
    let times = row.runs.map(|run| run.map(|run| run.milliseconds));
    Line { name: row.name.clone(), cells: row.cells(), times }
}

/// Returns the part of a section that lists the commands, and what stands for the graph in each. Those of an old section are
/// listed, too, if lines of it are `kept`.
fn commands(objects: &Objects<'_>, old: &str, kept: &[Line]) -> String {
    let (mut commands, mut graphs): (Vec<String>, Vec<(String, Vec<String>)>) = (Vec::new(), Vec::new());
    for run in objects.of("run") {
        let graph = words(run, "name").split('.').next().unwrap_or_default();
        let (command, own) = without_graph(words(run, "command"));
        commands.push(command);
        match graphs.iter_mut().find(|(name, _)| name == graph) {
            Some((_, all)) => all.extend(own),
            None => graphs.push((graph.to_owned(), own)),
        }
    }
    let name = |line: &Line| {
        let (graph, rest) = line.name.split_once(", ")?;
        Some((graph.to_owned(), rest.split(' ').next()?.to_owned()))
    };
    let kept: Vec<(String, String)> = kept.iter().filter_map(name).collect();
    for line in old.lines().filter_map(|line| line.strip_prefix("- ")) {
        if line.starts_with("`wolfpath run ") {
            let (command, _) = without_graph(line.trim_matches('`'));
            let program = command.split(' ').nth(2).unwrap_or_default().to_owned();
            commands.extend(kept.iter().any(|(_, of)| *of == program).then_some(command));
        } else if let Some((graph, own)) = line.split_once(": `")
            && kept.iter().any(|(of, _)| of == graph)
            && graphs.iter().all(|(name, _)| name != graph)
        {
            graphs.push((graph.to_owned(), vec![own.trim_end_matches('`').to_owned()]));
        }
    }
    let mut text = "\nThe commands:\n\n".to_owned();
    unique(commands).iter().for_each(|command| line(&mut text, &format!("- `{command}`")));
    text += "\nGRAPH stands for these words. `--source` is for `sssp` alone, which otherwise starts at the root of the layers.\n\n";
    for (graph, own) in graphs {
        line(&mut text, &format!("- {graph}: `{}`", unique(own).join(" ")));
    }
    text
}

/// Returns the first of equal texts each, in order.
fn unique(texts: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// Returns a command with GRAPH in place of the file, and without other words that depend on the graph. Also returns these: the
/// file, the number of runs, the source, and how the file is loaded.
fn without_graph(command: &str) -> (String, Vec<String>) {
    let (mut common, mut own): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = command.split(' ');
    while let Some(word) = rest.next() {
        // The file follows `wolfpath run PROGRAM`.
        if common.len() == 3 {
            common.push("GRAPH");
            own.push(word.to_owned());
        } else if word == "--repeat" {
            own.push(format!("{word} {}", rest.next().unwrap_or_default()));
        } else if word == "--undirected" || word.starts_with("--source=") {
            own.push(word.to_owned());
        } else {
            common.push(word);
        }
    }
    (common.join(" "), own)
}

/// Returns the rows of the old section that were not run again, named with the date of their runs unless it is also the date
/// of the new ones.
fn kept_lines(old: &str, new: &[Row], new_date: &str) -> Vec<Line> {
    let is_date = |word: &&str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() == 10 && digits == 8 && word.matches('-').count() == 2
    };
    let date =
        old.split_whitespace().map(|word| word.trim_end_matches('.')).find(is_date).unwrap_or("earlier");
    let kept_line = |line: &str| {
        let mut columns = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let name = columns.next()?;
        let cells: [String; WAYS.len()] = columns.map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
        let label = name.split_once(" (");
        let (plain, date) = label.map_or((name, date), |(plain, date)| (plain, date.trim_end_matches(')')));
        let dated = if date == new_date { plain.to_owned() } else { format!("{plain} ({date})") };
        let is_new = new.iter().any(|row| row.name == plain) || plain == "graph, program";
        let time = |cell: &String| cell.split_once(';')?.0.trim_matches('*').parse().ok();
        (!is_new).then(|| Line { name: dated, times: cells.each_ref().map(time), cells })
    };
    old.lines().filter_map(kept_line).collect()
}

/// Returns the runs of each graph and program, in the order in which they were made.
fn rows(objects: &Objects<'_>, engine: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for object in objects.of("run") {
        let parts: Vec<&str> = words(object, "name").split('.').collect();
        let [graph, way, program] = parts[..] else { continue };
        let Some(way) = WAYS.iter().position(|(name, _)| *name == way) else { continue };
        let name = format!("{graph}, {program}");
        let at = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            rows.push(Row { name, runs: [None; WAYS.len()], tried: [false; WAYS.len()] });
            rows.len() - 1
        });
        rows[at].tried[way] = true;
        rows[at].runs[way] = run(&object["answer"], engine);
    }
    rows
}

/// Returns the figures of an answer, if there is one. `engine` is the one that was requested.
fn run(answer: &Value, engine: &str) -> Option<Run> {
    let milliseconds = 1e3 * answer["runs"]["median"].as_f64()?;
    let in_steps = || {
        let is_gathered = answer["schedule"].as_str()?.starts_with("pull");
        is_gathered.then_some(answer["graph"]["vertices"].as_u64()? * answer["steps"].as_u64()?)
    };
    let alone = answer["engine"].as_str() != Some(engine);
    Some(Run { milliseconds, updates: answer["updates"].as_u64().or_else(in_steps), alone })
}

fn cell(run: Option<Run>, best: f64) -> String {
    let Some(Run { milliseconds, updates, alone }) = run else { return "failed".to_owned() };
    let time = chart::milliseconds(milliseconds);
    let time = if milliseconds <= best { format!("**{time}**") } else { time };
    let updates =
        updates.map_or_else(|| "not counted".to_owned(), |updates| format!("{}", updates.div_ceil(1000)));
    let alone = if alone { ALONE } else { "" };
    format!("{time}; {updates}{alone}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CPU: &Source = &SOURCES[SOURCES.len() - 1];

    #[test]
    fn runs_are_compared_by_graph_and_program() {
        let run = |name: &str, median: f64, updates: Option<u64>| {
            json!({"kind": "run", "name": name, "command": format!("wolfpath run {name}"), "answer": {
                "engine": "cpu, 2 threads", "schedule": if updates.is_none() { "pull (receivers gather)" } else { "paths" },
                "steps": 7, "graph": {"vertices": 1000}, "updates": updates, "runs": {"median": median}}})
        };
        let failed = json!({"kind": "run", "name": "g.unordered.sssp", "command": "c", "answer": null});
        let objects = [
            json!({"kind": "head", "date": "2026-11-28", "device": "", "cores": 2}),
            run("g.steps.pagerank", 0.004, None),
            run("g.paths.pagerank", 0.002, Some(1_234_567)),
            failed,
        ];
        let (text, svg) = section(CPU, &objects, "").expect("a section");
        assert!(
            text.starts_with("## Order of paths on the CPU\n") && text.contains("on cpu, 2 threads"),
            "{text}"
        );
        assert!(text.contains("| g, pagerank | 4.00; 7 | not run | not run | **2.00**; 1235 |"), "{text}");
        assert!(text.contains("| g, sssp | not run | not run | failed | not run |"), "{text}");
        assert!(svg.contains("g, pagerank") && svg.contains("2.00"), "{svg}");
        assert!(!text.contains("*1*") && !text.contains("Rows with a date"), "{text}");
        let first = text;
        let mut alone = run("g.frontier.pagerank", 0.001, Some(7));
        alone["answer"]["engine"] = json!("cpu");
        let (text, _) = section(&SOURCES[1], &[objects[1].clone(), alone], "").expect("a section");
        assert!(text.contains("| 4.00; 7 | **1.00**; 1 *1* | not run"), "{text}");
        assert!(text.contains("takes the first device alone"), "{text}");

        // What was not run again is kept, with the date of the run if it is an earlier one.
        let same_day = [objects[0].clone(), run("g.paths.pagerank", 0.001, Some(5))];
        let (text, _) = section(CPU, &same_day, &first).expect("a section");
        assert!(text.contains("| g, sssp | not run | not run | failed | not run |"), "{text}");
        assert!(!text.contains("Rows with a date"), "{text}");
        let newer = [
            json!({"kind": "head", "date": "2026-11-30", "device": "", "cores": 2}),
            run("g.paths.pagerank", 0.001, Some(5)),
        ];
        let (text, svg) = section(CPU, &newer, &first).expect("a section");
        assert!(text.contains("| g, pagerank | not run | not run | not run | **1.00**; 1 |"), "{text}");
        assert!(text.contains("| g, sssp (2026-11-28) | not run | not run | failed | not run |"), "{text}");
        assert!(svg.contains("g, sssp (2026-11-28)") && text.contains("Rows with a date"), "{svg}");
        let (again, _) = section(CPU, &same_day, &text).expect("a section");
        assert!(again.contains("| g, sssp | not run | not run | failed | not run |"), "{again}");
        let newest = [json!({"kind": "head", "date": "2026-12-01"}), run("h.paths.sssp", 0.5, Some(9))];
        let (text, _) = section(CPU, &newest, &text).expect("a section");
        assert!(
            text.contains("| g, pagerank (2026-11-30) | not run | not run | not run | **1.00**; 1 |"),
            "{text}"
        );
        assert!(text.contains("| g, sssp (2026-11-28) |"), "{text}");
        // Rows of another engine are dropped.
        let other = text.replace("cpu, 2 threads", "cpu, 16 threads");
        let (text, _) = section(CPU, &newest, &other).expect("a section");
        assert!(!text.contains("g, pagerank"), "{text}");
    }

    #[test]
    fn each_command_is_listed_once() {
        let run = |name: &str, command: &str| json!({"kind": "run", "name": name, "command": command, "answer": {"engine": "cpu"}});
        let old = "\non cpu, on 2026-11-28.\nEach\n| g, kcore | 1.00; 7 | not run | not run | not run |\n\
                   - `wolfpath run sssp g.el --engine cpu --repeat 7 --source=3`\n\
                   - `wolfpath run kcore g.el --engine cpu --repeat 7`\n\
                   - g: `g.el --repeat 7 --source=3`\n- other: `o.el`\n";
        let objects = [
            run("h.paths.sssp", "wolfpath run sssp h.wolf --engine cpu --repeat 3"),
            run("i.paths.sssp", "wolfpath run sssp i.el --engine cpu --repeat 7 --undirected"),
        ];
        let (text, _) = section(CPU, &objects, old).expect("a section");
        let listed: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(
            listed,
            [
                "- `wolfpath run sssp GRAPH --engine cpu`",
                "- `wolfpath run kcore GRAPH --engine cpu`",
                "- h: `h.wolf --repeat 3`",
                "- i: `i.el --repeat 7 --undirected`",
                "- g: `g.el --repeat 7 --source=3`",
            ]
        );
        // Rows of another machine are dropped, and the commands with them.
        let head = json!({"kind": "head", "date": "2026-11-30", "cpu": "Model 1"});
        let (text, _) = section(CPU, &[head, objects[0].clone()], old).expect("a section");
        assert!(
            text.contains("\non cpu (Model 1), on 2026-11-30.\n")
                && !text.contains("run kcore")
                && !text.contains("g.el"),
            "{text}"
        );
    }
}
