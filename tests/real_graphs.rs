//! The CPU engine over real graphs.

#[path = "support/on_real_graphs.rs"]
mod on_real_graphs;
#[path = "conformance/real.rs"]
mod real;

use std::path::Path;
use std::process::ExitCode;

use on_real_graphs::tests;
use wolfpath::Engine;

fn main() -> ExitCode {
    on_real_graphs::run(&tests!(bundled_programs settled_paths saved_updates))
}

fn settled_paths(data: &Path) {
    real::settled_on_real_graphs(data);
}

fn saved_updates(data: &Path) {
    real::paths_save_updates(data);
}

fn bundled_programs(data: &Path) {
    real::bundled_on_real_graphs(&Engine::cpu(), data);
}
