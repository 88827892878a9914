//! NVRTC, CUDA's run-time compiler: finds the library, loads it when something must be compiled, and compiles text to a
//! CUBIN.
//!
//! The library is loaded here rather than through cudarc. The cache of compiled programs must know *which* library
//! would be used before any library is loaded, and must then load exactly that library. cudarc instead tries a fixed
//! list of names, uses the first library that loads, and panics if none does.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::error::CompileError;

/// Environment variable that names the library to use instead of searching for one.
pub const NVRTC_VARIABLE: &str = "WOLFPATH_NVRTC";

/// File of an NVRTC library, and the text that identifies it in cache keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NvrtcLibrary {
    /// Path of the library.
    pub path: PathBuf,
    /// Path, size and modification time of the library.
    pub identity: String,
}

impl NvrtcLibrary {
    /// Finds NVRTC without loading it. Uses the file that `WOLFPATH_NVRTC` names, if it is set. Otherwise searches the
    /// folders of the CUDA toolkit and the system's library folders, newest major version first.
    ///
    /// # Errors
    /// [`CompileError::NoNvrtc`], which lists the places searched.
    pub fn find() -> Result<NvrtcLibrary, CompileError> {
        if let Some(path) = std::env::var_os(NVRTC_VARIABLE).filter(|path| !path.is_empty()) {
            let path = PathBuf::from(path);
            let missing =
                || CompileError::NoNvrtc { looked_for: format!("{NVRTC_VARIABLE} names {}", path.display()) };
            return NvrtcLibrary::at(&path).ok_or_else(missing);
        }
        let folders = folders();
        let names = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        names.map(|path| NvrtcLibrary::at(&path)).find_map(|library| library).ok_or_else(|| {
            let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
            CompileError::NoNvrtc { looked_for: format!("{} in {}", NAMES.join(", "), folders.join(", ")) }
        })
    }

    /// Returns the library that compiles for this process: the one that it has loaded, or else the one that
    /// [`find`](Self::find) finds. A library that is replaced or removed while the process runs changes nothing, and
    /// cannot get its own code kept under the name of another.
    ///
    /// # Errors
    /// Those of [`find`](Self::find), if no library is loaded.
    pub(crate) fn in_use() -> Result<NvrtcLibrary, CompileError> {
        LOADED.get().map_or_else(NvrtcLibrary::find, |(library, _)| Ok(library.clone()))
    }

    /// Returns the library at `path`, if that is a file.
    fn at(path: &Path) -> Option<NvrtcLibrary> {
        let path = path.canonicalize().ok()?;
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_file())?;
        let changed = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let identity = format!("{} {} {}", path.display(), metadata.len(), changed.as_nanos());
        Some(NvrtcLibrary { path, identity })
    }
}

#[cfg(windows)]
const NAMES: [&str; 2] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"];
#[cfg(not(windows))]
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// Returns the folders that may contain NVRTC. Folders from environment variables come first.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(paths) = std::env::var_os(if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" }) {
        folders.extend(std::env::split_paths(&paths));
    }
    for variable in ["CUDA_PATH", "CUDA_HOME"] {
        if let Some(root) = std::env::var_os(variable).map(PathBuf::from) {
            folders.extend(
                ["lib64", "lib", "bin", "bin/x64", "targets/x86_64-linux/lib"].map(|lib| root.join(lib)),
            );
        }
    }
    let standard = [
        "/usr/local/cuda/lib64",
        "/usr/local/cuda-13/lib64",
        "/usr/local/cuda-12/lib64",
        "/opt/cuda/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/lib",
    ];
    folders.extend(standard.map(PathBuf::from));
    folders.retain(|folder| !folder.as_os_str().is_empty());
    folders
}

type Program = *mut c_void;
type Status = c_int;

/// The NVRTC functions that are called here. They belong to one library, which stays loaded.
struct Nvrtc {
    path: PathBuf,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    log: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    error_text: unsafe extern "C" fn(Status) -> *const c_char,
}

/// NVRTC's status for a text that does not compile.
const COMPILATION_FAILED: Status = 6;

impl Nvrtc {
    /// Loads the library, and before it NVRTC's builtins library. NVRTC would load the builtins by name, but the loader
    /// does not search the folder of a Python wheel.
    fn load(path: &Path) -> Result<Nvrtc, CompileError> {
        let failed = |error: libloading::Error| CompileError::Nvrtc {
            path: path.display().to_string(),
            action: "load",
            message: error.to_string(),
        };
        if let Some(builtins) = builtins_beside(path) {
            // The library is leaked, so that it stays loaded for the life of the process. If loading fails, a later
            // compilation reports the error.
            open(&builtins).map(std::mem::forget).unwrap_or_default();
        }
        let library = Box::leak(Box::new(open(path).map_err(failed)?));
        // SAFETY: the signatures match nvrtc.h, unchanged from CUDA 11.3 to 13. The library is never unloaded.
        unsafe {
            Ok(Nvrtc {
                path: path.to_owned(),
                create: *library.get(b"nvrtcCreateProgram\0").map_err(failed)?,
                compile: *library.get(b"nvrtcCompileProgram\0").map_err(failed)?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize\0").map_err(failed)?,
                cubin: *library.get(b"nvrtcGetCUBIN\0").map_err(failed)?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0").map_err(failed)?,
                log: *library.get(b"nvrtcGetProgramLog\0").map_err(failed)?,
                destroy: *library.get(b"nvrtcDestroyProgram\0").map_err(failed)?,
                error_text: *library.get(b"nvrtcGetErrorString\0").map_err(failed)?,
            })
        }
    }

    fn check(&self, action: &'static str, status: Status) -> Result<(), CompileError> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC returns a static, null-terminated string for every status.
        let message = unsafe { CStr::from_ptr((self.error_text)(status)) }.to_string_lossy().into_owned();
        Err(CompileError::Nvrtc { path: self.path.display().to_string(), action, message })
    }
}

#[cfg(unix)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix;
    // SAFETY: loading NVRTC runs its initializers, which have no preconditions. The symbols must be global because
    // NVRTC's builtins need them.
    unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_GLOBAL).map(Library::from) }
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: loading NVRTC runs its initializers, which have no preconditions.
    unsafe { Library::new(path) }
}

fn builtins_beside(path: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(path.parent()?).ok()?;
    let is_builtins = |name: &str| name.contains("nvrtc-builtins") && !name.contains("alt");
    let mut found: Vec<_> = files
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| is_builtins(&name.to_string_lossy())))
        .collect();
    found.sort();
    found.pop()
}

/// NVRTC program, destroyed when dropped.
struct Compilation<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        // SAFETY: `program` was created by the same library and is destroyed once.
        unsafe { (self.nvrtc.destroy)(&mut self.program) };
    }
}

impl Compilation<'_> {
    /// Returns bytes that NVRTC provides through a pair of functions, one for the size and one for the bytes.
    fn bytes(
        &self,
        action: &'static str,
        size_of: unsafe extern "C" fn(Program, *mut usize) -> Status,
        get: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ) -> Result<Vec<u8>, CompileError> {
        let mut size = 0;
        // SAFETY: the program is alive, and `size` is a valid location for one size.
        self.nvrtc.check(action, unsafe { size_of(self.program, &mut size) })?;
        let mut bytes = vec![0u8; size];
        // SAFETY: `bytes` has the size that NVRTC returned.
        self.nvrtc.check(action, unsafe { get(self.program, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn log(&self) -> Result<String, CompileError> {
        let bytes = self.bytes("return its log", self.nvrtc.log_size, self.nvrtc.log)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n']).to_owned())
    }
}

/// Compiles a text to a CUBIN, and also returns the compiler's log. `name` is the program's name, for messages.
///
/// # Errors
/// [`CompileError::Refused`] with the compiler's log if the text does not compile; [`CompileError::Nvrtc`] for other
/// failures.
pub(crate) fn compile(
    library: &NvrtcLibrary,
    name: &str,
    text: &str,
    options: &[String],
) -> Result<(Vec<u8>, String), CompileError> {
    let nvrtc = loaded(library)?;
    let refused =
        |log: String| CompileError::Refused { program: name.to_owned(), options: options.join(" "), log };
    let terminated = |what: &str, text: String| {
        CString::new(text).map_err(|_| refused(format!("the {what} contains a zero byte")))
    };
    let text = terminated("text", text.to_owned())?;
    let file = terminated("program's name", format!("{name}.cu"))?;
    let terminated_options: Result<Vec<CString>, CompileError> =
        options.iter().map(|option| terminated("option", option.clone())).collect();
    let terminated_options = terminated_options?;
    let mut compilation = Compilation { nvrtc, program: std::ptr::null_mut() };
    // SAFETY: both strings are null-terminated and outlive the program. No headers are passed.
    let status = unsafe {
        (nvrtc.create)(
            &mut compilation.program,
            text.as_ptr(),
            file.as_ptr(),
            0,
            std::ptr::null(),
            std::ptr::null(),
        )
    };
    nvrtc.check("create a program", status)?;
    let pointers: Vec<*const c_char> = terminated_options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the program is alive. `pointers` contains null-terminated strings, and their number is passed with it.
    let status = unsafe { (nvrtc.compile)(compilation.program, pointers.len() as c_int, pointers.as_ptr()) };
    if status == COMPILATION_FAILED {
        return Err(refused(compilation.log()?));
    }
    nvrtc.check("compile", status)?;
    Ok((compilation.bytes("return the CUBIN", nvrtc.cubin_size, nvrtc.cubin)?, compilation.log()?))
}

/// The library that this process has loaded. It is loaded once, and stays loaded.
static LOADED: OnceLock<(NvrtcLibrary, Nvrtc)> = OnceLock::new();

/// Loads the library, unless the process has loaded one.
///
/// # Errors
/// Returns an error if the library cannot be loaded, or if the process has loaded another: that one must not compile
/// what will be kept under the name of this one.
fn loaded(library: &NvrtcLibrary) -> Result<&'static Nvrtc, CompileError> {
    if LOADED.get().is_none() {
        let nvrtc = Nvrtc::load(&library.path)?;
        LOADED.get_or_init(|| (library.clone(), nvrtc));
    }
    let (used, nvrtc) = LOADED.get().expect("it was just loaded");
    if used != library {
        return Err(CompileError::Nvrtc {
            path: library.path.display().to_string(),
            action: "load",
            message: format!("this process already uses another one, {}", used.path.display()),
        });
    }
    Ok(nvrtc)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(library: &NvrtcLibrary) -> Result<Vec<u8>, CompileError> {
        let options = crate::cuda::cubin::options(8, 0);
        compile(library, "nothing", "extern \"C\" __global__ void nothing() {}", &options)
            .map(|(cubin, _)| cubin)
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn nvrtc_replaced_or_removed_while_it_is_used() {
        let found = NvrtcLibrary::find().expect("WOLFPATH_NVRTC names the library");
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let path = folder.path().join("libnvrtc.so");
        std::fs::copy(&found.path, &path).expect("the library can be copied");
        let copied =
            |name: &std::ffi::OsStr| std::fs::copy(found.path.with_file_name(name), folder.path().join(name));
        if let Some(builtins) = builtins_beside(&found.path) {
            copied(builtins.file_name().expect("it is a file")).expect("the builtins can be copied");
        }
        let first = NvrtcLibrary::at(&path).expect("it is a file");
        let cubin = compiled(&first).expect("it compiles");
        assert_eq!(NvrtcLibrary::in_use().expect("it is loaded"), first);
        std::fs::remove_file(&path).expect("the copy can be removed");
        assert_eq!(compiled(&NvrtcLibrary::in_use().expect("it stays loaded")).expect("it compiles"), cubin);
        std::fs::write(&path, "another version").expect("the file can be written");
        let second = NvrtcLibrary::at(&path).expect("it is a file");
        assert_ne!(first, second);
        let error = compiled(&second).expect_err("another one is in use").to_string();
        assert!(error.contains("already uses another one"), "{error}");
    }
}
