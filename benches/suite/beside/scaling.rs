//! Times the lines that are compared with GAP on more and more threads.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::line::rounded;
use super::super::session::Session;
use super::super::table::answer;
use super::super::timer::{Ran, Timing, median};
use super::super::{Program, Result, Table};
use super::contest::in_turns;
use super::gap::Gap;
use super::lines::GapLine;
use super::{TRIALS, Track};

/// Largest number of threads.
const MOST: usize = 16;

/// Number of rounds for each number of threads.
const ROUNDS: usize = 1;

/// Returns 1, 2, 4, 8 and 16, up to a number of threads.
pub(crate) fn thread_counts(threads: usize) -> Vec<usize> {
    std::iter::successors(Some(1), |count| Some(count * 2))
        .take_while(|&count| count <= threads.min(MOST))
        .collect()
}

/// Times of a line on one number of threads.
pub(crate) struct Scaled {
    pub(crate) graph: String,
    pub(crate) program: Program,
    pub(crate) threads: usize,
    pub(crate) timing: Timing,
    /// GAP's times in ascending order. Empty without GAP.
    pub(crate) peer_times: Vec<Duration>,
}

impl Scaled {
    /// Returns our speed-up over another number of threads.
    fn speedup(&self, over: &Scaled) -> Option<f64> {
        speedup(over.timing.median(), self.timing.median())
    }

    /// Returns GAP's speed-up over another number of threads, if it was timed.
    fn peer_speedup(&self, over: &Scaled) -> Option<f64> {
        speedup(median(&over.peer_times), median(&self.peer_times))
    }

    /// Returns everything as JSON. `over` are the times on one thread.
    pub(crate) fn json(&self, over: &Scaled) -> Value {
        let peer = (!self.peer_times.is_empty()).then(|| rounded(median(&self.peer_times)));
        json!({
            "kind": "scaling",
            "graph": self.graph,
            "program": self.program.name(),
            "threads": self.threads,
            "median_ms": rounded(self.timing.median()),
            "speedup": self.speedup(over).map(rounded),
            "runs": self.timing.times.len(),
            "peer": peer.map(|_| "GAP"),
            "peer_ms": peer,
            "peer_speedup": self.peer_speedup(over).map(rounded),
            "schedule": self.timing.schedule,
            "wrong": self.timing.wrong,
        })
    }

    /// Returns everything as a row of the table.
    pub(crate) fn row(&self, over: &Scaled) -> String {
        let times = |times: Option<f64>| times.map_or_else(|| "-".to_owned(), |times| format!("{times:.2}"));
        let peer = if self.peer_times.is_empty() {
            String::new()
        } else {
            format!(" {:>10.3} {:>8}", median(&self.peer_times), times(self.peer_speedup(over)))
        };
        format!(
            "{:<14} {:<18} {:>7} {:>10.3} {:>8}{peer}  {:<41}  {}",
            self.graph,
            self.program.name(),
            self.threads,
            self.timing.median(),
            times(self.speedup(over)),
            self.timing.schedule,
            answer(&self.timing)
        )
    }
}

/// Returns how many times shorter `time` is, or `None` if one of the times was not measured.
fn speedup(one_thread: f64, time: f64) -> Option<f64> {
    (one_thread > 0.0 && time > 0.0).then(|| one_thread / time)
}

/// Returns the title and the names of the columns.
pub(super) fn columns(with_gap: bool) -> String {
    let peer = if with_gap { format!(" {:>10} {:>8}", "GAP's ms", "speed-up") } else { String::new() };
    format!(
        "Medians of {} runs on more and more threads\n{:<14} {:<18} {:>7} {:>10} {:>8}{peer}  {:<41}  answer",
        TRIALS * ROUNDS,
        "graph",
        "program",
        "threads",
        "wolfpath",
        "speed-up",
        "schedule"
    )
}

/// Times the lines of a graph on each number of threads, the smallest first.
pub(super) fn measure(
    session: &Session<'_>,
    track: &Track<'_>,
    gap: Option<&Gap>,
    counts: &[usize],
    table: &mut Table<'_>,
) -> Result<()> {
    let graph = track.timer.prepared.of.name();
    for line in &track.lines {
        let program = line.program.name();
        if session.is_over(&format!("{graph}, {program}, on more threads"), table)? {
            continue;
        }
        let mut first = None;
        for &threads in counts {
            match on(track, line, gap, threads) {
                Ok(scaled) => {
                    table.count(&scaled.timing);
                    let over = first.as_ref().unwrap_or(&scaled);
                    table.say(&scaled.json(over), &scaled.row(over))?;
                    first = first.or(Some(scaled));
                }
                Err(error) => {
                    table.failed("scaling", &graph, program, &error.to_string())?;
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Times one line on one number of threads.
fn on(track: &Track<'_>, line: &GapLine, gap: Option<&Gap>, threads: usize) -> Result<Scaled> {
    let mut time = || match gap {
        Some(gap) => gap.time(&line.call(&track.timer.prepared, &track.files)?, threads),
        None => Ok(Vec::new()),
    };
    let (ran, peer_times) = in_turns(&track.timer, line.program, threads, ROUNDS, &mut time)?;
    match ran {
        Ran::Timed(timing) => {
            let (graph, program) = (track.timer.prepared.of.name(), line.program);
            Ok(Scaled { graph, program, threads, timing: *timing, peer_times })
        }
        Ran::Refused(reason) | Ran::Stopped(reason) => Err(reason.into()),
    }
}
