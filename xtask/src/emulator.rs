//! Builds the emulated CUDA device, and stores it under the file names of the real driver and of NVRTC.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Result;
use crate::workspace::{cargo, failed, output_of, root};

/// File names by which cudarc and the engine search for the driver and for NVRTC.
const NAMES: [&str; 3] = ["libcuda.so", "libcuda.so.1", "libnvrtc.so.13"];

/// Builds the emulator, and returns the lines that make a shell use it.
pub(crate) fn install() -> Result<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("the emulated device runs on Linux on x86-64 only".into());
    }
    let json = "--message-format=json-render-diagnostics";
    let messages = output_of(cargo().args(["build", "--release", "-p", "wolfpath-emulator", json]))?;
    let library =
        messages.lines().find_map(library).ok_or("cargo reported no library of wolfpath-emulator")?;
    let folder = root().join("target").join("emulator");
    let names = folder.join("lib");
    std::fs::create_dir_all(&names).map_err(failed("make", &names))?;
    for name in NAMES {
        replace(&library, &names.join(name))?;
    }
    let paths = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let others = paths.split(':').filter(|path| !path.is_empty() && Path::new(path) != names);
    let paths = std::iter::once(names.display().to_string()).chain(others.map(str::to_owned));
    Ok([
        ("LD_LIBRARY_PATH", paths.collect::<Vec<_>>().join(":")),
        ("WOLFPATH_NVRTC", names.join("libnvrtc.so.13").display().to_string()),
        ("WOLFPATH_EMULATOR_CACHE", folder.join("kernels").display().to_string()),
        ("WOLFPATH_CACHE_DIR", folder.join("cache").display().to_string()),
    ]
    .map(|(variable, value)| format!("export {variable}='{}'\n", value.replace('\'', "'\\''")))
    .concat())
}

/// Returns the library that a message of cargo describes, if any.
fn library(line: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_ours =
        message["target"]["name"] == "wolfpath_emulator" && message["target"]["kind"][0] == "cdylib";
    is_ours.then(|| message["filenames"][0].as_str().map(PathBuf::from))?
}

/// Copies a file unless the destination already has the same contents. A running process may have the destination open,
/// and the cache of compiled programs treats a new modification time as a new compiler.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let contents = std::fs::read(from).map_err(failed("read", from))?;
    if std::fs::read(to).is_ok_and(|old| old == contents) {
        return Ok(());
    }
    let part = to.with_extension("part");
    std::fs::write(&part, contents).map_err(failed("write", &part))?;
    std::fs::rename(&part, to).map_err(failed("rename", &part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_among_cargos_messages() {
        let line = r#"{"target":{"kind":["cdylib"],"name":"wolfpath_emulator"},"filenames":["/t/libx.so"]}"#;
        assert_eq!(library(line), Some(PathBuf::from("/t/libx.so")));
        assert_eq!(library(&line.replace("cdylib", "lib")), None);
        assert_eq!(library("Compiling"), None);
    }
}
