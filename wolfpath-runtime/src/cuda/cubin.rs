//! Compiled programs, kept on disk: a CUBIN is found by a hash of everything that it depends on, so a second start
//! compiles nothing, and a changed kernel, option or NVRTC never finds an old one.

use std::path::{Path, PathBuf};

use wolfpath_core::store::cache_folder;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::nvrtc::{self, NvrtcLibrary};
use super::source::{Configuration, Kernel, kernel_unit};
use crate::error::CompileError;
use crate::shape::Shape;

/// A program compiled for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// The device code, as the driver loads it.
    pub bytes: Vec<u8>,
    /// Hash of all that it depends on.
    pub key: u128,
    /// It was found on disk; nothing was compiled.
    pub from_cache: bool,
    /// Why it could not be kept, if so.
    pub note: Option<String>,
}

/// The options that every program is compiled with: no contraction of `a * b + c`, and IEEE division and square root,
/// so that floats mean on the device what they mean in Rust.
pub fn options(major: i32, minor: i32) -> Vec<String> {
    let options = ["--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"];
    let architecture = format!("--gpu-architecture=sm_{major}{minor}");
    std::iter::once(architecture).chain(options.map(str::to_owned)).collect()
}

/// Compiles a program for compute capability `major.minor`, or finds it compiled.
///
/// # Errors
/// [`CompileError`] when it is not in the cache and NVRTC is missing or refuses it.
pub fn compile(
    shape: &Shape,
    configuration: &Configuration,
    major: i32,
    minor: i32,
) -> Result<Cubin, CompileError> {
    compile_kernel(Kernel::Run, shape, configuration, (major, minor))
}

/// The same for any kernel.
pub(crate) fn compile_kernel(
    kernel: Kernel,
    shape: &Shape,
    configuration: &Configuration,
    (major, minor): (i32, i32),
) -> Result<Cubin, CompileError> {
    let library = NvrtcLibrary::find()?;
    let (text, options) = (kernel_unit(kernel, shape, configuration), options(major, minor));
    let key = xxh3_128(format!("{}\n{}\n{text}", library.identity, options.join("\n")).as_bytes());
    let file = cache_folder().map(|folder| folder.join("cubin").join(format!("{key:032x}.cubin")));
    if let Some(bytes) = file.as_deref().and_then(read) {
        return Ok(Cubin { bytes, key, from_cache: true, note: None });
    }
    let (bytes, _) = nvrtc::compile(&library, shape.model.name, &text, &options)?;
    let note = match file {
        Some(file) => write(&file, &bytes).err().map(|error| {
            format!(
                "the compiled program could not be kept at {}: {error}; it will be compiled again",
                file.display()
            )
        }),
        None => Some(
            "the compiled program could not be kept: there is no cache directory; set WOLFPATH_CACHE_DIR"
                .into(),
        ),
    };
    Ok(Cubin { bytes, key, from_cache: false, note })
}

/// Compiles a program without looking into the cache or keeping it, and returns what the compiler said: nothing, when
/// all is well. For tests, which need no device.
///
/// # Errors
/// [`CompileError`] when NVRTC is missing or refuses the program.
pub fn compile_log(
    shape: &Shape,
    configuration: &Configuration,
    major: i32,
    minor: i32,
) -> Result<String, CompileError> {
    compile_kernel_log(Kernel::Run, shape, configuration, (major, minor))
}

/// The same for any kernel.
///
/// # Errors
/// [`CompileError`] when NVRTC is missing or refuses the program.
pub fn compile_kernel_log(
    kernel: Kernel,
    shape: &Shape,
    configuration: &Configuration,
    (major, minor): (i32, i32),
) -> Result<String, CompileError> {
    let (library, text) = (NvrtcLibrary::find()?, kernel_unit(kernel, shape, configuration));
    let (_, log) = nvrtc::compile(&library, shape.model.name, &text, &options(major, minor))?;
    Ok(log)
}

/// Compiles the kernel that measures a device, and returns what the compiler said. For tests, which need no device.
///
/// # Errors
/// [`CompileError`] when NVRTC is missing or refuses it.
pub fn calibration_log(major: i32, minor: i32) -> Result<String, CompileError> {
    Ok(calibration_cubin(major, minor)?.1)
}

/// The kernel that measures a device, compiled, and what the compiler said. It is needed once a device, so it is not kept.
pub(super) fn calibration_cubin(major: i32, minor: i32) -> Result<(Vec<u8>, String), CompileError> {
    let (library, text) = (NvrtcLibrary::find()?, wolfpath_kernels::calibration_unit());
    nvrtc::compile(&library, "calibration", &text, &options(major, minor))
}

/// A kept CUBIN: its hash, then its bytes. Anything else there is passed over, and compiled anew.
fn read(file: &Path) -> Option<Vec<u8>> {
    let kept = std::fs::read(file).ok()?;
    let (hash, bytes) = kept.split_at_checked(8)?;
    (hash == xxh3_64(bytes).to_le_bytes()).then(|| bytes.to_vec())
}

/// Keeps a CUBIN: under a temporary name first, so that nobody ever reads half of one.
fn write(file: &PathBuf, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&xxh3_64(bytes).to_le_bytes())?;
    temporary.write_all(bytes)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_cubin_comes_back_and_a_broken_one_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("deep").join("a.cubin");
        write(&file, b"code").expect("it can be kept");
        assert_eq!(read(&file).as_deref(), Some(&b"code"[..]));
        let mut kept = std::fs::read(&file).expect("it is there");
        kept[9] ^= 1;
        std::fs::write(&file, &kept).expect("it can be written");
        assert_eq!(read(&file), None);
        std::fs::write(&file, [1, 2, 3]).expect("it can be written");
        assert_eq!(read(&file), None);
    }
}
