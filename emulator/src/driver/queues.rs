//! Streams and events.

use std::ffi::c_uint;
use std::sync::{Arc, OnceLock};

use super::device::current;
use super::{give, refused};
use crate::races;
use crate::settings::MOST_DEVICES;
use crate::status::{INVALID_VALUE, NOT_READY, OUT_OF_RESOURCES, SUCCESS, Status};
use crate::stream::{Event, Stream};

/// Returns the stream of a handle; null is the default stream of the current device.
///
/// # Safety
/// The handle came from `cuStreamCreate` and is alive.
pub(super) unsafe fn stream<'a>(handle: *const Stream) -> Result<&'a Stream, Status> {
    static DEFAULT: [OnceLock<Option<Stream>>; MOST_DEVICES] = [const { OnceLock::new() }; MOST_DEVICES];
    if handle.is_null() {
        let made = DEFAULT[current() as usize].get_or_init(|| Stream::new().ok());
        return made.as_ref().ok_or(OUT_OF_RESOURCES);
    }
    // SAFETY: the caller upholds this function's contract.
    Ok(unsafe { &*handle })
}

/// Waits for all queued work.
///
/// # Safety
/// The same as for `stream`.
pub(super) unsafe fn wait(handle: *const Stream) -> Status {
    // SAFETY: the caller upholds this function's contract.
    let stream = match unsafe { stream(handle) } {
        Ok(stream) => stream,
        Err(status) => return status,
    };
    let status = stream.wait();
    races::host_waits_for(stream.number);
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreate(handle: *mut *const Stream, _: c_uint) -> Status {
    match Stream::new() {
        // SAFETY: the caller upholds the driver's contract for this function.
        Ok(stream) => unsafe { give(handle, Box::into_raw(Box::new(stream)).cast_const()) },
        Err(error) => refused(OUT_OF_RESOURCES, format!("cannot start a thread for a stream: {error}")),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamDestroy_v2(handle: *mut Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract. The stream was created by `cuStreamCreate` and is destroyed
    // only once.
    let stream = unsafe { Box::from_raw(handle) };
    let number = stream.number;
    drop(stream);
    races::host_waits_for(number);
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamSynchronize(handle: *const Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { wait(handle) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamWaitEvent(handle: *const Stream, event: *const Event, _: c_uint) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    let (stream, event) = match unsafe { (stream(handle), shared(event)) } {
        (Ok(stream), event) => (stream, event),
        (Err(status), _) => return status,
    };
    let number = stream.number;
    stream.queue(move || {
        event.wait();
        races::stream_waits(number, &event.known());
        Ok(())
    })
}

/// Returns an event as an `Arc`, for a queue.
///
/// # Safety
/// The handle came from `cuEventCreate` and is alive.
unsafe fn shared(handle: *const Event) -> Arc<Event> {
    // SAFETY: the caller upholds this function's contract. The count is incremented before the new `Arc` is created.
    unsafe {
        Arc::increment_strong_count(handle);
        Arc::from_raw(handle)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(handle: *mut *const Event, _: c_uint) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe { give(handle, Arc::into_raw(Arc::new(Event::default()))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventDestroy_v2(handle: *const Event) -> Status {
    // SAFETY: the caller upholds the driver's contract, and destroys the event only once.
    drop(unsafe { Arc::from_raw(handle) });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventRecord(event: *const Event, handle: *const Stream) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    let (stream, event) = match unsafe { (stream(handle), shared(event)) } {
        (Ok(stream), event) => (stream, event),
        (Err(status), _) => return status,
    };
    stream.queue_event(event)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventQuery(event: *const Event) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    let event = unsafe { &*event };
    if !event.is_done() {
        return NOT_READY;
    }
    races::host_waits(&event.known());
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventSynchronize(event: *const Event) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    let event = unsafe { &*event };
    event.wait();
    races::host_waits(&event.known());
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime_v2(
    milliseconds: *mut f32,
    from: *const Event,
    to: *const Event,
) -> Status {
    // SAFETY: the caller upholds the driver's contract for this function.
    unsafe {
        match ((*from).wait(), (*to).wait()) {
            (Some(from), Some(to)) => give(milliseconds, to.duration_since(from).as_secs_f32() * 1e3),
            _ => INVALID_VALUE,
        }
    }
}
