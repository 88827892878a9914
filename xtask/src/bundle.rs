//! Builds the folder gpu-bundle/. It contains release binaries of the GPU tests, the examples, the benchmarks of both
//! engines and the command, and the real graphs that they read. Its script run.sh runs them on a machine with a driver and NVRTC
//! but without Rust.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::sources;
use crate::workspace::{cargo, commit, failed, output_of, root, shown};

/// Maximum size of the folder, in bytes.
const LIMIT: u64 = 60 << 20;

/// Script that the folder includes.
const RUN: &str = include_str!("../run.sh");

/// Source file that lists the real graphs of the tests.
const GRAPH_LIST: &str = "tests/conformance/real.rs";

/// Options with which cargo builds the suites. A suite contains hundreds of instances of the engines, one per program.
/// With full optimization they would take half an hour to build on two cores. So the suites' own packages are built
/// with less optimization. The code of other packages is built as in every release.
const LIGHTER: [&str; 8] = [
    "--config",
    "profile.release.package.wolfpath.opt-level=1",
    "--config",
    "profile.release.package.wolfpath.debug=0",
    "--config",
    "profile.release.package.wolfpath-corpus.opt-level=1",
    "--config",
    "profile.release.package.wolfpath-corpus.debug=0",
];

/// A binary that cargo built.
struct Built {
    kind: String,
    name: String,
    file: PathBuf,
}

/// Builds the folder, and replaces an existing one.
pub(crate) fn make(data: Option<PathBuf>) -> Result<()> {
    let bundle = root().join("gpu-bundle");
    let graphs = graphs(data)?;
    let binaries = build()?;
    for part in ["bin", "data"] {
        let folder = bundle.join(part);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(failed("remove", &folder))?;
        }
        std::fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
    }
    let mut total = 0;
    for built in &binaries {
        let to = bundle.join("bin").join(travelling_name(built));
        copy(&built.file, &to)?;
        make_executable(&to)?;
        output_of(Command::new("strip").arg(&to))
            .map_err(|error| format!("{error}; the program strip is part of binutils"))?;
        report(&to)?;
    }
    total += report(&pack(&bundle)?)?;
    for graph in &graphs {
        let to = bundle.join("data").join(graph.file_name().unwrap_or_default());
        copy(graph, &to)?;
        total += report(&to)?;
    }
    write_script(&bundle.join("run.sh"))?;
    write_provenance(&bundle.join("provenance.txt"))?;
    println!("{:>11}  bytes in total, of at most {LIMIT}", total);
    if total > LIMIT {
        return Err(format!("{} has {total} bytes, {} too many", shown(&bundle), total - LIMIT));
    }
    println!("copy {} to a machine with a GPU, and run there: bash run.sh all", shown(&bundle));
    Ok(())
}

/// Packs the binaries into one archive, which is much smaller. run.sh unpacks it.
fn pack(bundle: &Path) -> Result<PathBuf> {
    let archive = bundle.join("bin.tar.xz");
    let mut tar = Command::new("tar");
    // More than level 2 takes minutes and saves little.
    tar.env("XZ_OPT", "-2 -T0").arg("-cJf").arg(&archive).arg("-C").arg(bundle).arg("bin");
    output_of(&mut tar)?;
    let folder = bundle.join("bin");
    std::fs::remove_dir_all(&folder).map_err(failed("remove", &folder))?;
    Ok(archive)
}

/// Returns the paths of the real graphs that the tests use.
///
/// # Errors
/// Returns an error if one of them is missing.
fn graphs(data: Option<PathBuf>) -> Result<Vec<PathBuf>> {
    let named = data.or_else(|| std::env::var_os("WOLFPATH_DATA").map(PathBuf::from));
    let folder = named.unwrap_or_else(|| root().join("../shared/data"));
    let list = root().join(GRAPH_LIST);
    let text = std::fs::read_to_string(&list).map_err(failed("read", &list))?;
    let files: Vec<PathBuf> = file_names(&text).map(|name| folder.join(name)).collect();
    if files.is_empty() {
        return Err(format!("{GRAPH_LIST} lists no graphs"));
    }
    match files.iter().find(|file| !file.is_file()) {
        Some(missing) => Err(format!(
            "{} is missing; --data or WOLFPATH_DATA must name the folder of real graphs",
            missing.display()
        )),
        None => Ok(files),
    }
}

/// Returns the names of files in the list. Each is the first string of its line.
fn file_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split_once('"').map(|(name, _)| name))
}

/// Builds everything in the release profile.
fn build() -> Result<Vec<Built>> {
    let packages = ["-p", "wolfpath", "-p", "wolfpath-examples", "-p", "wolfpath-cli", "--release"];
    // Includes only the formats and compressions of the real graphs, because the folder's size is limited.
    let features = ["--no-default-features", "--features", "wolfpath/zstd,wolfpath/xz"];
    let corpus = ["-p", "wolfpath-corpus", "--test", "corpus"];
    let json = "--message-format=json-render-diagnostics";
    let tests = ["--no-run", "--test", "conformance"];
    let tests = output_of(
        cargo().arg("test").args(packages).args(features).args(corpus).args(tests).args(LIGHTER).arg(json),
    )?;
    let others = ["--examples", "--bench", "gpu", "--bench", "cpu", "--bin", "wolfpath"];
    let others = output_of(cargo().arg("build").args(packages).args(features).args(others).arg(json))?;
    let mut built: Vec<Built> = tests.lines().filter_map(executable).filter(|b| b.kind == "test").collect();
    built.extend(others.lines().filter_map(executable).filter(|b| b.kind != "test"));
    for kind in ["test", "example", "bench", "bin"] {
        if !built.iter().any(|built| built.kind == kind) {
            return Err(format!("cargo reported no binary of kind \"{kind}\""));
        }
    }
    Ok(built)
}

/// Returns the binary that a message of cargo describes, if any.
fn executable(line: &str) -> Option<Built> {
    let message: Value = serde_json::from_str(line).ok()?;
    let file = PathBuf::from(message["executable"].as_str()?);
    let target = &message["target"];
    let kind = target["kind"].get(0)?.as_str()?.to_owned();
    Some(Built { kind, name: target["name"].as_str()?.to_owned(), file })
}

fn travelling_name(built: &Built) -> String {
    match built.kind.as_str() {
        kind @ ("example" | "bench") => format!("{kind}-{}", built.name),
        _ => built.name.clone(),
    }
}

/// Copies the contents of a file but not its permissions, because the original graphs may be read-only.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let contents = std::fs::read(from).map_err(failed("read", from))?;
    std::fs::write(to, contents).map_err(failed("write", to))
}

fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path, all).map_err(failed("make executable", path))?;
    }
    Ok(())
}

/// Prints a file's size and name.
fn report(path: &Path) -> Result<u64> {
    let bytes = path.metadata().map_err(failed("get the size of", path))?.len();
    println!("{bytes:>11}  {}", shown(path));
    Ok(bytes)
}

fn write_script(path: &Path) -> Result<()> {
    std::fs::write(path, RUN).map_err(failed("write", path))?;
    make_executable(path)
}

/// Writes the commit and the hash of the sources, so that the record of a run can state them.
fn write_provenance(path: &Path) -> Result<()> {
    let text = format!("commit: {}\nsources: {}\n", commit(), sources::hash()?);
    std::fs::write(path, text).map_err(failed("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_graphs_are_found() {
        let text =
            "const X: [(&str, bool); 2] = [\n    (\"a.gr.xz\", true),\n    (\"b.el\", false),\n];\nf(\"no\")";
        assert_eq!(file_names(text).collect::<Vec<_>>(), ["a.gr.xz", "b.el"]);
    }

    #[test]
    fn binaries_are_found_among_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","target":{"kind":["test"],"name":"conformance"},"executable":"/t/c-1"}"#;
        let built = executable(line).expect("a binary");
        assert_eq!((built.kind.as_str(), built.name.as_str()), ("test", "conformance"));
        assert!(
            executable(r#"{"reason":"compiler-artifact","target":{"kind":["lib"]},"executable":null}"#)
                .is_none()
        );
    }
}
