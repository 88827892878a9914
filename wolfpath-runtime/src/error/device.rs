//! Reasons why a device cannot be used.

/// Reasons why a device cannot be used.
///
/// # Examples
///
/// ```
/// use wolfpath::{DeviceError, Engine};
///
/// match Engine::cuda(1000) {
///     Err(DeviceError::UnknownDevice { ordinal, found }) => assert!(found <= ordinal),
///     Err(error) => println!("no device can be used: {error}"),
///     Ok(_) => unreachable!("no machine has so many devices"),
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no NVIDIA driver.
    #[error("no NVIDIA driver was found ({library} cannot be loaded): install the driver")]
    NoDriver {
        /// Library that could not be loaded.
        library: &'static str,
    },
    /// The driver is too old for the functions that wolfpath calls.
    #[error(
        "the NVIDIA driver supports CUDA {found}, but wolfpath needs {needed} or later: update the driver"
    )]
    OldDriver {
        /// CUDA version that the driver supports, for example "12.4".
        found: String,
        /// Required CUDA version.
        needed: &'static str,
    },
    /// The requested number is not that of a device.
    #[error("there is no CUDA device {ordinal}: {found} found (numbered from 0)")]
    UnknownDevice {
        /// Requested number.
        ordinal: usize,
        /// Number of devices found.
        found: usize,
    },
    /// An engine for several devices was requested without naming any.
    #[error("no device was named: name at least one, numbered from 0")]
    NoneNamed,
    /// A device was named twice.
    #[error("CUDA device {ordinal} was named twice: name each device once")]
    NamedTwice {
        /// Number of the device.
        ordinal: usize,
    },
    /// More devices were named than can share a run.
    #[error("{named} devices were named, but at most {most} can share a run")]
    TooMany {
        /// Number of devices that were named.
        named: usize,
        /// Largest number of devices.
        most: usize,
    },
    /// Devices of different kinds were named.
    #[error("{one} and {other} are of different kinds, so they cannot share a run: name devices of one kind")]
    Unlike {
        /// Name of a device.
        one: String,
        /// Name of the other device.
        other: String,
    },
    /// A device cannot access the memory of another one.
    #[error(
        "{device} cannot access the memory of {peer}, because {reason}: name devices with a direct link (NVLink)"
    )]
    NotLinked {
        /// Name of a device.
        device: String,
        /// Name of the other device.
        peer: String,
        /// The reason.
        reason: &'static str,
    },
    /// The device is older than the kernels require.
    #[error(
        "device {ordinal} ({name}) has compute capability {major}.{minor}, but wolfpath needs 7.5 or later: use another device"
    )]
    OldDevice {
        /// Number of the device.
        ordinal: usize,
        /// Name of the device.
        name: String,
        /// Major version of the compute capability.
        major: i32,
        /// Minor version of the compute capability.
        minor: i32,
    },
    /// A multiprocessor cannot hold one block of the kernel.
    #[error(
        "a multiprocessor of {device} cannot hold a block of {threads} threads that needs {shared_bytes} bytes of shared \
         memory: use another device, or the CPU engine"
    )]
    BlockTooLarge {
        /// Name of the device.
        device: String,
        /// Number of threads per block.
        threads: u32,
        /// Bytes of dynamic shared memory per block.
        shared_bytes: u32,
    },
    /// The process may use fewer multiprocessors than the device reports.
    #[error(
        "{device} reports {multiprocessors} multiprocessors but does not run a block on each at the same time: another \
         program or a limit (such as CUDA_MPS_ACTIVE_THREAD_PERCENTAGE) restricts it; lift the limit, use another device, \
         or the CPU engine"
    )]
    Restricted {
        /// Name of the device.
        device: String,
        /// Number of multiprocessors that the device reports.
        multiprocessors: u32,
    },
    /// The rows of a graph cannot stay in host memory, because the memory cannot be page-locked.
    #[error(
        "{bytes} bytes of host memory for the rows of the graph cannot be page-locked: {message}; free some memory, raise \
         the limit of locked memory, or use the CPU engine"
    )]
    Unlockable {
        /// Bytes to page-lock.
        bytes: u64,
        /// The driver's message.
        message: String,
    },
    /// A call of the driver failed.
    #[error("the CUDA driver failed to {action}: {message}")]
    Driver {
        /// The action that failed.
        action: &'static str,
        /// The driver's message.
        message: String,
    },
    /// The device failed permanently: the driver rejects every further call.
    #[error(
        "{device} was lost: the driver failed to {action}: {message}; its context stays in error, so nothing more can \
         run on it in this process: start the process again, or use the CPU engine"
    )]
    Lost {
        /// Name of the device.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// The driver's message.
        message: String,
    },
    /// The device was lost in an earlier run.
    #[error(
        "{device} was lost in an earlier run, when the driver failed to {action}: {message}; this engine cannot be used \
         again: start the process again, or use the CPU engine"
    )]
    LostEarlier {
        /// Name of the device.
        device: String,
        /// Action that failed in that run.
        action: &'static str,
        /// The driver's message.
        message: String,
    },
    /// Threads of the CPU engine could not be started.
    #[error("the CPU engine could not start {threads} threads: {message}")]
    Threads {
        /// Requested number of threads.
        threads: usize,
        /// The system's error message, or the largest number that is possible.
        message: String,
    },
}
