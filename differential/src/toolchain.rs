//! The compilers: rustc, which uses the workspace's own wolfpath, and a C++ compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Error;

/// Maximum time that a compiled program may run. After this time it counts as a program that does not end.
const PATIENCE: Duration = Duration::from_secs(300);

/// Paths of wolfpath's library and of the compilers.
#[derive(Clone, Debug)]
pub struct Toolchain {
    library: PathBuf,
    rustc: PathBuf,
    cxx: PathBuf,
}

impl Toolchain {
    /// Builds wolfpath and finds its library. The build uses the profile of tests, so that it reuses what `cargo test`
    /// built.
    ///
    /// # Errors
    ///
    /// Returns an error if cargo or the C++ compiler (`CXX`, else `c++`) cannot run, or wolfpath does not build.
    pub fn find(workspace: &Path) -> Result<Toolchain, Error> {
        let variable = |name: &str, otherwise: &str| {
            PathBuf::from(std::env::var_os(name).unwrap_or_else(|| otherwise.into()))
        };
        let mut cargo = Command::new(variable("CARGO", "cargo"));
        cargo.current_dir(workspace).args(["build", "--package", "wolfpath", "--lib", "--profile", "test"]);
        let messages = said(cargo.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit()))?;
        let library = messages.lines().rev().find_map(library_in).ok_or(Error::NoLibrary)?;
        let toolchain = Toolchain { library, rustc: variable("RUSTC", "rustc"), cxx: variable("CXX", "c++") };
        said(Command::new(&toolchain.cxx).arg("--version"))?;
        Ok(toolchain)
    }

    /// Returns a command that compiles `source` to `program` with rustc. If `checked`, this is a debug build.
    pub(crate) fn rustc(&self, source: &Path, program: &Path, checked: bool) -> Command {
        let mut rustc = Command::new(&self.rustc);
        let dependencies = self.library.parent().map(|folder| folder.join("deps")).unwrap_or_default();
        rustc.args(["--edition=2024", "--crate-type=bin", "--error-format=short", "--cap-lints=allow"]);
        rustc.args(["-Copt-level=0", "-Cdebuginfo=0", "-Ccodegen-units=1"]);
        rustc.arg(format!("-Cdebug-assertions={}", if checked { "on" } else { "off" }));
        rustc.arg("--extern").arg(format!("wolfpath={}", self.library.display()));
        rustc.arg("-L").arg(format!("dependency={}", dependencies.display()));
        rustc.arg(source).arg("-o").arg(program);
        rustc
    }

    /// Returns a command that compiles `source` to `program` with the C++ compiler. The program reports undefined
    /// behaviour.
    pub(crate) fn cxx(&self, source: &Path, program: &Path) -> Command {
        let mut cxx = Command::new(&self.cxx);
        cxx.args(["-std=c++17", "-O0", "-w", "-ffp-contract=off", "-fsanitize=undefined"]);
        cxx.arg(source).arg("-o").arg(program);
        cxx
    }
}

/// Returns the path of wolfpath's library if this line of JSON contains it.
fn library_in(line: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    if message["reason"] != "compiler-artifact" || message["target"]["name"] != "wolfpath" {
        return None;
    }
    let files = message["filenames"].as_array()?;
    files.iter().filter_map(|file| file.as_str()).find(|file| file.ends_with(".rlib")).map(PathBuf::from)
}

/// Runs a command and returns its standard output. Returns an error if the command fails.
pub(crate) fn said(command: &mut Command) -> Result<String, Error> {
    let (status, out, err) = finished(command)?;
    if status { Ok(out) } else { Err(failure(command, "it reported an error", &err)) }
}

/// Runs a command to its end. Returns `true` if it succeeded, its standard output, and its standard error.
pub(crate) fn finished(command: &mut Command) -> Result<(bool, String, String), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let start = |source| Error::Start { program: program.clone(), source };
    let output = command.stdin(Stdio::null()).output().map_err(start)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((output.status.success(), text(&output.stdout), text(&output.stderr)))
}

/// Runs a random program and returns its standard error. The program may hang if a loop was translated wrongly, so it
/// is killed after [`PATIENCE`].
pub(crate) fn ends(command: &mut Command, errors: &Path) -> Result<String, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let file = std::fs::File::create(errors).map_err(Error::file(errors))?;
    let spawned = command.stdin(Stdio::null()).stderr(file).spawn();
    let mut child = spawned.map_err(|source| Error::Start { program, source })?;
    let since = Instant::now();
    let status = loop {
        match child.try_wait().map_err(Error::file(errors))? {
            Some(status) => break status,
            None if since.elapsed() > PATIENCE => {
                // `kill` fails if the program has just ended. It is still reported as a program that did not end in
                // time.
                let _ = child.kill();
                // Waits only to avoid a zombie process.
                let _ = child.wait();
                return Err(failure(command, "it did not end in time", ""));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let said = std::fs::read_to_string(errors).map_err(Error::file(errors))?;
    if status.success() { Ok(said) } else { Err(failure(command, &status.to_string(), &said)) }
}

pub(crate) fn failure(command: &Command, status: &str, said: &str) -> Error {
    let program = command.get_program().to_string_lossy().into_owned();
    let start = said.char_indices().rev().nth(4000).map_or(0, |(index, _)| index);
    Error::Failed { program, status: status.to_owned(), said: said[start..].to_owned() }
}
