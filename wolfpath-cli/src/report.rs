//! The report of `wolfpath run`: lines of text, or one JSON object.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};
use wolfpath::graph::{LayeredGraph, LengthBound};
use wolfpath::{Plan, StageTimes, Stats, Streamed};

use crate::arguments::RunArguments;
use crate::clock;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::json::{bound_json, graph_json, object, seconds};
use crate::open::origin;
use crate::task::Setup;
use crate::verify::Verification;

/// Maximum number of sources in a line of text. JSON lists all of them.
const SHOWN_SOURCES: usize = 20;

/// Results that were requested in addition to the run itself.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) verification: Option<Verification>,
    /// Vertex of `--path-to`, and the path to it if it was reached.
    pub(crate) path: Option<(u64, Option<Vec<u64>>)>,
    pub(crate) verifying: Option<Duration>,
    pub(crate) finding_paths: Option<Duration>,
    pub(crate) writing: Option<Duration>,
}

/// Report on a finished run.
pub(crate) struct Report {
    pub(crate) graph: Described,
    pub(crate) opening: Duration,
    /// Time that creating the engine took, while the graph was opened, or that connecting the processes took.
    pub(crate) starting: Duration,
    /// Type of the values.
    pub(crate) number: &'static str,
    pub(crate) setup: Setup,
    pub(crate) plan: Planned,
    /// Statistics of the last run.
    pub(crate) stats: Stats,
    /// Stage times of the first run, which compiled the program and loaded the graph.
    pub(crate) first: StageTimes,
    /// Time of each run, from first values to final values.
    pub(crate) runs: Vec<Duration>,
    pub(crate) reached: u64,
    /// Notes of the command and of the last run.
    pub(crate) notes: Vec<String>,
    pub(crate) answers: Answers,
}

/// The graph of a report.
pub(crate) struct Described {
    pub(crate) vertices: u32,
    /// Description that follows the name, and the same as JSON.
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Described {
    pub(crate) fn of(graph: &LayeredGraph, path: &Path) -> Described {
        let (vertices, edges, layers) = (graph.num_vertices(), graph.num_edges(), graph.num_layers());
        let text = format!("{vertices} vertices, {edges} edges, {layers} layers; {}", origin(graph));
        Described { vertices, text, json: graph_json(graph, path) }
    }
}

/// Part of a run's plan that reports show.
pub(crate) struct Planned {
    pub(crate) engine_reason: String,
    pub(crate) schedule_reason: String,
    pub(crate) bound: Option<LengthBound>,
    /// Bytes of all arrays; `None` if they were not computed.
    pub(crate) bytes: Option<u64>,
}

impl From<Plan> for Planned {
    fn from(plan: Plan) -> Planned {
        let bytes = Some(plan.bytes());
        let Plan { engine_reason, schedule_reason, bound, .. } = plan;
        Planned { engine_reason, schedule_reason, bound, bytes }
    }
}

/// Returns the median of the times. For an even number of times, this is the mean of the middle two.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let middle = times.len() / 2;
    match times.len() {
        0 => Duration::ZERO,
        odd if odd % 2 == 1 => times[middle],
        _ => (times[middle - 1] + times[middle]) / 2,
    }
}

/// Describes the launches of runs on a device and the memory that they need; nothing for runs on the CPU. `run` is the time
/// in which rows were streamed.
pub(crate) fn launches_text(
    launches: u64,
    [on_device, on_host]: [u64; 2],
    streamed: Streamed,
    run: Duration,
) -> String {
    if launches == 0 {
        return String::new();
    }
    let host = if on_host == 0 { String::new() } else { format!(" and {on_host} in host memory") };
    let Streamed { bytes, chunks, skipped, .. } = streamed;
    let rate = streamed.rate(run) / 1e9;
    let stream = match bytes {
        0 => String::new(),
        _ => format!(", {bytes} bytes streamed in {chunks} chunks ({skipped} skipped), {rate:.1} GB/s"),
    };
    format!(", {launches} launches, {on_device} bytes on the device{host}{stream}")
}

/// Returns what was streamed in a time; null if nothing was.
pub(crate) fn streamed_json(streamed: Streamed, run: Duration) -> Value {
    let Streamed { bytes, chunks, skipped, .. } = streamed;
    match bytes {
        0 => Value::Null,
        _ => {
            json!({"bytes": bytes, "chunks": chunks, "skipped": skipped, "bytes_per_second": streamed.rate(run)})
        }
    }
}

/// Returns the time of each repetition, and their median.
pub(crate) fn repeats_json(times: &[Duration]) -> Value {
    let each: Vec<Value> = times.iter().copied().map(seconds).collect();
    json!({ "count": each.len(), "median": seconds(median(times.to_vec())), "seconds": each })
}

impl Report {
    /// Prints to standard output, or to standard error if a result was written to standard output.
    pub(crate) fn print(&self, arguments: &RunArguments) -> Result<(), Error> {
        if arguments.json {
            return console::print(&format!("{:#}\n", self.json(arguments)));
        }
        let text = self.text(arguments);
        if arguments.outputs().any(|(_, to)| to.is_stdout()) {
            console::tell(text.trim_end());
            return Ok(());
        }
        console::print(&text)
    }

    fn text(&self, arguments: &RunArguments) -> String {
        let mut text = String::new();
        let mut line = |name: &str, what: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name:<10} {what}");
        };
        line("graph", self.graph_line(arguments));
        line("program", self.program_line(arguments));
        line("engine", format!("{}: {}", self.stats.engine, self.plan.engine_reason));
        line("schedule", format!("{}: {}", self.stats.schedule.name(), self.plan.schedule_reason));
        line("run", self.run_line());
        line("stages", self.stages_line());
        line("total", format!("{:.1?} from the start of the command to its answer", clock::elapsed()));
        line("reached", format!("{} of {} vertices", self.reached, self.graph.vertices));
        if let Some(verification) = &self.answers.verification {
            line("verified", verified(verification, self.answers.verifying));
        }
        if let Some((id, path)) = &self.answers.path {
            line("path", path_line(*id, path.as_deref()));
        }
        for (option, to) in arguments.outputs() {
            let name = to.name();
            match option {
                "--plot" => line("picture", name),
                "--trace" => line("written", format!("trace to {name}")),
                "--predecessors" => line("written", format!("predecessors to {name}")),
                _ => line("written", format!("values to {name}")),
            }
        }
        text
    }

    fn graph_line(&self, arguments: &RunArguments) -> String {
        format!("{}: {} ({:.1?})", arguments.graph.path.display(), self.graph.text, self.opening)
    }

    fn program_line(&self, arguments: &RunArguments) -> String {
        let from = match self.setup.sources.as_slice() {
            [] => String::new(),
            ids => format!(" from {}", joined(ids, ", ", SHOWN_SOURCES)),
        };
        format!("{} with {} values{from}", arguments.program.name(), self.number)
    }

    fn run_line(&self) -> String {
        let stats = &self.stats;
        let time = match self.runs.as_slice() {
            [only] => format!("in {only:.1?}"),
            runs => format!("in {:.1?} (median of {} runs)", median(self.runs.clone()), runs.len()),
        };
        let bytes = [stats.device_bytes, stats.host_bytes];
        let launches = launches_text(stats.launches, bytes, stats.streamed, stats.times.run);
        let updates = stats.updates.map_or_else(String::new, |updates| format!(", {updates} updates"));
        let pending =
            stats.pending.map_or_else(String::new, |share| format!(", {share:.1e} still to be sent"));
        format!("{} steps, {} edges{updates}{pending}{launches}, {time}", stats.steps, stats.edges)
    }

    fn stages_line(&self) -> String {
        let (first, last) = (&self.first, &self.stats.times);
        let stages = [
            ("open", self.opening),
            ("engine", self.starting),
            ("plan", first.plan),
            ("compile", first.compile),
            ("load", first.load),
            ("read back", last.read_back),
        ];
        let taken = stages.iter().filter(|(_, time)| !time.is_zero());
        taken.map(|(name, time)| format!("{name} {time:.1?}")).collect::<Vec<_>>().join(", ")
    }

    fn json(&self, arguments: &RunArguments) -> Value {
        let stats = &self.stats;
        object([
            ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
            ("program", json!(arguments.program.name())),
            ("number", json!(self.number)),
            ("sources", json!(self.setup.sources)),
            ("graph", self.graph.json.clone()),
            ("engine", json!(stats.engine)),
            ("engine_reason", json!(self.plan.engine_reason)),
            ("schedule", json!(stats.schedule.name())),
            ("schedule_reason", json!(self.plan.schedule_reason)),
            ("bound", bound_json(self.plan.bound)),
            ("steps", json!(stats.steps)),
            ("end", json!(stats.end.to_string())),
            ("edges", json!(stats.edges)),
            ("borrowed_edges", json!(stats.borrowed_edges)),
            ("updates", json!(stats.updates)),
            ("pending", json!(stats.pending)),
            ("reached", json!(self.reached)),
            ("launches", json!(stats.launches)),
            ("host_to_device_copies", json!(stats.host_to_device_copies)),
            ("device_to_host_copies", json!(stats.device_to_host_copies)),
            ("device_bytes", json!(stats.device_bytes)),
            ("host_bytes", json!(stats.host_bytes)),
            ("streamed", streamed_json(stats.streamed, stats.times.run)),
            ("planned_bytes", json!(self.plan.bytes)),
            ("seconds", self.seconds_json()),
            ("runs", repeats_json(&self.runs)),
            ("verification", self.answers.verification.as_ref().map_or(Value::Null, verification_json)),
            ("path", self.path_json()),
            ("output", json!(arguments.output.as_ref().map(Destination::name))),
            ("predecessors", json!(arguments.predecessors.as_ref().map(Destination::name))),
            ("trace", json!(arguments.trace.as_ref().map(Destination::name))),
            ("plot", json!(arguments.plot.as_ref().map(Destination::name))),
            ("notes", json!(self.notes)),
        ])
    }

    fn seconds_json(&self) -> Value {
        let answers = &self.answers;
        let asked = |time: Option<Duration>| time.map_or(Value::Null, seconds);
        object([
            ("open", seconds(self.opening)),
            ("engine", seconds(self.starting)),
            ("plan", seconds(self.first.plan)),
            ("compile", seconds(self.first.compile)),
            ("load", seconds(self.first.load)),
            ("run", seconds(median(self.runs.clone()))),
            ("read_back", seconds(self.stats.times.read_back)),
            ("verify", asked(answers.verifying)),
            ("paths", asked(answers.finding_paths)),
            ("output", asked(answers.writing)),
            ("total", seconds(clock::elapsed())),
        ])
    }

    fn path_json(&self) -> Value {
        self.answers.path.as_ref().map_or(Value::Null, |(to, path)| json!({ "to": to, "vertices": path }))
    }
}

fn verified(verification: &Verification, time: Option<Duration>) -> String {
    let Verification { oracle, compared, differences, largest_error, .. } = verification;
    let error =
        largest_error.map_or_else(String::new, |error| format!(", relative errors up to {error:.1e}"));
    let time = time.unwrap_or_default();
    match differences {
        0 => format!("against {oracle}: {compared} vertices, no difference{error} ({time:.1?})"),
        _ => format!("against {oracle}: {differences} of {compared} vertices DIFFER{error} ({time:.1?})"),
    }
}

fn verification_json(verification: &Verification) -> Value {
    let first = verification
        .first
        .as_ref()
        .map(|first| json!({ "id": first.id, "expected": first.expected, "found": first.found }));
    let mut fields = Map::new();
    fields.insert("oracle".into(), json!(verification.oracle));
    fields.insert("passed".into(), json!(verification.differences == 0));
    fields.insert("compared".into(), json!(verification.compared));
    fields.insert("differences".into(), json!(verification.differences));
    fields.insert("first_difference".into(), json!(first));
    if let Some(error) = verification.largest_error {
        fields.insert("largest_relative_error".into(), json!(error));
    }
    Value::Object(fields)
}

fn path_line(id: u64, path: Option<&[u64]>) -> String {
    match path {
        Some(path) => {
            let edges = path.len().saturating_sub(1);
            let noun = if edges == 1 { "edge" } else { "edges" };
            format!("{} ({edges} {noun})", joined(path, " -> ", usize::MAX))
        }
        None => format!("none: {id} was not reached"),
    }
}

/// Joins ids. If there are more than `most`, the middle ones are left out.
fn joined(ids: &[u64], between: &str, most: usize) -> String {
    let text = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(between);
    if ids.len() <= most {
        return text(ids);
    }
    let half = most / 2;
    let (first, last) = (text(&ids[..half]), text(&ids[ids.len() - half..]));
    format!("{first}{between}... {} more ...{between}{last}", ids.len() - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_lose_their_middle() {
        assert_eq!(joined(&[1, 2, 3], "-", 3), "1-2-3");
        assert_eq!(joined(&[1, 2, 3, 4, 5], "-", 4), "1-2-... 1 more ...-4-5");
    }
}
