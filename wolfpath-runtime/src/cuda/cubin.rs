//! On-disk cache of compiled programs. A CUBIN (the code for one architecture) is found by a hash of everything that it
//! depends on. If the program was compiled earlier, a later start therefore compiles nothing. After a change to a
//! kernel, an option or NVRTC, the hash differs, so an outdated CUBIN is never found. The hash ignores comments and
//! `#line` directives in a program's text, so moving a program within its file or changing its comments does not
//! recompile it. This is safe because the line numbers of faults come from a table on the host
//! ([`Model::faults`](wolfpath_core::program::Model::faults)).
//!
//! Nothing in the file proves what the code was compiled from: the hash of these inputs is only in the file's name. Any
//! user who can write to the folder could therefore substitute code of their choice. To prevent this, a CUBIN is read
//! only if other users can write neither to the file nor to its folder ([`wolfpath_core::trusted`]).

use twox_hash::{XxHash3_64, XxHash3_128};
use wolfpath_core::cache::{CacheFolder, Kind};

use super::nvrtc::{self, NvrtcLibrary};
use super::source::{Configuration, Kernel, kernel_unit};
use crate::error::CompileError;
use crate::shape::Shape;

/// A program compiled for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// Device code in the form that the driver loads.
    pub bytes: Vec<u8>,
    /// Hash of everything that the code depends on.
    pub key: u128,
    /// `true` if the code was found on disk, so that nothing was compiled.
    pub from_cache: bool,
    /// Reason why an earlier CUBIN was not used, or why this CUBIN could not be kept; `None` if neither happened.
    pub note: Option<String>,
}

/// Returns the compiler options of every program. They disable contraction of `a * b + c` and require IEEE division and
/// square root, so that floats give the same results on the device as in Rust.
pub fn options(major: i32, minor: i32) -> Vec<String> {
    options_for(&format!("sm_{major}{minor}"))
}

fn options_for(architecture: &str) -> Vec<String> {
    let options = ["--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"];
    let architecture = format!("--gpu-architecture={architecture}");
    std::iter::once(architecture).chain(options.map(str::to_owned)).collect()
}

/// Returns the CUBIN of a program for compute capability `major.minor`, from the cache if possible.
///
/// # Errors
/// [`CompileError`] if the program is not in the cache, and NVRTC is missing or rejects it.
pub fn compile(
    shape: &Shape,
    configuration: &Configuration,
    major: i32,
    minor: i32,
) -> Result<Cubin, CompileError> {
    compile_kernel(Kernel::Run, shape, configuration, (major, minor))
}

/// Returns the CUBIN of any kernel of a program, like [`compile`].
pub(crate) fn compile_kernel(
    kernel: Kernel,
    shape: &Shape,
    configuration: &Configuration,
    (major, minor): (i32, i32),
) -> Result<Cubin, CompileError> {
    let library = NvrtcLibrary::in_use()?;
    let (text, options) = (kernel_unit(kernel, shape, configuration), options(major, minor));
    let code = [&library.identity, &options.join("\n"), &code_of(&text, shape.model.cuda)];
    let key = XxHash3_128::oneshot(code.map(String::as_str).join("\n").as_bytes());
    find_or_compile(CacheFolder::of_user().ok().as_ref(), key, || {
        Ok(nvrtc::compile(&library, shape.model.name, &text, &options)?.0)
    })
}

/// Returns the CUBIN of the kernel that copies an outcome's values to an input, from the cache if possible.
pub(super) fn take_cubin(major: i32, minor: i32) -> Result<Cubin, CompileError> {
    let library = NvrtcLibrary::in_use()?;
    let (text, options) = (wolfpath_kernels::take_unit(), options(major, minor));
    let code = [&library.identity, &options.join("\n"), &text];
    let key = XxHash3_128::oneshot(code.map(String::as_str).join("\n").as_bytes());
    find_or_compile(CacheFolder::of_user().ok().as_ref(), key, || {
        Ok(nvrtc::compile(&library, "take", &text, &options)?.0)
    })
}

/// Compiles the kernel that copies an outcome's values without reading or writing the cache, and returns the compiler's
/// log. For tests; needs no device.
///
/// # Errors
/// [`CompileError`] if NVRTC is missing or rejects the kernel.
pub fn take_log(major: i32, minor: i32) -> Result<String, CompileError> {
    let (library, text) = (NvrtcLibrary::in_use()?, wolfpath_kernels::take_unit());
    Ok(nvrtc::compile(&library, "take", &text, &options(major, minor))?.1)
}

/// Returns `text` without the comments and `#line` directives of the program in it. Only the part that the macro wrote
/// is changed. That part has only `//` comments, no macros, no lines continued by a backslash, and no quotes that span
/// lines.
fn code_of(text: &str, program: &str) -> String {
    let Some((before, after)) = text.split_once(program).filter(|_| !program.is_empty()) else {
        return text.to_owned();
    };
    let lines = program.lines().filter(|line| !line.starts_with("#line")).map(without_comment);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    [before, &lines.join("\n"), after].join("\n")
}

/// Returns a line up to its comment, without trailing whitespace.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, next) in line.char_indices() {
        match quote {
            None if line[at..].starts_with("//") => return line[..at].trim_end(),
            None if matches!(next, '"' | '\'') => quote = Some(next),
            Some(open) if next == open && !is_escaped => quote = None,
            _ => {}
        }
        is_escaped = quote.is_some() && next == '\\' && !is_escaped;
    }
    line.trim_end()
}

/// Returns the CUBIN that `folder` keeps under this key. If the folder has no such CUBIN, calls `compile` and keeps the
/// result.
fn find_or_compile<E>(
    folder: Option<&CacheFolder>,
    key: u128,
    compile: impl FnOnce() -> Result<Vec<u8>, E>,
) -> Result<Cubin, E> {
    let Some(folder) = folder else {
        let note = "the compiled program could not be kept: no cache folder is known; set WOLFPATH_CACHE_DIR";
        return Ok(Cubin { bytes: compile()?, key, from_cache: false, note: Some(note.to_owned()) });
    };
    let name = format!("{key:032x}.cubin");
    let (kept, distrust) = match folder.read(Kind::Programs, &name) {
        Ok(kept) => (kept, None),
        Err(error) => (None, Some(format!("a compiled program that was kept earlier was not used: {error}"))),
    };
    if let Some(bytes) = kept.as_deref().and_then(unsealed) {
        return Ok(Cubin { bytes: bytes.to_vec(), key, from_cache: true, note: None });
    }
    let bytes = compile()?;
    let written = folder.write(Kind::Programs, &name, &sealed(&bytes));
    let failure = written.err().map(|error| {
        format!("the compiled program could not be kept: {error}; it will be compiled again next time")
    });
    // If the folder is not trusted, reading and keeping fail for the same reason, so one note is enough.
    Ok(Cubin { bytes, key, from_cache: false, note: failure.or(distrust) })
}

/// Returns the CUBIN of the kernel that counts what the ends of edges have in common, from the cache if possible.
pub(super) fn common_cubin(wide_offsets: bool, (major, minor): (i32, i32)) -> Result<Cubin, CompileError> {
    let library = NvrtcLibrary::in_use()?;
    let (text, options) = (wolfpath_kernels::common_unit(wide_offsets), options(major, minor));
    let code = [&library.identity, &options.join("\n"), &text];
    let key = XxHash3_128::oneshot(code.map(String::as_str).join("\n").as_bytes());
    find_or_compile(CacheFolder::of_user().ok().as_ref(), key, || {
        Ok(nvrtc::compile(&library, "common", &text, &options)?.0)
    })
}

/// Compiles the kernel that counts what the ends of edges have in common without reading or writing the cache, like
/// [`calibration_log`].
///
/// # Errors
/// [`CompileError`] if NVRTC is missing or rejects the kernel.
pub fn common_log(wide_offsets: bool, major: i32, minor: i32) -> Result<String, CompileError> {
    let (library, text) = (NvrtcLibrary::in_use()?, wolfpath_kernels::common_unit(wide_offsets));
    Ok(nvrtc::compile(&library, "common", &text, &options(major, minor))?.1)
}

/// Compiles a program without reading or writing the cache, and returns the compiler's log. The log is empty if there
/// are no warnings. For tests; needs no device.
///
/// # Errors
/// [`CompileError`] if NVRTC is missing or rejects the program.
pub fn compile_log(
    shape: &Shape,
    configuration: &Configuration,
    major: i32,
    minor: i32,
) -> Result<String, CompileError> {
    compile_kernel_log(Kernel::Run, shape, configuration, (major, minor))
}

/// Compiles any kernel of a program without reading or writing the cache, like [`compile_log`].
///
/// The compiler stops at PTX, and hardly optimizes: it says the same about the text in less than a third of the time
/// (`cargo test --test nvrtc -- --ignored`, NVRTC 13.0). What the assembler says is found where programs are compiled to run.
///
/// # Errors
/// [`CompileError`] if NVRTC is missing or rejects the program.
pub fn compile_kernel_log(
    kernel: Kernel,
    shape: &Shape,
    configuration: &Configuration,
    (major, minor): (i32, i32),
) -> Result<String, CompileError> {
    let (library, text) = (NvrtcLibrary::in_use()?, kernel_unit(kernel, shape, configuration));
    let mut options = options_for(&format!("compute_{major}{minor}"));
    options.push("--Ofast-compile=max".to_owned());
    let (_, log) = nvrtc::compile(&library, shape.model.name, &text, &options)?;
    Ok(log)
}

/// Compiles the kernel that measures a device, and returns the compiler's log. For tests; needs no device.
///
/// # Errors
/// [`CompileError`] if NVRTC is missing or rejects the kernel.
pub fn calibration_log(major: i32, minor: i32) -> Result<String, CompileError> {
    Ok(calibration_cubin(major, minor)?.1)
}

/// Compiles the kernel that measures a device, and returns it with the compiler's log. The CUBIN is needed only once
/// per device, so it is not kept.
pub(super) fn calibration_cubin(major: i32, minor: i32) -> Result<(Vec<u8>, String), CompileError> {
    let (library, text) = (NvrtcLibrary::in_use()?, wolfpath_kernels::calibration_unit());
    nvrtc::compile(&library, "calibration", &text, &options(major, minor))
}

/// Compiles the kernel that measures the barrier of several devices, and returns the compiler's log. For tests; needs no
/// device.
///
/// # Errors
/// [`CompileError`] if NVRTC is missing or rejects the kernel.
pub fn meeting_log(major: i32, minor: i32) -> Result<String, CompileError> {
    Ok(meeting_cubin(major, minor)?.1)
}

/// Compiles the kernel that measures the barrier of several devices, and returns it with the compiler's log.
pub(super) fn meeting_cubin(major: i32, minor: i32) -> Result<(Vec<u8>, String), CompileError> {
    let (library, text) = (NvrtcLibrary::in_use()?, wolfpath_kernels::meeting_unit());
    nvrtc::compile(&library, "meeting", &text, &options(major, minor))
}

/// Returns the code in a cache file, or `None` if the code does not match the hash of the code stored before it.
fn unsealed(kept: &[u8]) -> Option<&[u8]> {
    let (hash, bytes) = kept.split_at_checked(8)?;
    (hash == XxHash3_64::oneshot(bytes).to_le_bytes()).then_some(bytes)
}

/// Returns the contents of a cache file: the code's hash, then the code.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    [&XxHash3_64::oneshot(bytes).to_le_bytes(), bytes].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: u128 = 0xabc;

    fn found(folder: &CacheFolder) -> Cubin {
        find_or_compile(Some(folder), KEY, || Ok::<_, ()>(b"code".to_vec())).expect("the program compiles")
    }

    fn never() -> Result<Vec<u8>, ()> {
        panic!("it is kept")
    }

    #[test]
    fn a_kept_cubin_comes_back_and_a_broken_one_does_not() {
        let outer = tempfile::tempdir().expect("a temporary folder can be created");
        let folder = CacheFolder::at(outer.path().join("deep"));
        let expected = Cubin { bytes: b"code".to_vec(), key: KEY, from_cache: false, note: None };
        assert_eq!(found(&folder), expected);
        let again = find_or_compile(Some(&folder), KEY, never).expect("the code is kept");
        assert_eq!(again, Cubin { from_cache: true, ..expected.clone() });
        let file = folder.file(Kind::Programs, &format!("{KEY:032x}.cubin"));
        let mut kept = std::fs::read(&file).expect("the file exists");
        kept[9] ^= 1;
        for damaged in [&kept[..], &[1, 2, 3]] {
            std::fs::write(&file, damaged).expect("the file can be written");
            assert_eq!(found(&folder), expected);
        }
        assert_eq!(
            find_or_compile(None, KEY, || Ok::<_, ()>(b"code".to_vec())).map(|cubin| cubin.from_cache),
            Ok(false)
        );
    }

    #[test]
    fn comments_and_lines_of_a_program_are_no_code() {
        let program = |first: u32, comment: &str, number: u32| {
            format!(
                "#line {first} \"src/lib.rs\"\n// {comment}\nreturn rust::add(depth_, {number}u, cx, 0);  // {comment}\n\n}}"
            )
        };
        let code = |program: &str| code_of(&format!("#line 1\n// a header\n{program}\n// the end"), program);
        let expected = "#line 1\n// a header\n\nreturn rust::add(depth_, 1u, cx, 0);\n}\n\n// the end";
        assert_eq!(code(&program(2, "depth + 1", 1)), expected);
        assert_eq!(code(&program(900, "depth + \"ONE", 1)), expected);
        assert_ne!(code(&program(2, "depth + 1", 2)), expected);
        // The text outside of the program is not changed.
        assert_ne!(code_of("int a; // one\nP", "P"), code_of("int a; // two\nP", "P"));
    }

    #[test]
    fn a_comment_begins_outside_of_quotes() {
        for (line, code) in [
            ("a / b; // c", "a / b;"),
            ("s = \"// no comment\";", "s = \"// no comment\";"),
            ("s = \"\\\"//\"; // c", "s = \"\\\"//\";"),
            ("s = \"\\\\\"; // c", "s = \"\\\\\";"),
            ("c = '\"'; // c", "c = '\"';"),
            ("    // c", ""),
        ] {
            assert_eq!(without_comment(line), code);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_cubin_is_not_used() {
        use std::fs::{self, Permissions};
        use std::os::unix::fs::PermissionsExt;

        let outer = tempfile::tempdir().expect("a temporary folder can be created");
        let folder = CacheFolder::at(outer.path());
        let file = folder.file(Kind::Programs, &format!("{KEY:032x}.cubin"));
        let programs = file.parent().expect("the file is in a folder");
        fs::create_dir(programs).expect("the folder can be created");
        fs::write(&file, sealed(b"evil")).expect("the file can be written");
        let set_mode = |path, mode| {
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("the owner can change the mode")
        };
        for wrong in [programs, outer.path()] {
            set_mode(wrong, 0o777);
            let cubin = found(&folder);
            assert_eq!((&cubin.bytes[..], cubin.from_cache), (&b"code"[..], false));
            let note = cubin.note.expect("the user gets a note");
            assert!(note.contains("can be written by others (mode 0777)"), "{note}");
            assert!(note.contains("could not be kept"), "{note}");
            set_mode(wrong, 0o755);
        }
        // Once the folder is safe again, the planted file is replaced.
        set_mode(&file, 0o666);
        let cubin = found(&folder);
        assert_eq!((&cubin.bytes[..], cubin.from_cache), (&b"code"[..], false));
        let note = cubin.note.expect("the user gets a note");
        assert!(note.contains("was not used: ") && note.contains("(mode 0666)"), "{note}");
        let cubin = find_or_compile(Some(&folder), KEY, never).expect("the code is kept");
        assert_eq!((&cubin.bytes[..], cubin.note), (&b"code"[..], None));
    }
}
