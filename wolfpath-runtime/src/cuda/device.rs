//! A CUDA device: its context, its stream, and the programs loaded onto it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError,
    ValidAsZeroBits, result, sys,
};
use cudarc::nvrtc::Ptx;
use wolfpath_core::program::{CombineKind, Senders};

use super::calibration::Calibration;
use super::cubin;
use super::health::{Health, failure};
use super::kept::Outcomes;
use super::source::{Configuration, Kernel};
use super::staging::{self, Pieces, Staging};
use super::together::{Guarded, between_launches};
use crate::cpu::{Blocks, lock};
use crate::error::{DeviceError, RunError};
use crate::shape::Shape;
use crate::start::Carried;

/// Minimum driver version: cudarc calls functions that exist since CUDA 12.8 (`cuEventElapsedTime_v2`).
const NEEDED_DRIVER: (i32, &str) = (12080, "12.8");

/// An array of bytes on a device.
pub(crate) type DeviceArray = Guarded<CudaSlice<u8>>;

/// A loaded kernel.
pub(crate) type LoadedKernel = Guarded<CudaFunction>;

/// A device that can run programs.
pub(crate) struct Device {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) ordinal: usize,
    pub(crate) name: String,
    pub(crate) multiprocessors: u32,
    /// Most bytes of shared memory that a block can have.
    pub(crate) shared_bytes: u32,
    pub(super) capability: (i32, i32),
    calibration: OnceLock<Calibration>,
    programs: Mutex<HashMap<Compiled, Loaded>>,
    /// Kernel that copies an outcome's values to an input.
    taking: OnceLock<LoadedKernel>,
    /// Kernel that copies the values of the device's vertices to another device.
    collecting: OnceLock<LoadedKernel>,
    /// Kernels that count what the ends of edges have in common, with offsets of 32 and of 64 bits.
    counting: [OnceLock<LoadedKernel>; 2],
    /// `true` if kernels are compiled with random delays.
    pub(crate) delays: bool,
    health: Health,
    /// Buffers through which large arrays are copied.
    pub(super) staging: Staging,
    /// The outcomes whose values are on the device.
    pub(crate) outcomes: Outcomes,
}

/// Key of a loaded program: everything that it was compiled from. A program's model is identified by its address.
/// Programs whose models are identical byte for byte may share an address. If their code differs nevertheless, they
/// differ in the fields of the shape that are listed below.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Compiled {
    model: usize,
    combine: CombineKind,
    fold: Option<CombineKind>,
    senders: Senders,
    kernel: Kernel,
    configuration: Configuration,
}

impl Compiled {
    fn new(kernel: Kernel, shape: &Shape, configuration: Configuration) -> Compiled {
        let model = std::ptr::from_ref(shape.model) as usize;
        // Where the first values come from does not change the code.
        let kernel = match kernel {
            Kernel::RunFrom(carried) => Kernel::RunFrom(Carried { on_host: false, ..carried }),
            kernel => kernel,
        };
        let (combine, fold, senders) = (shape.combine, shape.fold, shape.senders);
        Compiled { model, combine, fold, senders, kernel, configuration }
    }
}

/// A program loaded onto the device, and a note for the user about its compilation.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) function: LoadedKernel,
    pub(crate) note: Option<String>,
    /// Size of the dynamic shared memory per block in bytes.
    pub(crate) shared_bytes: u32,
}

/// Description of a CUDA device.
///
/// # Examples
///
/// ```
/// for device in wolfpath::cuda::devices().unwrap_or_default() {
///     assert!(device.free <= device.memory);
///     println!("cuda:{} {}, {} multiprocessors", device.ordinal, device.name, device.multiprocessors);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Number of the device, from 0.
    pub ordinal: usize,
    /// Name of the device.
    pub name: String,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Size of the device's memory in bytes.
    pub memory: u64,
    /// Size of the device's free memory in bytes.
    pub free: u64,
}

/// Returns a kernel, which `load` loads the first time.
fn once(
    kernel: &OnceLock<LoadedKernel>,
    load: impl FnOnce() -> Result<LoadedKernel, RunError>,
) -> Result<LoadedKernel, RunError> {
    if let Some(loaded) = kernel.get() {
        return Ok(loaded.clone());
    }
    let loaded = load()?;
    Ok(kernel.get_or_init(|| loaded).clone())
}

/// Returns a function that converts a driver's error during `action` to a [`DeviceError`].
pub(crate) fn driver_error(action: &'static str) -> impl Fn(DriverError) -> DeviceError {
    move |error| {
        let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
        failure(action, error.0, text.unwrap_or_else(|_| format!("{:?}", error.0)))
    }
}

/// Returns the CUDA version that the driver supports, as CUDA writes it: 1000 x major + 10 x minor.
///
/// # Errors
///
/// Returns [`DeviceError::NoDriver`] or [`DeviceError::OldDriver`].
fn check_driver() -> Result<i32, DeviceError> {
    // SAFETY: this call only tries to load the library. Other calls of cudarc would panic if the library were missing.
    if !unsafe { sys::is_culib_present() } {
        let library = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
        return Err(DeviceError::NoDriver { library });
    }
    let mut version = 0;
    // SAFETY: `version` is a valid location for one int, and the call needs no initialized driver.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(driver_error("report its version"))?;
    if version < NEEDED_DRIVER.0 {
        let found = format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(DeviceError::OldDriver { found, needed: NEEDED_DRIVER.1 });
    }
    Ok(version)
}

/// Returns the number of devices.
pub(crate) fn count() -> Result<usize, DeviceError> {
    check_driver()?;
    result::init().map_err(driver_error("start"))?;
    let count = result::device::get_count().map_err(driver_error("count devices"))?;
    Ok(usize::try_from(count).expect("the driver counts devices from 0"))
}

/// Returns the number of CUDA devices, which are numbered from 0.
///
/// # Errors
///
/// Returns [`DeviceError`] if the driver is missing, is too old, or fails.
///
/// # Examples
///
/// ```
/// match wolfpath::cuda::device_count() {
///     Ok(count) => println!("{count} devices"),
///     Err(error) => println!("{error}"),
/// }
/// ```
pub fn device_count() -> Result<usize, DeviceError> {
    count()
}

/// Returns the CUDA version that the driver supports, for example "13.0".
///
/// # Errors
///
/// Returns [`DeviceError::NoDriver`] if there is no driver, and [`DeviceError::OldDriver`] if it is too old.
pub fn driver_version() -> Result<String, DeviceError> {
    let version = check_driver()?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

/// Returns all devices.
///
/// # Errors
///
/// Returns [`DeviceError`] if there is no driver, if it is too old, or if it fails.
pub fn devices() -> Result<Vec<DeviceInfo>, DeviceError> {
    (0..count()?).map(|ordinal| Device::open(ordinal)?.info()).collect()
}

/// Returns the costs of the device with the given number, counted from 0. Uses the costs that an earlier process kept,
/// or else measures the device. If it cannot be measured, the costs of an H200 are assumed.
///
/// # Errors
///
/// Returns [`DeviceError`] if there is no such device.
///
/// # Examples
///
/// ```
/// match wolfpath::cuda::calibration(0) {
///     Ok(calibration) => assert!(calibration.costs.are_plausible()),
///     Err(error) => println!("{error}"),
/// }
/// ```
pub fn calibration(ordinal: usize) -> Result<Calibration, DeviceError> {
    Ok(Device::open(ordinal)?.calibration().clone())
}

impl Device {
    /// Opens a device.
    pub(crate) fn open(ordinal: usize) -> Result<Device, DeviceError> {
        let found = count()?;
        if ordinal >= found {
            return Err(DeviceError::UnknownDevice { ordinal, found });
        }
        let context = CudaContext::new(ordinal).map_err(driver_error("create a context"))?;
        // SAFETY: all work on this context uses one stream, so no events are needed to order reads and writes.
        unsafe { context.disable_event_tracking() };
        let name = context.name().map_err(driver_error("report a device's name"))?;
        let capability =
            context.compute_capability().map_err(driver_error("report a device's capability"))?;
        if capability < (7, 5) {
            let (major, minor) = capability;
            return Err(DeviceError::OldDevice { ordinal, name, major, minor });
        }
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = context.attribute(attribute).map_err(driver_error("count multiprocessors"))?;
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let shared_bytes = context.attribute(attribute).map_err(driver_error("report its shared memory"))?;
        let stream = context.new_stream().map_err(driver_error("create a stream"))?;
        let multiprocessors =
            u32::try_from(multiprocessors).expect("the number of multiprocessors is not negative");
        let (calibration, programs, taking, collecting, counting) = Default::default();
        let (health, staging, outcomes) = Default::default();
        Ok(Device {
            context,
            stream,
            ordinal,
            name,
            multiprocessors,
            shared_bytes: u32::try_from(shared_bytes).unwrap_or(0),
            capability,
            calibration,
            programs,
            taking,
            collecting,
            counting,
            delays: false,
            health,
            staging,
            outcomes,
        })
    }

    /// Returns the device's name for messages, for example "cuda:0 (NVIDIA H100 80GB HBM3)".
    pub(crate) fn full_name(&self) -> String {
        format!("cuda:{} ({})", self.ordinal, self.name)
    }

    /// Calls `work` on the device unless the device was lost earlier. Records the loss if `work` loses the device.
    pub(crate) fn guard<T>(&self, work: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
        self.health.guard(|| self.full_name(), work)
    }

    /// Returns the kernel that copies an outcome's values to an input. `load` loads it the first time.
    pub(super) fn taking(
        &self,
        load: impl FnOnce() -> Result<LoadedKernel, RunError>,
    ) -> Result<LoadedKernel, RunError> {
        once(&self.taking, load)
    }

    /// Returns the kernel that copies the values of the device's vertices to another device.
    pub(super) fn collecting(
        &self,
        load: impl FnOnce() -> Result<LoadedKernel, RunError>,
    ) -> Result<LoadedKernel, RunError> {
        once(&self.collecting, load)
    }

    /// Returns the kernel that counts what the ends of edges have in common, over rows with offsets of 64 bits if `wide`.
    /// Loading it anew for each graph, and unloading it, would wait for the kernels of other runs.
    pub(super) fn counting(
        &self,
        wide: bool,
        load: impl FnOnce() -> Result<LoadedKernel, RunError>,
    ) -> Result<LoadedKernel, RunError> {
        once(&self.counting[usize::from(wide)], load)
    }

    /// Returns the costs of the device. The first call finds or measures them.
    pub(crate) fn calibration(&self) -> &Calibration {
        self.calibration.get_or_init(|| Calibration::of(self))
    }

    pub(crate) fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let (free, memory) = self.memory()?;
        Ok(DeviceInfo {
            ordinal: self.ordinal,
            name: self.name.clone(),
            capability: self.capability,
            multiprocessors: self.multiprocessors,
            memory,
            free,
        })
    }

    /// Returns the free size and the total size of the device's memory in bytes.
    pub(crate) fn memory(&self) -> Result<(u64, u64), DeviceError> {
        let (free, all) =
            self.context.mem_get_info().map_err(driver_error("report how much memory is free"))?;
        Ok((free as u64, all as u64))
    }

    /// Returns the address of an array.
    pub(crate) fn address_of(&self, array: &DeviceArray) -> u64 {
        array.device_ptr(&self.stream).0
    }

    /// Allocates an array, whose contents are undefined. Not from the stream's pool, because creating the pool takes 8 ms
    /// (H200), and growing it 12 ms per GB.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<DeviceArray, DeviceError> {
        let length = bytes as usize;
        let failed = driver_error("allocate memory");
        self.context.bind_to_thread().map_err(&failed)?;
        // SAFETY: the context is bound to this thread.
        let allocate = || between_launches(|| unsafe { result::malloc_sync(length) });
        let address = allocate().or_else(|_| {
            // Arrays that were freed just now may still be in use by earlier work on the stream.
            self.stream.synchronize()?;
            allocate()
        });
        // SAFETY: the memory has this size. It is uninitialized, but any bytes are valid, and the callers write each byte
        // before it is read.
        Ok(Guarded::new(unsafe { self.stream.upgrade_device_ptr(address.map_err(failed)?, length) }))
    }

    /// Allocates numbers that are 0.
    pub(super) fn zeroes<T: ValidAsZeroBits + DeviceRepr>(
        &self,
        count: usize,
    ) -> Result<Guarded<CudaSlice<T>>, DeviceError> {
        let array = between_launches(|| self.stream.alloc_zeros(count));
        array.map(Guarded::new).map_err(driver_error("allocate memory"))
    }

    /// Copies the first `bytes.len()` bytes of an array to the host, after all earlier work on the stream.
    pub(crate) fn download(&self, array: &DeviceArray, bytes: &mut [u8]) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(pieces) =
            Pieces::new(self.address_of(array), bytes.len(), 1).filter(|_| !staging::is_small(bytes.len()))
        {
            let parts = Blocks::new(bytes, pieces.step());
            return self
                .staging
                .download(self, pieces, &|piece, from| parts.take(piece).copy_from_slice(from));
        }
        let part = array.slice(..bytes.len());
        self.stream.memcpy_dtoh(&part, bytes).map_err(driver_error("copy from the device"))?;
        self.stream.synchronize().map_err(driver_error("copy from the device"))
    }

    /// Records an event, which marks the time at which the device has completed all earlier work on the stream.
    pub(crate) fn record_event(&self) -> Result<CudaEvent, DeviceError> {
        let flags = sys::CUevent_flags::CU_EVENT_DEFAULT;
        self.stream.record_event(Some(flags)).map_err(driver_error("record an event"))
    }

    /// Returns the configuration with which kernels are compiled for this device.
    fn delayed(&self, configuration: Configuration) -> Configuration {
        Configuration { delays: self.delays, ..configuration }
    }

    /// Returns `true` if [`load`](Self::load) returns the kernel at once.
    pub(crate) fn has_loaded(&self, kernel: Kernel, shape: &Shape, configuration: Configuration) -> bool {
        lock(&self.programs).contains_key(&Compiled::new(kernel, shape, self.delayed(configuration)))
    }

    /// Loads a compiled kernel. `action` says so in errors.
    pub(super) fn load_kernel(
        &self,
        cubin: Vec<u8>,
        entry: &str,
        action: &'static str,
    ) -> Result<LoadedKernel, DeviceError> {
        between_launches(|| {
            let module = self.context.load_module(Ptx::from_binary(cubin)).map_err(driver_error(action))?;
            let function = module.load_function(entry).map_err(driver_error(action))?;
            // The driver loads the code when it is first used, which this is.
            let threads = wolfpath_kernels::BLOCK_THREADS;
            let blocks = function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
            blocks.map_err(driver_error(action))?;
            Ok(Guarded::new(function))
        })
    }

    /// Loads the program's kernel, and compiles it first if necessary. Returns the kernel and the time that this took.
    pub(crate) fn load(
        &self,
        kernel: Kernel,
        shape: &Shape,
        configuration: Configuration,
    ) -> Result<(Loaded, std::time::Duration), RunError> {
        let began = Instant::now();
        let configuration = self.delayed(configuration);
        let key = Compiled::new(kernel, shape, configuration);
        let mut programs = lock(&self.programs);
        if let Some(loaded) = programs.get(&key) {
            return Ok((loaded.clone(), began.elapsed()));
        }
        let cubin = cubin::compile_kernel(kernel, shape, &configuration, self.capability)?;
        let function = self.load_kernel(cubin.bytes, kernel.entry(), "load a program")?;
        let shared_bytes = kernel.shared_bytes(shape, &configuration);
        let most = i32::try_from(shared_bytes).expect("a block has less than 2 GiB of shared memory");
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function.set_attribute(attribute, most).map_err(driver_error("reserve shared memory"))?;
        let threads = wolfpath_kernels::BLOCK_THREADS;
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(threads, shared_bytes as usize, None)
            .map_err(driver_error("report how many blocks fit"))?;
        if blocks == 0 {
            return Err(DeviceError::BlockTooLarge { device: self.full_name(), threads, shared_bytes }.into());
        }
        let loaded = Loaded { function, note: cubin.note, shared_bytes };
        programs.insert(key, loaded.clone());
        Ok((loaded, began.elapsed()))
    }
}
