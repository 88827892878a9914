//! Advice for errors, as data.

use std::fmt;

use wolfpath_core::cache::CacheError;
use wolfpath_core::graph::{GraphError, LayerError, WeightError};
use wolfpath_core::program::DatumKind;
use wolfpath_core::space::SpaceError;
use wolfpath_core::store::StoreError;
use wolfpath_io::OpenError;
use wolfpath_io::load::{self, LoadError};
use wolfpath_io::save::WriteError;
use wolfpath_runtime::{CompileError, DeviceError, PlanError, RunError};

use crate::Error;

/// Setting or call that may remove the cause of an error: the result of [`Error::advice`].
///
/// The text of a stage's error says in words what to do. This type gives the same advice as data. Its
/// [`Display`](fmt::Display) names the API. A program with its own options can name those instead, as the command
/// `wolfpath` does.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::{Advice, Error};
///
/// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let run = Engine::cpu().run_with(&graph, &wolfpath::programs::bfs::starting_at(17), &RunOptions::new().max_steps(1));
/// let error = Error::from(run.expect_err("two steps are needed"));
/// assert_eq!(error.advice(), Some(Advice::Steps));
/// assert!(error.to_string().ends_with("(RunOptions::max_steps or RunOptions::steps_at_most)"), "{error}");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Read the file with other options.
    Load(load::Advice),
    /// Allow more memory: [`Resources::memory`](crate::resources::Resources::memory).
    Memory,
    /// Name another folder for working files: [`Resources::scratch`](crate::resources::Resources::scratch).
    Scratch,
    /// Build the `.wolf` file again: [`LayeredGraph::write`](crate::graph::LayeredGraph::write).
    BuildAgain,
    /// Set the limit of the cache folder again: [`CacheFolder::set_limit`](crate::cache::CacheFolder::set_limit).
    CacheLimit,
    /// Accept rounded weights: [`RunOptions::lossy_weights`](crate::RunOptions::lossy_weights).
    LossyWeights,
    /// Run the program over `f64`, or accept rounded weights.
    WiderOrLossyWeights,
    /// Name the column to use as the weight: [`RunOptions::weight_column`](crate::RunOptions::weight_column).
    WeightColumn,
    /// Use weights of 1: [`WeightChoice::Unit`](crate::graph::WeightChoice::Unit).
    UnitWeights,
    /// Use the CPU engine: [`Engine::cpu`](crate::Engine::cpu).
    CpuEngine,
    /// Use the CPU engine until the problem with the driver, the device or NVRTC is solved.
    CpuEngineMeanwhile,
    /// List the available devices: [`cuda::devices`](crate::cuda::devices).
    Devices,
    /// Allow more steps, or request a fixed number: [`RunOptions::max_steps`](crate::RunOptions::max_steps),
    /// [`RunOptions::steps_at_most`](crate::RunOptions::steps_at_most).
    Steps,
    /// Renumber the vertices: [`SaveOptions::renumber`](crate::save::SaveOptions::renumber).
    Renumber,
    /// Leave out the weights: [`SaveOptions::drop_weights`](crate::save::SaveOptions::drop_weights).
    DropWeights,
    /// Write only one column, or none.
    OneColumnOrNone,
    /// Make every edge undirected: [`EdgeList::undirected`](crate::edge_list::EdgeList::undirected).
    Undirected,
    /// Merge parallel edges: [`EdgeList::merged`](crate::edge_list::EdgeList::merged).
    MergeDuplicates,
    /// Name the format: [`SaveOptions::format`](crate::save::SaveOptions::format).
    SaveFormat,
}

impl fmt::Display for Advice {
    /// Writes the names of the API.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Advice::Load(load::Advice::Format(format)) => {
                return write!(f, "LoadOptions::format, with {format}");
            }
            Advice::Load(load::Advice::OtherFormat) => "LoadOptions::format",
            Advice::Load(load::Advice::Columns) => "LoadOptions::columns",
            Advice::Load(load::Advice::ExtraColumns) => {
                "LoadOptions::columns or LoadOptions::ignore_extra_columns"
            }
            Advice::Load(_) => "LoadOptions::lossy_weights",
            Advice::Memory => "Resources::memory",
            Advice::Scratch => "Resources::scratch",
            Advice::BuildAgain => "LayeredGraph::write",
            Advice::CacheLimit => "CacheFolder::set_limit",
            Advice::LossyWeights => "RunOptions::lossy_weights",
            Advice::WiderOrLossyWeights => "a program over f64, or RunOptions::lossy_weights",
            Advice::WeightColumn => "RunOptions::weight_column",
            Advice::UnitWeights => "WeightChoice::Unit",
            Advice::CpuEngine | Advice::CpuEngineMeanwhile => "Engine::cpu",
            Advice::Devices => "cuda::devices",
            Advice::Steps => "RunOptions::max_steps or RunOptions::steps_at_most",
            Advice::Renumber => "SaveOptions::renumber",
            Advice::DropWeights => "SaveOptions::drop_weights",
            Advice::OneColumnOrNone => "EdgeList::with_only_column or SaveOptions::drop_weights",
            Advice::Undirected => "EdgeList::undirected",
            Advice::MergeDuplicates => "EdgeList::merged",
            Advice::SaveFormat => "SaveOptions::format",
        })
    }
}

impl Error {
    /// Returns a setting or call that may remove the cause of the error, if [`Advice`] has a variant for it.
    pub fn advice(&self) -> Option<Advice> {
        match self {
            Error::Load(error) | Error::Open(OpenError::Load(error)) => of_load(error),
            Error::Layer(LayerError::Space(error))
            | Error::Open(OpenError::Layer(LayerError::Space(error)))
            | Error::Graph(GraphError::Layer(LayerError::Space(error))) => of_space(error),
            Error::Store(error) | Error::Open(OpenError::Store(error)) => match error {
                StoreError::Version { .. } => Some(Advice::BuildAgain),
                _ => None,
            },
            Error::Cache(CacheError::Limit(_)) => Some(Advice::CacheLimit),
            Error::Weights(error) => of_weights(error),
            Error::Save(error) => of_save(error),
            Error::Plan(error) => of_plan(error),
            Error::Compile(error) => of_compile(error),
            Error::Device(error) => of_device(error),
            Error::Run(error) => match error {
                RunError::Plan(error) => of_plan(error),
                RunError::Compile(error) => of_compile(error),
                RunError::Device(error) => of_device(error),
                RunError::Overrun { pending: None, .. } => Some(Advice::Steps),
                _ => None,
            },
            Error::EdgeList(_)
            | Error::Generate(_)
            | Error::Open(_)
            | Error::Graph(_)
            | Error::Layer(_)
            | Error::Cache(_)
            | Error::Outcome(_) => None,
            #[cfg(feature = "cluster")]
            Error::Build(wolfpath_cluster::BuildError::Load(error)) => of_load(error),
            #[cfg(feature = "cluster")]
            Error::Build(_) | Error::Shards(_) | Error::Cluster(_) => None,
        }
    }
}

fn of_load(error: &LoadError) -> Option<Advice> {
    match error {
        LoadError::Space { source, .. } => of_space(source),
        error => error.advice().map(Advice::Load),
    }
}

fn of_space(error: &SpaceError) -> Option<Advice> {
    match error {
        SpaceError::Memory { .. } | SpaceError::Refused { .. } => Some(Advice::Memory),
        SpaceError::Disk { .. } => Some(Advice::Scratch),
        _ => None,
    }
}

fn of_weights(error: &WeightError) -> Option<Advice> {
    match error {
        // No number type is wider than f64.
        WeightError::Inexact { to: DatumKind::F64, .. } => Some(Advice::LossyWeights),
        WeightError::Inexact { .. } => Some(Advice::WiderOrLossyWeights),
        WeightError::WhichColumn { .. } => Some(Advice::WeightColumn),
        _ => None,
    }
}

fn of_save(error: &WriteError) -> Option<Advice> {
    match error {
        WriteError::Ids { .. } | WriteError::IdTooLarge { .. } => Some(Advice::Renumber),
        WriteError::Weights { .. } | WriteError::Weight { .. } => Some(Advice::DropWeights),
        WriteError::Columns { .. } => Some(Advice::OneColumnOrNone),
        WriteError::OneWay { .. } => Some(Advice::Undirected),
        WriteError::Parallel { .. } => Some(Advice::MergeDuplicates),
        WriteError::UnknownFormat { .. } => Some(Advice::SaveFormat),
        _ => None,
    }
}

fn of_plan(error: &PlanError) -> Option<Advice> {
    match error {
        PlanError::Weights(error) => of_weights(error),
        PlanError::DoesNotFit { .. } | PlanError::TooManyItems { .. } => Some(Advice::CpuEngine),
        PlanError::NegativeWeight { .. } => Some(Advice::UnitWeights),
        _ => None,
    }
}

fn of_compile(error: &CompileError) -> Option<Advice> {
    match error {
        CompileError::NoNvrtc { .. } => Some(Advice::CpuEngineMeanwhile),
        _ => None,
    }
}

fn of_device(error: &DeviceError) -> Option<Advice> {
    match error {
        DeviceError::NoDriver { .. } | DeviceError::OldDriver { .. } | DeviceError::OldDevice { .. } => {
            Some(Advice::CpuEngineMeanwhile)
        }
        DeviceError::UnknownDevice { .. } => Some(Advice::Devices),
        DeviceError::Lost { .. } | DeviceError::LostEarlier { .. } | DeviceError::Unlockable { .. } => {
            Some(Advice::CpuEngine)
        }
        _ => None,
    }
}
