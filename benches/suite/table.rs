//! Prints results as they arrive, as a table or as one JSON object per line, and keeps what later lines need.

use std::io::Write;

use serde_json::{Value, json};

use super::line::{Line, Verdict, merge};
use super::targets::{TARGETS, Target, target};
use super::timer::Timing;
use super::{Program, Result, rates};

/// Destination of results.
pub(crate) struct Table<'a> {
    out: &'a mut dyn Write,
    json: bool,
    /// `true` to print floors, peers and bounds, which are those of a GPU.
    on_gpu: bool,
    medians: Vec<(String, Program, f64)>,
    /// Number of lines that failed or had a wrong answer.
    pub(crate) bad: usize,
}

impl<'a> Table<'a> {
    /// Creates an empty table.
    pub(crate) fn new(out: &'a mut dyn Write, json: bool, on_gpu: bool) -> Table<'a> {
        Table { out, json, on_gpu, medians: Vec::new(), bad: 0 }
    }

    /// Prints the command, the engine, and the rates that floors are computed from.
    pub(crate) fn head(&mut self, engine: &str, command: &str) -> Result<()> {
        let object = json!({"kind": "head", "engine": engine, "command": command, "rates": rates::json()});
        self.say(&object, &format!("{engine}: {command}"))
    }

    /// Prints the names of the columns.
    pub(crate) fn columns(&mut self) -> Result<()> {
        if self.json {
            return Ok(());
        }
        if self.on_gpu {
            self.words(&format!("floors are for {}, measured {}", rates::DEVICE, rates::DATE))?;
        }
        let gpu = format!(
            " {:>8} {:>8} {:>8} {:<7} {:>9} {:<12} {:>6}",
            "peer", "must", "aim", "", "floor", "of", "x"
        );
        let row = format!(
            "{:<12} {:<18} {:>10} {:>10} {:>10} {:>4}{} {:>8} {:>12} {:>8}  answer",
            "graph",
            "program",
            "median ms",
            "least",
            "most",
            "runs",
            if self.on_gpu { &gpu } else { "" },
            "steps",
            "edges",
            "launches"
        );
        self.words(&row)
    }

    /// Prints one line.
    pub(crate) fn line(&mut self, line: &Line) -> Result<()> {
        self.bad += usize::from(line.timing.wrong > 0);
        self.medians.push((line.graph.clone(), line.program, line.timing.median()));
        let (gpu, note) = if self.on_gpu { (gpu_cells(line), note(line)) } else { Default::default() };
        let timing = &line.timing;
        let (least, most) = timing.ends();
        let row = format!(
            "{:<12} {:<18} {:>10.3} {:>10.3} {:>10.3} {:>4}{gpu} {:>8} {:>12} {:>8}  {}{note}",
            line.graph,
            line.program.name(),
            timing.median(),
            least,
            most,
            timing.times.len(),
            timing.steps,
            timing.edges,
            timing.launches,
            answer(timing)
        );
        self.say(&line.json(), &row)
    }

    /// Prints that a line (or another `kind` of measurement) failed, and why. A line with a bound misses it.
    pub(crate) fn failed(&mut self, kind: &str, graph: &str, program: &str, error: &str) -> Result<()> {
        self.bad += 1;
        let mut object = json!({"kind": kind, "graph": graph, "program": program, "error": error});
        let must = target(graph, program).and_then(|target| target.must).filter(|_| kind == "line");
        if let Some(must) = must {
            merge(&mut object, json!({"must": must.words(), "verdict": Verdict::Missed.name()}));
        }
        self.say(&object, &format!("{graph:<12} {program:<18} FAILED: {error}"))
    }

    /// Returns the median of a line that was printed.
    pub(crate) fn median(&self, graph: &str, program: &str) -> Option<f64> {
        let mut lines = self.medians.iter();
        lines.find(|(of, line, _)| of == graph && line.name() == program).map(|&(_, _, median)| median)
    }

    /// Lists the lines with bounds that were not measured. Bounds apply to GPUs only.
    pub(crate) fn not_run(&mut self) -> Result<()> {
        if !self.on_gpu {
            return Ok(());
        }
        for Target { graph, program, must, .. } in TARGETS {
            let Some(must) = must.filter(|_| self.median(graph, program).is_none()) else { continue };
            let words = must.words();
            let object = json!({"kind": "not run", "graph": graph, "program": program, "must": words});
            self.say(&object, &format!("{graph:<12} {program:<18} not measured; must reach {words}"))?;
        }
        Ok(())
    }

    /// Counts a wrong answer of a measurement that is not a line.
    pub(crate) fn count(&mut self, timing: &Timing) {
        self.bad += usize::from(timing.wrong > 0);
    }

    /// Prints the title of the next part.
    pub(crate) fn title(&mut self, words: &str) -> Result<()> {
        if self.json { Ok(()) } else { self.words(&format!("\n{words}")) }
    }

    /// Prints a result: the object if the output is JSON, otherwise the words.
    pub(crate) fn say(&mut self, object: &Value, words: &str) -> Result<()> {
        if self.json { self.words(&object.to_string()) } else { self.words(words) }
    }

    fn words(&mut self, words: &str) -> Result<()> {
        writeln!(self.out, "{words}")?;
        // Flushed at once, so that nothing is lost if the process is killed before the next line.
        Ok(self.out.flush()?)
    }
}

/// Returns `right`, or the number of wrong values.
pub(crate) fn answer(timing: &Timing) -> String {
    if timing.wrong == 0 { "right".to_owned() } else { format!("{} WRONG", timing.wrong) }
}

fn gpu_cells(line: &Line) -> String {
    let cell = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |number| format!("{number:.3}"));
    let floor = &line.timing.floor;
    let peer = line.target.and_then(|target| target.peer).map(|peer| peer.milliseconds);
    format!(
        " {:>8} {:>8} {:>8} {:<7} {:>9.3} {:<12} {:>6.2}",
        cell(peer),
        cell(line.must),
        cell(line.aim),
        line.verdict().name(),
        floor.total(),
        floor.dominant(),
        line.distance()
    )
}

/// Returns a note with the name of the peer, and the median in the unit of the bound.
fn note(line: &Line) -> String {
    let target = line.target;
    let peer = target.and_then(|target| target.peer).map(|peer| match peer.note {
        Some(note) => format!("peer: {}, {note}", peer.name),
        None => format!("peer: {}", peer.name),
    });
    let must = target.and_then(|target| target.must).map(|bound| bound.words());
    let shown = line.shown.clone().zip(must).map(|(shown, must)| format!("{shown}, must {must}"));
    let notes: Vec<String> = peer.into_iter().chain(shown).collect();
    if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) }
}
