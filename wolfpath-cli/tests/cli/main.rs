//! The command as users see it: its output, its files and its exit codes.

mod bad_input;
mod bad_places;
mod cache;
mod check;
mod check_cluster;
mod checkpoints;
mod columns;
mod conventions;
mod convert;
mod cuda;
#[cfg(unix)]
mod device;
mod each_source;
mod generate;
mod graphs;
mod interrupted;
mod memory;
mod mutated_files;
mod observing;
mod packed;
mod paths;
mod pictures;
mod plan_cluster;
mod run;
mod run_cluster;
mod run_options;
mod shards;
mod summaries;
mod support;
mod usage;
