//! Traces as JSON for Chrome's trace viewer, which Perfetto (ui.perfetto.dev) and `chrome://tracing` open. The file
//! contains complete events ("X"), counters ("C") and names ("M"), as in "Trace Event Format" (Google, 2016). It is
//! written as a stream, so a trace of a million steps needs no second copy in memory.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::{StageTrace, StepKind, StepTrace, Trace};

/// Number of the only process in a trace.
const PROCESS: u32 = 1;
/// Track of the host's stages.
const STAGES: u32 = 1;
/// Track of the steps.
const STEPS: u32 = 2;

/// One event of the file.
#[derive(Serialize)]
struct Event<A> {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    ph: &'static str,
    pid: u32,
    tid: u32,
    /// Time since the start of the run in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    /// Duration in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    args: A,
}

/// Arguments of a name event.
#[derive(Serialize)]
struct Name<'a> {
    name: &'a str,
}

/// Empty arguments of a stage's event.
#[derive(Serialize)]
struct Nothing {}

/// Arguments of a step's event.
#[derive(Serialize)]
struct StepArguments {
    step: u64,
    active: u64,
    edges: u64,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bucket: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    streamed_bytes: Option<u64>,
}

/// Arguments of a counter's event.
#[derive(Serialize)]
struct Count {
    vertices: u64,
}

/// The file.
#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "otherData")]
    about: About<'a>,
    #[serde(rename = "traceEvents")]
    events: Events<'a>,
}

/// Description of the run.
#[derive(Serialize)]
struct About<'a> {
    program: &'a str,
    engine: &'a str,
    schedule: &'a str,
    lost_steps: u64,
}

/// Events, created one by one while they are written.
struct Events<'a>(&'a Trace);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Events(trace) = self;
        let mut events = serializer.serialize_seq(None)?;
        let name = format!("{} on {}", trace.program, trace.engine);
        events.serialize_element(&named("process_name", STAGES, &name))?;
        events.serialize_element(&named("thread_name", STAGES, "host: stages"))?;
        events.serialize_element(&named("thread_name", STEPS, "steps"))?;
        trace.stages.iter().try_for_each(|stage| events.serialize_element(&stage_event(stage)))?;
        for step in &trace.steps {
            events.serialize_element(&step_event(step))?;
            if step.kind != StepKind::Advance {
                events.serialize_element(&frontier(step.began, step.active))?;
            }
        }
        if let Some(last) = trace.steps.last() {
            events.serialize_element(&frontier(last.began + last.took, 0))?;
        }
        events.end()
    }
}

fn named<'a>(name: &'static str, tid: u32, args: &'a str) -> Event<Name<'a>> {
    let args = Name { name: args };
    Event { name, cat: None, ph: "M", pid: PROCESS, tid, ts: None, dur: None, args }
}

fn stage_event(stage: &StageTrace) -> Event<Nothing> {
    Event {
        name: stage.name,
        cat: Some("stage"),
        ph: "X",
        pid: PROCESS,
        tid: STAGES,
        ts: Some(microseconds(stage.began)),
        dur: Some(microseconds(stage.took)),
        args: Nothing {},
    }
}

fn step_event(step: &StepTrace) -> Event<StepArguments> {
    let &StepTrace { step, began, took, active, edges, kind, bucket, streamed } = step;
    let streamed_bytes = (streamed > 0).then_some(streamed);
    Event {
        name: kind.name(),
        cat: Some("step"),
        ph: "X",
        pid: PROCESS,
        tid: STEPS,
        ts: Some(microseconds(began)),
        dur: Some(microseconds(took)),
        args: StepArguments { step, active, edges, kind: kind.name(), bucket, streamed_bytes },
    }
}

/// Returns the counter event that sets the frontier's size from `at` on.
fn frontier(at: Duration, vertices: u64) -> Event<Count> {
    Event {
        name: "frontier",
        cat: None,
        ph: "C",
        pid: PROCESS,
        tid: STEPS,
        ts: Some(microseconds(at)),
        dur: None,
        args: Count { vertices },
    }
}

/// Converts a time to microseconds, with the precision of a nanosecond.
fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

impl Trace {
    /// Writes the trace as JSON for Perfetto (ui.perfetto.dev) and `chrome://tracing`: the host's stages on one track,
    /// the steps on another, and the frontier's size as a counter. `out` should be a [`BufWriter`](io::BufWriter),
    /// since it receives many small writes.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let options = RunOptions::new().trace(true);
    /// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(1), &options)?;
    /// let mut json = Vec::new();
    /// outcome.trace().unwrap().write_chrome(&mut json).expect("memory can be written");
    /// assert!(json.starts_with(b"{") && json.ends_with(b"}\n"));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn write_chrome(&self, mut out: impl Write) -> io::Result<()> {
        let about = About {
            program: self.program,
            engine: &self.engine,
            schedule: self.schedule.name(),
            lost_steps: self.lost,
        };
        let file = File { unit: "ns", about, events: Events(self) };
        serde_json::to_writer(&mut out, &file).map_err(io::Error::from)?;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::plan::Schedule;

    fn step(step: u64, kind: StepKind, bucket: Option<u64>) -> StepTrace {
        let began = Duration::from_nanos(1_000_500 * step);
        let (took, streamed) = (Duration::from_nanos(250), 300 * (step - 1));
        StepTrace { step, began, took, active: 10 * step, edges: 7, kind, bucket, streamed }
    }

    fn trace(steps: Vec<StepTrace>) -> Trace {
        let stage = StageTrace { name: "run", began: Duration::ZERO, took: Duration::from_millis(3) };
        let engine = "a \"device\"\n".to_owned();
        Trace { program: "p", engine, schedule: Schedule::Bucket, stages: vec![stage], steps, lost: 4 }
    }

    fn written(trace: &Trace) -> Value {
        let mut bytes = Vec::new();
        trace.write_chrome(&mut bytes).expect("memory can be written");
        serde_json::from_slice(&bytes).expect("it is JSON")
    }

    #[test]
    fn events_read_back() {
        let advance = step(2, StepKind::Advance, Some(2));
        let file = written(&trace(vec![step(1, StepKind::Local, Some(1)), advance]));
        assert_eq!(file["otherData"]["engine"], "a \"device\"\n");
        assert_eq!(file["otherData"]["lost_steps"], 4);
        let events = file["traceEvents"].as_array().expect("a list");
        let phases: Vec<_> = events.iter().map(|event| event["ph"].as_str().expect("text")).collect();
        assert_eq!(phases, ["M", "M", "M", "X", "X", "C", "X", "C"]);
        assert_eq!((&events[3]["name"], &events[3]["dur"]), (&json!("run"), &json!(3000.0)));
        let arguments = json!({ "step": 1, "active": 10, "edges": 7, "kind": "local rounds", "bucket": 1 });
        let expected = json!({
            "name": "local rounds", "cat": "step", "ph": "X", "pid": 1, "tid": 2, "ts": 1000.5, "dur": 0.25,
            "args": arguments,
        });
        assert_eq!(events[4], expected);
        assert_eq!(events[5]["args"], json!({ "vertices": 10 }));
        assert_eq!(events[6]["args"]["streamed_bytes"], 300);
        assert_eq!((&events[7]["args"]["vertices"], &events[7]["ts"]), (&json!(0), &json!(2001.25)));
    }

    #[test]
    fn runs_without_steps_and_with_very_many() {
        assert_eq!(written(&trace(Vec::new()))["traceEvents"].as_array().map(Vec::len), Some(4));
        let many = (1..=100_000).map(|number| step(number, StepKind::Push, None)).collect();
        assert_eq!(written(&trace(many))["traceEvents"].as_array().map(Vec::len), Some(4 + 200_001));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let mut full = [0u8; 64];
        assert!(trace(Vec::new()).write_chrome(&mut full[..]).is_err());
    }
}
