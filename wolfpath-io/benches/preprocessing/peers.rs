//! Other programs, which alternate with wolfpath if they are available.

use super::{Arguments, Input, Result};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Returns the seconds of `converter -f TEXT -b FILE` (GAP, with `-s` for undirected input and `-w` for weights),
/// including its start.
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

/// Returns the seconds that a program prints for reading a text into CSR.
pub(crate) fn csr(arguments: &Arguments, input: &Input) -> Result<Option<f64>> {
    let Some(program) = &arguments.csr else { return Ok(None) };
    let output = Command::new(program).arg(&input.path).args(input.undirected.then_some("-u")).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds = text.split_whitespace().next_back().and_then(|word| word.parse().ok());
    Ok(Some(seconds.ok_or_else(|| format!("{} printed no seconds: {text}", program.display()))?))
}
