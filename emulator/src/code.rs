//! From a kernel's text to a shared object: the text between our prelude and our entries, compiled by the host's C++
//! compiler. What was compiled is kept, by a hash of everything that it depends on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use twox_hash::XxHash3_128;

use crate::settings::Settings;

const PRELUDE: &str = include_str!("../device/prelude.h");
const MACHINE: &str = include_str!("../device/machine.h");

/// As close to what NVRTC does as a host's compiler comes: no contraction, wrapping and aliasing taken as they come.
const OPTIONS: [&str; 15] = [
    "-std=c++17",
    "-O1",
    "-g1",
    "-w",
    "-shared",
    "-fPIC",
    "-nostartfiles",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-strict-aliasing",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fwrapv",
];

/// Why a text gave no shared object.
#[derive(Debug)]
pub(crate) enum CodeError {
    /// The text is wrong, as the compiler says.
    Refused(String),
    /// Something else.
    Failed(String),
}

/// The shared object of a kernel's text, compiled unless it is kept.
pub(crate) fn compile(text: &str, settings: &Settings) -> Result<PathBuf, CodeError> {
    let unit = unit(text, &settings.tuning).map_err(CodeError::Refused)?;
    let compiler =
        std::env::var("CXX").ok().filter(|cxx| !cxx.is_empty()).unwrap_or_else(|| "c++".to_owned());
    let key = XxHash3_128::oneshot(format!("{compiler}\n{}\n{unit}", OPTIONS.join(" ")).as_bytes());
    let folder = &settings.cache;
    let kept = folder.join(format!("{key:032x}.so"));
    if kept.exists() {
        return Ok(kept);
    }
    let failed = |what: &str, path: &Path, error: std::io::Error| {
        CodeError::Failed(format!(
            "cannot {what} {}: {error}; WOLFPATH_EMULATOR_CACHE names the folder",
            path.display()
        ))
    };
    std::fs::create_dir_all(folder).map_err(|error| failed("make", folder, error))?;
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("{key:032x}.{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let (source, object) = (folder.join(format!("{name}.cpp")), folder.join(format!("{name}.part")));
    let written = std::fs::File::create(&source).and_then(|mut file| file.write_all(unit.as_bytes()));
    written.map_err(|error| failed("write", &source, error))?;
    let output =
        Command::new(&compiler).args(OPTIONS).arg("-o").arg(&object).arg(&source).arg("-lm").output();
    let _ = std::fs::remove_file(&source);
    let output = output
        .map_err(|error| CodeError::Failed(format!("cannot run {compiler}: {error}; CXX names another")))?;
    if !output.status.success() {
        let _ = std::fs::remove_file(&object);
        return Err(CodeError::Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    std::fs::rename(&object, &kept).map_err(|error| failed("rename", &object, error))?;
    Ok(kept)
}

/// The whole text: the prelude, the kernel's with our machine and the tuning asked for, and its entries.
fn unit(text: &str, tuning: &[(String, u64)]) -> Result<String, String> {
    let text = tune(&with_our_machine(text), tuning)?;
    let mut unit = format!("#line 1 \"prelude.h\"\n{PRELUDE}\n{text}\n");
    for (kernel, threads) in kernels(&text) {
        unit += &format!("WP_EMULATED({kernel}, {threads})\n");
    }
    Ok(unit)
}

/// Our machine in the place of the header of that name, if the text has one.
fn with_our_machine(text: &str) -> String {
    const MARK: &str = "#line 1 \"machine.cuh\"\n";
    let Some(start) = text.find(MARK) else { return text.to_owned() };
    let behind = &text[start + MARK.len()..];
    let end = behind.find("#line 1 \"").unwrap_or(behind.len());
    format!("{}#line 1 \"machine.h\"\n{MACHINE}\n{}", &text[..start], &behind[end..])
}

/// Other values for constants of the tuning header. A text without that header has none, and is left as it is.
fn tune(text: &str, tuning: &[(String, u64)]) -> Result<String, String> {
    let mut text = text.to_owned();
    if !text.contains("#line 1 \"tuning.cuh\"\n") {
        return Ok(text);
    }
    for (name, value) in tuning {
        let declared = format!("constexpr u32 {name} = ");
        let missing =
            || format!("WOLFPATH_EMULATOR_TUNING names {name}, which is no tuning number of the kernels");
        let start = text.find(&declared).ok_or_else(missing)? + declared.len();
        let end = start + text[start..].find(';').ok_or_else(missing)?;
        text.replace_range(start..end, &value.to_string());
    }
    Ok(text)
}

/// Every kernel by name, with the most threads of a block.
fn kernels(text: &str) -> Vec<(String, String)> {
    let kernel = |behind: &str| {
        const BOUNDS: &str = "__launch_bounds__(";
        let bounds = behind.find(BOUNDS)? + BOUNDS.len();
        let threads = behind[bounds..].split([',', ')']).next()?.trim();
        let close = bounds + behind[bounds..].find(')')?;
        let name = behind[close + 1..].split('(').next()?.trim();
        Some((name.to_owned(), threads.to_owned()))
    };
    text.split("__global__").skip(1).filter_map(kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#line 1 \"tuning.cuh\"\nconstexpr u32 BLOCK_THREADS = 1024;\n#line 1 \"machine.cuh\"\nasm\n\
                        #line 1 \"grid.cuh\"\nextern \"C\" __global__ void __launch_bounds__(wp::BLOCK_THREADS, 1)\n    \
                        run(const int a) {}\n";

    #[test]
    fn the_machine_is_ours() {
        let text = with_our_machine(TEXT);
        assert!(!text.contains("asm\n") && text.contains("requested_at") && text.contains("grid.cuh"));
        assert_eq!(with_our_machine("void f();"), "void f();");
    }

    #[test]
    fn constants_are_replaced() {
        let tuned = tune(TEXT, &[("BLOCK_THREADS".to_owned(), 64)]).expect("there is such a constant");
        assert!(tuned.contains("BLOCK_THREADS = 64;"));
        assert!(tune(TEXT, &[("NOTHING".to_owned(), 1)]).expect_err("there is none").contains("NOTHING"));
    }

    #[test]
    fn kernels_are_found() {
        assert_eq!(kernels(TEXT), [("run".to_owned(), "wp::BLOCK_THREADS".to_owned())]);
    }
}
