//! One line of a comparison: our times beside those of another program.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::line::{Verdict, rounded};
use super::super::session::Session;
use super::super::table::answer;
use super::super::timer::{Ran, Task, Timer, Timing, Turns, ends, median};
use super::super::{Program, Result, Table};

/// Number of runs of each side in one round. The first of them finds the caches as the other side left them.
pub(crate) const TRIALS: usize = 3;

/// Program that a line is compared with.
pub(crate) struct Rival<'r> {
    pub(crate) name: &'static str,
    /// Upper limit of our time, as a multiple of the rival's.
    pub(crate) must: f64,
    /// Number of threads of each side.
    pub(crate) threads: usize,
    /// Number of equal parts of our run. The rival's times are those of one part.
    pub(crate) parts: u64,
    /// Returns the times of one round.
    pub(crate) time: &'r mut dyn FnMut() -> Result<Vec<Duration>>,
}

/// Times of both sides.
pub(crate) struct Contest {
    pub(crate) graph: String,
    pub(crate) program: Program,
    pub(crate) timing: Timing,
    pub(crate) threads: usize,
    pub(crate) parts: u64,
    pub(crate) peer: &'static str,
    /// Times of the other program, in ascending order.
    pub(crate) peer_times: Vec<Duration>,
    pub(crate) must: f64,
}

impl Contest {
    /// Returns the median of our times for one part, in milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.timing.median() / self.parts as f64
    }

    /// Returns our time as a multiple of the other program's, or `None` if that was too short to measure.
    pub(crate) fn times(&self) -> Option<f64> {
        let peer = median(&self.peer_times);
        (peer > 0.0).then(|| self.median() / peer)
    }

    /// Compares the multiple with its upper limit.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.times() {
            None => Verdict::Open,
            Some(times) if times > self.must => Verdict::Missed,
            Some(_) => Verdict::Met,
        }
    }

    /// Returns the name of the program, with `per step` instead of a number of steps if its time is that of a step.
    fn program(&self) -> String {
        let name = self.program.name();
        let named = name.split(',').next().unwrap_or(name);
        if self.parts > 1 { format!("{named}, per step") } else { name.to_owned() }
    }

    /// Returns everything as JSON.
    pub(crate) fn json(&self) -> Value {
        let timing = &self.timing;
        let (least, most) = timing.ends();
        let (peer_least, peer_most) = ends(&self.peer_times);
        let part = |time: f64| rounded(time / self.parts as f64);
        json!({
            "kind": "beside",
            "graph": self.graph,
            "program": self.program(),
            "threads": self.threads,
            "peer": self.peer,
            "peer_ms": rounded(median(&self.peer_times)),
            "peer_min_ms": rounded(peer_least),
            "peer_max_ms": rounded(peer_most),
            "peer_runs": self.peer_times.len(),
            "median_ms": rounded(self.median()),
            "min_ms": part(least),
            "max_ms": part(most),
            "runs": timing.times.len(),
            "times": self.times().map(rounded),
            "must": self.must,
            "verdict": self.verdict().name(),
            "engine": timing.engine,
            "schedule": timing.schedule,
            "steps": timing.steps,
            "edges": timing.edges,
            "reached": timing.reached,
            "wrong": timing.wrong,
        })
    }

    /// Returns everything as a row of the table.
    pub(crate) fn row(&self) -> String {
        let times = self.times().map_or_else(|| "-".to_owned(), |times| format!("{times:.2}"));
        format!(
            "{:<14} {:<18} {:<7} {:>10.3} {:>10.3} {:>7} {:>5.1} {:<7} {:<41}  {}",
            self.graph,
            self.program(),
            self.peer,
            median(&self.peer_times),
            self.median(),
            times,
            self.must,
            self.verdict().name(),
            self.timing.schedule,
            answer(&self.timing)
        )
    }
}

/// Prints the names of the columns.
pub(super) fn columns(table: &mut Table<'_>) -> Result<()> {
    table.title(&format!(
        "{:<14} {:<18} {:<7} {:>10} {:>10} {:>7} {:>5} {:<7} {:<41}  answer",
        "graph", "program", "other", "its ms", "wolfpath", "times", "must", "", "schedule"
    ))
}

/// Times a program in turns with its rival, and prints the line.
pub(super) fn hold(
    session: &Session<'_>,
    timer: &Timer<'_>,
    program: Program,
    rival: Rival<'_>,
    table: &mut Table<'_>,
) -> Result<()> {
    let graph = timer.prepared.of.name();
    if session.is_over(&format!("{graph}, {}", program.name()), table)? {
        return Ok(());
    }
    let Rival { name: peer, must, threads, parts, time } = rival;
    match in_turns(timer, program, threads, session.arguments.repeat, time) {
        Ok((Ran::Timed(timing), peer_times)) => {
            table.count(&timing);
            let timing = *timing;
            let contest = Contest { graph, program, timing, threads, parts, peer, peer_times, must };
            table.say(&contest.json(), &contest.row())
        }
        Ok((Ran::Refused(reason) | Ran::Stopped(reason), _)) => {
            table.failed("beside", &graph, program.name(), &reason)
        }
        Err(error) => table.failed("beside", &graph, program.name(), &error.to_string()),
    }
}

/// Times a program in turns with another. Also returns the other's times, in ascending order.
pub(super) fn in_turns(
    timer: &Timer<'_>,
    program: Program,
    threads: usize,
    rounds: usize,
    time: &mut dyn FnMut() -> Result<Vec<Duration>>,
) -> Result<(Ran, Vec<Duration>)> {
    let mut times = Vec::new();
    let mut other = || -> Result<()> {
        times.extend(time()?);
        Ok(())
    };
    let task = Task { program, options: program.options().threads(threads), repeat: rounds };
    let ran = timer.run_in_turns(&task, Some(Turns { runs: TRIALS, other: &mut other }))?;
    times.sort_unstable();
    Ok((ran, times))
}
