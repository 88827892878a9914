//! `cargo xtask fuzz`: every fuzz target in turn, from its seeds and from what earlier runs found.

use std::fs;
use std::process::Command;

use crate::Result;
use crate::workspace::{failed, root, shown};

/// The targets in `fuzz/targets`.
const TARGETS: [&str; 5] = ["edge_list", "gr", "mtx", "read_any", "wolf"];

/// Inputs whose reading takes longer than so many seconds count as failures.
const PATIENCE: u32 = 20;

/// Megabytes that an input may make a target take.
const MEMORY: u32 = 4096;

/// Fuzzes for so many minutes in all, one target after the other.
pub(crate) fn run(minutes: u32) -> Result<()> {
    let folder = root().join("fuzz");
    let seconds = u64::from(minutes) * 60 / TARGETS.len() as u64;
    for target in TARGETS {
        let found = folder.join("corpus").join(target);
        fs::create_dir_all(&found).map_err(failed("make", &found))?;
        println!("{target}: {seconds} s");
        // The compiler of the workspace may be a stable one, and CARGO names it.
        let mut command = Command::new("cargo");
        command.current_dir(&folder).env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        command.args(["+nightly", "fuzz", "run", "--fuzz-dir", ".", target]);
        command.arg(&found).arg(folder.join("seeds").join(target)).arg("--");
        command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={PATIENCE}"));
        command.arg(format!("-rss_limit_mb={MEMORY}")).arg("-print_final_stats=1");
        let status = command.status().map_err(|error| format!("cannot run cargo +nightly fuzz: {error}"))?;
        if !status.success() {
            let artifacts = shown(&folder.join("artifacts").join(target));
            return Err(format!(
                "{target} failed ({status}): the input lies in {artifacts}; where cargo-fuzz or the nightly compiler \
                 is missing: rustup toolchain install nightly && cargo install cargo-fuzz"
            ));
        }
    }
    Ok(())
}
