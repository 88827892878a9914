//! The devices of an engine: one, or several that share runs.

use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_P2PAttribute, CUresult};

use super::device::{Device, driver_error};
use super::state::MOST_DEVICES;
use crate::error::DeviceError;

/// The devices of an engine, of which there is at least one. The first one leads. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Devices(Arc<[Arc<Device>]>);

impl Deref for Devices {
    type Target = [Arc<Device>];

    fn deref(&self) -> &[Arc<Device>] {
        &self.0
    }
}

impl From<Arc<Device>> for Devices {
    fn from(device: Arc<Device>) -> Devices {
        Devices([device].into())
    }
}

impl Devices {
    /// Opens devices that share runs, and lets them access each other's memory.
    ///
    /// # Errors
    /// Returns an error if a device is missing or named twice, if the devices differ, or if two of them cannot access each
    /// other's memory.
    pub(crate) fn open(ordinals: &[usize]) -> Result<Devices, DeviceError> {
        if ordinals.is_empty() {
            return Err(DeviceError::NoneNamed);
        }
        if ordinals.len() > MOST_DEVICES {
            return Err(DeviceError::TooMany { named: ordinals.len(), most: MOST_DEVICES });
        }
        for (at, &ordinal) in ordinals.iter().enumerate() {
            if ordinals[..at].contains(&ordinal) {
                return Err(DeviceError::NamedTwice { ordinal });
            }
        }
        let devices = ordinals.iter().map(|&ordinal| Device::open(ordinal).map(Arc::new));
        Devices::of(devices.collect::<Result<_, _>>()?)
    }

    /// Opens the first `count` devices of the machine like [`open`](Self::open), except the first one, which is open already.
    pub(crate) fn around(lead: &Arc<Device>, count: usize) -> Result<Devices, DeviceError> {
        let mut devices = vec![lead.clone()];
        for ordinal in 1..count {
            devices.push(Arc::new(Device::open(ordinal)?));
        }
        Devices::of(devices)
    }

    fn of(devices: Vec<Arc<Device>>) -> Result<Devices, DeviceError> {
        for pair in devices.windows(2) {
            let [one, other] = pair else { continue };
            if (&one.name, one.multiprocessors) != (&other.name, other.multiprocessors) {
                return Err(DeviceError::Unlike { one: one.full_name(), other: other.full_name() });
            }
        }
        for one in &devices {
            for other in devices.iter().filter(|other| other.ordinal != one.ordinal) {
                link(one, other)?;
            }
        }
        Ok(Devices(devices.into()))
    }

    /// Returns the device that leads.
    pub(crate) fn lead(&self) -> &Arc<Device> {
        &self.0[0]
    }

    /// Returns the devices' name for messages, for example "cuda:0 (NVIDIA H200)" or "cuda:0,1 (NVIDIA H200)".
    pub(crate) fn full_name(&self) -> String {
        let ordinals: Vec<_> = self.iter().map(|device| device.ordinal.to_string()).collect();
        format!("cuda:{} ({})", ordinals.join(","), self.lead().name)
    }
}

/// Lets `device` access the memory of `peer`.
fn link(device: &Device, peer: &Device) -> Result<(), DeviceError> {
    let failed = driver_error("report whether devices can access each other's memory");
    let refused =
        |reason| DeviceError::NotLinked { device: device.full_name(), peer: peer.full_name(), reason };
    let (from, to) = (device.context.cu_device(), peer.context.cu_device());
    let mut can = 0;
    // SAFETY: `can` is a valid location for one int, and both devices exist.
    unsafe { sys::cuDeviceCanAccessPeer(&mut can, from, to) }.result().map_err(&failed)?;
    if can == 0 {
        return Err(refused("the driver does not allow it"));
    }
    let attribute = CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    // SAFETY: the same.
    unsafe { sys::cuDeviceGetP2PAttribute(&mut can, attribute, from, to) }.result().map_err(&failed)?;
    if can == 0 {
        return Err(refused("their link has no atomics"));
    }
    device.context.bind_to_thread().map_err(&failed)?;
    // SAFETY: the context of `device` is bound to this thread, and that of `peer` exists.
    match unsafe { sys::cuCtxEnablePeerAccess(peer.context.cu_ctx(), 0) } {
        CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(()),
        error => {
            Err(driver_error("let devices access each other's memory")(cudarc::driver::DriverError(error)))
        }
    }
}

/// Link between two devices.
///
/// # Examples
///
/// ```
/// for link in wolfpath::cuda::links().unwrap_or_default() {
///     match link.copy_gb_s {
///         Ok(rate) => println!("cuda:{} to cuda:{}: {rate:.0} GB/s", link.from, link.to),
///         Err(error) => println!("{error}"),
///     }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Link {
    /// Number of the device that writes.
    pub from: usize,
    /// Number of the device whose memory is written.
    pub to: usize,
    /// Rate of a large copy in GB/s, or the reason why `from` cannot access the memory of `to`. The rate is that of one copy
    /// alone, measured now.
    pub copy_gb_s: Result<f64, DeviceError>,
}

/// Size in bytes of the copies by which links are measured, and number of copies.
const MEASURED: (usize, u32) = (64 << 20, 8);

/// Returns the links from each device to each other one, and measures their rates.
///
/// # Errors
///
/// Returns [`DeviceError`] if the driver is missing or too old, or if a device fails.
pub fn links() -> Result<Vec<Link>, DeviceError> {
    let devices: Vec<Device> = (0..super::count()?).map(Device::open).collect::<Result<_, _>>()?;
    let mut links = Vec::new();
    for from in &devices {
        for to in devices.iter().filter(|to| to.ordinal != from.ordinal) {
            let copy_gb_s = link(from, to).and_then(|()| rate(from, to));
            links.push(Link { from: from.ordinal, to: to.ordinal, copy_gb_s });
        }
    }
    Ok(links)
}

/// Measures a copy from the memory of one device to that of another one, in GB/s.
fn rate(from: &Device, to: &Device) -> Result<f64, DeviceError> {
    let (bytes, copies) = MEASURED;
    let source = from.allocate(bytes as u64)?;
    let target = to.allocate(bytes as u64)?;
    let (source_address, target_address) = (from.address_of(&source), to.address_of(&target));
    let failed = driver_error("copy between devices");
    from.context.bind_to_thread().map_err(&failed)?;
    let copy = || {
        // SAFETY: both arrays have this size, and `from` may access the memory of `to`.
        unsafe { result::memcpy_dtod_async(target_address, source_address, bytes, from.stream.cu_stream()) }
    };
    // The first copy is slower.
    copy().map_err(&failed)?;
    let begin = from.record_event()?;
    (0..copies).try_for_each(|_| copy()).map_err(&failed)?;
    let end = from.record_event()?;
    from.stream.synchronize().map_err(&failed)?;
    let milliseconds = begin.elapsed_ms(&end).map_err(failed)?;
    Ok(bytes as f64 * f64::from(copies) / f64::from(milliseconds.max(1e-6)) / 1e6)
}
