//! Opening a graph by its path: a `.wolf` file as it is; any other input through the cache, or by reading and
//! layering it.

use std::path::{Path, PathBuf};

use super::build::{LayerOptions, Layered, layer};
use super::error::GraphError;
use super::layered_graph::{LayeredGraph, Origin, Repair};
use crate::load::{self, LoadOptions};
use crate::resources::Resources;
use crate::store::{self, Cache, Found};

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
    /// Whether to read and layer the input even where a fresh layered graph is kept.
    pub rebuild: bool,
    /// What reading and layering may use, and whom they tell how it goes on.
    pub resources: Resources,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        let (load, resources) = (LoadOptions::default(), Resources::default());
        OpenOptions { load, root: None, in_edges: true, cache: true, rebuild: false, resources }
    }
}

impl OpenOptions {
    /// Where an earlier run kept the graph that would be built from this input, if it did and it is still fresh.
    pub fn kept(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let cache =
            (self.cache && !self.rebuild).then(|| Cache::of(path.as_ref(), &self.key()).ok()).flatten()?;
        match cache.find() {
            Found::Fresh(place, _) => Some(place),
            Found::Broken(_) | Found::Nothing => None,
        }
    }

    /// Everything that the layered graph depends on, as text for the key of the cache.
    fn key(&self) -> String {
        format!("{:?}, root {:?}, in-edges {}", self.load, self.root, self.in_edges)
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
        // Without the input's size and time there is nothing to compare; reading it will say what is wrong.
        let cache = options.cache.then(|| Cache::of(path, &options.key()).ok()).flatten();
        match cache {
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
    let stored = store::open(path)?;
    let mut notes = stored.notes.clone();
    if options.load.undirected && !stored.contents.symmetry.weights {
        return Err(GraphError::OneWay { path: path.to_owned() });
    }
    // What applies to a .wolf file as well, or has done its work already.
    let LoadOptions { undirected, lossy_weights, .. } = options.load;
    if options.load != (LoadOptions { undirected, lossy_weights, ..LoadOptions::default() }) {
        notes.push(format!(
            "{}: read and layered when it was built; what was asked for about reading does not apply",
            path.display()
        ));
    }
    if let Some(asked) = options.root.filter(|_| options.root != stored.contents.root) {
        notes.push(format!(
            "{}: layered from another root than {asked}; build it again to change that",
            path.display()
        ));
    }
    Ok(LayeredGraph::stored(stored, notes, Origin::File(path.to_owned()), None))
}

/// Opens what an earlier run kept, or reads, layers and keeps.
fn open_cached(path: &Path, options: &OpenOptions, cache: Cache) -> Result<LayeredGraph, GraphError> {
    let mut notes = Vec::new();
    let found = if options.rebuild { Found::Nothing } else { cache.find() };
    match found {
        Found::Fresh(place, stored) => {
            let repair = repair(path.to_owned(), options.clone(), cache);
            let notes = stored.notes.clone();
            return Ok(LayeredGraph::stored(*stored, notes, Origin::Cache(place), Some(repair)));
        }
        Found::Broken(error) => notes.push(format!("built again what an earlier run had kept: {error}")),
        Found::Nothing => {}
    }
    let mut layered = options.build(path)?;
    let kept = match (!cache.has_changed())
        .then(|| cache.keep(&layered.contents, &layered.notes, &options.resources.progress))
    {
        None => {
            notes.push(format!(
                "{} changed while it was read: this graph may be neither the old nor the new, and is not kept; \
                 read it again when it is at rest",
                path.display()
            ));
            None
        }
        Some(Ok(place)) => Some(place),
        Some(Err(error)) => {
            let reason = error.map_or_else(String::new, |error| format!(": {error}"));
            notes.push(format!("the layered graph could not be kept for the next time{reason}"));
            None
        }
    };
    notes.append(&mut layered.notes);
    layered.notes = notes;
    Ok(LayeredGraph::made(layered, Origin::Input { input: path.to_owned(), kept }))
}

/// How to replace a kept graph whose file turns out to be damaged when it is used.
fn repair(path: PathBuf, options: OpenOptions, cache: Cache) -> Repair {
    Repair(Box::new(move || {
        let Layered { contents, notes, .. } = options.build(&path).ok()?;
        if cache.has_changed() {
            return None;
        }
        // Failing to keep it costs the next run some time, nothing else.
        let _ = cache.keep(&contents, &notes, &options.resources.progress);
        Some(contents)
    }))
}
