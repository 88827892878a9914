//! The CUDA driver. It implements only the calls that cudarc makes for wolfpath's engine.
//!
//! Every call that takes pointers has the same safety conditions as in CUDA's driver: output pointers are valid for
//! writes, and handles came from this driver and have not been destroyed. `SAFETY` comments call these conditions "the
//! driver's contract".

mod arrays;
mod device;
mod launches;
mod modules;
mod queues;

use crate::settings::{Settings, settings};
use crate::status::{self, Failure, INVALID_VALUE, SUCCESS, Status};

/// Maximum number of threads per block.
const MOST_THREADS: u32 = 1024;
/// Size of a block's shared memory in bytes: the default, and the maximum that can be requested (as for compute
/// capability 9.0).
const SHARED: u64 = 48 << 10;
const MOST_SHARED: u64 = 227 << 10;

/// Writes the result of a call to its output pointer.
///
/// # Safety
/// `place` is valid for writes.
unsafe fn give<T>(place: *mut T, value: T) -> Status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { place.write(value) };
    SUCCESS
}

/// Records the error of a rejected call. Returns its status.
fn refused(status: Status, message: impl Into<String>) -> Status {
    status::note(&Failure { status, message: message.into() })
}

/// Returns the settings. If they are invalid, returns the status with which a call must fail.
fn settled() -> Result<&'static Settings, Status> {
    let settings = settings().map_err(|message| refused(INVALID_VALUE, message))?;
    if settings.races {
        crate::races::begin();
    }
    Ok(settings)
}
