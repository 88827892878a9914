//! `cargo xtask fuzz`: runs the fuzz targets one after the other, starting with their seeds and the inputs that earlier
//! runs found.

use std::fs;
use std::process::Command;

use crate::Result;
use crate::workspace::{failed, root, shown};

/// Names of the targets in `fuzz/targets`.
const TARGETS: [&str; 5] = ["edge_list", "gr", "mtx", "read_any", "wolf"];

/// Time limit per input, in seconds. An input that takes longer is a failure.
const PATIENCE: u32 = 20;

/// Memory limit per input, in megabytes.
const MEMORY: u32 = 4096;

/// Fuzzes for `minutes` minutes in total, divided equally among the targets.
pub(crate) fn run(minutes: u32) -> Result<()> {
    let folder = root().join("fuzz");
    let seconds = u64::from(minutes) * 60 / TARGETS.len() as u64;
    for target in TARGETS {
        let found = folder.join("corpus").join(target);
        fs::create_dir_all(&found).map_err(failed("make", &found))?;
        println!("{target}: {seconds} s");
        // CARGO may name a stable compiler, so it is not used.
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
                "{target} failed ({status}): the input is in {artifacts}; if cargo-fuzz or the nightly compiler \
                 is missing: rustup toolchain install nightly && cargo install cargo-fuzz"
            ));
        }
    }
    Ok(())
}
