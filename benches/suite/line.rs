//! One line of the table: a timing, compared with its target and its floor.

use serde_json::{Value, json};

use super::Program;
use super::targets::{Bound, Measures, Target, target};
use super::timer::{Timing, milliseconds};

/// Rounds a number to its meaningful digits (four decimals).
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Result of comparing a line with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The line has no bound.
    Free,
    AimMet,
    Met,
    Missed,
    /// The line that the bound refers to was not measured.
    Open,
}

impl Verdict {
    /// Returns the text for tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Free => "",
            Verdict::AimMet => "aim met",
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::Open => "open",
        }
    }
}

/// A timing, and what it is compared with.
pub(crate) struct Line {
    pub(crate) graph: String,
    pub(crate) program: Program,
    pub(crate) timing: Timing,
    pub(crate) target: Option<&'static Target>,
    /// Bound that the median must reach, in milliseconds.
    pub(crate) must: Option<f64>,
    /// Bound that the median should reach, in milliseconds.
    pub(crate) aim: Option<f64>,
    /// Median as text, in the unit in which `must` is set; `None` if that unit is milliseconds.
    pub(crate) shown: Option<String>,
}

impl Line {
    /// Compares a timing with its target. `median` returns the medians of earlier lines over the same graph.
    pub(crate) fn new(
        graph: String,
        program: Program,
        timing: Timing,
        median: impl Fn(&str) -> Option<f64>,
    ) -> Line {
        let target = target(&graph, program.name());
        let measures = Measures { levels: timing.levels, apart_ms: timing.apart.map(milliseconds) };
        let limit = |bound: Bound| bound.milliseconds(&measures, &median);
        let must = target.and_then(|target| target.must);
        let shown = must.and_then(|bound| {
            let other = match bound {
                Bound::TimesProgram(_, of) => median(of),
                _ => None,
            };
            bound.shown(timing.median(), &measures, other)
        });
        let aim = target.and_then(|target| target.aim).and_then(limit);
        Line { graph, program, target, must: must.and_then(limit), aim, shown, timing }
    }

    /// Compares the median with the bounds.
    pub(crate) fn verdict(&self) -> Verdict {
        let median = self.timing.median();
        match (self.target.and_then(|target| target.must), self.must) {
            (None, _) => Verdict::Free,
            (Some(_), None) => Verdict::Open,
            (Some(_), Some(must)) if median > must => Verdict::Missed,
            _ if self.aim.is_some_and(|aim| median <= aim) => Verdict::AimMet,
            _ => Verdict::Met,
        }
    }

    /// Returns the median as a multiple of the floor.
    pub(crate) fn distance(&self) -> f64 {
        self.timing.median() / self.timing.floor.total()
    }

    /// Returns everything as JSON.
    pub(crate) fn json(&self) -> Value {
        let (timing, target) = (&self.timing, self.target);
        let words = |bound: Option<Bound>| bound.map(Bound::words);
        let mut object = json!({
            "kind": "line",
            "graph": self.graph,
            "program": self.program.name(),
            "peer_ms": target.and_then(|target| target.peer).map(|peer| peer.milliseconds),
            "peer": target.and_then(|target| target.peer).map(|peer| peer.name),
            "peer_note": target.and_then(|target| target.peer).and_then(|peer| peer.note),
            "must": words(target.and_then(|target| target.must)),
            "must_ms": self.must.map(rounded),
            "aim": words(target.and_then(|target| target.aim)),
            "aim_ms": self.aim.map(rounded),
            "verdict": self.verdict().name(),
            "shown": self.shown,
            "distance": rounded(self.distance()),
        });
        merge(&mut object, timing_json(timing));
        object
    }
}

/// Returns the fields of a timing as JSON.
pub(crate) fn timing_json(timing: &Timing) -> Value {
    let (least, most) = timing.ends();
    json!({
        "engine": timing.engine,
        "schedule": timing.schedule,
        "median_ms": rounded(timing.median()),
        "min_ms": rounded(least),
        "max_ms": rounded(most),
        "runs": timing.times.len(),
        "floor_ms": rounded(timing.floor.total()),
        "floor_of": timing.floor.dominant(),
        "floor_bytes_ms": rounded(timing.floor.bytes),
        "floor_random_ms": rounded(timing.floor.random),
        "floor_barriers_ms": rounded(timing.floor.barriers),
        "steps": timing.steps,
        "edges": timing.edges,
        "reached": timing.reached,
        "levels": timing.levels,
        "apart_ms": timing.apart.map(|apart| rounded(milliseconds(apart))),
        "launches": timing.launches,
        "first_ms": rounded(milliseconds(timing.first)),
        "compile_ms": rounded(milliseconds(timing.compile)),
        "load_ms": rounded(milliseconds(timing.load)),
        "read_back_ms": rounded(milliseconds(timing.read_back)),
        "wrong": timing.wrong,
    })
}

/// Adds the fields of `more` to `object`.
pub(crate) fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}
