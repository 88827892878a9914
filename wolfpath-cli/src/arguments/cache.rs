//! The arguments of `wolfpath cache`, and the options that control whether and where a layered graph is kept.

use clap::{Args, Subcommand};
use wolfpath::graph::OpenOptions;

use crate::values;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

/// The commands on the cache folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show the kept graphs, the most recently used first, and the total size of everything kept
    List {
        /// Print one JSON object, and nothing else
        #[arg(long)]
        json: bool,
    },
    /// Remove all kept graphs, compiled programs and measured costs of devices
    Clear,
    /// Show or set the size limit of kept graphs. Beyond it, the least recently used graphs are removed
    Limit {
        /// New limit in bytes, such as 500M or 50G. Without it, the current limit is shown
        #[arg(value_name = "SIZE", value_parser = values::bytes)]
        size: Option<u64>,
    },
}

/// Options that decide whether a layered graph is kept, and in which folder.
#[derive(Debug, Args)]
pub(crate) struct KeepingArguments {
    /// Neither use nor keep the layered graph of an earlier run
    #[arg(long)]
    no_cache: bool,
    /// Keep the layered graph beside the input instead of in the cache folder, and look for it there first
    #[arg(long, conflicts_with = "no_cache")]
    cache_beside: bool,
}

impl KeepingArguments {
    /// Returns the options that are given.
    #[cfg(feature = "cluster")]
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [("--no-cache", self.no_cache), ("--cache-beside", self.cache_beside)];
        options.into_iter().filter_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Returns `options` with these settings.
    pub(crate) fn of(&self, options: OpenOptions) -> OpenOptions {
        options.cache(!self.no_cache).cache_beside(self.cache_beside)
    }
}
