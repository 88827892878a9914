//! Vertices that the runs of a batch reached, and the step in which each was reached. The data stays on the device
//! until it is needed, and then moves to the host.

use std::sync::{Arc, Mutex, PoisonError};

use crate::cuda::device::{DeviceArray, driver_error};
use crate::cuda::resident::Resident;
use crate::error::RunError;

/// Planes with one bit per run and vertex: first the plane of reached vertices, then one plane per binary digit of the
/// step in which a run reached a vertex.
pub(crate) type Planes = Vec<Vec<u64>>;

/// Results of a batch of runs.
pub(crate) struct Reached(Mutex<Place>);

enum Place {
    Device(Arc<Resident>, Vec<DeviceArray>),
    Host(Arc<Planes>),
}

impl Reached {
    pub(crate) fn on_device(resident: Arc<Resident>, planes: Vec<DeviceArray>) -> Reached {
        Reached(Mutex::new(Place::Device(resident, planes)))
    }

    pub(crate) fn on_host(planes: Planes) -> Reached {
        Reached(Mutex::new(Place::Host(Arc::new(planes))))
    }

    /// Copies the planes to the host if they are still on the device. Returns `true` if they were still there.
    pub(crate) fn bring_home(&self) -> Result<bool, RunError> {
        let place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_away = matches!(&*place, Place::Device(..));
        drop(place);
        self.planes()?;
        Ok(is_away)
    }

    /// Returns the planes in host memory. The first call copies them there and releases the device memory.
    pub(crate) fn planes(&self) -> Result<Arc<Planes>, RunError> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (resident, on_device) = match &mut *place {
            Place::Host(planes) => return Ok(planes.clone()),
            Place::Device(resident, planes) => (resident, planes),
        };
        let device = &resident.device;
        let copied = device.guard(|| {
            let mut copied: Planes = Vec::with_capacity(on_device.len());
            for plane in on_device.iter() {
                let mut words = vec![0u64; plane.len() / size_of::<u64>()];
                device
                    .stream
                    .memcpy_dtoh(&**plane, bytemuck::cast_slice_mut::<u64, u8>(&mut words))
                    .map_err(driver_error("copy from the device"))?;
                copied.push(words);
            }
            device.stream.synchronize().map_err(driver_error("copy from the device"))?;
            Ok(copied)
        })?;
        let mut buffers = resident.buffers();
        on_device.drain(..).for_each(|plane| buffers.give_plane(plane));
        drop(buffers);
        let copied = Arc::new(copied);
        *place = Place::Host(copied.clone());
        Ok(copied)
    }
}

impl Drop for Reached {
    fn drop(&mut self) {
        if let Place::Device(resident, planes) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let mut buffers = resident.buffers();
            planes.drain(..).for_each(|plane| buffers.give_plane(plane));
        }
    }
}
