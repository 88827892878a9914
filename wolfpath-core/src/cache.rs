//! The cache folder: the files that are kept between runs, and a limit on their size.
//!
//! | folder | contents | written when |
//! |---|---|---|
//! | `graphs/` | layered graphs, `NAME.HASH.wolf`, and records of their last use, `NAME.HASH.used` | opening an input |
//! | `cubin/` | compiled programs, `HASH.cubin` | running on a GPU |
//! | `devices/` | the measured figures of GPUs, `HASH.json` | planning for a GPU |
//!
//! The files in these folders can be deleted at any time: wolfpath creates them again when it needs them. The cache
//! folder also contains the file `limit.txt` if a limit was set. All files are private to the user, and a file is read
//! only if other users cannot have written it ([`crate::trusted`]).
//!
//! Any number of processes may write, read, list and remove files at the same time. Files are replaced atomically. If a
//! file disappears while it is being used, it is treated as removed, which is not an error. If the file of a graph is
//! removed or replaced while a process has it memory-mapped, the mapping remains valid and unchanged. (On Windows, a
//! mapped file cannot be removed, so it stays.)

mod limit;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::trusted::{Listed, TrustError, TrustedFolder};
use crate::{replace, store};

pub use limit::{DEFAULT_LIMIT, LimitError};

/// Kind of a kept file.
///
/// ```
/// use wolfpath::cache::Kind;
///
/// assert_eq!(Kind::ALL.map(Kind::folder), ["graphs", "cubin", "devices"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Layered graphs.
    Graphs,
    /// Compiled programs.
    Programs,
    /// Measured figures of devices.
    Devices,
}

/// The folder for all kept files.
///
/// ```
/// use wolfpath::cache::CacheFolder;
///
/// let folder = tempfile::tempdir()?;
/// let cache = CacheFolder::at(folder.path());
/// cache.set_limit(1_000_000)?;
/// assert_eq!(cache.limit()?, 1_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheFolder {
    path: PathBuf,
}

/// The contents of a cache folder.
///
/// ```
/// use wolfpath::cache::{CacheFolder, DEFAULT_LIMIT};
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("roads.el");
/// std::fs::write(&input, "17 5\n5 6\n")?;
/// let cache = folder.path().join("cache");
/// LayeredGraph::open_with(&input, &OpenOptions::new().cache_folder(cache.clone()))?;
///
/// let contents = CacheFolder::at(cache).contents()?;
/// assert_eq!(contents.graphs.len(), 1);
/// assert_eq!(contents.limit, DEFAULT_LIMIT);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheContents {
    /// Kept graphs, the most recently used first.
    pub graphs: Vec<KeptGraph>,
    /// Compiled programs.
    pub programs: Total,
    /// Measured figures of devices.
    pub devices: Total,
    /// Maximum size of all kept graphs, in bytes.
    pub limit: u64,
}

/// A layered graph in the cache folder.
///
/// ```
/// use wolfpath::cache::{CacheFolder, KeptGraph};
///
/// let folder = tempfile::tempdir()?;
/// let largest: Option<KeptGraph> =
///     CacheFolder::at(folder.path()).contents()?.graphs.into_iter().max_by_key(|graph| graph.bytes);
/// assert!(largest.is_none(), "nothing is kept yet");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptGraph {
    /// The name of its file in the folder `graphs`.
    pub name: String,
    /// The full path of its input; `None` if the graph's file is damaged or has another version of the format. Control
    /// characters, `%` and bytes that are not UTF-8 are written as `%` and two hexadecimal digits.
    pub input: Option<String>,
    /// The options that differ from the defaults, in words; `None` if there are none.
    pub options: Option<String>,
    /// Length of its file in bytes.
    pub bytes: u64,
    /// Time at which it was layered.
    pub made: SystemTime,
    /// Time at which it was last opened.
    pub used: SystemTime,
}

/// A number of files and their total length.
///
/// ```
/// use wolfpath::cache::CacheFolder;
///
/// let folder = tempfile::tempdir()?;
/// let programs = CacheFolder::at(folder.path()).contents()?.programs;
/// assert_eq!((programs.files, programs.bytes), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Number of files.
    pub files: u64,
    /// Sum of their lengths in bytes.
    pub bytes: u64,
}

/// The files that [`CacheFolder::clear`] removed.
///
/// ```
/// use wolfpath::cache::CacheFolder;
///
/// let folder = tempfile::tempdir()?;
/// let cleared = CacheFolder::at(folder.path()).clear()?;
/// assert_eq!(cleared.graphs.files, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleared {
    /// Kept graphs.
    pub graphs: Total,
    /// Compiled programs.
    pub programs: Total,
    /// Measured figures of devices.
    pub devices: Total,
}

/// Error from listing or clearing the cache folder, or from reading or setting its limit.
///
/// ```
/// use wolfpath::cache::{CacheError, CacheFolder};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("limit.txt"), "as much as you like\n")?;
/// let error = CacheFolder::at(folder.path()).limit().unwrap_err();
/// assert!(matches!(error, CacheError::Limit(_)), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Neither `WOLFPATH_CACHE_DIR` nor the platform specifies a folder.
    #[error("no cache folder is known; set WOLFPATH_CACHE_DIR")]
    NoFolder,
    /// A folder or file cannot be read or is not trusted.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A file cannot be written or removed.
    #[error("{}: cannot be {action}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The action that failed: "listed", "removed" or "written".
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The file with the limit is invalid.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Returns the folder for all kept files: the value of `WOLFPATH_CACHE_DIR`, else the folder `wolfpath` in the
/// platform's cache folder (`$XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`). Returns `None` if
/// there is neither. The folder need not exist.
pub fn folder() -> Option<PathBuf> {
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

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Graphs, Kind::Programs, Kind::Devices];

    /// Returns the name of the kind's folder in the cache folder.
    pub const fn folder(self) -> &'static str {
        match self {
            Kind::Graphs => "graphs",
            Kind::Programs => "cubin",
            Kind::Devices => "devices",
        }
    }

    /// Returns `true` if `name` has the form that wolfpath uses for complete files of this kind.
    ///
    /// ```
    /// use wolfpath::cache::Kind;
    ///
    /// assert!(Kind::Graphs.names("roads.0123456789abcdef.wolf"));
    /// assert!(!Kind::Graphs.names("roads.wolf"), "wolfpath adds a hash to the names of kept files");
    /// ```
    pub fn names(self, name: &str) -> bool {
        match self {
            Kind::Graphs => is_graph(name),
            Kind::Programs => name.strip_suffix(".cubin").is_some_and(|hash| is_hash(hash, 32)),
            Kind::Devices => name.strip_suffix(".json").is_some_and(|hash| is_hash(hash, 16)),
        }
    }
}

/// File extensions of a kept graph, and of the record of its use.
const GRAPH: &str = ".wolf";
const RECORD: &str = ".used";

fn is_graph(name: &str) -> bool {
    name.strip_suffix(GRAPH).is_some_and(ends_with_hash)
}

fn is_record(name: &str) -> bool {
    name.strip_suffix(RECORD).is_some_and(ends_with_hash)
}

fn ends_with_hash(stem: &str) -> bool {
    stem.rsplit_once('.').is_some_and(|(name, hash)| !name.is_empty() && is_hash(hash, 16))
}

fn is_hash(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the name of the record of a kept graph's use.
pub(crate) fn record_of(graph: &str) -> String {
    format!("{}{RECORD}", graph.strip_suffix(GRAPH).unwrap_or(graph))
}

impl CacheFolder {
    /// Returns the user's cache folder; see [`folder`].
    ///
    /// # Errors
    /// Returns [`CacheError::NoFolder`] if neither `WOLFPATH_CACHE_DIR` nor the platform specifies a folder.
    pub fn of_user() -> Result<CacheFolder, CacheError> {
        folder().map(CacheFolder::at).ok_or(CacheError::NoFolder)
    }

    /// Returns the cache folder with this path, which need not exist.
    ///
    /// ```
    /// # use wolfpath_core::cache::CacheFolder;
    /// # let elsewhere = tempfile::tempdir().unwrap();
    /// let cache = CacheFolder::at(elsewhere.path().join("not created yet"));
    /// assert!(cache.contents().unwrap().graphs.is_empty());
    /// ```
    pub fn at(path: impl Into<PathBuf>) -> CacheFolder {
        CacheFolder { path: path.into() }
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file of this kind and name.
    ///
    /// ```
    /// use wolfpath::cache::{CacheFolder, Kind};
    ///
    /// let path = CacheFolder::at("cache").file(Kind::Devices, "h200.json");
    /// assert!(path.ends_with("devices/h200.json"));
    /// ```
    pub fn file(&self, kind: Kind, name: &str) -> PathBuf {
        self.path.join(kind.folder()).join(name)
    }

    /// Opens the folder of a kind.
    pub(crate) fn open(&self, kind: Kind) -> Result<TrustedFolder, TrustError> {
        TrustedFolder::open(&self.path)?.subfolder(kind.folder())
    }

    /// Opens the folder of a kind, and creates it if necessary.
    pub(crate) fn create(&self, kind: Kind) -> Result<TrustedFolder, TrustError> {
        TrustedFolder::create(&self.path)?.create_subfolder(kind.folder())
    }

    /// Reads a small kept file. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the file cannot be read, or if a user other than this one and root could have written
    /// it.
    ///
    /// ```
    /// use wolfpath::cache::{CacheFolder, Kind};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let cache = CacheFolder::at(folder.path().join("cache"));
    /// assert_eq!(cache.read(Kind::Programs, "none.cubin")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(&self, kind: Kind, name: &str) -> Result<Option<Vec<u8>>, TrustError> {
        match self.open(kind).and_then(|folder| folder.read(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a small file, and replaces any existing file of that name.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the file cannot be written, or if its folder is not trusted.
    ///
    /// ```
    /// use wolfpath::cache::{CacheFolder, Kind};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let cache = CacheFolder::at(folder.path().join("cache"));
    /// cache.write(Kind::Devices, "0123456789abcdef.json", b"{}")?;
    /// assert_eq!(cache.read(Kind::Devices, "0123456789abcdef.json")?.as_deref(), Some(&b"{}"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, kind: Kind, name: &str, bytes: &[u8]) -> Result<(), TrustError> {
        let written = self.create(kind)?.write(name, bytes);
        written.map_err(|source| TrustError::Io { path: self.file(kind, name), source })
    }

    /// Returns the contents of the folder. Counts only files whose names have wolfpath's form.
    ///
    /// # Errors
    /// Returns [`CacheError`] if a folder cannot be read or is not trusted, or if the limit cannot be read.
    pub fn contents(&self) -> Result<CacheContents, CacheError> {
        let total = |kind: Kind| {
            let files = files(self.existing(kind)?.as_ref())?;
            Ok::<_, CacheError>(files.iter().filter(|file| kind.names(&file.name)).collect())
        };
        let graphs = match self.existing(Kind::Graphs)? {
            Some(folder) => graphs(&folder)?.into_iter().map(|graph| described(&folder, graph)).collect(),
            None => Vec::new(),
        };
        let (programs, devices) = (total(Kind::Programs)?, total(Kind::Devices)?);
        Ok(CacheContents { graphs, programs, devices, limit: self.limit()? })
    }

    /// Removes all files that wolfpath keeps in the folder, except the limit. Other files stay: only regular files
    /// whose names have wolfpath's form are removed, and links are not followed.
    ///
    /// # Errors
    /// Returns [`CacheError`] if a folder is not trusted, or if a file cannot be removed.
    pub fn clear(&self) -> Result<Cleared, CacheError> {
        let [graphs, programs, devices] = Kind::ALL.map(|kind| match self.existing(kind)? {
            Some(folder) => clear(&folder, kind),
            None => Ok(Total::default()),
        });
        Ok(Cleared { graphs: graphs?, programs: programs?, devices: devices? })
    }

    /// Removes kept graphs, the least recently used first, until their size is within the limit. Never removes the
    /// graph named `just_kept`. Returns the number and the total length of the removed files.
    pub(crate) fn keep_within_limit(&self, just_kept: &str) -> Result<Total, CacheError> {
        let (limit, folder) = (self.limit()?, self.open(Kind::Graphs)?);
        let graphs = graphs(&folder)?;
        let mut bytes: u64 = graphs.iter().map(|graph| graph.file.bytes).sum();
        let mut removed = Total::default();
        for graph in graphs.iter().rev().filter(|graph| graph.file.name != just_kept) {
            if bytes <= limit {
                break;
            }
            remove(&folder, &graph.file.name)?;
            // Failure is harmless: a record without its graph is ignored.
            let _ = folder.remove(&record_of(&graph.file.name));
            bytes -= graph.file.bytes;
            removed = removed.and(&graph.file);
        }
        Ok(removed)
    }

    /// Opens the folder of a kind, if it exists.
    fn existing(&self, kind: Kind) -> Result<Option<TrustedFolder>, CacheError> {
        match self.open(kind) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Total {
    fn and(self, file: &Listed) -> Total {
        Total { files: self.files + 1, bytes: self.bytes + file.bytes }
    }
}

impl<'a> FromIterator<&'a Listed> for Total {
    fn from_iter<I: IntoIterator<Item = &'a Listed>>(files: I) -> Total {
        files.into_iter().fold(Total::default(), Total::and)
    }
}

/// The file of a kept graph, and the time of its last use.
struct Use {
    file: Listed,
    used: SystemTime,
}

fn files(folder: Option<&TrustedFolder>) -> Result<Vec<Listed>, CacheError> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let path = || folder.path().to_owned();
    folder.files().map_err(|source| CacheError::Io { path: path(), action: "listed", source })
}

/// Returns the kept graphs of a folder, the most recently used first. If a graph has no record, the modification time
/// of its file counts as the time of its last use.
fn graphs(folder: &TrustedFolder) -> Result<Vec<Use>, CacheError> {
    let (graphs, others): (Vec<Listed>, Vec<Listed>) =
        files(Some(folder))?.into_iter().partition(|file| is_graph(&file.name));
    let used: std::collections::HashMap<&str, SystemTime> =
        others.iter().map(|file| (file.name.as_str(), file.modified)).collect();
    let mut graphs: Vec<Use> = graphs
        .into_iter()
        .map(|file| {
            let recorded = used.get(record_of(&file.name).as_str()).copied();
            Use { used: recorded.map_or(file.modified, |used| used.max(file.modified)), file }
        })
        .collect();
    graphs.sort_by(|one, other| (other.used, &one.file.name).cmp(&(one.used, &other.file.name)));
    Ok(graphs)
}

/// Describes a kept graph by the key in its file.
fn described(folder: &TrustedFolder, Use { file, used }: Use) -> KeptGraph {
    let path = folder.path().join(&file.name);
    let key = folder.open_file(&file.name).ok().and_then(|open| store::key_of(&path, open));
    KeptGraph {
        input: key.as_ref().map(|key| key.input().to_owned()),
        options: key.map(|key| key.options().to_owned()).filter(|options| !options.is_empty()),
        name: file.name,
        bytes: file.bytes,
        made: file.modified,
        used,
    }
}

/// Removes wolfpath's files from the folder of a kind. Returns the number of complete files and their length.
fn clear(folder: &TrustedFolder, kind: Kind) -> Result<Total, CacheError> {
    let mut removed = Total::default();
    for file in files(Some(folder))? {
        if kind.names(&file.name) {
            remove(folder, &file.name)?;
            removed = removed.and(&file);
        } else if kind == Kind::Graphs && is_record(&file.name) {
            remove(folder, &file.name)?;
        }
    }
    replace::remove_abandoned(folder.path());
    Ok(removed)
}

fn remove(folder: &TrustedFolder, name: &str) -> Result<(), CacheError> {
    match folder.remove(name) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(CacheError::Io { path: folder.path().join(name), action: "removed", source })
        }
        // Another process removed it first.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_prove_whose_files_they_are() {
        let hash = "0123456789abcdef";
        for name in [format!("g.el.{hash}.wolf"), format!("a.b c.{hash}.wolf")] {
            assert!(Kind::Graphs.names(&name), "{name}");
            assert!(is_record(&record_of(&name)), "{name}");
        }
        for name in
            ["roads.wolf", "g.0123.wolf", ".0123456789abcdef.wolf", "g.0123456789ABCDEF.wolf", "g.used"]
        {
            assert!(!Kind::Graphs.names(name) && !is_record(name), "{name}");
        }
        assert!(Kind::Programs.names(&format!("{hash}{hash}.cubin")));
        assert!(!Kind::Programs.names(&format!("{hash}.cubin")) && !Kind::Programs.names("mine.cubin"));
        assert!(Kind::Devices.names(&format!("{hash}.json")) && !Kind::Devices.names("notes.json"));
    }
}
