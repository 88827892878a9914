//! `wolfpath explain`: prints the plan of a run.

use std::fmt::Write;

use serde_json::{Value, json};
use wolfpath::cuda::{self, Configuration, Kernel, NvrtcLibrary};
use wolfpath::prelude::*;
use wolfpath::{Estimate, Plan, PlannedEngine, PlannedRuns, Shape, Techniques};

use crate::arguments::RunArguments;
use crate::console;
use crate::error::Error;
use crate::json::{bound_json, graph_json, object, seconds};
use crate::many::ways;
use crate::run::Prepared;
#[cfg(feature = "cluster")]
use crate::run_cluster;
use crate::task::{self, Asked, Visitor};
#[cfg(feature = "cluster")]
use crate::values::EngineChoice;

pub(crate) fn explain(arguments: &RunArguments) -> Result<(), Error> {
    #[cfg(feature = "cluster")]
    if arguments.engine == EngineChoice::Cluster {
        return run_cluster::explain(arguments);
    }
    let prepared = Prepared::new(arguments)?;
    let idle = arguments.of_a_run();
    if !idle.is_empty() {
        console::note(format_args!("explain does not run the program and ignores {}", idle.join(", ")));
    }
    let explainer = Explainer { prepared: &prepared, each_source: arguments.each_source };
    let Explained { parts, plan, compilation } =
        task::visit(arguments.program, prepared.number, &prepared.setup, explainer)?;
    if arguments.json {
        let json = plan_json(arguments, &prepared, &plan, &parts, &compilation);
        return console::print(&format!("{json:#}\n"));
    }
    let mut text = String::new();
    for way in ways(parts.iter().map(|part| (part.runs.len(), &part.sharing))) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "runs       {way}");
    }
    if !parts.is_empty() {
        let bytes: u64 = parts.iter().map(|part| part.outcome_bytes).sum();
        let _ = writeln!(text, "results    {bytes} bytes of host memory");
    }
    if parts.len() > 1 {
        let _ = writeln!(text, "plan of the first group:");
    }
    text += &plan.to_string();
    for (name, what) in lines(&prepared.graph, &plan, compilation) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10} {what}");
    }
    console::print(&text)
}

/// Returns the lines that are printed in addition to the plan.
fn lines(graph: &LayeredGraph, plan: &Plan, compilation: String) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let PlannedEngine::Cuda { free, .. } | PlannedEngine::CudaDevices { free, .. } = plan.engine {
        lines.push(("free", format!("{free} bytes on the device")));
    }
    if let Some(root) = graph.root() {
        let (layers, steps) = (graph.num_layers(), graph.root_layers().saturating_sub(1));
        let what = format!(
            "{layers}; an unweighted traversal from their root, {root}, takes {steps} steps and a final empty step"
        );
        lines.push(("layers", what));
    }
    lines.push(("compile", compilation));
    lines
}

/// Everything known about a run, or many runs, before they start.
struct Explained {
    /// With `--each-source`: the groups of runs that share their work.
    parts: Vec<PlannedRuns>,
    plan: Plan,
    compilation: String,
}

/// Visitor that plans the run of the selected program.
struct Explainer<'a> {
    prepared: &'a Prepared,
    each_source: bool,
}

impl Visitor for Explainer<'_> {
    type Output = Explained;

    fn visit<P: EdgeProgram>(self, asked: &Asked<'_, P>) -> Result<Explained, Error> {
        let Prepared { graph, engine, options, setup, .. } = self.prepared;
        let (mut parts, mut kernel) = (Vec::new(), Kernel::Run);
        let plan = if self.each_source {
            let programs: Vec<P> = setup.sources.iter().map(|&id| (asked.from)(&[id])).collect();
            let planned = engine.plan_many(graph, &programs, options)?;
            parts.extend(planned);
            parts.first().map(|first| {
                kernel = first.kernel;
                first.plan.clone()
            })
        } else {
            None
        };
        let plan = match plan {
            Some(plan) => plan,
            None => engine.plan(graph, &(asked.from)(&setup.sources), options)?,
        };
        let compilation = match &plan.engine {
            PlannedEngine::Cpu { .. } => {
                "nothing: the CPU engine runs the program as compiled into this command".to_owned()
            }
            PlannedEngine::Cuda { ordinal, .. } => compilation(kernel, &plan, &Shape::of::<P>(), *ordinal)?,
            PlannedEngine::CudaDevices { ordinals, .. } => {
                compilation(kernel, &plan, &Shape::of::<P>(), ordinals[0])?
            }
        };
        Ok(Explained { parts, plan, compilation })
    }
}

/// Describes the CUDA text that NVRTC will compile for a device, and the NVRTC library.
fn compilation(kernel: Kernel, plan: &Plan, shape: &Shape, ordinal: usize) -> Result<String, Error> {
    let bytes = cuda::kernel_unit(kernel, shape, &Configuration::of(plan)).len();
    let device = cuda::devices()?.into_iter().find(|device| device.ordinal == ordinal);
    let architecture = device
        .map_or_else(String::new, |device| format!(" for sm_{}{}", device.capability.0, device.capability.1));
    Ok(match NvrtcLibrary::find() {
        Ok(library) => format!(
            "{bytes} bytes of CUDA C{architecture} by {}, unless the result is in the cache",
            library.path.display()
        ),
        Err(error) => format!("{bytes} bytes of CUDA C{architecture} cannot be compiled: {error}"),
    })
}

fn estimate_json(estimate: &Estimate) -> Value {
    object([
        ("schedule", json!(estimate.schedule.name())),
        ("techniques", techniques_json(estimate.techniques)),
        ("seconds", seconds(estimate.time)),
    ])
}

fn techniques_json(techniques: Techniques) -> Value {
    object([
        ("direction", json!(techniques.uses_direction())),
        ("local_rounds", json!(techniques.uses_local_rounds())),
        ("shared_window", json!(techniques.uses_shared_window())),
        ("path_order", json!(techniques.uses_path_order())),
        ("lending", json!(techniques.uses_lending())),
    ])
}

fn plan_json(
    arguments: &RunArguments,
    prepared: &Prepared,
    plan: &Plan,
    parts: &[PlannedRuns],
    compilation: &str,
) -> Value {
    let parts = parts.iter().map(|part| {
        json!({
            "runs": part.runs.len(),
            "sharing": part.sharing.to_string(),
            "outcome_bytes": part.outcome_bytes,
        })
    });
    let reads = plan.reads.iter().map(|reading| json!({ "what": reading.what, "from": reading.array }));
    let arrays = plan.arrays.iter().map(
        |array| json!({ "name": array.name.as_str(), "elements": array.elements, "bytes": array.bytes, "home": array.home.name() }),
    );
    object([
        ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
        ("program", json!(arguments.program.name())),
        ("reads", reads.collect()),
        ("sources", json!(prepared.setup.sources)),
        ("each_source", parts.collect()),
        ("graph", graph_json(&prepared.graph, &arguments.graph.path)),
        ("engine", json!(plan.engine.to_string())),
        ("engine_reason", json!(plan.engine_reason)),
        ("schedule", json!(plan.schedule.name())),
        ("schedule_reason", json!(plan.schedule_reason)),
        ("estimates", plan.estimates.iter().map(estimate_json).collect()),
        ("techniques", techniques_json(plan.techniques)),
        ("technique_reasons", json!(plan.technique_reasons)),
        ("bound", bound_json(plan.bound)),
        ("steps", json!(plan.steps)),
        ("max_steps", json!(plan.max_steps)),
        ("packed", json!(plan.packed)),
        ("rows", json!(plan.rows_reason)),
        ("bytes", json!(plan.bytes())),
        ("arrays", arrays.collect()),
        ("compile", json!(compilation)),
        ("notes", json!([&prepared.notes[..], &plan.notes].concat())),
    ])
}
