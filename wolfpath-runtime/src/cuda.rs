//! The CUDA engine. It compiles programs with NVRTC and keeps the CUBINs on disk, keeps graphs resident on a device,
//! and executes a run as a single launch.

mod buffers;
mod calibrate;
mod calibration;
mod collect;
mod common;
mod components;
mod cubin;
mod device;
mod devices;
mod groups;
mod health;
mod host_array;
mod kept;
mod launch;
mod many;
mod mapped;
mod meanwhile;
mod meet;
mod nvrtc;
mod progress;
mod records;
mod resident;
mod shard;
mod slots;
mod source;
mod staging;
mod state;
mod stop_word;
mod stream;
mod sweep;
mod take;
mod together;
mod walk;

pub use self::calibration::{Calibration, CostOrigin};
pub(crate) use self::common::counts as counts_on_device;
#[doc(hidden)]
pub use self::cubin::{
    Cubin, calibration_log, common_log, compile, compile_kernel_log, compile_log, meeting_log, options,
    take_log,
};
pub(crate) use self::device::{Device, count};
pub use self::device::{DeviceInfo, calibration, device_count, devices, driver_version};
pub(crate) use self::devices::Devices;
pub use self::devices::{Link, links};
pub(crate) use self::groups::most_groups;
pub(crate) use self::kept::{Kept, KeptArrays};
pub(crate) use self::launch::{Figures, Launch, UntypedLaunch, arrays, lenders, most_steps};
pub(crate) use self::many::{Abreast, Bits, Reached, abreast_arrays, bits_arrays, digits_of, most_abreast};
pub use self::meet::barrier;
#[doc(hidden)]
pub use self::nvrtc::{NVRTC_VARIABLE, NvrtcLibrary};
pub(crate) use self::resident::{Resident, Shards};
pub(crate) use self::shard::{Dealing, Shard, UNIT};
pub(crate) use self::slots::SlotPlan;
#[doc(hidden)]
pub use self::source::{Configuration, Kernel, kernel_unit, translation_unit};
pub use self::state::MOST_DEVICES;
#[doc(hidden)]
pub use crate::start::Carried;
