//! Other programs. If they are available, their runs alternate with those of wolfpath.

use super::{Arguments, Input, Result};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Runs GAP's `converter -f TEXT -b FILE` (with `-s` for undirected input and `-w` for weights). Returns the time in
/// seconds, including the start of the process.
pub(crate) fn converter(arguments: &Arguments, input: &Input, folder: &Path) -> Result<Option<f64>> {
    let Some(program) = &arguments.converter else { return Ok(None) };
    let mut command = Command::new(program);
    if input.undirected {
        command.arg("-s");
    }
    command.arg("-f").arg(&input.path);
    let to = folder.join(format!("{}.{}", input.name, if input.weighted { "wsg" } else { "sg" }));
    command.args(input.weighted.then_some("-w")).arg("-b").arg(to);
    let began = Instant::now();
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(Some(began.elapsed().as_secs_f64()))
}

/// Runs the program that reads a text into CSR. Returns the time in seconds, which the program prints.
pub(crate) fn csr(arguments: &Arguments, input: &Input) -> Result<Option<f64>> {
    let Some(program) = &arguments.csr else { return Ok(None) };
    let output = Command::new(program).arg(&input.path).args(input.undirected.then_some("-u")).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds = text.split_whitespace().next_back().and_then(|word| word.parse().ok());
    Ok(Some(seconds.ok_or_else(|| format!("{} printed no seconds: {text}", program.display()))?))
}
