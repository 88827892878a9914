//! Engines, which run plans. The CPU engine is always available. A CUDA engine needs a device, its driver, and NVRTC
//! for programs that were not compiled before.

mod cycle;
mod from;
mod further;
mod loaded;
mod many;
mod planner;
mod testing;

use std::sync::Arc;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::EdgeProgram;

use self::further::FurtherDevices;
use self::planner::Planner;
pub(crate) use self::planner::{check_settling, default_step_limit, notes_of, tolerance};
use crate::cuda;
use crate::error::{DeviceError, PlanError, RunError};
use crate::options::RunOptions;
use crate::outcome::Outcome;
use crate::plan::{Home, Plan};
use crate::shape::Shape;
use crate::start::{self, Sources};

pub use self::loaded::LoadedGraph;
pub use self::many::{Many, ManyStats, PlannedRuns, Sharing};

/// Runs programs over graphs, on every CPU core or on a GPU. Cheap to clone.
///
/// Several machines can share runs, too: with the feature `cluster`, the trait `wolfpath::cluster::ClusterEngine` adds
/// `Engine::cluster`.
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
    /// The further devices, if the engine was chosen automatically and the machine has several.
    further: Option<Arc<FurtherDevices>>,
    /// Defaults of `RunOptions::rows` and `RunOptions::packed_rows`.
    rows: Option<Home>,
    packed_rows: Option<bool>,
    /// Number of items that queues have room for, if tests limit it.
    queue_room: Option<u64>,
    hot_messages: Option<u64>,
    /// `true` if several devices share every run that they can share, for tests.
    spread: bool,
    inbox_room: Option<u64>,
    least_lent: Option<u64>,
    /// Number of vertices that are dealt out to several devices together.
    unit: usize,
}

#[derive(Clone)]
enum Place {
    Cpu,
    Cuda(cuda::Devices),
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
    ///
    /// If the machine has several devices, they are opened for the first run that does not fit on one of them, or for which
    /// they save more time than opening them takes. [`Plan::devices_reason`](crate::Plan::devices_reason) has the estimate.
    /// To open several devices at once, name them ([`cuda_devices`](Self::cuda_devices)).
    pub fn auto() -> Engine {
        let (place, further, reason) = match cuda::Device::open(0) {
            Ok(device) => {
                let (device, count) = (Arc::new(device), cuda::count().unwrap_or(1));
                let reason = format!("the first CUDA device (of {count})");
                let further = FurtherDevices::of(&device, count);
                (Place::Cuda(device.into()), further, reason)
            }
            Err(error) => (Place::Cpu, None, format!("no CUDA device can be used: {error}")),
        };
        if let (Place::Cuda(_), Err(error)) = (&place, cuda::NvrtcLibrary::find()) {
            let reason = format!("a CUDA device was found, but programs cannot be compiled for it: {error}");
            return Engine { chosen: true, ..Engine::of(Place::Cpu, &reason) };
        }
        Engine { chosen: true, further, ..Engine::of(place, &reason) }
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
        Ok(Engine::of(Place::Cuda(Arc::new(device).into()), "requested"))
    }

    /// Returns the engine of several CUDA devices of one kind, which share large runs. Each device has the rows of some of
    /// the vertices, and the devices exchange what they find out about each other's vertices after every step. The devices
    /// must be able to access each other's memory. The first one runs alone what would take longer on all of them. Of
    /// [many runs](LoadedGraph::run_many), each device executes some.
    ///
    /// # Errors
    ///
    /// Returns [`DeviceError`] if the driver is missing or too old, if `ordinals` is empty or names more devices than can
    /// share a run, if a device is missing, named twice or of another kind, or if two devices cannot access each other's
    /// memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Engine;
    ///
    /// match Engine::cuda_devices(&[0, 1]) {
    ///     Ok(engine) => assert!(engine.is_cuda() && engine.name().starts_with("cuda:0,1")),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn cuda_devices(ordinals: &[usize]) -> Result<Engine, DeviceError> {
        Ok(Engine::of(Place::Cuda(cuda::Devices::open(ordinals)?), "requested"))
    }

    /// Returns this engine on one of its devices. Runs that do not fit there are errors, which the caller deals with.
    fn on_device(&self, device: Arc<cuda::Device>) -> Engine {
        Engine { place: Place::Cuda(device.into()), chosen: false, further: None, ..self.clone() }
    }

    fn of(place: Place, reason: &str) -> Engine {
        let (reason, rows, packed_rows) = (reason.into(), None, None);
        Engine {
            place,
            reason,
            chosen: false,
            further: None,
            rows,
            packed_rows,
            queue_room: None,
            hot_messages: None,
            spread: false,
            inbox_room: None,
            least_lent: None,
            unit: cuda::UNIT,
        }
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

    /// Returns the engine's name, for example "cpu", "cuda:0 (NVIDIA H200)" or "cuda:0,1 (NVIDIA H200)".
    pub fn name(&self) -> String {
        match &self.place {
            Place::Cpu => "cpu".to_owned(),
            Place::Cuda(devices) => devices.full_name(),
        }
    }

    /// Returns the number of devices; 0 for the CPU engine.
    fn devices(&self) -> usize {
        match &self.place {
            Place::Cpu => 0,
            Place::Cuda(devices) => devices.len(),
        }
    }

    /// Returns the number of warps that can be resident on the device at a time; 0 for the CPU engine.
    fn warps(&self) -> u64 {
        match &self.place {
            Place::Cpu => 0,
            Place::Cuda(devices) => {
                u64::from(devices.lead().multiprocessors * wolfpath_kernels::BLOCK_THREADS / 32)
            }
        }
    }

    /// Returns the measured costs of the device; `None` for the CPU engine.
    fn calibration(&self) -> Option<&cuda::Calibration> {
        match &self.place {
            Place::Cpu => None,
            Place::Cuda(devices) => Some(devices.lead().calibration()),
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
        let (mut residents, mut shards) = (Vec::new(), None);
        if let Place::Cuda(devices) = &self.place {
            let resident =
                |device: &Arc<cuda::Device>| Arc::new(cuda::Resident::new(device.clone(), graph.clone()));
            residents.extend(devices.iter().map(resident));
            if devices.len() > 1 {
                // Each device gets about as many in-edges as the others, so they must be known. If they cannot be computed,
                // a run that needs them returns the error.
                let _ = graph.in_edges();
                shards = Some(cuda::Shards::in_turns(devices, graph, self.unit));
            }
        }
        let mut residents = residents.into_iter();
        let (resident, others) = (residents.next(), residents.collect());
        let (engine, graph) = (self.clone(), graph.clone());
        LoadedGraph {
            engine,
            graph,
            resident,
            others,
            shards,
            shards_by_component: Arc::default(),
            on_all: Arc::default(),
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
    /// Only for a program along distinct neighbours, it derives their rows, whose number is unknown before, and for an
    /// accumulating program, it verifies the paths that the graph stores. An automatically
    /// chosen engine opens further devices if the run would take them.
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
        let mut planner = Planner::new(self, graph, options);
        let planned = match &self.place {
            Place::Cpu => planner.plan::<P>(&sources),
            Place::Cuda(devices) => {
                if devices.len() > 1 {
                    let dealing = self.dealing(&Shape::of::<P>(), graph, options);
                    planner.shards = cuda::Shard::all_of(graph, devices.len(), dealing)?;
                }
                devices.lead().guard(|| planner.plan::<P>(&sources))
            }
        };
        let (plan, _) = planned?;
        match plan.asks_for_all.then(|| self.on_all_devices()).flatten() {
            Some(on_all) => on_all.plan(graph, program, options),
            // The further devices cannot be used, which the next plan says.
            None if plan.asks_for_all => self.plan(graph, program, options),
            None => Ok(plan),
        }
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
