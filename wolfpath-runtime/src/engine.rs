//! Engines, which run plans. The CPU engine is always available. A CUDA engine needs a device, its driver, and NVRTC
//! for programs that were not compiled before.

mod cycle;
mod from;
mod many;
mod planner;
mod testing;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{Along, EdgeProgram, LaidOut, Starts};

use self::planner::{Planner, budget};
use crate::cpu;
use crate::cuda;
use crate::error::{DeviceError, PlanError, RunError};
use crate::held::Held;
use crate::options::RunOptions;
use crate::outcome::Outcome;
use crate::plan::{FIRST_IS_NAN, Home, Plan};
use crate::pool::in_pool;
use crate::start::{self, Sources};
use crate::trace::Begun;

pub use self::many::{Many, ManyStats, PlannedRuns, Sharing};

/// Runs programs over graphs, on every CPU core or on a GPU. Cheap to clone.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let engine = Engine::auto();
/// println!("{}: {}", engine.name(), engine.reason());
/// let outcome = engine.run(&graph, &wolfpath::programs::bfs::starting_at(1))?;
/// assert_eq!(outcome.value(3)?, Some(2));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    place: Place,
    reason: Arc<str>,
    /// `true` if the engine was chosen automatically. Runs that do not fit on the device then fall back to the CPU.
    chosen: bool,
    /// Defaults of `RunOptions::rows` and `RunOptions::packed_rows`.
    rows: Option<Home>,
    packed_rows: Option<bool>,
    /// Number of items that queues have room for, if tests limit it.
    queue_room: Option<u64>,
    hot_messages: Option<u64>,
}

#[derive(Clone)]
enum Place {
    Cpu,
    Cuda(Arc<cuda::Device>),
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("name", &self.name())
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Returns the best engine of this machine. This is the first CUDA device if there is one and programs can be
    /// compiled for it, and otherwise the CPU engine on every core. [`reason`](Self::reason) explains the choice. Runs
    /// that do not fit on the device fall back to the CPU, and their [`Stats::notes`](crate::Stats::notes) mention
    /// this.
    pub fn auto() -> Engine {
        let (place, reason) = match cuda::Device::open(0) {
            Ok(device) => {
                let reason = format!("the first CUDA device (of {})", cuda::count().unwrap_or(1));
                (Place::Cuda(Arc::new(device)), reason)
            }
            Err(error) => (Place::Cpu, format!("no CUDA device can be used: {error}")),
        };
        if let (Place::Cuda(_), Err(error)) = (&place, cuda::NvrtcLibrary::find()) {
            let reason = format!("a CUDA device was found, but programs cannot be compiled for it: {error}");
            return Engine { chosen: true, ..Engine::of(Place::Cpu, &reason) };
        }
        Engine { chosen: true, ..Engine::of(place, &reason) }
    }

    /// Returns the CPU engine, which uses every core.
    pub fn cpu() -> Engine {
        Engine::of(Place::Cpu, "requested")
    }

    /// Returns the engine of the CUDA device with the given number, from 0.
    ///
    /// # Errors
    ///
    /// Returns [`DeviceError`] if there is no driver, if it is too old, or if there is no such device.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Engine;
    ///
    /// match Engine::cuda(0) {
    ///     Ok(engine) => assert!(engine.is_cuda() && engine.name().starts_with("cuda:0")),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn cuda(ordinal: usize) -> Result<Engine, DeviceError> {
        let device = cuda::Device::open(ordinal)?;
        Ok(Engine::of(Place::Cuda(Arc::new(device)), "requested"))
    }

    fn of(place: Place, reason: &str) -> Engine {
        let (reason, rows, packed_rows) = (reason.into(), None, None);
        Engine { place, reason, chosen: false, rows, packed_rows, queue_room: None, hot_messages: None }
    }

    /// Sets where the rows of graphs live in runs whose options do not set [`RunOptions::rows`].
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::Home;
    ///
    /// let engine = Engine::auto().rows(Home::Host); // no effect on the CPU engine
    /// let outcome = engine.run(&LayeredGraph::from_edges([(1, 2)])?, &wolfpath::programs::bfs::starting_at(1))?;
    /// assert_eq!(outcome.value(2)?, Some(1));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn rows(mut self, home: impl Into<Option<Home>>) -> Engine {
        self.rows = home.into();
        self
    }

    /// Sets whether runs read packed rows, if their options do not set [`RunOptions::packed_rows`].
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let engine = Engine::auto().packed_rows(true); // no effect on the CPU engine
    /// let outcome = engine.run(&LayeredGraph::from_edges([(1, 2)])?, &wolfpath::programs::bfs::starting_at(1))?;
    /// assert_eq!(outcome.value(2)?, Some(1));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[must_use]
    pub fn packed_rows(mut self, packed: impl Into<Option<bool>>) -> Engine {
        self.packed_rows = packed.into();
        self
    }

    /// Returns `true` if the engine runs programs on a GPU.
    pub fn is_cuda(&self) -> bool {
        matches!(self.place, Place::Cuda(_))
    }

    /// Returns the engine's name, for example "cpu" or "cuda:0 (NVIDIA H100 80GB HBM3)".
    pub fn name(&self) -> String {
        match &self.place {
            Place::Cpu => "cpu".to_owned(),
            Place::Cuda(device) => device.full_name(),
        }
    }

    /// Returns the number of warps that can be resident on the device at a time; 0 for the CPU engine.
    fn warps(&self) -> u64 {
        match &self.place {
            Place::Cpu => 0,
            Place::Cuda(device) => u64::from(device.multiprocessors * wolfpath_kernels::BLOCK_THREADS / 32),
        }
    }

    /// Returns the measured costs of the device; `None` for the CPU engine.
    fn calibration(&self) -> Option<&cuda::Calibration> {
        match &self.place {
            Place::Cpu => None,
            Place::Cuda(device) => Some(device.calibration()),
        }
    }

    /// Returns the reason for using this engine.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Prepares a graph for many runs. Each array is copied to the device when a run first needs it, and stays there. On
    /// the CPU, a few arrays of earlier runs are kept for the next one.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let loaded = Engine::auto().load(&graph);
    /// for source in [1, 2] {
    ///     let outcome = loaded.run(&wolfpath::programs::bfs::starting_at(source))?;
    ///     assert_eq!(outcome.value(3)?, Some(3 - source as u32));
    /// }
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn load(&self, graph: &LayeredGraph) -> LoadedGraph {
        let resident = match &self.place {
            Place::Cpu => None,
            Place::Cuda(device) => Some(Arc::new(cuda::Resident::new(device.clone(), graph.clone()))),
        };
        let (engine, graph) = (self.clone(), graph.clone());
        LoadedGraph {
            engine,
            graph,
            resident,
            laid_out: Arc::default(),
            shelf: Arc::default(),
            derived: Arc::default(),
        }
    }

    /// Runs a program until nothing changes.
    ///
    /// # Errors
    ///
    /// Returns [`RunError`] if a source is not in the graph, if weights do not fit the program's type, if the program
    /// faults or takes too many steps, or if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(1, 2, 10u32), (1, 3, 1), (3, 2, 1)])?;
    /// let outcome = Engine::cpu().run(&graph, &wolfpath::programs::sssp::starting_at(1))?;
    /// assert_eq!(outcome.value(2)?, Some(2));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run<P: EdgeProgram>(&self, graph: &LayeredGraph, program: &P) -> Result<Outcome<P>, RunError> {
        self.run_with(graph, program, &RunOptions::new())
    }

    /// Runs a program with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](Self::run), and an error if the run is cancelled or exceeds its time limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let options = RunOptions::new().threads(1).max_steps(100);
    /// let outcome = Engine::cpu().run_with(&graph, &wolfpath::programs::reach::starting_at(2), &options)?;
    /// assert_eq!(outcome.read()?.reached(), 2);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_with<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        program: &P,
        options: &RunOptions,
    ) -> Result<Outcome<P>, RunError> {
        self.load(graph).run_with(program, options)
    }

    /// Makes every decision about a run and computes the sizes of its arrays, without allocating or running anything.
    /// Only for a program along distinct neighbours, it derives their rows, whose number is unknown before.
    ///
    /// # Errors
    ///
    /// Returns [`PlanError`] if a source is not in the graph, if a weight is negative although the program does not
    /// accept negative weights, or if the requested schedule cannot run the program.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let program = wolfpath::programs::bfs::starting_at(1);
    /// let plan = Engine::cpu().plan(&graph, &program, &RunOptions::new())?;
    /// assert_eq!((plan.program, plan.graph.vertices), ("bfs", 3));
    /// println!("{plan}");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn plan<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        program: &P,
        options: &RunOptions,
    ) -> Result<Plan, RunError> {
        let graph = &with_column(graph, options)?;
        let graph = &start::derived::<P>(graph)?.unwrap_or_else(|| graph.clone());
        let sources = Sources::resolve(graph, program)?;
        check_weights::<P>(graph)?;
        let planner = Planner::new(self, graph, options);
        let planned = match &self.place {
            Place::Cpu => planner.plan::<P>(&sources),
            Place::Cuda(device) => device.guard(|| planner.plan::<P>(&sources)),
        };
        Ok(planned?.0)
    }
}

/// A graph prepared for an engine and for many runs. Cheap to clone. Runs on one device execute one at a time.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::programs::{bfs, reach};
///
/// let loaded = Engine::auto().load(&LayeredGraph::from_edges([(1, 2), (2, 3)])?);
/// assert_eq!(loaded.run(&bfs::starting_at(1))?.value(3)?, Some(2));
/// assert_eq!(loaded.run(&reach::starting_at(3))?.read()?.reached(), 1);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone)]
pub struct LoadedGraph {
    engine: Engine,
    graph: LayeredGraph,
    resident: Option<Arc<cuda::Resident>>,
    /// Inputs of the program that ran last on the CPU.
    laid_out: Arc<Mutex<LaidOut>>,
    /// Arrays of the runs on the CPU.
    shelf: Arc<cpu::Shelf>,
    /// The graphs of distinct neighbours, not oriented and oriented, each derived when a run first needs it.
    derived: Arc<Mutex<[Option<LoadedGraph>; 2]>>,
}

impl std::fmt::Debug for LoadedGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedGraph").field("engine", &self.engine).finish_non_exhaustive()
    }
}

impl LoadedGraph {
    /// Runs a program until nothing changes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::run`].
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let loaded = Engine::cpu().load(&LayeredGraph::from_edges([(1, 2), (3, 4)])?);
    /// let outcome = loaded.run(&wolfpath::programs::bfs::starting_at(3))?;
    /// assert_eq!((outcome.value(4)?, outcome.value(1)?), (Some(1), None));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run<P: EdgeProgram>(&self, program: &P) -> Result<Outcome<P>, RunError> {
        self.run_with(program, &RunOptions::new())
    }

    /// Runs a program with options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::run_with`].
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let loaded = Engine::cpu().load(&LayeredGraph::from_edges([(1, 2), (2, 3)])?);
    /// let one_step = RunOptions::new().steps_at_most(1);
    /// assert_eq!(loaded.run_with(&wolfpath::programs::bfs::starting_at(1), &one_step)?.value(3)?, None);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn run_with<P: EdgeProgram>(
        &self,
        program: &P,
        options: &RunOptions,
    ) -> Result<Outcome<P>, RunError> {
        if options.weight_column.is_some() {
            let graph = with_column(&self.graph, options)?;
            let options = options.clone().weight_column(None);
            return LoadedGraph { graph, ..self.clone() }.run_with(program, &options);
        }
        let began = Instant::now();
        match self.derived::<P>()? {
            Some(derived) => derived.run_as_is(program, options, began),
            None => self.run_as_is(program, options, began),
        }
    }

    /// Returns the loaded graph whose rows a program runs over, unless it is this one.
    fn derived<P: EdgeProgram>(&self) -> Result<Option<LoadedGraph>, PlanError> {
        if P::ALONG != Along::Neighbours {
            return Ok(None);
        }
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        // If the other graph is known, it has the neighbours already.
        let from =
            derived.iter().flatten().next().map_or_else(|| self.graph.clone(), |known| known.graph.clone());
        let known = &mut derived[usize::from(P::ORIENTED)];
        if known.is_none() {
            let graph = start::derived::<P>(&from)?;
            *known = graph.map(|graph| self.engine.load(&graph));
        }
        Ok(known.clone())
    }

    /// Runs a program over the rows of this graph.
    fn run_as_is<P: EdgeProgram>(
        &self,
        program: &P,
        options: &RunOptions,
        began: Instant,
    ) -> Result<Outcome<P>, RunError> {
        let sources = Sources::resolve(&self.graph, program)?;
        self.run_with_sources(program, &sources, options, began)
    }

    fn run_with_sources<P: EdgeProgram>(
        &self,
        program: &P,
        sources: &Sources<P::Value>,
        options: &RunOptions,
        began: Instant,
    ) -> Result<Outcome<P>, RunError> {
        if !const { crate::shape::Shape::of::<P>().may_have_endless_cycles() } {
            return self.run_somewhere(program, sources, options, began);
        }
        // The values show which edges still improved others.
        let keeping = options.clone().keep_unfinished(true);
        self.run_somewhere(program, sources, &keeping, began).map_err(|error| {
            error.with_cycle(options.keep_unfinished, |values| self.endless_cycle(program, values, options))
        })
    }

    fn run_somewhere<P: EdgeProgram>(
        &self,
        program: &P,
        sources: &Sources<P::Value>,
        options: &RunOptions,
        began: Instant,
    ) -> Result<Outcome<P>, RunError> {
        self.graph.check_unchanged().map_err(PlanError::from)?;
        check_weights::<P>(&self.graph)?;
        let Some(resident) = &self.resident else {
            return self.run_on_cpu(program, sources, options, began, Vec::new());
        };
        let device = resident.device.clone();
        match device.guard(|| self.run_on_device(resident, program, sources, options, began)) {
            Err(
                error @ (RunError::Plan(PlanError::DoesNotFit { .. } | PlanError::TooManyItems { .. })
                | RunError::Device(DeviceError::Unlockable { .. })),
            ) if self.engine.chosen => {
                let note = format!("the CPU engine took over: {error}");
                self.run_on_cpu(program, &sources.on_host()?, options, began, vec![note])
            }
            ran => ran,
        }
    }

    /// Returns the graph.
    pub fn graph(&self) -> &LayeredGraph {
        &self.graph
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the program with its inputs in the order of the graph, if it has inputs.
    fn bind<P: EdgeProgram>(&self, program: &P) -> Result<Option<P>, PlanError> {
        if P::MODEL.inputs.is_empty() {
            return Ok(None);
        }
        // Not locked meanwhile: a thread that waits for parts of the arrays may execute another run, which binds too.
        let mut laid_out = cpu::lock(&self.laid_out).clone();
        let bound = start::bind(&self.graph, program, &mut laid_out)?;
        *cpu::lock(&self.laid_out) = laid_out;
        Ok(bound)
    }

    fn run_on_cpu<P: EdgeProgram>(
        &self,
        program: &P,
        sources: &Sources<P::Value>,
        options: &RunOptions,
        began: Instant,
        notes: Vec<String>,
    ) -> Result<Outcome<P>, RunError> {
        let engine = Engine::of(Place::Cpu, &self.engine.reason);
        let mut planner = Planner::new(&engine, &self.graph, options);
        let mut tried = self.try_on_cpu(program, sources, &planner, began)?;
        if tried.is_none() {
            planner.against_union = Some(FIRST_IS_NAN);
            tried = self.try_on_cpu(program, sources, &planner, began)?;
        }
        let mut outcome = tried.expect("a plan that knows of the NaN allows it");
        outcome.stats_mut().notes.extend(notes);
        Ok(outcome)
    }

    /// Plans a run and executes it. Returns `None` if the plan does not allow a first value to be NaN, and `start`
    /// returned one.
    fn try_on_cpu<P: EdgeProgram>(
        &self,
        program: &P,
        sources: &Sources<P::Value>,
        planner: &Planner<'_>,
        began: Instant,
    ) -> Result<Option<Outcome<P>>, RunError> {
        let options = planner.options;
        let (plan, shape) = planner.plan::<P>(sources)?;
        let budget = budget(&plan, &shape, sources);
        let (ended, [loading, running, end]) = in_pool(options.threads, || {
            let loading = Instant::now();
            if budget.uses_in_rows() || P::MODEL.reads.vertex_in_degree {
                self.graph.in_edges().map_err(PlanError::from)?;
            }
            let bound = self.bind(program)?;
            let program = bound.as_ref().unwrap_or(program);
            let (graph, lossy) = (&self.graph, options.lossy_weights);
            let view = cpu::View::on_shelf(&self.shelf, graph, program, &budget, lossy)?;
            let running = Instant::now();
            let ended = cpu::run(&view, sources, &plan, options)?;
            Ok((ended, [loading, running, Instant::now()]))
        })?;
        let cpu::Ended::Ran(ran) = ended else { return Ok(None) };
        let begun = Begun::on_cpu(began, loading, running, end);
        let (stats, trace) = cpu::tell(&plan, &begun, (ran.steps, ran.end, ran.edges), ran.recorded);
        let all = match &sources.carried {
            Some(carried) => carried.kind().all,
            None => P::MODEL.starts == Starts::Every,
        };
        let held = Held::on_host(self.graph.input_graph(), ran.values, all);
        let outcome = Outcome::new(program, held, stats, trace).with_fold(ran.fold);
        Ok(Some(outcome.with_settled(ran.settled)))
    }

    fn run_on_device<P: EdgeProgram>(
        &self,
        resident: &Arc<cuda::Resident>,
        program: &P,
        sources: &Sources<P::Value>,
        options: &RunOptions,
        began: Instant,
    ) -> Result<Outcome<P>, RunError> {
        let mut planner = Planner::new(&self.engine, &self.graph, options);
        planner.is_shown = false;
        planner.run(
            |planner| planner.plan::<P>(sources),
            |plan, shape| {
                let budget = &budget(plan, shape, sources);
                let untyped =
                    cuda::UntypedLaunch { resident, graph: &self.graph, plan, budget, options, began };
                let launch = cuda::Launch { program, sources, untyped };
                let (kept, mut figures) = launch.run()?;
                let (fold, settled) = (std::mem::take(&mut figures.fold), figures.settled);
                let (stats, trace) = figures.tell(plan);
                let held = Held::on_device(self.graph.input_graph(), kept);
                Ok(Outcome::new(program, held, stats, trace).with_fold(fold).with_settled(settled))
            },
        )
    }
}

/// Returns the graph with the weight column that the options name, if any.
fn with_column(graph: &LayeredGraph, options: &RunOptions) -> Result<LayeredGraph, PlanError> {
    match &options.weight_column {
        Some(name) => Ok(graph.with_weight_column(name)?),
        None => Ok(graph.clone()),
    }
}

/// Checks that the columns that the program reads exist. If the program does not accept negative weights, also checks
/// that no weight is negative.
fn check_weights<P: EdgeProgram>(graph: &LayeredGraph) -> Result<(), PlanError> {
    if !P::MODEL.reads.edge_weight {
        return Ok(());
    }
    let fields = P::MODEL.weight_columns;
    graph.check_columns(fields)?;
    if !P::NON_NEGATIVE_WEIGHTS {
        return Ok(());
    }
    match graph.first_negative_of(fields)? {
        Some((source_id, target_id, weight)) => {
            Err(PlanError::NegativeWeight { program: P::MODEL.name, source_id, target_id, weight })
        }
        None => Ok(()),
    }
}
