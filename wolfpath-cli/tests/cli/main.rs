//! The command as its users meet it: what it prints, writes and leaves, and how it ends.

mod bad_input;
mod bad_places;
mod cache;
mod check;
mod columns;
mod conventions;
mod convert;
mod cuda;
mod each_source;
mod generate;
mod graphs;
mod interrupted;
mod memory;
mod mutated_files;
mod observing;
mod pictures;
mod run;
mod run_options;
mod summaries;
mod support;
mod usage;
