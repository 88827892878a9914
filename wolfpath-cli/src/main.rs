//! The command `wolfpath`: builds, inspects and traverses graphs.
//!
//! Each subcommand has its own file. Results go to standard output, everything else (notes, progress, errors) to
//! standard error. The exit code is 0 for success, 1 for a failure (one line says what failed) and 2 for an invalid
//! command line.

mod arguments;
mod bars;
mod build;
mod cache;
mod chart;
mod check;
#[cfg(feature = "cluster")]
mod check_cluster;
mod clock;
mod console;
mod convert;
mod cuda;
mod destination;
mod devices;
mod engine;
mod error;
mod explain;
mod generate;
mod info;
mod json;
mod many;
mod number;
mod open;
#[cfg(feature = "cluster")]
mod plan_cluster;
mod plot;
#[cfg(feature = "cluster")]
mod processes;
mod report;
mod run;
#[cfg(feature = "cluster")]
mod run_cluster;
#[cfg(feature = "cluster")]
mod shards;
mod sources;
mod summary;
mod task;
mod values;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, error::ErrorKind};

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    clock::start();
    engine::limit_queues();
    let arguments = Arguments::parse();
    if let Err(message) = arguments.check() {
        Arguments::command().error(ErrorKind::ArgumentConflict, message).exit();
    }
    console::watch_signals();
    let done = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Build(arguments) => build::build(arguments),
        Command::Info(arguments) => info::info(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Generate(arguments) => generate::generate(arguments),
        Command::Convert(arguments) => convert::convert(arguments),
        Command::Cache(arguments) => cache::cache(arguments.command),
        Command::Cuda(arguments) => cuda::cuda(arguments),
        Command::Devices => devices::devices(),
        #[cfg(feature = "cluster")]
        Command::Shard(arguments) => shards::shard(arguments),
        #[cfg(feature = "cluster")]
        Command::PlanCluster(arguments) => plan_cluster::plan_cluster(arguments),
        #[cfg(feature = "cluster")]
        Command::CheckCluster(arguments) => check_cluster::check_cluster(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::error(&error);
            ExitCode::FAILURE
        }
    }
}
