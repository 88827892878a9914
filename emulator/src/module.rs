//! Loaded modules. Each module is a separate copy of its shared object, with its own shared memory, and its kernels can
//! be found by name.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libloading::Library;
use twox_hash::XxHash3_64;

use crate::code::{self, CodeError};
use crate::machine::{Entry, Machine};
use crate::settings::Settings;

/// Prefix of the "CUBIN" that the emulator's NVRTC returns. The kernel's text and a zero byte follow.
pub(crate) const MAGIC: &str = "wolfpath emulator: a kernel's text\n";

/// A loaded module.
pub(crate) struct Module {
    pub(crate) machine: *mut Machine,
    pub(crate) shared: *mut u8,
    shared_bytes: usize,
    library: Library,
    pub(crate) object: PathBuf,
    /// Address at which the object was loaded.
    pub(crate) base: usize,
    turn: Mutex<()>,
    /// Number of launches so far.
    launches: AtomicU64,
    hash: u64,
}

// SAFETY: only one launch at a time accesses the memory behind the pointers, because a launch holds the lock.
unsafe impl Send for Module {}
// SAFETY: shared access is sound for the same reason as for `Send`.
unsafe impl Sync for Module {}

/// A kernel of a module.
pub(crate) struct Function {
    pub(crate) entry: *const Entry,
    pub(crate) name: String,
    pub(crate) module: std::sync::Arc<Module>,
    /// Maximum size of the shared memory that a launch may request, in bytes.
    pub(crate) most_requested: AtomicU64,
}

impl Module {
    /// Loads an image that the emulator's NVRTC returned.
    pub(crate) fn load(image: &[u8], settings: &Settings) -> Result<Module, String> {
        let text = std::str::from_utf8(image).ok().and_then(|image| image.strip_prefix(MAGIC));
        let text = text.ok_or("the image was not compiled by the emulator's NVRTC")?;
        let object = code::compile(text, settings).map_err(|error| match error {
            CodeError::Refused(message) | CodeError::Failed(message) => message,
        })?;
        Module::open(object, XxHash3_64::oneshot(text.as_bytes()))
    }

    /// Opens a copy of the object. If the same file were opened twice, both modules would share its memory.
    fn open(object: PathBuf, hash: u64) -> Result<Module, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let copy = object.with_extension(format!("{}.{number}.so", std::process::id()));
        let failed = |error: &dyn std::fmt::Display| format!("cannot load {}: {error}", copy.display());
        std::fs::copy(&object, &copy).map_err(|error| failed(&error))?;
        // SAFETY: the object was compiled from the emulator's prelude, and loading it runs no code.
        let library = unsafe { Library::new(&copy) };
        let _ = std::fs::remove_file(&copy);
        let library = library.map_err(|error| failed(&error))?;
        type Places = unsafe extern "C" fn(*mut *mut Machine, *mut *mut u8, *mut *mut u8);
        let mut machine = std::ptr::null_mut();
        let (mut first, mut last) = (std::ptr::null_mut::<u8>(), std::ptr::null_mut::<u8>());
        // SAFETY: the prelude defines the function with this signature. The function writes three addresses.
        let base = unsafe {
            let places = library.get::<Places>(b"emulator_module\0").map_err(|error| failed(&error))?;
            places(&mut machine, &mut first, &mut last);
            base_of(*places as usize)
        };
        let shared_bytes = last as usize - first as usize;
        let (turn, launches) = Default::default();
        Ok(Module { machine, shared: first, shared_bytes, library, object, base, turn, launches, hash })
    }

    /// Waits until no other launch uses the module, and returns the lock.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the size of the shared memory that the kernels declare, in bytes.
    pub(crate) fn shared_bytes(&self) -> usize {
        self.shared_bytes
    }

    /// Returns the seed of the module's next launch.
    pub(crate) fn next_seed(&self, seed: u64) -> u64 {
        let launch = self.launches.fetch_add(1, Ordering::Relaxed);
        XxHash3_64::oneshot(&[seed.to_le_bytes(), self.hash.to_le_bytes(), launch.to_le_bytes()].concat())
    }

    /// Returns the kernel's entry, if the kernel exists.
    pub(crate) fn entry(&self, name: &str) -> Option<*const Entry> {
        let symbol = CString::new(format!("emulator_entry_{name}")).ok()?;
        // SAFETY: symbols with such names are entries, which are constants of the object.
        unsafe { self.library.get::<*const Entry>(symbol.as_bytes_with_nul()).ok().map(|entry| *entry) }
    }

    /// Returns the position of an instruction in the text if binutils finds it, and an empty text otherwise.
    pub(crate) fn place(&self, instruction: usize) -> String {
        lines(&self.object, instruction.wrapping_sub(self.base)).unwrap_or_default()
    }
}

/// Returns the position of an instruction, including the calls that were inlined there.
pub(crate) fn lines(object: &Path, offset: usize) -> Option<String> {
    let output = Command::new("addr2line")
        .arg("-i")
        .arg("-e")
        .arg(object)
        .arg(format!("{offset:#x}"))
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // A position in the text includes neither the compiler's working directory nor the number of a basic block.
    let short = |line: &'_ str| -> String {
        let line = line.split(" (").next().unwrap_or_default();
        line.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let lines: Vec<String> = text.lines().filter(|line| !line.starts_with('?')).map(short).collect();
    (!lines.is_empty()).then(|| format!(", at {}", lines.join(" in ")))
}

/// Returns the address at which the object that contains `address` was loaded.
fn base_of(address: usize) -> usize {
    // SAFETY: the struct is plain data, for which all zeroes are a valid value, and the call writes it.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const _, &mut info) == 0 { 0 } else { info.dli_fbase as usize }
    }
}
