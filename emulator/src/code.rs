//! Compiles a kernel's text to a shared object with the host's C++ compiler. The translation unit consists of the
//! emulator's prelude, the text, and the emulator's entries. Objects are cached by a hash of everything that they
//! depend on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use twox_hash::XxHash3_128;

use crate::settings::Settings;

const PRELUDE: &str = include_str!("../device/prelude.h");
const RACES: &str = include_str!("../device/races.h");
/// The line of the prelude that `races.h` replaces.
const INCLUDED: &str = "#include \"races.h\"\n";
const MACHINE: &str = include_str!("../device/machine.h");

/// Options that make a host compiler match NVRTC as closely as possible: no floating-point contraction, wrapping
/// overflow, no strict aliasing.
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

/// Further options for the race detector. The compiler inserts calls for ThreadSanitizer, which `races.h` defines;
/// without the default libraries, ThreadSanitizer itself is not linked.
const RACE_OPTIONS: [&str; 5] =
    ["-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "-DWP_RACES=1", "-nodefaultlibs", "-lc"];

/// Error of compiling a text.
#[derive(Debug)]
pub(crate) enum CodeError {
    /// Error in the text, with the compiler's report.
    Refused(String),
    /// Any other error.
    Failed(String),
}

/// Returns the shared object of a kernel's text. Compiles it unless it is cached.
pub(crate) fn compile(text: &str, settings: &Settings) -> Result<PathBuf, CodeError> {
    let unit = unit(text, &settings.tuning).map_err(CodeError::Refused)?;
    let compiler =
        std::env::var("CXX").ok().filter(|cxx| !cxx.is_empty()).unwrap_or_else(|| "c++".to_owned());
    let more: &[&str] = if settings.races { &RACE_OPTIONS } else { &[] };
    let options = [&OPTIONS, more].concat();
    let key = XxHash3_128::oneshot(format!("{compiler}\n{}\n{unit}", options.join(" ")).as_bytes());
    let folder = &settings.cache;
    let kept = folder.join(format!("{key:032x}.so"));
    if kept.exists() {
        return Ok(kept);
    }
    let failed = |what: &str, path: &Path, error: std::io::Error| {
        CodeError::Failed(format!(
            "cannot {what} {}: {error}; WOLFPATH_EMULATOR_CACHE can name another folder",
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
        Command::new(&compiler).args(options).arg("-o").arg(&object).arg(&source).arg("-lm").output();
    let _ = std::fs::remove_file(&source);
    let output = output.map_err(|error| {
        CodeError::Failed(format!("cannot run {compiler}: {error}; CXX can name another compiler"))
    })?;
    if !output.status.success() {
        let _ = std::fs::remove_file(&object);
        return Err(CodeError::Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    std::fs::rename(&object, &kept).map_err(|error| failed("rename", &object, error))?;
    Ok(kept)
}

/// Assembles the translation unit: the prelude, the kernel's text with the emulator's machine header and the requested
/// tuning, and the entries.
fn unit(text: &str, tuning: &[(String, u64)]) -> Result<String, String> {
    let text = tune(&with_our_machine(text), tuning)?;
    let (before, behind) = PRELUDE.split_once(INCLUDED).unwrap_or((PRELUDE, ""));
    let line = before.lines().count() + 2;
    let mut unit = format!(
        "#line 1 \"prelude.h\"\n{before}#line 1 \"races.h\"\n{RACES}#line {line} \"prelude.h\"\n{behind}\n{text}\n"
    );
    for (kernel, threads) in kernels(&text) {
        unit += &format!("WP_EMULATED({kernel}, {threads})\n");
    }
    Ok(unit)
}

/// Replaces the text's machine header, if it has one, with the emulator's machine header.
fn with_our_machine(text: &str) -> String {
    const MARK: &str = "#line 1 \"machine.cuh\"\n";
    let Some(start) = text.find(MARK) else { return text.to_owned() };
    let behind = &text[start + MARK.len()..];
    let end = behind.find("#line 1 \"").unwrap_or(behind.len());
    format!("{}#line 1 \"machine.h\"\n{MACHINE}\n{}", &text[..start], &behind[end..])
}

/// Replaces constants of the tuning header. A text without that header is left unchanged.
fn tune(text: &str, tuning: &[(String, u64)]) -> Result<String, String> {
    let mut text = text.to_owned();
    if !text.contains("#line 1 \"tuning.cuh\"\n") {
        return Ok(text);
    }
    for (name, value) in tuning {
        let declared = format!("constexpr u32 {name} = ");
        let missing =
            || format!("WOLFPATH_EMULATOR_TUNING names {name}, which is not a tuning number of the kernels");
        let start = text.find(&declared).ok_or_else(missing)? + declared.len();
        let end = start + text[start..].find(';').ok_or_else(missing)?;
        text.replace_range(start..end, &value.to_string());
    }
    Ok(text)
}

/// Returns the name of every kernel, with its maximum number of threads per block.
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
        let tuned = tune(TEXT, &[("BLOCK_THREADS".to_owned(), 64)]).expect("the constant exists");
        assert!(tuned.contains("BLOCK_THREADS = 64;"));
        assert!(
            tune(TEXT, &[("NOTHING".to_owned(), 1)])
                .expect_err("the constant does not exist")
                .contains("NOTHING")
        );
    }

    #[test]
    fn kernels_are_found() {
        assert_eq!(kernels(TEXT), [("run".to_owned(), "wp::BLOCK_THREADS".to_owned())]);
    }
}
