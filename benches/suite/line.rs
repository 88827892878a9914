//! One result, and how results are printed.

use std::time::Duration;

use serde_json::json;

/// Device memory read in order on an H100 (bytes a second), and a barrier over its whole grid: what the floor of a line
/// is made of.
const BYTES_A_SECOND: f64 = 3.09e12;
const BARRIER: f64 = 1.0e-6;

/// What came of one program over one graph.
pub(crate) struct Line {
    pub(crate) graph: String,
    pub(crate) program: &'static str,
    pub(crate) engine: String,
    /// Timed runs, in ascending order.
    pub(crate) times: Vec<Duration>,
    pub(crate) steps: u64,
    pub(crate) edges: u64,
    pub(crate) launches: u64,
    pub(crate) bytes_an_edge: u64,
    /// The first run of all: compiling, loading, and the run.
    pub(crate) first: Duration,
    pub(crate) compile: Duration,
    pub(crate) load: Duration,
    pub(crate) read_back: Duration,
    /// Vertices whose value is not what it should be.
    pub(crate) wrong: usize,
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A number with as many digits as say something.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

impl Line {
    /// The middle of the timed runs; of an even number, the mean of the two in the middle.
    pub(crate) fn median(&self) -> f64 {
        let (half, times) = (self.times.len() / 2, &self.times);
        match times.len() {
            0 => 0.0,
            len if len % 2 == 1 => milliseconds(times[half]),
            _ => (milliseconds(times[half - 1]) + milliseconds(times[half])) / 2.0,
        }
    }

    /// For a run on a GPU: what an H100 needs at the least to read the edges looked at, in order, and to wait once a
    /// step, in milliseconds.
    fn floor(&self) -> Option<f64> {
        if self.launches == 0 {
            return None;
        }
        let bytes = (self.edges * self.bytes_an_edge) as f64;
        Some((bytes / BYTES_A_SECOND + self.steps as f64 * BARRIER) * 1e3)
    }

    fn json(&self) -> serde_json::Value {
        let end = |time: Option<&Duration>| rounded(time.copied().map_or(0.0, milliseconds));
        json!({
            "graph": self.graph,
            "program": self.program,
            "engine": self.engine,
            "median_ms": rounded(self.median()),
            "min_ms": end(self.times.first()),
            "max_ms": end(self.times.last()),
            "runs": self.times.len(),
            "floor_ms": self.floor().map(rounded),
            "steps": self.steps,
            "edges": self.edges,
            "launches": self.launches,
            "first_ms": rounded(milliseconds(self.first)),
            "compile_ms": rounded(milliseconds(self.compile)),
            "load_ms": rounded(milliseconds(self.load)),
            "read_back_ms": rounded(milliseconds(self.read_back)),
            "wrong": self.wrong,
        })
    }
}

/// Prints lines as they come, and remembers whether all answers were right.
pub(crate) struct Table {
    json: bool,
    pub(crate) wrong: usize,
}

impl Table {
    /// Begins a table.
    pub(crate) fn new(json: bool) -> Table {
        Table { json, wrong: 0 }
    }

    /// Prints the names of the columns.
    pub(crate) fn head(&self) {
        if !self.json {
            println!(
                "{:<12} {:<18} {:>10} {:>10} {:>10} {:>9} {:>7} {:>12} {:>8}  answer",
                "graph", "program", "median ms", "min", "max", "floor ms", "steps", "edges", "launches"
            );
        }
    }

    /// Prints one result.
    pub(crate) fn print(&mut self, line: &Line) {
        self.wrong += line.wrong;
        if self.json {
            println!("{}", line.json());
            return;
        }
        let end = |time: Option<&Duration>| time.copied().map_or(0.0, milliseconds);
        let answer = if line.wrong == 0 { "right".to_owned() } else { format!("{} WRONG", line.wrong) };
        println!(
            "{:<12} {:<18} {:>10.3} {:>10.3} {:>10.3} {:>9} {:>7} {:>12} {:>8}  {answer}",
            line.graph,
            line.program,
            line.median(),
            end(line.times.first()),
            end(line.times.last()),
            line.floor().map_or_else(String::new, |floor| format!("{floor:.3}")),
            line.steps,
            line.edges,
            line.launches
        );
    }

    /// Prints something beside the lines: an object of its own, or words.
    pub(crate) fn say(&self, object: &serde_json::Value, words: &str) {
        if self.json { println!("{object}") } else { println!("{words}") }
    }
}
