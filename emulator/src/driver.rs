//! The driver: the calls that cudarc makes for wolfpath's engine, for one device.
//!
//! Every call that takes pointers has the driver's own conditions: places are valid for what is written, handles came from
//! here and were not destroyed. `SAFETY` comments that say "the driver's conditions" say no more than that.

mod arrays;
mod device;
mod launches;
mod modules;
mod queues;

use crate::settings::{Settings, settings};
use crate::status::{self, Failure, INVALID_VALUE, SUCCESS, Status};

/// Threads of a block, at the most.
const MOST_THREADS: u32 = 1024;
/// Shared memory of a block: without asking, and when it was asked for (as of compute capability 9.0).
const SHARED: u64 = 48 << 10;
const MOST_SHARED: u64 = 227 << 10;

/// Writes what a call gives.
///
/// # Safety
/// `place` is the caller's.
unsafe fn give<T>(place: *mut T, value: T) -> Status {
    // SAFETY: the caller's.
    unsafe { place.write(value) };
    SUCCESS
}

/// Refuses a call, and says why.
fn refused(status: Status, message: impl Into<String>) -> Status {
    status::note(&Failure { status, message: message.into() })
}

/// The settings, or what a call answers where they are wrong.
fn settled() -> Result<&'static Settings, Status> {
    settings().map_err(|message| refused(INVALID_VALUE, message))
}
