//! Installs NVRTC, CUDA's run-time compiler, from its Python wheel. It needs neither a GPU nor a driver.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::workspace::{failed, output_of, root};

const WHEEL: &str = "nvidia-cuda-nvrtc==13.0.*";

/// Installs the wheel if necessary, and returns the path of the library.
pub(crate) fn install() -> Result<PathBuf> {
    let folder = root().join("target").join("nvrtc");
    if let Some(library) = library_in(&folder) {
        return Ok(library);
    }
    let python = python_with_pip()?;
    // Installed under another name first, so that an interrupted installation is not mistaken for a complete one.
    let part = folder.with_extension("part");
    for old in [&part, &folder] {
        if old.exists() {
            std::fs::remove_dir_all(old).map_err(failed("remove", old))?;
        }
    }
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    output_of(pip.arg(&part).arg(WHEEL))?;
    std::fs::rename(&part, &folder).map_err(failed("rename", &part))?;
    library_in(&folder).ok_or_else(|| {
        format!("{WHEEL} was installed, but {} does not contain libnvrtc.so.13", folder.display())
    })
}

/// Returns the name of a Python interpreter that has pip.
fn python_with_pip() -> Result<&'static str> {
    let has_pip = |python: &&str| {
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
        pip.status().is_ok_and(|status| status.success())
    };
    ["python3", "python"].into_iter().find(has_pip).ok_or_else(|| {
        "NVRTC is installed with pip, and no python3 with pip was found; install one (Debian: apt-get install \
         python3-pip), or set WOLFPATH_NVRTC to a libnvrtc.so that you have"
            .to_owned()
    })
}

/// Returns the path of the library in the wheel's folder, if it is there.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("nvidia").join("cu13").join("lib").join("libnvrtc.so.13");
    library.is_file().then_some(library)
}
