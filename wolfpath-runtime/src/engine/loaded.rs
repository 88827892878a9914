//! A graph whose arrays stay on an engine, and its runs.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{EdgeProgram, LaidOut, Starts, VertexOrder};

use super::planner::{Planner, budget};
use super::{Engine, Place, check_weights, with_column};
use crate::cpu;
use crate::cuda;
use crate::error::{DeviceError, PlanError, RunError};
use crate::held::Held;
use crate::options::RunOptions;
use crate::outcome::Outcome;
use crate::plan::{FIRST_IS_NAN, Schedule};
use crate::pool::in_pool;
use crate::shape::Shape;
use crate::start::{self, Derived, Sources};
use crate::trace::Begun;

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
    pub(super) engine: Engine,
    pub(super) graph: LayeredGraph,
    pub(super) resident: Option<Arc<cuda::Resident>>,
    /// The whole graph on each further device of the engine, for runs that do not share the devices.
    pub(super) others: Arc<[Arc<cuda::Resident>]>,
    /// The parts of the graph that several devices have.
    pub(super) shards: Option<cuda::Shards>,
    /// The same if components of paths stay together, from the first run in the order of paths, along edges and against them.
    pub(super) shards_by_component: Arc<[OnceLock<cuda::Shards>; 2]>,
    /// The graph on all devices of the machine. Only an automatically chosen engine needs it, from the first run that takes
    /// all devices.
    pub(super) on_all: Arc<OnceLock<Box<LoadedGraph>>>,
    /// Inputs of the program that ran last on the CPU.
    pub(super) laid_out: Arc<Mutex<LaidOut>>,
    /// Arrays of the runs on the CPU.
    pub(super) shelf: Arc<cpu::Shelf>,
    /// Graphs that were derived from this one, each when a run first needed it.
    pub(super) derived: Arc<Mutex<[Option<LoadedGraph>; Derived::COUNT]>>,
}

impl std::fmt::Debug for LoadedGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedGraph").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// Returns `true` if a run failed because the device, or the host's memory that it reads, has too little room.
pub(super) fn lacks_room(error: &RunError) -> bool {
    matches!(
        error,
        RunError::Plan(PlanError::DoesNotFit { .. } | PlanError::TooManyItems { .. })
            | RunError::Device(DeviceError::Unlockable { .. })
    )
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
    pub(super) fn derived<P: EdgeProgram>(&self) -> Result<Option<LoadedGraph>, PlanError> {
        let Some(needed) = Derived::needed::<P>(&self.graph) else { return Ok(None) };
        let mut all = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &all[needed.place()] {
            return Ok(Some(known.clone()));
        }
        let from = match needed {
            // The other graph of neighbours, if it is known, has the neighbours already.
            Derived::Neighbours { oriented } => &all[Derived::Neighbours { oriented: !oriented }.place()],
            Derived::Columns => &None,
        };
        let graph = needed.of(from.as_ref().map_or(&self.graph, |known| &known.graph))?;
        Ok(Some(all[needed.place()].insert(self.engine.load(&graph)).clone()))
    }

    /// Runs a program over the rows of this graph.
    pub(super) fn run_as_is<P: EdgeProgram>(
        &self,
        program: &P,
        options: &RunOptions,
        began: Instant,
    ) -> Result<Outcome<P>, RunError> {
        let sources = Sources::resolve(&self.graph, program)?;
        self.run_with_sources(program, &sources, options, began)
    }

    pub(super) fn run_with_sources<P: EdgeProgram>(
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
        if let Some(on_all) = self.on_all_for_run::<P>(sources, options) {
            return on_all.run_somewhere(program, sources, options, began);
        }
        let device = resident.device.clone();
        match device.guard(|| self.run_on_device(resident, program, sources, options, began)) {
            Err(error) if self.engine.chosen && lacks_room(&error) => {
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

    /// Returns the graph on each of the engine's devices by itself; on the CPU engine, the graph.
    pub(super) fn on_each_device(&self) -> Vec<LoadedGraph> {
        let Some(lead) = &self.resident else { return vec![self.clone()] };
        if self.others.is_empty() {
            return vec![self.clone()];
        }
        let alone = |resident: &Arc<cuda::Resident>| LoadedGraph {
            engine: self.engine.on_device(resident.device.clone()),
            resident: Some(resident.clone()),
            others: Arc::default(),
            shards: None,
            shards_by_component: Arc::default(),
            ..self.clone()
        };
        std::iter::once(lead).chain(&*self.others).map(alone).collect()
    }

    /// Returns the parts of the graph that several devices have in a run with these options.
    pub(super) fn shards_for<P: EdgeProgram>(
        &self,
        options: &RunOptions,
    ) -> Result<Option<&cuda::Shards>, PlanError> {
        let (Some(in_turns), Place::Cuda(devices)) = (&self.shards, &self.engine.place) else {
            return Ok(None);
        };
        let dealing = self.engine.dealing(&Shape::of::<P>(), &self.graph, options);
        let cuda::Dealing::ByComponent { backward } = dealing else { return Ok(Some(in_turns)) };
        let known = &self.shards_by_component[usize::from(backward)];
        if let Some(by_component) = known.get() {
            return Ok(Some(by_component));
        }
        let found = cuda::Shards::new(devices, &self.graph, dealing)?;
        Ok(Some(known.get_or_init(|| found)))
    }

    /// Returns the program with its inputs in the order of the graph, if it has inputs.
    pub(super) fn bind<P: EdgeProgram>(&self, program: &P) -> Result<Option<P>, PlanError> {
        if P::MODEL.inputs.is_empty() {
            return Ok(None);
        }
        // Not locked meanwhile: a thread that waits for parts of the arrays may execute another run, which binds too.
        let mut laid_out = cpu::lock(&self.laid_out).clone();
        let bound = start::bind(VertexOrder::new(&self.graph, &P::MODEL.reads), program, &mut laid_out)?;
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
        let (stats, trace) = cpu::tell(&plan, &begun, ran.tally(), ran.recorded);
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
        let shards = self.shards_for::<P>(options)?;
        if let Some(shards) = shards {
            planner.shards = shards.parts.clone();
        }
        planner.run(
            |planner| planner.plan::<P>(sources),
            |plan, shape| {
                let budget = &budget(plan, shape, sources);
                let named = (plan.rows, plan.techniques.uses_path_order());
                let order =
                    (plan.schedule == Schedule::Paths).then(|| self.shelf.path_order(&self.graph, named));
                let order = order.transpose()?;
                let untyped = |resident| cuda::UntypedLaunch {
                    resident,
                    graph: &self.graph,
                    plan,
                    budget,
                    options,
                    order: order.as_deref(),
                    began,
                };
                let (kept, mut figures) = match shards.filter(|_| plan.share.is_some()) {
                    Some(shards) => {
                        let launches: Vec<_> = shards.all.iter().map(untyped).collect();
                        let untyped = untyped(&shards.all[0]);
                        cuda::Launch { program, sources, untyped }.run_shared(&launches)?
                    }
                    None => cuda::Launch { program, sources, untyped: untyped(resident) }.run()?,
                };
                let (fold, settled) = (std::mem::take(&mut figures.fold), figures.settled);
                let (stats, trace) = figures.tell(plan);
                let held = Held::on_device(self.graph.input_graph(), kept);
                Ok(Outcome::new(program, held, stats, trace).with_fold(fold).with_settled(settled))
            },
        )
    }
}
