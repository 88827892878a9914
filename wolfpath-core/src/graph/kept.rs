//! Graphs that are built from files and kept for the next run: in the user's cache folder and, if requested, next to
//! the input. The caller passes the function that reads the files, so this module depends on no format except `.wolf`.
//!
//! A kept graph is used if its [`Key`] matches the current state of the input. If only the times or inodes of files
//! differ, the files are hashed, and the graph is used if the hashes equal those in the key. The names of kept files
//! contain a hash of the input's path and the options, so an input that is read with two sets of options is kept twice.
//!
//! Each kept graph in the cache folder has a small *record* next to it:
//!
//! - The record's modification time is the time of the graph's last use. If the cache folder exceeds its limit, the
//!   least recently used graphs are removed. The access time of the graph's file would be unreliable, because many file
//!   systems do not update it.
//! - The record's text is the key of the input in the state in which it was last seen. An input that was copied or
//!   touched is therefore hashed only once.
//!
//! If a graph is kept next to its input, its record is still in the cache folder.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::build::{LayerOptions, layer};
use super::error::LayerError;
use super::layered_graph::{LayeredGraph, Origin};
use crate::cache::{self, CacheFolder, Kind, Total, record_of};
use crate::edge_list::EdgeList;
use crate::progress::{Progress, Stage};
use crate::resources::Resources;
use crate::store::{
    Contents, Key, Relation, State, StoreError, Unverified, content_hash, escaped, hash, map_file,
    write_private,
};
use crate::trusted::{TrustError, TrustedFolder};

/// The files that a graph is built from, the options for building it, and where it may be kept.
#[derive(Clone, Debug)]
pub struct MadeFrom {
    /// The files to read, the input first.
    pub files: Vec<PathBuf>,
    /// The options for reading the files, as one line of text. Options that may result in different edges must have
    /// different texts.
    pub reading: String,
    /// The options for layering the edges.
    pub layering: LayerOptions,
    /// The location where the graph may be kept.
    pub keeping: Keeping,
}

/// The location where graphs are kept for the next run.
#[derive(Clone, Debug)]
pub enum Keeping {
    /// Nowhere.
    Off,
    /// In the cache folder.
    On {
        /// The cache folder; `None` for the user's cache folder.
        folder: Option<PathBuf>,
        /// `true` to keep the graph next to its input, if possible.
        beside: bool,
        /// `true` to build the graph again even if a fresh one is kept.
        rebuild: bool,
    },
}

impl MadeFrom {
    /// Returns the path of the graph that an earlier run kept, if it is still fresh.
    pub fn kept(&self, progress: &Progress) -> Option<PathBuf> {
        match self.find(&mut self.cache()?, &mut Vec::new(), progress) {
            Lookup::Fresh(place, _) => Some(place),
            Lookup::Broken(_) | Lookup::Nothing => None,
        }
    }

    /// Opens the graph that an earlier run kept. If there is no such graph, layers the edges that `read` returns, and
    /// keeps the result.
    ///
    /// # Errors
    /// Returns the errors from `read`, and [`LayerError`]. Failing to keep the graph is not an error, but adds a note
    /// to the graph.
    pub fn open<E: From<LayerError>>(
        &self,
        resources: &Resources,
        read: impl FnOnce() -> Result<EdgeList, E>,
    ) -> Result<LayeredGraph, E> {
        let Some(mut cache) = self.cache() else {
            let layered = layer(read()?, &self.layering, resources)?;
            return Ok(LayeredGraph::made(layered, Origin::Input { input: self.input(), kept: None }));
        };
        let (mut notes, progress) = (Vec::new(), &resources.progress);
        let damaged = match self.find(&mut cache, &mut notes, progress) {
            Lookup::Fresh(place, kept) => match kept.verify(progress) {
                Ok(mut stored) => {
                    notes.append(&mut stored.notes);
                    stored.notes = notes;
                    return Ok(LayeredGraph::stored(stored, Origin::Cache(place)));
                }
                Err(error) => Some(error),
            },
            Lookup::Broken(error) => Some(error),
            Lookup::Nothing => None,
        };
        notes.extend(
            damaged.map(|error| format!("the graph kept by an earlier run was built again: {error}")),
        );
        // If a file has been removed, the error is ignored here, because reading the file reports it.
        let _ = cache.before_reading();
        let mut layered = layer(read()?, &self.layering, resources)?;
        let kept = self.keep(cache.keep(&layered.contents, &layered.notes, progress), &mut notes);
        notes.append(&mut layered.notes);
        layered.notes = notes;
        Ok(LayeredGraph::made(layered, Origin::Input { input: self.input(), kept }))
    }

    /// Converts the result of keeping the graph to its path, if it was kept, and adds notes to the user.
    fn keep(&self, kept: Result<Kept, NotKept>, notes: &mut Vec<String>) -> Option<PathBuf> {
        match kept {
            Ok(Kept { place, notes: more }) => {
                notes.extend(more);
                return Some(place);
            }
            Err(NotKept::Changed) => notes.push(format!(
                "{} changed while it was read: this graph may mix the old and the new content, so it is not kept; \
                 read the file again when it no longer changes",
                self.input().display()
            )),
            Err(NotKept::Failed(reason)) => {
                notes.push(format!("the layered graph could not be kept for the next run: {reason}"));
            }
        }
        None
    }

    /// Looks up the kept graph, unless the options require building it again.
    fn find(&self, cache: &mut Cache, notes: &mut Vec<String>, progress: &Progress) -> Lookup {
        match self.keeping {
            Keeping::On { rebuild: false, .. } => cache.find(notes, progress),
            Keeping::On { rebuild: true, .. } | Keeping::Off => Lookup::Nothing,
        }
    }

    /// Returns the cache of the graph, or `None` if caching is off or the input is not a regular file. Errors are
    /// ignored here, because reading the input reports them.
    fn cache(&self) -> Option<Cache> {
        let Keeping::On { folder, beside, .. } = &self.keeping else { return None };
        let folder = folder_or_user(folder.as_deref());
        Cache::of(&self.files, &self.words(), folder, *beside).ok()
    }

    /// Returns the options that differ from the defaults and change the graph, as one line. The line is empty if there
    /// are none.
    fn words(&self) -> String {
        // All options are destructured, so that adding an option causes a compile error here.
        let LayerOptions { root, in_edges, packed, shuffled, paths } = self.layering;
        let mut words: Vec<String> = Vec::new();
        words.extend((!self.reading.is_empty()).then(|| self.reading.clone()));
        words.extend(root.map(|root| format!("root {root}")));
        words.extend((!in_edges).then(|| "no in-edges".to_owned()));
        words.extend(packed.map(|packed| if packed { "packed" } else { "not packed" }.to_owned()));
        words.extend(shuffled.map(|seed| format!("shuffled {seed}")));
        words.extend(paths.map(|longest| format!("paths of {longest}")));
        words.join(", ")
    }

    fn input(&self) -> PathBuf {
        self.files.first().cloned().unwrap_or_default()
    }
}

/// An input, its reading and layering options, and the locations where the graph may be kept.
#[derive(Clone, Debug)]
struct Cache {
    /// The files, the input first.
    files: Vec<PathBuf>,
    options: String,
    key: Key,
    /// The hashes of the files in the state that the key describes.
    hashes: Option<Vec<u64>>,
    places: Vec<Place>,
    folder: Option<CacheFolder>,
    /// The name of the record in the cache folder.
    record: String,
}

/// A location where a graph may be kept.
#[derive(Clone, Debug)]
enum Place {
    /// In the folder of the input.
    Beside { folder: PathBuf, name: String },
    /// In the cache folder.
    Cache { folder: CacheFolder, name: String },
}

/// The result of looking up a kept graph.
enum Lookup {
    /// A fresh file, not yet verified.
    Fresh(PathBuf, Box<Unverified>),
    /// No file, or only files that were built from another state of the input.
    Nothing,
    /// Only a file that cannot be read, with the reason.
    Broken(StoreError),
}

/// A graph that was kept.
struct Kept {
    place: PathBuf,
    /// Notes to the user about the location.
    notes: Vec<String>,
}

/// The reason why a graph was not kept.
enum NotKept {
    /// The input changed while it was read, so the graph may match neither state.
    Changed,
    /// The reason, in words.
    Failed(String),
}

impl Cache {
    /// Returns the cache of the graph that is built from `files`, the input first. Different options for reading or
    /// layering require different `options`. The graph may be kept in `folder`. If `beside` is `true`, a location next
    /// to the input is preferred.
    ///
    /// # Errors
    /// Returns the system's error if a file is missing, or an error if a file is not a regular file.
    fn of(files: &[PathBuf], options: &str, folder: Option<CacheFolder>, beside: bool) -> io::Result<Cache> {
        let files: Vec<PathBuf> = files.iter().map(std::fs::canonicalize).collect::<io::Result<_>>()?;
        let key = Key::of(&files, options)?;
        let Names { own, beside: name_beside } = Names::of(&files, options);
        let beside_input = files[0].parent().filter(|_| beside);
        let beside = beside_input.map(|at| Place::Beside { folder: at.to_owned(), name: name_beside });
        let record = record_of(&own);
        let cached = folder.clone().map(|folder| Place::Cache { folder, name: own });
        let places = beside.into_iter().chain(cached).collect();
        Ok(Cache { files, options: options.to_owned(), key, hashes: None, places, folder, record })
    }

    /// Updates the key to the current state of the files. May wait a moment, so that every later change to a file is
    /// guaranteed to change its state.
    ///
    /// # Errors
    /// Returns the system's error if a file has been removed.
    fn before_reading(&mut self) -> io::Result<()> {
        self.key.states().for_each(|state| state.wait_for_the_tick());
        let key = Key::of(&self.files, &self.options)?;
        if key != self.key {
            (self.key, self.hashes) = (key, None);
        }
        Ok(())
    }

    /// Returns the first fresh file, and adds a note for each file that is not trusted.
    fn find(&mut self, notes: &mut Vec<String>, progress: &Progress) -> Lookup {
        let mut found = Lookup::Nothing;
        for place in self.places.clone() {
            let path = place.path();
            let file = match place.open() {
                Ok(file) => file,
                Err(error) => {
                    // If there is no such file, the error is ignored. Keeping the graph later will report an untrusted
                    // folder.
                    if !error.is_absent() && path.exists() {
                        notes.push(format!(
                            "the graph kept earlier as {} was not used: {error}",
                            path.display()
                        ));
                    }
                    continue;
                }
            };
            match map_file(&path, file) {
                Ok(kept) if self.is_of_input(&kept.key, progress) => {
                    return Lookup::Fresh(path, Box::new(kept));
                }
                Ok(_) | Err(StoreError::Version { .. } | StoreError::Unknown { .. }) => {}
                Err(error) => found = Lookup::Broken(error),
            }
        }
        found
    }

    /// Returns `true`, and records a use, if the graph with this key was built from the input in its current state.
    fn is_of_input(&mut self, text: &str, progress: &Progress) -> bool {
        let Some(kept) = Key::parse(text) else { return false };
        let seen = self.read_record();
        let known = |key: &Key| match key.compare(&kept) {
            Relation::Unclear => seen
                .as_ref()
                .is_some_and(|(seen, _)| key.compare(seen) == Relation::Same && seen.has_hashes_of(&kept)),
            relation => relation == Relation::Same,
        };
        let is_fresh = known(&self.key)
            || (self.key.compare(&kept) == Relation::Unclear && self.has_content_of(&kept, progress));
        if is_fresh {
            self.record_use(&kept, seen);
        }
        is_fresh
    }

    /// Returns `true` if the content of the files has the hashes in `kept`.
    fn has_content_of(&mut self, kept: &Key, progress: &Progress) -> bool {
        // If the input cannot be read, the error is ignored here, because reading the input for layering reports it.
        if self.before_reading().is_err() {
            return false;
        }
        match self.hash(progress) {
            Ok(Some(hashes)) => self.key.clone().with_hashes(&hashes).has_hashes_of(kept),
            Ok(None) | Err(_) => false,
        }
    }

    /// Returns the hash of each file, or `None` if the state of any file differs from the key.
    fn hash(&mut self, progress: &Progress) -> io::Result<Option<Vec<u64>>> {
        if self.hashes.is_none() {
            progress.begin(Stage::Hash, Some(self.key.states().map(State::size).sum()));
            let files = self.files.iter().zip(self.key.states());
            let hashes = files.map(|(file, state)| content_hash(file, state, progress));
            self.hashes = hashes.collect::<io::Result<Option<Vec<u64>>>>()?;
        }
        Ok(self.hashes.clone())
    }

    /// Keeps the graph of the input in the first location that is writable.
    ///
    /// # Errors
    /// Returns [`NotKept`] if the input changed since [`before_reading`](Cache::before_reading), or if no location is
    /// writable.
    fn keep(&mut self, contents: &Contents, notes: &[String], progress: &Progress) -> Result<Kept, NotKept> {
        let hashes = self.hash(progress).map_err(|error| NotKept::Failed(error.to_string()))?;
        let hashes = hashes.ok_or(NotKept::Changed)?;
        // The files may have been hashed before they were read for layering, so check that they have not changed since.
        if Key::of(&self.files, &self.options).ok().as_ref() != Some(&self.key) {
            return Err(NotKept::Changed);
        }
        let key = self.key.clone().with_hashes(&hashes);
        let mut failures = Vec::new();
        for place in self.places.clone() {
            let path = place.path();
            match place.write(contents, &key.text(), notes, progress) {
                Ok(()) => {
                    self.record_use(&key, None);
                    let mut notes = kept_elsewhere(&failures, &path);
                    notes.extend(place.keep_within_limit());
                    return Ok(Kept { place: path, notes });
                }
                Err(error) => failures.push(error),
            }
        }
        match failures.is_empty() {
            true => Err(NotKept::Failed("no cache folder is known; set WOLFPATH_CACHE_DIR".to_owned())),
            false => Err(NotKept::Failed(failures.join("; "))),
        }
    }

    /// Returns the record and the key in it, or `None` if it does not exist, cannot be read or is not trusted.
    fn read_record(&self) -> Option<(Key, File)> {
        let folder = self.folder.as_ref()?.open(Kind::Graphs).ok()?;
        let file = folder.open_file(&self.record).ok()?;
        let text = io::read_to_string(&file).ok()?;
        Some((Key::parse(&text)?, file))
    }

    /// Records that the graph with the key `kept` was used now, and that it belongs to the current state of the input.
    /// Failure is harmless: the graph keeps its earlier time of use, or the input is hashed again next time.
    fn record_use(&self, kept: &Key, seen: Option<(Key, File)>) {
        let now = self.key.clone().with_hashes_of(kept);
        if let Some((_, file)) = seen.filter(|(seen, _)| *seen == now)
            && file.set_modified(SystemTime::now()).is_ok()
        {
            return;
        }
        if let Some(folder) = &self.folder {
            let _ = folder.create(Kind::Graphs).map(|at| at.write(&self.record, now.text().as_bytes()));
        }
    }
}

impl Place {
    fn path(&self) -> PathBuf {
        match self {
            Place::Beside { folder, name } => folder.join(name),
            Place::Cache { folder, name } => folder.file(Kind::Graphs, name),
        }
    }

    fn name(&self) -> &str {
        match self {
            Place::Beside { name, .. } | Place::Cache { name, .. } => name,
        }
    }

    fn open(&self) -> Result<File, TrustError> {
        let folder = match self {
            Place::Beside { folder, .. } => TrustedFolder::open(folder),
            Place::Cache { folder, .. } => folder.open(Kind::Graphs),
        };
        folder?.open_file(self.name())
    }

    /// Writes a graph if the location is trusted. Returns the reason if it fails.
    fn write(
        &self,
        contents: &Contents,
        key: &str,
        notes: &[String],
        progress: &Progress,
    ) -> Result<(), String> {
        let folder = match self {
            // The input's folder exists already.
            Place::Beside { folder, .. } => TrustedFolder::open(folder),
            Place::Cache { folder, .. } => folder.create(Kind::Graphs),
        };
        folder.map_err(|error| error.to_string())?;
        write_private(contents, key, notes, &self.path(), progress).map_err(|error| error.to_string())
    }

    /// Enforces the limit on the size of kept graphs, and returns a note if graphs were removed. Graphs next to their
    /// inputs do not count towards the limit.
    fn keep_within_limit(&self) -> Option<String> {
        let Place::Cache { folder, name } = self else { return None };
        match folder.keep_within_limit(name) {
            Ok(Total { files: 0, .. }) => None,
            Ok(Total { files, bytes }) => Some(format!(
                "kept graphs exceeded their limit: the {files} least recently used {} removed, {bytes} bytes in all",
                if files == 1 { "was" } else { "were" }
            )),
            Err(error) => Some(format!("kept graphs may exceed their limit: {error}")),
        }
    }
}

/// Returns one note for each preferred location at which the graph could not be kept. `path` is where it was kept
/// instead.
fn kept_elsewhere(failures: &[String], path: &Path) -> Vec<String> {
    let note =
        |failure| format!("the layered graph is kept as {}, not beside its input: {failure}", path.display());
    failures.iter().map(note).collect()
}

/// The file names of a kept graph.
struct Names {
    /// The name in the cache folder.
    own: String,
    /// The name next to the input.
    beside: String,
}

impl Names {
    fn of(files: &[PathBuf], options: &str) -> Names {
        let name = files[0].file_name().unwrap_or_default().to_string_lossy().replace(char::is_control, "_");
        let paths: Vec<String> = files.iter().map(|file| escaped(file)).collect();
        let own = hash(format!("{}\n{options}", paths.join("\n")).as_bytes());
        let beside = hash([&paths[1..].join("\n"), options].concat().as_bytes()) as u32;
        // The length of file names is limited; the hash distinguishes inputs.
        let short: String = name.chars().take(40).collect();
        Names { own: format!("{short}.{own:016x}.wolf"), beside: format!("{name}.{beside:08x}.wolf") }
    }
}

/// Returns the cache folder in the options, else the user's cache folder.
fn folder_or_user(path: Option<&Path>) -> Option<CacheFolder> {
    path.map(Path::to_owned).or_else(cache::folder).map(CacheFolder::at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_layering_is_in_the_key() {
        let words = |reading: &str, layering| {
            let (files, reading) = (Vec::new(), reading.to_owned());
            MadeFrom { files, reading, layering, keeping: Keeping::Off }.words()
        };
        let plain = LayerOptions::default();
        assert_eq!(words("", plain), "");
        assert_eq!(words("undirected", plain), "undirected");
        assert_eq!(words("undirected", plain.root(7)), "undirected, root 7");
        assert_eq!(words("", plain.in_edges(false)), "no in-edges");
        assert_eq!(words("", plain.packed(true)), "packed");
        assert_eq!(words("", plain.packed(false)), "not packed");
        assert_eq!(words("", plain.shuffled(3)), "shuffled 3");
        assert_eq!(words("", plain.paths(crate::graph::Paths::USUAL_LIMIT)), "paths of 16");
    }
}
