//! Statuses of the driver (`CUresult`), and the message of the last failure.

use std::ffi::{CStr, CString};
use std::sync::{Mutex, PoisonError};

/// Status of a driver call (`CUresult`).
pub(crate) type Status = u32;

pub(crate) const SUCCESS: Status = 0;
pub(crate) const INVALID_VALUE: Status = 1;
pub(crate) const OUT_OF_MEMORY: Status = 2;
pub(crate) const INVALID_DEVICE: Status = 101;
pub(crate) const INVALID_IMAGE: Status = 200;
pub(crate) const PEER_ACCESS_UNSUPPORTED: Status = 217;
pub(crate) const NOT_FOUND: Status = 500;
pub(crate) const NOT_READY: Status = 600;
pub(crate) const ILLEGAL_ADDRESS: Status = 700;
pub(crate) const OUT_OF_RESOURCES: Status = 701;
pub(crate) const PEER_ACCESS_ALREADY_ENABLED: Status = 704;
pub(crate) const LAUNCH_FAILED: Status = 719;
pub(crate) const TOO_LARGE: Status = 720;
pub(crate) const NOT_SUPPORTED: Status = 801;

/// Returns the driver's name of a status.
pub(crate) fn name(status: Status) -> &'static CStr {
    match status {
        SUCCESS => c"CUDA_SUCCESS",
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        INVALID_DEVICE => c"CUDA_ERROR_INVALID_DEVICE",
        INVALID_IMAGE => c"CUDA_ERROR_INVALID_IMAGE",
        PEER_ACCESS_UNSUPPORTED => c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
        PEER_ACCESS_ALREADY_ENABLED => c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        NOT_READY => c"CUDA_ERROR_NOT_READY",
        ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        OUT_OF_RESOURCES => c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        LAUNCH_FAILED => c"CUDA_ERROR_LAUNCH_FAILED",
        TOO_LARGE => c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        NOT_SUPPORTED => c"CUDA_ERROR_NOT_SUPPORTED",
        _ => c"CUDA_ERROR_UNKNOWN",
    }
}

/// A status with its cause.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

static LAST: Mutex<Option<(Status, &'static CStr)>> = Mutex::new(None);

/// Records a failure for `text` and prints it, so that a failing test shows it even if the caller drops the message.
pub(crate) fn note(failure: &Failure) -> Status {
    eprintln!("wolfpath emulator: {}", failure.message);
    remember(failure)
}

/// Records a failure for `text`.
pub(crate) fn remember(failure: &Failure) -> Status {
    let message = CString::new(failure.message.replace('\0', " ")).unwrap_or_default();
    // The message is leaked, because the driver's texts have static lifetime. Failures are rare, so this costs little
    // memory.
    let message: &'static CStr = Box::leak(message.into_boxed_c_str());
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((failure.status, message));
    failure.status
}

/// Returns the text of a status: the message of the last failure if it had this status, otherwise the status's name.
pub(crate) fn text(status: Status) -> &'static CStr {
    match *LAST.lock().unwrap_or_else(PoisonError::into_inner) {
        Some((last, message)) if last == status => message,
        _ => name(status),
    }
}
