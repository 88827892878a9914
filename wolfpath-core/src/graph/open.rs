//! Opening a graph by its path: a `.wolf` file as it is; any other input through the cache, or by reading and
//! layering it.

use std::path::{Path, PathBuf};

use super::build::{LayerOptions, Layered, layer};
use super::error::GraphError;
use super::layered_graph::{LayeredGraph, Origin};
use super::made_from;
use crate::load::{self, LoadOptions};
use crate::resources::Resources;
use crate::store::{self, Cache, Found, Kept, NotKept};

/// How to open a graph.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// How to read an input that is no `.wolf` file.
    pub load: LoadOptions,
    /// The id of the layering root; `None` lets a rule choose.
    pub root: Option<u64>,
    /// See [`LayerOptions::in_edges`].
    pub in_edges: bool,
    /// Whether to look for a layered graph kept earlier, and to keep this one.
    pub cache: bool,
    /// Keeps the layered graph beside the input, and looks for it there first; the cache folder is used if that fails. A
    /// graph beside the input is used only if other users can write neither it nor the folder. Defaults to `false`.
    pub cache_beside: bool,
    /// The cache folder. Defaults to the user's, see [`cache::folder`](crate::cache::folder).
    pub cache_folder: Option<PathBuf>,
    /// Whether to read and layer the input even where a fresh layered graph is kept.
    pub rebuild: bool,
    /// What reading and layering may use, and whom they tell how it goes on.
    pub resources: Resources,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        let (load, resources) = (LoadOptions::default(), Resources::default());
        OpenOptions {
            load,
            root: None,
            in_edges: true,
            cache: true,
            cache_beside: false,
            cache_folder: None,
            rebuild: false,
            resources,
        }
    }
}

impl OpenOptions {
    /// Where an earlier run kept the graph that would be built from this input, if it did and it is still fresh.
    pub fn kept(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let mut cache = self.cache_of(path.as_ref()).filter(|_| !self.rebuild)?;
        match cache.find(&mut Vec::new(), &self.resources.progress) {
            Found::Fresh(place, _) => Some(place),
            Found::Broken(_) | Found::Nothing => None,
        }
    }

    /// Returns the cache of this input's graph, or `None` if no cache is wanted or the input is not a regular file.
    /// Errors are reported when the input is read.
    fn cache_of(&self, path: &Path) -> Option<Cache> {
        let folder = store::folder_or_user(self.cache_folder.as_deref());
        let cache = || {
            Cache::of(&made_from::files(path, self), &made_from::words(self), folder, self.cache_beside).ok()
        };
        self.cache.then(cache).flatten()
    }

    /// Reads and layers an input.
    fn build(&self, path: &Path) -> Result<Layered, GraphError> {
        let edges = load::load_with(path, &self.load, &self.resources)?;
        let options = LayerOptions { root: self.root, in_edges: self.in_edges, ..LayerOptions::default() };
        Ok(layer(edges, &options, &self.resources)?)
    }
}

impl LayeredGraph {
    /// Opens a graph: a `.wolf` file directly, any other input by reading and layering it, or from what an earlier
    /// run kept.
    pub fn open(path: impl AsRef<Path>) -> Result<LayeredGraph, GraphError> {
        LayeredGraph::open_with(path, &OpenOptions::default())
    }

    /// Opens a graph as the options say.
    ///
    /// A `.wolf` file is mapped: it must not be written into while the graph is in use. (wolfpath itself replaces
    /// such files, which does no harm.)
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<LayeredGraph, GraphError> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wolf")) {
            return open_stored(path, options);
        }
        match options.cache_of(path) {
            Some(cache) => open_cached(path, options, cache),
            None => {
                let origin = Origin::Input { input: path.to_owned(), kept: None };
                Ok(LayeredGraph::made(options.build(path)?, origin))
            }
        }
    }
}

/// Opens a `.wolf` file that the user named.
fn open_stored(path: &Path, options: &OpenOptions) -> Result<LayeredGraph, GraphError> {
    let mut stored = store::open(path, &options.resources.progress)?;
    if options.load.undirected && !stored.contents.symmetry.weights {
        return Err(GraphError::OneWay { path: path.to_owned() });
    }
    // What applies to a .wolf file as well, or has done its work already.
    let LoadOptions { undirected, lossy_weights, .. } = options.load;
    if options.load != (LoadOptions { undirected, lossy_weights, ..LoadOptions::default() }) {
        stored.notes.push(format!(
            "{}: read and layered when it was built; what was asked for about reading does not apply",
            path.display()
        ));
    }
    if let Some(asked) = options.root.filter(|_| options.root != stored.contents.root) {
        stored.notes.push(format!(
            "{}: layered from another root than {asked}; build it again to change that",
            path.display()
        ));
    }
    Ok(LayeredGraph::stored(stored, Origin::File(path.to_owned())))
}

/// Opens what an earlier run kept, or reads, layers and keeps.
fn open_cached(path: &Path, options: &OpenOptions, mut cache: Cache) -> Result<LayeredGraph, GraphError> {
    let (mut notes, progress) = (Vec::new(), &options.resources.progress);
    let found = if options.rebuild { Found::Nothing } else { cache.find(&mut notes, progress) };
    let damaged = match found {
        Found::Fresh(place, kept) => match kept.verify(progress) {
            Ok(mut stored) => {
                notes.append(&mut stored.notes);
                stored.notes = notes;
                return Ok(LayeredGraph::stored(stored, Origin::Cache(place)));
            }
            Err(error) => Some(error),
        },
        Found::Broken(error) => Some(error),
        Found::Nothing => None,
    };
    notes.extend(damaged.map(|error| format!("built again what an earlier run had kept: {error}")));
    // If a file is gone by now, reading it reports that.
    let _ = cache.before_reading();
    let mut layered = options.build(path)?;
    let kept = match cache.keep(&layered.contents, &layered.notes, progress) {
        Ok(Kept { place, notes: more }) => {
            notes.extend(more);
            Some(place)
        }
        Err(NotKept::Changed) => {
            notes.push(format!(
                "{} changed while it was read: this graph may be neither the old nor the new, and is not kept; \
                 read it again when it is at rest",
                path.display()
            ));
            None
        }
        Err(NotKept::Failed(reason)) => {
            notes.push(format!("the layered graph could not be kept for the next time: {reason}"));
            None
        }
    };
    notes.append(&mut layered.notes);
    layered.notes = notes;
    Ok(LayeredGraph::made(layered, Origin::Input { input: path.to_owned(), kept }))
}
