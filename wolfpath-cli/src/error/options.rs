//! The options that errors advise. The library says in words what can be done; this table says with which options the
//! command does it.

use std::borrow::Cow;

use wolfpath::cache::CacheError;
use wolfpath::graph::{GraphError, LayerError, OpenError, WeightError};
use wolfpath::load::{Advice, LoadError};
use wolfpath::program::DatumKind;
use wolfpath::resources::SpaceError;
use wolfpath::save::WriteError;
use wolfpath::store::StoreError;
use wolfpath::{CompileError, DeviceError, PlanError, RunError};

/// Returns the options for what an error advises, to be appended to its text; empty if it advises nothing that an option does.
///
/// Those for a device are for where one was asked for and cannot be used. (Where the choice is left to the engine, the same
/// errors are reasons for what it took, and need no advice.)
pub(super) fn options(error: &wolfpath::Error) -> Cow<'static, str> {
    use wolfpath::Error::{Cache, Device, Graph, Layer, Load, Open, Plan, Run, Save, Store, Weights};
    let options = match error {
        Load(error) | Open(OpenError::Load(error)) => return of_load(error),
        Layer(LayerError::Space(error))
        | Open(OpenError::Layer(LayerError::Space(error)))
        | Graph(GraphError::Layer(LayerError::Space(error))) => of_space(error),
        Store(StoreError::Version { .. }) | Open(OpenError::Store(StoreError::Version { .. })) => {
            " (wolfpath build)"
        }
        Cache(CacheError::Limit(_)) => " (wolfpath cache limit SIZE)",
        Weights(error) => of_weights(error),
        Save(error) => of_save(error),
        Plan(error) | Run(RunError::Plan(error)) => of_plan(error),
        Device(error) | Run(RunError::Device(error)) => of_device(error),
        Run(RunError::Compile(CompileError::NoNvrtc { .. })) => ", or use the CPU engine (--engine cpu)",
        Run(RunError::Overrun { .. }) => " (--max-steps, --steps)",
        _ => "",
    };
    options.into()
}

fn of_load(error: &LoadError) -> Cow<'static, str> {
    if let LoadError::Space { source, .. } = error {
        return of_space(source).into();
    }
    match error.advice() {
        Some(Advice::Format(format)) => format!(" (--format {format})").into(),
        Some(Advice::OtherFormat) => " (--format)".into(),
        Some(Advice::Columns) => " (--columns)".into(),
        Some(Advice::ExtraColumns) => " (--columns a,b,c or --ignore-extra-columns)".into(),
        Some(Advice::LossyWeights) => " (--lossy-weights)".into(),
        _ => "".into(),
    }
}

/// Only `build` lets its user choose; every command finds the graph that it keeps.
fn of_space(error: &SpaceError) -> &'static str {
    match error {
        SpaceError::Memory { .. } | SpaceError::Refused { .. } => " (wolfpath build --memory)",
        SpaceError::Disk { .. } => " (wolfpath build --scratch)",
        _ => "",
    }
}

fn of_weights(error: &WeightError) -> &'static str {
    match error {
        // Nothing is wider than f64.
        WeightError::Inexact { to: DatumKind::F64, .. } => " (--lossy-weights)",
        WeightError::Inexact { .. } => " (--precision f64 or --lossy-weights)",
        WeightError::WhichColumn { .. } => " (--weight-column NAME)",
        _ => "",
    }
}

fn of_plan(error: &PlanError) -> &'static str {
    match error {
        PlanError::Weights(error) => of_weights(error),
        PlanError::DoesNotFit { .. } | PlanError::TooManyItems { .. } => " (--engine cpu)",
        PlanError::NegativeWeight { .. } => " (--weights unit)",
        _ => "",
    }
}

fn of_device(error: &DeviceError) -> &'static str {
    match error {
        DeviceError::NoDriver { .. } | DeviceError::OldDriver { .. } | DeviceError::OldDevice { .. } => {
            ", or use the CPU engine (--engine cpu)"
        }
        DeviceError::UnknownDevice { .. } => "; `wolfpath devices` lists them",
        DeviceError::Lost { .. } | DeviceError::LostEarlier { .. } => " (--engine cpu)",
        _ => "",
    }
}

fn of_save(error: &WriteError) -> &'static str {
    match error {
        WriteError::Ids { .. } | WriteError::IdTooLarge { .. } => " (--renumber)",
        WriteError::Weights { .. } | WriteError::Weight { .. } => " (--drop-weights)",
        WriteError::Columns { .. } => " (--weight-column NAME, --drop-weights)",
        WriteError::OneWay { .. } => " (--undirected)",
        WriteError::Parallel { .. } => " (--duplicates drop)",
        WriteError::UnknownFormat { .. } => " (--to)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use clap::CommandFactory;

    use crate::arguments::Arguments;

    /// Returns the long options of a command and its subcommands.
    fn options_of(command: &clap::Command, all: &mut HashSet<String>) {
        all.extend(command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned));
        command.get_subcommands().for_each(|command| options_of(command, all));
    }

    /// Returns the options that the Rust files in a folder name, each with its file.
    fn named_in(folder: &Path, named: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                named_in(&path, named);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let ends_name = |letter: char| !letter.is_ascii_lowercase() && letter != '-';
            let names = text.split("--").skip(1).filter_map(|rest| rest.split(ends_name).next());
            let file = path.display().to_string();
            named.extend(names.filter(|name| !name.is_empty()).map(|name| (name.to_owned(), file.clone())));
        }
    }

    #[test]
    fn every_option_that_is_named_exists() {
        let mut all = HashSet::new();
        options_of(&Arguments::command(), &mut all);
        let mut named = Vec::new();
        named_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut named);
        assert!(named.len() > 50 && named.iter().any(|(name, _)| name == "lossy-weights"), "{named:?}");
        let gone: Vec<_> = named.iter().filter(|(name, _)| !all.contains(name)).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }
}
