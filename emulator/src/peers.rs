//! Access of devices to each other's memory. A device may access the memory of another one if the setting allows it and
//! the host has enabled it for this direction. All memory is in one address space, so a kernel can in fact access every
//! array: only the race detector notices accesses that were not enabled.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::memory::Owner;
use crate::settings::{MOST_DEVICES, settings};

/// For each device, the devices whose memory it may access.
static ENABLED: [[AtomicBool; MOST_DEVICES]; MOST_DEVICES] =
    [const { [const { AtomicBool::new(false) }; MOST_DEVICES] }; MOST_DEVICES];

/// Returns `true` if a device can be allowed to access the memory of another one.
pub(crate) fn are_linked(device: u32, peer: u32) -> bool {
    settings().is_ok_and(|settings| settings.linked && device != peer && device.max(peer) < settings.devices)
}

/// Allows a device to access the memory of another one. Returns `false` if it was allowed before.
pub(crate) fn enable(device: u32, peer: u32) -> bool {
    !ENABLED[device as usize][peer as usize].swap(true, Relaxed)
}

/// Returns `true` if a device may access the memory of `owner`.
pub(crate) fn can_access(device: u32, owner: Owner) -> bool {
    match owner {
        Owner::Host => true,
        Owner::Pool(owner) => device == owner,
        Owner::Device(owner) => device == owner || ENABLED[device as usize][owner as usize].load(Relaxed),
    }
}
