//! Settings of the emulated device, from environment variables.

use std::path::PathBuf;
use std::sync::OnceLock;

/// Variable with the seed that determines the order in which threads run.
const SEED: &str = "WOLFPATH_EMULATOR_SEED";

/// Variable that replaces tuning numbers of the kernels, as in "BLOCK_THREADS=64,STAGE_VERTICES=32".
const TUNING: &str = "WOLFPATH_EMULATOR_TUNING";

/// Variable with the number of devices.
const DEVICES: &str = "WOLFPATH_EMULATOR_DEVICES";

/// Largest number of devices.
pub(crate) const MOST_DEVICES: usize = 8;

/// Variable that tells whether devices can access each other's memory: 1, the default, or 0.
const LINKED: &str = "WOLFPATH_EMULATOR_LINKED";

/// Variable with the number of multiprocessors of each device.
const MULTIPROCESSORS: &str = "WOLFPATH_EMULATOR_MULTIPROCESSORS";

/// Variable with the number of bytes of host memory that can be page-locked at a time.
const LOCKABLE: &str = "WOLFPATH_EMULATOR_LOCKABLE";

/// Variable with the number of turns of threads after which a launch fails as if the device were lost.
const LOST: &str = "WOLFPATH_EMULATOR_LOST";

/// Variable with the number of the device that is lost; all if it is not set.
const LOST_DEVICE: &str = "WOLFPATH_EMULATOR_LOST_DEVICE";

/// Variable that turns the race detector on: 1, or 0 for off.
const RACES: &str = "WOLFPATH_EMULATOR_RACES";

/// Variable with the folder for compiled kernels.
const CACHE: &str = "WOLFPATH_EMULATOR_CACHE";

/// The settings, read from the environment once per process.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) tuning: Vec<(String, u64)>,
    /// Number of devices.
    pub(crate) devices: u32,
    /// `true` if devices can access each other's memory.
    pub(crate) linked: bool,
    /// Number of multiprocessors of each device.
    pub(crate) multiprocessors: u32,
    /// Number of bytes of host memory that can be page-locked at a time.
    pub(crate) lockable: u64,
    /// Number of turns of threads after which a launch fails.
    pub(crate) lost: u64,
    /// The device whose launches fail. By default those of all devices do.
    pub(crate) lost_device: Option<u32>,
    pub(crate) cache: PathBuf,
    /// `true` if races are detected.
    pub(crate) races: bool,
}

/// Returns the settings of this process, or a message that names the invalid variable.
pub(crate) fn settings() -> Result<&'static Settings, &'static str> {
    static SETTINGS: OnceLock<Result<Settings, String>> = OnceLock::new();
    let settings =
        SETTINGS.get_or_init(|| read(|name| std::env::var(name).ok().filter(|value| !value.is_empty())));
    settings.as_ref().map_err(String::as_str)
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
    let number = |name: &str, default: u64| match variable(name) {
        Some(text) => text.parse().map_err(|_| format!("{name} is \"{text}\", expected a number")),
        None => Ok(default),
    };
    let within = |name: &str, default: u64, most: u64| match number(name, default)? {
        count if (1..=most).contains(&count) => Ok(count as u32),
        count => Err(format!("{name} is {count}, expected 1 to {most}")),
    };
    let multiprocessors = within(MULTIPROCESSORS, 2, 64)?;
    let devices = within(DEVICES, 1, MOST_DEVICES as u64)?;
    let switch = |name: &str, default: u64| match number(name, default)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("{name} is {other}, expected 0 or 1")),
    };
    let (races, linked) = (switch(RACES, 0)?, switch(LINKED, 1)?);
    let cache = variable(CACHE).map_or_else(|| std::env::temp_dir().join("wolfpath-emulator"), PathBuf::from);
    let tuning = tuning(&variable(TUNING).unwrap_or_default())?;
    Ok(Settings {
        seed: number(SEED, 1)?,
        tuning,
        devices,
        linked,
        multiprocessors,
        lockable: number(LOCKABLE, u64::MAX)?,
        lost: number(LOST, u64::MAX)?,
        lost_device: variable(LOST_DEVICE)
            .map(|_| number(LOST_DEVICE, 0))
            .transpose()?
            .map(|device| device as u32),
        cache,
        races,
    })
}

/// Parses "NAME=NUMBER,NAME=NUMBER".
fn tuning(text: &str) -> Result<Vec<(String, u64)>, String> {
    let one = |part: &str| {
        let (name, number) = part.split_once('=')?;
        Some((name.trim().to_owned(), number.trim().parse().ok()?))
    };
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.map(|part| one(part).ok_or_else(|| format!("{TUNING}: \"{part}\" is not NAME=NUMBER"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_read() {
        let from = |pairs: &'static [(&str, &str)]| {
            read(move |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()))
        };
        let none = from(&[]).expect("every setting has a default");
        assert_eq!((none.seed, none.multiprocessors, none.tuning.len()), (1, 2, 0));
        assert!(none.lockable == u64::MAX && none.lost == u64::MAX && !none.races && none.devices == 1);
        let all = [
            (SEED, "7"),
            (TUNING, "A=1, B=22"),
            (MULTIPROCESSORS, "3"),
            (LOCKABLE, "0"),
            (LOST, "9"),
            (RACES, "1"),
        ];
        let all = read(|name| all.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()))
            .expect("the settings are valid");
        assert_eq!((all.seed, all.multiprocessors, all.lockable, all.lost, all.races), (7, 3, 0, 9, true));
        assert_eq!(all.tuning, [("A".to_owned(), 1), ("B".to_owned(), 22)]);
        let four = read(|name| (name == DEVICES).then(|| "4".to_owned())).expect("the settings are valid");
        assert_eq!(four.devices, 4);
        let apart = read(|name| (name == LINKED).then(|| "0".to_owned())).expect("the settings are valid");
        assert!(four.linked && !apart.linked);
        let wrong = [
            (SEED, "x"),
            (TUNING, "A"),
            (TUNING, "A=b"),
            (MULTIPROCESSORS, "0"),
            (DEVICES, "9"),
            (RACES, "2"),
            (LINKED, "yes"),
        ];
        for wrong in wrong {
            let error = read(|name| (name == wrong.0).then(|| wrong.1.to_owned()));
            assert!(error.as_ref().is_err_and(|error| error.contains(wrong.0)), "{error:?}");
        }
    }
}
