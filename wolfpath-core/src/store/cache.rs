//! Keeping layered graphs: beside the input, or in a cache directory when that is not writable.
//!
//! A kept file is as good as its key: the input's path, size and time, and everything that was asked for when it was
//! read and layered. The name carries a hash of path and options, so that one input read in two ways is kept twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::contents::Contents;
use super::error::StoreError;
use super::format::hash;
use super::open::{Unverified, map};
use super::write::write;
use crate::progress::Progress;

/// Which input, read and layered how, and where the result may be kept.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    input: PathBuf,
    options: String,
    key: String,
    places: Vec<PathBuf>,
}

/// What was found in the cache.
pub(crate) enum Found {
    /// A fresh file, not yet verified.
    Fresh(PathBuf, Box<Unverified>),
    /// Nothing, or files of another time.
    Nothing,
    /// A file that cannot be used, and why.
    Broken(StoreError),
}

impl Cache {
    /// The cache of one input; `options` says how it is read, in any words that differ when the graph does.
    pub(crate) fn of(input: &Path, options: &str) -> io::Result<Cache> {
        let input = fs::canonicalize(input)?;
        let (key, places) = (key(&input, options)?, places(&input, options));
        Ok(Cache { input, options: options.to_owned(), key, places })
    }

    /// Whether the input has changed since the cache was asked for: what was read may be neither the old nor the new.
    pub(crate) fn has_changed(&self) -> bool {
        key(&self.input, &self.options).is_ok_and(|key| key != self.key)
    }

    /// The first fresh file.
    pub(crate) fn find(&self) -> Found {
        let mut found = Found::Nothing;
        for place in self.places.iter().filter(|place| place.exists()) {
            match map(place) {
                Ok(kept) if kept.key == self.key => return Found::Fresh(place.clone(), Box::new(kept)),
                Ok(_) | Err(StoreError::Version { .. } | StoreError::Unknown { .. }) => {}
                Err(error) => found = Found::Broken(error),
            }
        }
        found
    }

    /// Keeps a graph in the first place that can be written.
    pub(crate) fn keep(
        &self,
        contents: &Contents,
        notes: &[String],
        progress: &Progress,
    ) -> Result<PathBuf, Option<StoreError>> {
        let mut failure = None;
        for (index, place) in self.places.iter().enumerate() {
            // Only cache directories are made; the input's folder is there already.
            if let Some(folder) = place.parent().filter(|_| index > 0) {
                // A failure shows when the file is written.
                let _ = fs::create_dir_all(folder);
            }
            match write(contents, &self.key, notes, place, progress) {
                Ok(()) => return Ok(place.clone()),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure)
    }
}

/// What a kept file must say to be of this input as it is now.
fn key(input: &Path, options: &str) -> io::Result<String> {
    let metadata = fs::metadata(input)?;
    let modified = match metadata.modified()?.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    };
    let size = metadata.len();
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("wolfpath {version}\ninput {input:?}\nsize {size}\nmodified {modified}\noptions {options}\n"))
}

/// Where the layered graph of an input may lie, the best place first.
fn places(input: &Path, options: &str) -> Vec<PathBuf> {
    let name = input.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = hash(options.as_bytes()) as u32;
    let elsewhere = hash(format!("{input:?}\n{options}").as_bytes());
    let mut places = vec![input.with_file_name(format!("{name}.{beside:08x}.wolf"))];
    if let Some(folder) = cache_folder() {
        // Names have a limit too; the hash tells inputs apart.
        let short: String = name.chars().take(40).collect();
        places.push(folder.join(format!("{short}.{elsewhere:016x}.wolf")));
    }
    places
}

/// The folder for everything that is kept between runs: what `WOLFPATH_CACHE_DIR` names, else the folder `wolfpath` in
/// the platform's cache folder; `None` when there is neither.
pub fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = folder("WOLFPATH_CACHE_DIR") {
        return Some(own);
    }
    let platform = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    };
    platform.map(|platform| platform.join("wolfpath"))
}
