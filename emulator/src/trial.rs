//! Small kernels for tests, compiled with the host's compiler.

use std::time::Duration;

use tempfile::TempDir;

use crate::launch::Launch;
use crate::memory::{self, Owner};
use crate::module::{MAGIC, Module};
use crate::races::Queued;
use crate::settings::Settings;
use crate::status::Failure;

/// A compiled kernel `test(unsigned* out, unsigned words)`, and its array `out`.
pub(crate) struct Trial {
    module: Module,
    pub(crate) out: usize,
    words: usize,
    races: bool,
    /// Contains the kernel's object, in which positions are looked up.
    _folder: TempDir,
}

impl Trial {
    /// Compiles a kernel with this body. `out` has `words` words, all 0.
    pub(crate) fn new(body: &str, words: usize, races: bool) -> Trial {
        let types = "namespace wp { typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; }";
        let machine = "#define WP_FN static inline\n#line 1 \"machine.cuh\"\n";
        Trial::of_text(&format!("{types}\n{machine}"), body, words, races)
    }

    /// Compiles a kernel with this body behind `headers`.
    pub(crate) fn of_text(headers: &str, body: &str, words: usize, races: bool) -> Trial {
        let folder = tempfile::tempdir().expect("a folder can be created");
        let settings = Settings {
            seed: 1,
            tuning: Vec::new(),
            devices: 2,
            linked: true,
            multiprocessors: 2,
            lockable: u64::MAX,
            lost: u64::MAX,
            lost_device: None,
            cache: folder.path().to_owned(),
            races,
        };
        let text = format!(
            "{MAGIC}{headers}#line 1 \"test.cu\"\nextern \"C\" __global__ void __launch_bounds__(1024, 1) \
             test(unsigned* out, unsigned words) {{\n{body}\n}}\n"
        );
        let module = Module::load(text.as_bytes(), &settings).expect("the kernel compiles");
        if races {
            crate::races::begin();
        }
        let out = memory::allocate(words * 4, Owner::Device(0)).expect("the device has enough memory");
        let trial = Trial { module, out, words, races, _folder: folder };
        trial.reset();
        trial
    }

    /// Sets all words to 0.
    pub(crate) fn reset(&self) {
        // SAFETY: the allocation has this size, and no launch is running.
        unsafe { std::ptr::write_bytes(self.out as *mut u32, 0, self.words) };
    }

    pub(crate) fn words(&self) -> Vec<u32> {
        // SAFETY: the allocation has this size and is initialized, and no launch is running.
        unsafe { std::slice::from_raw_parts(self.out as *const u32, self.words) }.to_vec()
    }

    /// Runs the kernel once.
    pub(crate) fn launch(&self, blocks: u32, threads: u32, seed: u64, queued: Queued) -> Result<(), Failure> {
        self.launch_on(self.out, (0, blocks, threads), seed, queued, None)
    }

    /// Runs the kernel once, at the same time as others, with another array `out`.
    pub(crate) fn launch_beside(
        &self,
        out: usize,
        (device, blocks): (u32, u32),
        seed: u64,
        queued: Queued,
        patience: Duration,
    ) -> Result<(), Failure> {
        self.launch_on(out, (device, blocks, 64), seed, queued, Some(patience))
    }

    fn launch_on(
        &self,
        out: usize,
        (device, blocks, threads): (u32, u32, u32),
        seed: u64,
        queued: Queued,
        patience: Option<Duration>,
    ) -> Result<(), Failure> {
        let entry = self.module.entry("test").expect("the module has the kernel");
        let arguments = vec![vec![out as u128], vec![self.words as u128]];
        let (kernel, seed) = ("test".to_owned(), self.module.next_seed(seed));
        let queued = self.races.then_some(queued);
        Launch { entry, kernel, device, blocks, threads, requested: 64, arguments, seed, queued, patience }
            .run(&self.module)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        memory::free(self.out);
    }
}
