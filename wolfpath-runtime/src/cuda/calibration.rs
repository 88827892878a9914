//! The costs of a device's basic operations, and where these costs come from. The costs are measured once and kept on
//! disk next to the compiled programs. If they cannot be measured or kept, runs still succeed, with assumed or newly
//! measured costs.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;
use wolfpath_core::cache::{CacheFolder, Kind};

use super::calibrate;
use super::device::{Device, driver_version};
use crate::plan::DeviceCosts;

/// Version of the measurement. Costs that were kept by another version are measured again.
const VERSION: u32 = 3;

/// Costs of a device, and their origin.
///
/// # Examples
///
/// ```
/// if let Ok(calibration) = wolfpath::cuda::calibration(0) {
///     println!("a barrier takes {} ns ({})", calibration.costs.barrier_ns, calibration.origin);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// Measured or assumed costs.
    pub costs: DeviceCosts,
    /// Origin of the costs.
    pub origin: CostOrigin,
}

/// Origin of a device's costs.
///
/// # Examples
///
/// ```
/// use wolfpath::cuda::CostOrigin;
///
/// let assumed = CostOrigin::Assumed { reason: "no driver".to_owned() };
/// assert_eq!(assumed.to_string(), "assumed to be an H200's: no driver");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostOrigin {
    /// Measured by this process.
    Measured {
        /// Reason why earlier costs were not used, or why the new costs could not be kept; `None` if neither happened.
        note: Option<String>,
    },
    /// Measured and kept by an earlier process.
    Kept {
        /// File that contains the costs.
        file: PathBuf,
    },
    /// Costs of an H200, because the device could not be measured.
    Assumed {
        /// Reason why the device could not be measured.
        reason: String,
    },
}

impl fmt::Display for CostOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostOrigin::Measured { note: None } => write!(f, "measured now"),
            CostOrigin::Measured { note: Some(note) } => write!(f, "measured now; {note}"),
            CostOrigin::Kept { file } => write!(f, "measured earlier, kept at {}", file.display()),
            CostOrigin::Assumed { reason } => write!(f, "assumed to be an H200's: {reason}"),
        }
    }
}

/// Identity of a device, as stored with its costs. It includes the driver, because another driver version can change
/// the costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    device: String,
    driver: String,
    multiprocessors: u32,
}

/// Contents of the file that keeps a device's costs.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    #[serde(flatten)]
    identity: Identity,
    costs: DeviceCosts,
}

impl Identity {
    /// Returns the name of the device's file.
    fn name(&self) -> String {
        let Identity { device, driver, multiprocessors } = self;
        format!(
            "{:016x}.json",
            XxHash3_64::oneshot(format!("{device}\n{driver}\n{multiprocessors}").as_bytes())
        )
    }

    /// Returns the costs in a file, or `None` if the file is damaged, has another version, or belongs to another
    /// device.
    fn costs(&self, file: &[u8]) -> Option<DeviceCosts> {
        let kept: Kept = serde_json::from_slice(file).ok()?;
        let is_right = kept.version == VERSION && kept.identity == *self && kept.costs.are_plausible();
        is_right.then_some(kept.costs)
    }

    /// Keeps the costs on disk. Returns the reason if that fails.
    fn keep(&self, folder: Option<&CacheFolder>, costs: DeviceCosts) -> Option<String> {
        let Some(folder) = folder else {
            return Some(
                "the costs of the device could not be kept: no cache folder is known; set WOLFPATH_CACHE_DIR"
                    .to_owned(),
            );
        };
        let kept = Kept { version: VERSION, identity: self.clone(), costs };
        let written = serde_json::to_vec_pretty(&kept).map_err(|error| error.to_string()).and_then(|text| {
            folder.write(Kind::Devices, &self.name(), &text).map_err(|error| error.to_string())
        });
        written.err().map(|error| {
            format!(
                "the costs of the device could not be kept: {error}; they will be measured again next time"
            )
        })
    }
}

impl Calibration {
    /// Returns the costs of `device`.
    pub(super) fn of(device: &Device) -> Calibration {
        let driver = driver_version().unwrap_or_else(|_| "of unknown version".to_owned());
        let (name, multiprocessors) = (device.name.clone(), device.multiprocessors);
        let identity = Identity { device: name, driver, multiprocessors };
        Calibration::find(&identity, CacheFolder::of_user().ok().as_ref(), || {
            calibrate::measure(device).map_err(|error| error.to_string())
        })
    }

    /// Returns the costs that are kept in `folder`. If there are none, calls `measure` and keeps the result.
    fn find(
        identity: &Identity,
        folder: Option<&CacheFolder>,
        measure: impl FnOnce() -> Result<DeviceCosts, String>,
    ) -> Calibration {
        let name = identity.name();
        let (kept, distrust) = match folder.map(|folder| folder.read(Kind::Devices, &name)) {
            None => (None, None),
            Some(Ok(kept)) => (kept, None),
            Some(Err(error)) => (None, Some(format!("the kept costs of the device were not used: {error}"))),
        };
        if let (Some(folder), Some(costs)) = (folder, kept.and_then(|kept| identity.costs(&kept))) {
            return Calibration {
                costs,
                origin: CostOrigin::Kept { file: folder.file(Kind::Devices, &name) },
            };
        }
        let costs = measure().and_then(|costs| match costs.are_plausible() {
            true => Ok(costs),
            false => Err(format!("the measured costs are implausible ({costs})")),
        });
        match costs {
            Ok(costs) => {
                // If the folder is not trusted, reading and keeping fail for the same reason, so one note is enough.
                let note = identity.keep(folder, costs).or(distrust);
                Calibration { costs, origin: CostOrigin::Measured { note } }
            }
            Err(reason) => Calibration { costs: DeviceCosts::H200, origin: CostOrigin::Assumed { reason } },
        }
    }

    /// Returns the note that a plan shows to the user, if the origin of the costs requires one.
    pub(crate) fn note(&self) -> Option<String> {
        match &self.origin {
            CostOrigin::Assumed { .. } => Some(format!("the costs of the device are {}", self.origin)),
            CostOrigin::Measured { note } => note.clone(),
            CostOrigin::Kept { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(driver: &str) -> Identity {
        Identity { device: "A GPU".to_owned(), driver: driver.to_owned(), multiprocessors: 7 }
    }

    fn found() -> DeviceCosts {
        DeviceCosts { barrier_ns: 2000.5, sequential_gb_s: 800.0, ..DeviceCosts::H200 }
    }

    fn never() -> Result<DeviceCosts, String> {
        panic!("it is kept")
    }

    #[test]
    fn costs_are_measured_once() {
        let outer = tempfile::tempdir().expect("a temporary folder can be created");
        let folder = CacheFolder::at(outer.path());
        let here = Some(&folder);
        let first = Calibration::find(&identity("13.0"), here, || Ok(found()));
        assert_eq!(first, Calibration { costs: found(), origin: CostOrigin::Measured { note: None } });
        let second = Calibration::find(&identity("13.0"), here, never);
        assert_eq!(second.costs, found());
        assert!(second.origin.to_string().starts_with("measured earlier, kept at "), "{}", second.origin);
        assert_eq!(second.note(), None);
        let other = Calibration::find(&identity("13.1"), here, || Ok(DeviceCosts::H200));
        assert_eq!(other.costs, DeviceCosts::H200);
    }

    #[test]
    fn damaged_and_foreign_files_are_measured_again() {
        let outer = tempfile::tempdir().expect("a temporary folder can be created");
        let folder = CacheFolder::at(outer.path());
        let (ours, here) = (identity("13.0"), Some(&folder));
        Calibration::find(&ours, here, || Ok(found()));
        let file = folder.file(Kind::Devices, &ours.name());
        let right = std::fs::read_to_string(&file).expect("the file exists");
        let damages = [
            right[..right.len() / 2].to_owned(),
            right.replace(&format!("\"version\": {VERSION}"), "\"version\": 0"),
            right.replace("A GPU", "Another GPU"),
            right.replace("2000.5", "-1"),
            right.replace("2000.5", "\"fast\""),
            String::new(),
        ];
        for damaged in damages {
            assert_ne!(damaged, right);
            std::fs::write(&file, &damaged).expect("the file can be written");
            let again = Calibration::find(&ours, here, || Ok(DeviceCosts::H200));
            assert!(matches!(again.origin, CostOrigin::Measured { note: None }), "{damaged}");
            let written = std::fs::read(&file).expect("the costs were kept");
            assert_eq!(ours.costs(&written), Some(DeviceCosts::H200));
        }
    }

    #[test]
    fn what_cannot_be_measured_is_assumed() {
        let outer = tempfile::tempdir().expect("a temporary folder can be created");
        let folder = CacheFolder::at(outer.path());
        let here = Some(&folder);
        let failed = Calibration::find(&identity("13.0"), here, || Err("no NVRTC".to_owned()));
        assert_eq!(failed.costs, DeviceCosts::H200);
        let note = failed.note().expect("the user gets a note");
        assert_eq!(note, "the costs of the device are assumed to be an H200's: no NVRTC");
        let odd = DeviceCosts { barrier_ns: f64::NAN, ..found() };
        let odd = Calibration::find(&identity("13.0"), here, || Ok(odd));
        assert!(matches!(odd.origin, CostOrigin::Assumed { .. }));
        let file = folder.file(Kind::Devices, &identity("13.0").name());
        assert!(!file.exists(), "assumed costs are not kept");
        let homeless = Calibration::find(&identity("13.0"), None, || Ok(found()));
        assert!(homeless.note().is_some_and(|note| note.contains("WOLFPATH_CACHE_DIR")));
    }

    #[cfg(unix)]
    #[test]
    fn planted_figures_are_not_used() {
        use std::fs::{self, Permissions};
        use std::os::unix::fs::PermissionsExt;

        let outer = tempfile::tempdir().expect("a temporary folder can be created");
        let folder = CacheFolder::at(outer.path());
        let (ours, here) = (identity("13.0"), Some(&folder));
        Calibration::find(&ours, here, || Ok(DeviceCosts::H200));
        let file = folder.file(Kind::Devices, &ours.name());
        let devices = file.parent().expect("the file is in a folder");
        assert_eq!(fs::metadata(devices).expect("the file exists").permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&file).expect("the file exists").permissions().mode() & 0o777, 0o600);
        let set_mode = |path, mode| {
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("the owner can change the mode")
        };
        for (wrong, mode, right) in [(devices, 0o770, 0o700), (outer.path(), 0o777, 0o700)] {
            set_mode(wrong, mode);
            let measured = Calibration::find(&ours, here, || Ok(found()));
            assert_eq!(measured.costs, found());
            let note = measured.note().expect("the user gets a note");
            assert!(
                note.contains("can be written by others") && note.contains("could not be kept"),
                "{note}"
            );
            set_mode(wrong, right);
        }
        set_mode(&file, 0o606);
        let measured = Calibration::find(&ours, here, || Ok(found()));
        assert_eq!(measured.costs, found());
        assert!(
            measured.note().is_some_and(|note| note.contains("were not used: ")),
            "{:?}",
            measured.note()
        );
        assert_eq!(Calibration::find(&ours, here, never).note(), None);
    }
}
