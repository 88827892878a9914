//! The costs of a device and where they come from: measured once, kept on disk beside the compiled programs, assumed where
//! neither is possible. No run fails for want of them.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wolfpath_core::store::cache_folder;
use xxhash_rust::xxh3::xxh3_64;

use super::calibrate;
use super::device::{Device, driver_version};
use crate::plan::DeviceCosts;

/// Counts the ways of measuring: figures of another are measured again.
const VERSION: u32 = 2;

/// What a device takes for what runs are made of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// The figures.
    pub costs: DeviceCosts,
    /// Where they come from.
    pub origin: CostOrigin,
}

/// Where the costs of a device come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostOrigin {
    /// Measured by this process.
    Measured {
        /// Why they could not be kept for the next, if so.
        note: Option<String>,
    },
    /// Measured by an earlier process, and kept.
    Kept {
        /// The file.
        file: PathBuf,
    },
    /// Those of an H100, because the device could not be measured.
    Assumed {
        /// Why not.
        reason: String,
    },
}

impl fmt::Display for CostOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostOrigin::Measured { note: None } => write!(f, "measured now"),
            CostOrigin::Measured { note: Some(note) } => write!(f, "measured now; {note}"),
            CostOrigin::Kept { file } => write!(f, "measured earlier, kept at {}", file.display()),
            CostOrigin::Assumed { reason } => write!(f, "assumed to be an H100's: {reason}"),
        }
    }
}

/// A device as the file knows it: another driver may make another device of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    device: String,
    driver: String,
    multiprocessors: u32,
}

/// The file.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    #[serde(flatten)]
    identity: Identity,
    costs: DeviceCosts,
}

impl Identity {
    fn file(&self, folder: &Path) -> PathBuf {
        let Identity { device, driver, multiprocessors } = self;
        let key = xxh3_64(format!("{device}\n{driver}\n{multiprocessors}").as_bytes());
        folder.join("devices").join(format!("{key:016x}.json"))
    }

    /// The costs in a file; none when it is damaged, of another version or of another device.
    fn read(&self, file: &Path) -> Option<DeviceCosts> {
        let kept: Kept = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        let is_right = kept.version == VERSION && kept.identity == *self && kept.costs.are_plausible();
        is_right.then_some(kept.costs)
    }

    /// Keeps costs: under a temporary name first, so that nobody ever reads half of a file.
    fn write(&self, file: &Path, costs: DeviceCosts) -> std::io::Result<()> {
        use std::io::Write;
        let folder = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let kept = Kept { version: VERSION, identity: self.clone(), costs };
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(&serde_json::to_vec_pretty(&kept)?)?;
        temporary.persist(file).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Calibration {
    /// The costs of `device`.
    pub(super) fn of(device: &Device) -> Calibration {
        let driver = driver_version().unwrap_or_else(|_| "of unknown version".to_owned());
        let (name, multiprocessors) = (device.name.clone(), device.multiprocessors);
        let identity = Identity { device: name, driver, multiprocessors };
        Calibration::find(&identity, cache_folder().as_deref(), || {
            calibrate::measure(device).map_err(|error| error.to_string())
        })
    }

    /// The costs that are kept in `folder`, else those that `measure` gives, which are kept.
    fn find(
        identity: &Identity,
        folder: Option<&Path>,
        measure: impl FnOnce() -> Result<DeviceCosts, String>,
    ) -> Calibration {
        let file = folder.map(|folder| identity.file(folder));
        if let Some((costs, file)) = file.as_ref().and_then(|file| Some((identity.read(file)?, file))) {
            return Calibration { costs, origin: CostOrigin::Kept { file: file.clone() } };
        }
        let costs = measure().and_then(|costs| match costs.are_plausible() {
            true => Ok(costs),
            false => Err(format!("what was measured cannot be ({costs})")),
        });
        match costs {
            Ok(costs) => {
                Calibration { costs, origin: CostOrigin::Measured { note: keep(identity, file, costs) } }
            }
            Err(reason) => Calibration { costs: DeviceCosts::H100, origin: CostOrigin::Assumed { reason } },
        }
    }

    /// What the user of a plan should know.
    pub(crate) fn note(&self) -> Option<String> {
        match &self.origin {
            CostOrigin::Assumed { .. } => Some(format!("the costs of the device are {}", self.origin)),
            CostOrigin::Measured { note } => note.clone(),
            CostOrigin::Kept { .. } => None,
        }
    }
}

/// Keeps costs; says why when that cannot be.
fn keep(identity: &Identity, file: Option<PathBuf>, costs: DeviceCosts) -> Option<String> {
    let Some(file) = file else {
        return Some(
            "the costs of the device could not be kept: there is no cache directory; set WOLFPATH_CACHE_DIR"
                .to_owned(),
        );
    };
    identity.write(&file, costs).err().map(|error| {
        format!(
            "the costs of the device could not be kept at {}: {error}; they will be measured again",
            file.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(driver: &str) -> Identity {
        Identity { device: "A GPU".to_owned(), driver: driver.to_owned(), multiprocessors: 7 }
    }

    fn found() -> DeviceCosts {
        DeviceCosts::from_figures(2000.5, 300.25, 800.0, [20.0, 5.0], [10.0, 3.0])
    }

    fn never() -> Result<DeviceCosts, String> {
        panic!("it is kept")
    }

    #[test]
    fn costs_are_measured_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = Some(folder.path());
        let first = Calibration::find(&identity("13.0"), here, || Ok(found()));
        assert_eq!(first, Calibration { costs: found(), origin: CostOrigin::Measured { note: None } });
        let second = Calibration::find(&identity("13.0"), here, never);
        assert_eq!(second.costs, found());
        assert!(second.origin.to_string().starts_with("measured earlier, kept at "), "{}", second.origin);
        assert_eq!(second.note(), None);
        let other = Calibration::find(&identity("13.1"), here, || Ok(DeviceCosts::H100));
        assert_eq!(other.costs, DeviceCosts::H100);
    }

    #[test]
    fn damaged_and_foreign_files_are_measured_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, here) = (identity("13.0"), Some(folder.path()));
        Calibration::find(&ours, here, || Ok(found()));
        let file = ours.file(folder.path());
        let right = std::fs::read_to_string(&file).expect("it is there");
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
            std::fs::write(&file, &damaged).expect("it can be written");
            let again = Calibration::find(&ours, here, || Ok(DeviceCosts::H100));
            assert!(matches!(again.origin, CostOrigin::Measured { note: None }), "{damaged}");
            assert_eq!(ours.read(&file), Some(DeviceCosts::H100));
        }
    }

    #[test]
    fn what_cannot_be_measured_is_assumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = Some(folder.path());
        let failed = Calibration::find(&identity("13.0"), here, || Err("no NVRTC".to_owned()));
        assert_eq!(failed.costs, DeviceCosts::H100);
        let note = failed.note().expect("the user should know");
        assert_eq!(note, "the costs of the device are assumed to be an H100's: no NVRTC");
        let odd = DeviceCosts { barrier_ns: f64::NAN, ..found() };
        let odd = Calibration::find(&identity("13.0"), here, || Ok(odd));
        assert!(matches!(odd.origin, CostOrigin::Assumed { .. }));
        assert!(!identity("13.0").file(folder.path()).exists(), "what is assumed is not kept");
        let homeless = Calibration::find(&identity("13.0"), None, || Ok(found()));
        assert!(homeless.note().is_some_and(|note| note.contains("WOLFPATH_CACHE_DIR")));
    }
}
