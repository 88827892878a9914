//! [`LayeredGraph`]: the graph that engines run over and users query.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::apart::apart;
use super::build::Layered;
use super::degree_classes::DegreeClasses;
use super::layer_histogram::LayerHistogram;
use super::neighbours::Derived;
use super::packing::PackedNow;
use super::paths::PathsNow;
use super::places::Places;
use super::rows::{OwnedRows, Rows};
use super::weighting::Weighting;
use crate::progress::Progress;
use crate::store::{self, Contents, InRows, Section, StoreError, Stored, StoredBytes};

/// A graph stored layer by layer. Cloning is cheap, because clones share all data.
///
/// A `LayeredGraph` is always valid, because opening a `.wolf` file verifies it. Methods that do not return a `Result`
/// therefore cannot fail.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(17, 5), (5, 6), (6, 5)])?;
/// assert_eq!((graph.num_vertices(), graph.num_edges(), graph.root()), (3, 3, Some(17)));
/// assert_eq!(graph.layer_offsets(), [0, 1, 2, 3]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone)]
pub struct LayeredGraph {
    pub(super) data: Arc<GraphData>,
    pub(super) weighting: Arc<Weighting>,
    pub(super) about: Arc<About>,
    /// Other rows that replace those of the graph (see `neighbours.rs`).
    pub(super) derived: Option<Arc<Derived>>,
}

impl fmt::Debug for LayeredGraph {
    /// Writes the graph's size and origin, but not its edges, which may take gigabytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayeredGraph")
            .field("vertices", &self.num_vertices())
            .field("edges", &self.num_edges())
            .field("layers", &self.num_layers())
            .field("root", &self.root())
            .field("weights", &self.weight_choice())
            .field("origin", self.opened_from())
            .finish_non_exhaustive()
    }
}

/// Origin of a graph.
///
/// ```
/// use wolfpath::graph::Origin;
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(17, 5)])?;
/// assert_eq!(*graph.opened_from(), Origin::Memory);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Edges in memory.
    Memory,
    /// A `.wolf` file that the user named.
    File(PathBuf),
    /// A `.wolf` file that an earlier run over the same input kept.
    Cache(PathBuf),
    /// An input that was read and layered in this run.
    Input {
        /// The input.
        input: PathBuf,
        /// The path where the layered graph was kept for the next run, if it was kept.
        kept: Option<PathBuf>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct About {
    notes: Vec<String>,
    origin: Origin,
    /// Optional sections of the file that this version does not know.
    pub(super) passed_over: Vec<Section>,
}

/// The graph itself, and the data that is derived from it on demand.
#[derive(Debug)]
pub(super) struct GraphData {
    pub(super) contents: Contents,
    /// The internal index of each rank.
    by_rank: Vec<u32>,
    ids: OnceLock<Vec<u64>>,
    /// The transpose of the out-rows, computed when it is first needed. Unused if the graph stores its in-rows or is
    /// symmetric.
    transpose: OnceLock<Result<OwnedRows, StoreError>>,
    /// Results of comparing the packed out-rows and the packed in-rows of a file with its rows, each made when those packed
    /// rows are first used.
    pub(super) packed: [OnceLock<Result<(), StoreError>>; 2],
    /// The layers by their size, computed when they are first needed.
    pub(super) layer_histogram: OnceLock<LayerHistogram>,
    /// The vertices by their out-degrees and their in-degrees, counted when that is first needed.
    pub(super) degree_classes: [OnceLock<DegreeClasses>; 2],
    /// The places of edges, computed when a program first reads them.
    edge_places: Places,
    /// Rows that are not stored in packed form, packed when that was first requested.
    packed_now: PackedNow,
    /// Paths that are not stored, or the result of checking those that are, made when they are first requested.
    paths_now: PathsNow,
}

impl GraphData {
    /// Returns the number of vertices plus the number of edges, as a measure of the work to share among threads.
    pub(super) fn size(&self) -> u64 {
        u64::from(self.contents.vertices) + self.contents.edges
    }

    /// Returns the in-rows of an asymmetric graph that does not store them. Computes them on the first call.
    fn transpose(&self) -> Result<Rows<'_>, StoreError> {
        let made = self.transpose.get_or_init(|| apart(self.size(), || transposed(&self.contents)));
        made.as_ref().map(OwnedRows::rows).map_err(StoreError::clone)
    }
}

/// Returns the out-rows in `contents`.
pub(super) fn out_rows(contents: &Contents) -> Rows<'_> {
    Rows { offsets: contents.offsets.values(), ends: contents.ends.values() }
}

/// Computes the in-rows of a graph from the out-rows in `contents`.
fn transposed(contents: &Contents) -> Result<OwnedRows, StoreError> {
    let transposed = out_rows(contents).transposed();
    transposed.map_err(|error| StoreError::Space { what: "in-edges", reason: error.to_string() })
}

/// Views in-rows as rows.
pub(super) fn in_rows(rows: &InRows) -> Rows<'_> {
    Rows { offsets: rows.offsets.values(), ends: rows.ends.values() }
}

impl LayeredGraph {
    /// Creates a `LayeredGraph` from the result of layering.
    pub(super) fn made(layered: Layered, origin: Origin) -> LayeredGraph {
        let Layered { contents, by_rank, notes } = layered;
        LayeredGraph::of(contents, by_rank, About { notes, origin, passed_over: Vec::new() })
    }

    /// Creates a `LayeredGraph` from a verified file.
    pub(super) fn stored(stored: Stored, origin: Origin) -> LayeredGraph {
        let Stored { contents, by_rank, notes, passed_over } = stored;
        LayeredGraph::of(contents, by_rank, About { notes, origin, passed_over })
    }

    fn of(contents: Contents, by_rank: Vec<u32>, about: About) -> LayeredGraph {
        let data = GraphData {
            contents,
            by_rank,
            ids: OnceLock::new(),
            transpose: OnceLock::new(),
            packed: Default::default(),
            layer_histogram: OnceLock::new(),
            degree_classes: Default::default(),
            edge_places: Places::default(),
            packed_now: PackedNow::default(),
            paths_now: PathsNow::default(),
        };
        LayeredGraph {
            data: Arc::new(data),
            weighting: Arc::default(),
            about: Arc::new(about),
            derived: None,
        }
    }

    /// Writes the graph, with the weights of its input, to a `.wolf` file. The file is replaced atomically.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. No partial file is left behind.
    ///
    /// ```
    /// use wolfpath_core::graph::LayeredGraph;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("three.wolf");
    /// LayeredGraph::from_edges([(17, 42), (42, 99)])?.write(&path)?;
    /// assert_eq!(LayeredGraph::open_wolf(&path)?.num_vertices(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.write_with(path, &Progress::NONE)
    }

    /// Writes the graph like [`write`](Self::write), and reports progress.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.wolf");
    /// LayeredGraph::from_edges([(17, 5)])?.write_with(&path, &Progress::NONE)?;
    /// assert!(path.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_with(&self, path: impl AsRef<Path>, progress: &Progress) -> Result<(), StoreError> {
        store::write(&self.data.contents, "", &self.about.notes, path.as_ref(), progress)
    }

    /// Returns the graph with additional notes to the user about how it was opened.
    #[doc(hidden)]
    pub fn with_notes(mut self, notes: Vec<String>) -> LayeredGraph {
        let About { notes: mut all, origin, passed_over } = Arc::unwrap_or_clone(self.about);
        all.extend(notes);
        self.about = Arc::new(About { notes: all, origin, passed_over });
        self
    }

    /// Returns notes to the user about how the graph was read or built, one line each.
    pub fn notes(&self) -> &[String] {
        &self.about.notes
    }

    /// Returns the origin of the graph.
    pub fn opened_from(&self) -> &Origin {
        &self.about.origin
    }

    /// Checks that the file of a memory-mapped graph has the same length and modification time as when it was opened.
    /// Its numbers were verified then. Engines call this before every run, and after copying a graph to a device, where
    /// invalid numbers would be dangerous. Does nothing for a graph in memory.
    ///
    /// # Errors
    /// Returns an error if the file has changed, or cannot be inspected.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.wolf");
    /// LayeredGraph::from_edges([(17, 5)])?.write(&path)?;
    /// let graph = LayeredGraph::open_wolf(&path)?;
    /// assert!(graph.check_unchanged().is_ok());
    ///
    /// let longer = [std::fs::read(&path)?, vec![0]].concat();
    /// std::fs::write(&path, longer)?;
    /// assert!(graph.check_unchanged().unwrap_err().to_string().contains("changed since it was opened"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_unchanged(&self) -> Result<(), StoreError> {
        self.data.contents.ends.check_unchanged()
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u32 {
        self.data.contents.vertices
    }

    /// Returns the number of edges; each direction of an undirected edge counts.
    pub fn num_edges(&self) -> u64 {
        match &self.derived {
            Some(_) => self.out_edges().ends.len() as u64,
            None => self.data.contents.edges,
        }
    }

    /// Returns the number of edges of the graph that this one was derived from, or of this graph if it is not derived.
    #[doc(hidden)]
    pub fn num_input_edges(&self) -> u64 {
        self.data.contents.edges
    }

    /// Returns the number of layers.
    pub fn num_layers(&self) -> u32 {
        self.layer_offsets().len() as u32 - 1
    }

    /// Returns the first vertex of each layer, followed by the number of vertices.
    pub fn layer_offsets(&self) -> &[u32] {
        self.data.contents.layers.values()
    }

    /// Returns the id of the root; `None` for a graph without vertices.
    pub fn root(&self) -> Option<u64> {
        self.data.contents.root
    }

    /// Returns the reason why the [root](Self::root) was chosen.
    pub fn root_reason(&self) -> &str {
        &self.data.contents.reason
    }

    /// Returns the number of layers of the root's own tree. This is one more than the number of hops from the root to
    /// the farthest vertex that it reaches.
    pub fn root_layers(&self) -> u32 {
        self.data.contents.root_layers
    }

    /// Returns the edges of every source, row after row. Within a row the targets ascend: backward edges (to earlier
    /// layers) come first, then lateral edges (within the layer), then forward edges (to the next layer).
    pub fn out_edges(&self) -> Rows<'_> {
        match &self.derived {
            Some(derived) => match &derived.oriented {
                Some([out, _]) => out.rows(),
                None => derived.neighbours.rows(self.input_rows()),
            },
            None => self.input_rows(),
        }
    }

    /// Returns bytes of this graph, to be read in parts: from its file if they are in its map, otherwise from memory.
    #[doc(hidden)]
    pub fn stored_bytes<'a>(&'a self, bytes: &'a [u8]) -> StoredBytes<'a> {
        self.data.contents.stored_bytes(bytes)
    }

    /// Returns the out-rows of the graph that this one was derived from, or of this graph if it is not derived.
    #[doc(hidden)]
    pub fn input_rows(&self) -> Rows<'_> {
        out_rows(&self.data.contents)
    }

    /// Returns `true` if the edges of the graph that this one was derived from, or of this graph, all have a reverse.
    #[doc(hidden)]
    pub fn is_input_symmetric(&self) -> bool {
        self.data.contents.symmetry.edges
    }

    /// Returns the rows of a derived graph.
    ///
    /// # Panics
    /// Panics if the graph is not derived.
    pub(super) fn derived(&self) -> &Derived {
        self.derived.as_ref().expect("only a derived graph is asked for what its rows contain")
    }

    /// Returns the places of edges that were computed so far.
    pub(super) fn kept_places(&self) -> &Places {
        self.derived.as_ref().map_or(&self.data.edge_places, |derived| &derived.edge_places)
    }

    /// Returns the rows that were packed on request.
    pub(super) fn packed_now(&self) -> &PackedNow {
        self.derived.as_ref().map_or(&self.data.packed_now, |derived| &derived.packed_now)
    }

    /// Returns the paths that were computed on request.
    pub(super) fn paths_now(&self) -> &PathsNow {
        self.derived.as_ref().map_or(&self.data.paths_now, |derived| &derived.paths_now)
    }

    /// Returns the edges of every target, row after row, with ascending sources. For a symmetric graph, these are the
    /// out-rows. Otherwise the in-rows are either stored or computed on the first call.
    ///
    /// # Errors
    /// Returns an error if the in-rows have to be computed and there is not enough memory or disk space.
    pub fn in_edges(&self) -> Result<Rows<'_>, StoreError> {
        match &self.derived {
            Some(derived) => {
                Ok(derived.oriented.as_ref().map_or(self.out_edges(), |[_, inward]| inward.rows()))
            }
            None => self.input_in_rows(),
        }
    }

    /// Returns the in-rows of the graph that this one was derived from, or of this graph if it is not derived.
    ///
    /// # Errors
    /// Returns the errors of [`in_edges`](Self::in_edges).
    #[doc(hidden)]
    pub fn input_in_rows(&self) -> Result<Rows<'_>, StoreError> {
        let contents = &self.data.contents;
        match &contents.in_rows {
            _ if contents.symmetry.edges => Ok(self.input_rows()),
            Some(rows) => Ok(in_rows(rows)),
            None => self.data.transpose(),
        }
    }

    /// Returns `true` if [`in_edges`](Self::in_edges) need not compute the in-rows: they are stored, an earlier call
    /// computed them, or the graph is symmetric.
    pub fn has_in_edges(&self) -> bool {
        let contents = &self.data.contents;
        let at_hand = self.data.transpose.get().is_some() || self.derived.is_some();
        contents.symmetry.edges || contents.in_rows.is_some() || at_hand
    }

    /// Returns the user's id of a vertex.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// assert_eq!(graph.id_of(0), 17, "the root is the first vertex");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[inline]
    pub fn id_of(&self, vertex: u32) -> u64 {
        self.data.contents.id_of_rank(self.rank_of(vertex))
    }

    /// Returns the id of the vertex with this [rank](Self::rank_of).
    ///
    /// # Panics
    /// Panics if `rank` is not below the number of vertices.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// assert_eq!([0, 1, 2].map(|rank| graph.id_of_rank(rank)), [5, 6, 17]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[inline]
    pub fn id_of_rank(&self, rank: u32) -> u64 {
        let vertices = self.num_vertices();
        assert!(rank < vertices, "rank {rank} is not below the number of vertices, {vertices}");
        self.data.contents.id_of_rank(rank)
    }

    /// Returns the vertex with this id, if any.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// assert_eq!(graph.vertex_of(17), Some(0));
    /// assert_eq!(graph.vertex_of(99), None);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn vertex_of(&self, id: u64) -> Option<u32> {
        self.data.contents.rank_of_id(id).map(|rank| self.data.by_rank[rank as usize])
    }

    /// Returns `true` if internal indices of both graphs mean the same vertices, because the graphs share their data.
    #[doc(hidden)]
    pub fn has_order_of(&self, other: &LayeredGraph) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// Returns the rank of a vertex: its position by ascending id, which programs see as `index`.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// assert_eq!(graph.rank_of(0), 2, "17 is the largest of three ids");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    #[inline]
    pub fn rank_of(&self, vertex: u32) -> u32 {
        self.ranks()[vertex as usize]
    }

    /// Returns the ranks of all vertices, in layered order.
    #[inline]
    pub fn ranks(&self) -> &[u32] {
        self.data.contents.ranks.values()
    }

    /// Returns the vertices in rank order, which is the order of ascending ids.
    pub fn by_rank(&self) -> &[u32] {
        &self.data.by_rank
    }

    /// Returns the id and the internal index of every vertex, ascending by id.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// assert!(graph.by_id().eq([(5, 1), (6, 2), (17, 0)]));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn by_id(&self) -> impl ExactSizeIterator<Item = (u64, u32)> + '_ {
        let contents = &self.data.contents;
        self.by_rank().iter().enumerate().map(|(rank, &vertex)| (contents.id_of_rank(rank as u32), vertex))
    }

    /// Returns the ids of all vertices, in layered order. They are computed on the first call.
    pub fn ids(&self) -> &[u64] {
        self.data.ids.get_or_init(|| {
            let vertices = (0..self.num_vertices()).into_par_iter();
            apart(self.data.size(), || vertices.map(|vertex| self.id_of(vertex)).collect())
        })
    }
}
