//! The resources that a build may use, and the observer of its progress.

use std::path::PathBuf;

use crate::memory;
use crate::progress::Progress;
use crate::space::{Space, SpaceError};

/// Memory limit, scratch folder and progress observer for reading and layering.
///
/// ```
/// use wolfpath::graph::{LayerOptions, LayeredGraph};
/// use wolfpath::generate;
/// use wolfpath::resources::Resources;
///
/// let resources = Resources::new().memory(8 << 30).scratch(std::env::temp_dir());
/// let edges = generate::grid(20, 20, 1)?;
/// let graph = LayeredGraph::from_edge_list_with(edges, &LayerOptions::new(), &resources)?;
/// assert_eq!(graph.num_vertices(), 400);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Resources {
    pub(crate) memory: Option<u64>,
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) progress: Progress,
}

impl Resources {
    /// Returns the defaults: all available memory, the system's temporary folder, and no observer.
    pub fn new() -> Resources {
        Resources::default()
    }

    /// Sets the maximum memory that a build may use, in bytes. Defaults to the available memory. A build that needs
    /// more keeps its large arrays in working files.
    ///
    /// ```
    /// use wolfpath::graph::{GraphError, LayerError, LayerOptions, LayeredGraph};
    /// use wolfpath::resources::{Resources, SpaceError};
    ///
    /// // 1 kB is not enough, not even with working files.
    /// let edges = wolfpath::generate::grid(100, 100, 1)?;
    /// let built = LayeredGraph::from_edge_list_with(edges, &LayerOptions::new(), &Resources::new().memory(1000));
    /// assert!(matches!(built, Err(GraphError::Layer(LayerError::Space(SpaceError::Memory { .. })))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn memory(mut self, bytes: impl Into<Option<u64>>) -> Resources {
        self.memory = bytes.into();
        self
    }

    /// Sets the folder for working files. Defaults to the system's temporary folder. The files have no names, so they
    /// disappear when the build ends for any reason.
    ///
    /// ```
    /// use wolfpath::load::{LoadOptions, load_with};
    /// use wolfpath::resources::Resources;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("g.el");
    /// std::fs::write(&path, "1 2\n")?;
    /// // There is no memory for edges, so their endpoints go to a working file in this folder.
    /// let resources = Resources::new().memory(0).scratch(folder.path().to_owned());
    /// assert_eq!(load_with(&path, &LoadOptions::new(), &resources)?.num_edges(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn scratch(mut self, folder: impl Into<Option<PathBuf>>) -> Resources {
        self.scratch = folder.into();
        self
    }

    /// Sets the progress observer. Defaults to [`Progress::NONE`].
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use wolfpath::graph::{LayerOptions, LayeredGraph};
    /// use wolfpath::progress::{Progress, Stage};
    /// use wolfpath::resources::Resources;
    ///
    /// let stages = Arc::new(Mutex::new(Vec::new()));
    /// let seen = Arc::clone(&stages);
    /// let resources = Resources::new().progress(Progress::on_stage(move |stage, _| seen.lock().unwrap().push(stage)));
    /// let edges = wolfpath::generate::grid(10, 10, 1)?;
    /// LayeredGraph::from_edge_list_with(edges, &LayerOptions::new(), &resources)?;
    /// assert_eq!(*stages.lock().unwrap(), [Stage::Group, Stage::Order, Stage::Rows]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Resources {
        self.progress = progress;
        self
    }

    /// Returns the progress observer.
    #[doc(hidden)]
    pub fn observer(&self) -> &Progress {
        &self.progress
    }

    /// Returns the amount of memory that a build may use, in bytes.
    #[doc(hidden)]
    pub fn budget(&self) -> u64 {
        self.memory.or_else(memory::available).unwrap_or(u64::MAX)
    }

    /// Returns the space for large arrays on disk.
    #[doc(hidden)]
    pub fn on_disk(&self) -> Space {
        Space::Disk(self.scratch.clone().unwrap_or_else(std::env::temp_dir))
    }

    /// Decides where the large arrays of a build are stored. The build needs `bytes` bytes of memory if these arrays
    /// are in memory, or `bytes_with_disk` bytes if they are on disk.
    pub(crate) fn space_for(&self, bytes: u64, bytes_with_disk: u64) -> Result<Space, SpaceError> {
        let budget = self.budget();
        if bytes <= budget {
            Ok(Space::Memory)
        } else if bytes_with_disk <= budget {
            Ok(self.on_disk())
        } else {
            Err(SpaceError::Memory { needed: bytes_with_disk, available: budget })
        }
    }
}
