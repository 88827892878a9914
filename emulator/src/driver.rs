//! The driver: the calls that cudarc makes for wolfpath's engine, for one device.
//!
//! Every call that takes pointers has the same safety conditions as in CUDA's driver: output pointers are valid for
//! writes, and handles came from this driver and were not destroyed. `SAFETY` comments refer to them as "the driver's
//! conditions".

mod arrays;
mod device;
mod launches;
mod modules;
mod queues;

use crate::settings::{Settings, settings};
use crate::status::{self, Failure, INVALID_VALUE, SUCCESS, Status};

/// Maximum number of threads per block.
const MOST_THREADS: u32 = 1024;
/// Bytes of shared memory per block: the default, and the maximum on request (that of compute capability 9.0).
const SHARED: u64 = 48 << 10;
const MOST_SHARED: u64 = 227 << 10;

/// Writes the result of a call to its output pointer.
///
/// # Safety
/// `place` is valid for writes.
unsafe fn give<T>(place: *mut T, value: T) -> Status {
    // SAFETY: the caller's conditions.
    unsafe { place.write(value) };
    SUCCESS
}

/// Records the error of a rejected call. Returns its status.
fn refused(status: Status, message: impl Into<String>) -> Status {
    status::note(&Failure { status, message: message.into() })
}

/// Returns the settings, or the status of a call if they are invalid.
fn settled() -> Result<&'static Settings, Status> {
    settings().map_err(|message| refused(INVALID_VALUE, message))
}
