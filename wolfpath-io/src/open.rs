//! Opens a graph by its path. A `.wolf` file is opened directly. For any other input, the graph in the cache is used if
//! there is a fresh one; otherwise the input is read and layered.

mod inputs;

use std::num::NonZeroU8;
use std::path::{Path, PathBuf};

use wolfpath_core::assemble::{Keeping, MadeFrom};
use wolfpath_core::graph::{BuildEstimate, Direction, LayerError, LayerOptions, LayeredGraph};
use wolfpath_core::progress::Progress;
use wolfpath_core::resources::Resources;
use wolfpath_core::store::StoreError;

use self::inputs::{files, options_of_inputs, words};
use crate::load::format::{Input, Told};
use crate::load::{self, LoadError, LoadOptions};

/// Options for opening a graph.
///
/// ```
/// use wolfpath::load::LoadOptions;
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.el");
/// std::fs::write(&path, "17 5\n5 6\n")?;
/// let load = LoadOptions::new().undirected(true);
/// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().load(load).root(5).cache(false))?;
/// assert_eq!((graph.num_edges(), graph.root()), (4, Some(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenOptions {
    load: LoadOptions,
    root: Option<u64>,
    in_edges: bool,
    packed: Option<bool>,
    paths: Option<NonZeroU8>,
    cache: bool,
    cache_beside: bool,
    cache_folder: Option<PathBuf>,
    rebuild: bool,
    resources: Resources,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            load: LoadOptions::default(),
            root: None,
            in_edges: true,
            packed: None,
            paths: None,
            cache: true,
            cache_beside: false,
            cache_folder: None,
            rebuild: false,
            resources: Resources::default(),
        }
    }
}

impl OpenOptions {
    /// Returns the defaults: the input's edges are not changed, the root is chosen automatically, and the layered graph
    /// is kept in the cache folder.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Sets the options for reading an input that is not a `.wolf` file.
    ///
    /// ```
    /// use wolfpath::load::LoadOptions;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let options = OpenOptions::new().load(LoadOptions::new().undirected(true)).cache(false);
    /// assert_eq!(LayeredGraph::open_with(&path, &options)?.num_edges(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn load(mut self, options: LoadOptions) -> OpenOptions {
        self.load = options;
        self
    }

    /// Sets the id of the root, like [`LayerOptions::root`].
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().root(5).cache(false))?;
    /// assert_eq!(graph.root(), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn root(mut self, id: impl Into<Option<u64>>) -> OpenOptions {
        self.root = id.into();
        self
    }

    /// Sets whether in-edges are kept, like [`LayerOptions::in_edges`].
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().in_edges(false).cache(false))?;
    /// assert!(!graph.has_in_edges());
    /// assert_eq!(graph.in_edges()?.ends.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_edges(mut self, keep: bool) -> OpenOptions {
        self.in_edges = keep;
        self
    }

    /// Sets whether rows are also stored in packed form, like [`LayerOptions::packed`]. A graph that an earlier version
    /// kept without packed rows remains fresh if this is `None`, the default.
    ///
    /// ```
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().packed(true).cache(false))?;
    /// assert!(graph.packed_rows(Direction::Out)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn packed(mut self, packed: impl Into<Option<bool>>) -> OpenOptions {
        self.packed = packed.into();
        self
    }

    /// Sets whether edge-disjoint paths are stored, like [`LayerOptions::paths`].
    ///
    /// ```
    /// use wolfpath::graph::Paths;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().paths(Paths::USUAL_LIMIT).cache(false))?;
    /// assert!(graph.stores_paths());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn paths(mut self, longest: impl Into<Option<NonZeroU8>>) -> OpenOptions {
        self.paths = longest.into();
        self
    }

    /// Enables the cache: a layered graph that was kept earlier is used if it is still fresh, and a graph that is built
    /// is kept. Defaults to `true`.
    ///
    /// ```
    /// use wolfpath::graph::Origin;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().cache(false))?;
    /// assert_eq!(graph.opened_from(), &Origin::Input { input: path, kept: None });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cache(mut self, cache: bool) -> OpenOptions {
        self.cache = cache;
        self
    }

    /// Keeps the layered graph next to the input, and looks for it there first. If the graph cannot be kept there, it
    /// is kept in the cache folder. For security, a graph next to the input is used only if other users can write
    /// neither to the graph's file nor to its folder. Defaults to `false`.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let options = OpenOptions::new().cache_folder(folder.path().join("cache")).cache_beside(true);
    /// LayeredGraph::open_with(&path, &options)?;
    /// if let Some(kept) = options.kept(&path) {
    ///     assert!(kept.extension().is_some_and(|ending| ending == "wolf"));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cache_beside(mut self, beside: bool) -> OpenOptions {
        self.cache_beside = beside;
        self
    }

    /// Sets the cache folder. Defaults to the user's cache folder, see [`cache::folder`](wolfpath_core::cache::folder).
    ///
    /// ```
    /// use wolfpath::cache::CacheFolder;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    /// LayeredGraph::open_with(&path, &options)?;
    /// assert_eq!(CacheFolder::at(folder.path().join("cache")).contents()?.graphs.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cache_folder(mut self, folder: impl Into<Option<PathBuf>>) -> OpenOptions {
        self.cache_folder = folder.into();
        self
    }

    /// Reads and layers the input even if a fresh layered graph was kept. Defaults to `false`.
    ///
    /// ```
    /// use wolfpath::graph::Origin;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    /// LayeredGraph::open_with(&path, &options)?;
    /// let again = LayeredGraph::open_with(&path, &options.rebuild(true))?;
    /// assert!(matches!(again.opened_from(), Origin::Input { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rebuild(mut self, rebuild: bool) -> OpenOptions {
        self.rebuild = rebuild;
        self
    }

    /// Sets the memory limit, the folder for working files and the progress observer for reading and layering.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::resources::Resources;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let options = OpenOptions::new().resources(Resources::new().memory(1 << 30)).cache(false);
    /// assert_eq!(LayeredGraph::open_with(&path, &options)?.num_vertices(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn resources(mut self, resources: Resources) -> OpenOptions {
        self.resources = resources;
        self
    }

    /// Sets the progress observer of the [resources](OpenOptions::resources), and leaves the other resources unchanged.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::{Progress, Stage};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let stages = Arc::new(Mutex::new(Vec::new()));
    /// let seen = Arc::clone(&stages);
    /// let progress = Progress::on_stage(move |stage, _| seen.lock().unwrap().push(stage));
    /// LayeredGraph::open_with(&path, &OpenOptions::new().progress(progress).cache(false))?;
    /// assert_eq!(stages.lock().unwrap().first(), Some(&Stage::Read));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> OpenOptions {
        self.resources = self.resources.progress(progress);
        self
    }
}

/// Reasons why a graph cannot be opened.
///
/// ```
/// use wolfpath::graph::OpenError;
/// use wolfpath::load::LoadError;
/// use wolfpath::prelude::*;
///
/// match LayeredGraph::open("no-such-file.el") {
///     Err(OpenError::Load(LoadError::NotFound { path })) => assert!(path.ends_with("no-such-file.el")),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The input could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The edges could not be layered with these options.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A `.wolf` file contains one-way edges, but an undirected graph was requested.
    #[error(
        "{}: contains one-way edges, but an undirected graph was requested; build it again from its input as undirected",
        path.display()
    )]
    OneWay {
        /// Path of the file.
        path: PathBuf,
    },
    /// Options for reading an input were set for a `.wolf` file.
    #[error(
        "{}: this .wolf file was built from its input earlier; expected no options for reading an input, found {}: \
         leave them out, or build the file again from its input with them", path.display(), options.join(", ")
    )]
    BuiltAlready {
        /// Path of the file.
        path: PathBuf,
        /// Names of the options.
        options: Vec<&'static str>,
    },
    /// The `.wolf` file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens a graph by its path, in any format.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.el");
/// std::fs::write(&path, "17 5 10\n17 6 1\n6 5 1\n")?;
/// let options = OpenOptions::new().cache(false);
/// assert_eq!(LayeredGraph::open_with(&path, &options)?.num_edges(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait OpenGraph: Sized {
    /// Opens a graph. A `.wolf` file is opened directly. For any other input, the graph that an earlier run kept is
    /// used if it is still fresh; otherwise the input is read and layered.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be read, or its edges cannot be layered.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.wolf");
    /// LayeredGraph::from_edges([(17, 5), (5, 6)])?.write(&path)?;
    /// assert_eq!(LayeredGraph::open(&path)?.num_edges(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens a graph with options.
    ///
    /// A `.wolf` file is memory-mapped, so it must not be modified while the graph is in use. (wolfpath itself replaces
    /// such files instead of modifying them, which is safe.)
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be read, or its edges cannot be layered with the options.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.wel");
    /// std::fs::write(&path, "17 5 10\n17 6 1\n6 5 1\n")?;
    /// let graph = LayeredGraph::open_with(&path, &OpenOptions::new().root(6).cache(false))?;
    /// assert_eq!(graph.root(), Some(6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, OpenError>;
}

impl OpenGraph for LayeredGraph {
    fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<LayeredGraph, OpenError> {
        let path = path.as_ref();
        match Input::of(options.load.format, path) {
            Input::Layered => open_stored(path, options),
            Input::Edges(told) => {
                let resources = &options.resources;
                let read = || Ok(load::load_told(path, told, &options.load, resources)?.edges);
                options.made_from(path, told).open(resources, read)
            }
        }
    }
}

impl OpenOptions {
    /// Returns the file in which an earlier run kept the graph of this input, if there is one and it is still fresh.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    /// assert_eq!(options.kept(&path), None);
    /// LayeredGraph::open_with(&path, &options)?;
    /// assert!(options.kept(&path).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kept(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let path = path.as_ref();
        match Input::of(self.load.format, path) {
            Input::Layered => None,
            Input::Edges(told) => self.made_from(path, told).kept(self.resources.observer()),
        }
    }

    /// Estimates the memory that building a graph from this file would need. Returns `None` if the path is not a file
    /// or the file is empty.
    ///
    /// # Errors
    /// [`LoadError`] if the file cannot be read.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.el");
    /// std::fs::write(&path, "17 5\n5 6\n")?;
    /// let estimate = OpenOptions::new().estimate(&path)?;
    /// assert!(estimate.is_some_and(|estimate| estimate.edges == 2 && estimate.peak > 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn estimate(&self, path: impl AsRef<Path>) -> Result<Option<BuildEstimate>, LoadError> {
        let size = load::sample(path.as_ref(), &self.load)?;
        Ok(size.map(|size| BuildEstimate::of(size, self.paths.is_some(), &self.resources)))
    }

    /// Returns the files and options that the graph of an input depends on. All options are destructured, so that
    /// adding an option causes a compile error here.
    fn made_from(&self, path: &Path, told: Told) -> MadeFrom {
        let OpenOptions {
            load,
            root,
            in_edges,
            packed,
            paths,
            cache,
            cache_beside,
            cache_folder,
            rebuild,
            resources: _,
        } = self;
        MadeFrom {
            files: files(path, told),
            reading: words(load),
            layering: LayerOptions::new().root(*root).in_edges(*in_edges).packed(*packed).paths(*paths),
            keeping: match cache {
                true => {
                    Keeping::On { folder: cache_folder.clone(), beside: *cache_beside, rebuild: *rebuild }
                }
                false => Keeping::Off,
            },
        }
    }
}

/// Opens a `.wolf` file that the user specified.
fn open_stored(path: &Path, options: &OpenOptions) -> Result<LayeredGraph, OpenError> {
    let graph = LayeredGraph::open_wolf_with(path, options.resources.observer())?;
    if options.load.undirected && !graph.is_symmetric() {
        return Err(OpenError::OneWay { path: path.to_owned() });
    }
    let options_of_inputs = options_of_inputs(&options.load);
    if !options_of_inputs.is_empty() {
        return Err(OpenError::BuiltAlready { path: path.to_owned(), options: options_of_inputs });
    }
    let mut notes = Vec::new();
    if let Some(asked) = options.root.filter(|_| options.root != graph.root()) {
        notes.push(format!(
            "{}: layered from a different root than {asked}; build it again to change the root",
            path.display()
        ));
    }
    if let Some(asked) = options.packed
        && asked != graph.packed_rows(Direction::Out)?.is_some()
    {
        let state = if asked { "without" } else { "with" };
        notes.push(format!("{}: built {state} packed rows; build it again to change this", path.display()));
    }
    let state = match options.paths {
        Some(_) if !graph.stores_paths() => Some("without paths"),
        Some(longest) if graph.paths()?.longest() > longest.get() => Some("with longer paths"),
        _ => None,
    };
    notes.extend(
        state.map(|state| format!("{}: built {state}; build it again to change this", path.display())),
    );
    Ok(graph.with_notes(notes))
}
