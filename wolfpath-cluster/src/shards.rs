//! The shards of a graph as files: a folder with one file per shard, and a manifest that is written last.
//!
//! Every file has checksums like a `.wolf` file, and the manifest lists the checksums of all shards, so that files of
//! different graphs or builds cannot be mixed. `docs/file-format.md` describes the bytes.

mod build;
mod edges;
mod format;
mod shard;
mod together;
mod write;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wolfpath_core::graph::{Direction, LayeredGraph, LengthBound, WeightChoice, WeightError};
use wolfpath_core::program::DatumKind;
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::store::container::{Column, Container};
use wolfpath_core::store::graph_header::{
    GraphHeader, SYMMETRIC, SYMMETRIC_COLUMNS, check_layers, read_column_lines, split_key,
};
use wolfpath_runtime::part::{RunWeights, WholeGraph};

use crate::deal::{Deal, grouped, vertices_of};
use crate::error::ShardError;
use crate::net::ClusterError;
use format::{Listed, MANIFEST, ManifestSection};
pub(crate) use shard::ids_in;
pub use shard::{Shard, ShardRow};
use together::Together;

/// Name of the manifest in its folder.
const MANIFEST_NAME: &str = "manifest";

/// A folder with the shards of a graph, of which only the manifest has been read.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Shards};
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let ring = LayeredGraph::from_edges((0..8192).map(|v| (v, (v + 1) % 8192)))?;
/// let deal = Deal::new(&ring, NonZeroU16::new(4).unwrap())?;
/// let shards = Shards::write(&ring, &deal, folder.path().join("ring.shards"))?;
/// assert_eq!((shards.num_shards(), shards.num_vertices(), shards.num_edges()), (4, 8192, 8192));
/// assert_eq!(shards.open_shard(3)?.num_vertices(), 2048);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shards {
    folder: PathBuf,
    header: GraphHeader,
    reason: String,
    layers: Column<u32>,
    owners: Column<u16>,
    columns: Vec<(DatumKind, String)>,
    /// Place of the column that was chosen as the weight, if one was.
    weight: Option<usize>,
    /// The blocks of each shard.
    blocks: Vec<Vec<u32>>,
    listed: Column<Listed>,
    notes: Vec<String>,
}

impl Shards {
    /// Writes the shards of a graph, as `deal` deals it, to a folder. A new folder is created, and shards that are there are
    /// replaced. The manifest is written last, and removed first, so that a folder with a manifest is complete. Weights and
    /// other columns are those of the graph's input. Two processes must not write to one folder at the same time.
    ///
    /// # Errors
    /// Returns an error if the folder contains other files, if a file cannot be written, or if in-rows cannot be computed for
    /// lack of memory. Shards that were written before an error stay in the folder, without a manifest.
    ///
    /// # Panics
    /// Panics if `deal` is one of a graph with other numbers of vertices or edges.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.shards");
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30u32), (5, 6, 10)])?;
    /// Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, &path)?;
    /// assert!(path.join("manifest").exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(graph: &LayeredGraph, deal: &Deal, folder: impl AsRef<Path>) -> Result<Shards, ShardError> {
        Shards::write_with(graph, deal, folder, &Progress::NONE)
    }

    /// Writes shards like [`write`](Self::write), and reports progress.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let deal = Deal::new(&roads, NonZeroU16::MIN)?;
    /// let shards = Shards::write_with(&roads, &deal, folder.path(), &Progress::NONE)?;
    /// assert_eq!(shards.folder(), folder.path());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_with(
        graph: &LayeredGraph,
        deal: &Deal,
        folder: impl AsRef<Path>,
        progress: &Progress,
    ) -> Result<Shards, ShardError> {
        write::write(graph, deal, folder.as_ref(), progress)?;
        Shards::open(folder)
    }

    /// Checks, without writing anything, that a folder is new or contains only shards and their manifest.
    ///
    /// # Errors
    /// Returns an error if the folder contains other files, is not a folder, or would be in a folder that does not exist.
    ///
    /// ```
    /// use wolfpath::cluster::{ShardError, Shards};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("notes.txt"), "mine")?;
    /// assert!(matches!(Shards::check_folder(folder.path()), Err(ShardError::NotEmpty { .. })));
    /// assert!(Shards::check_folder(folder.path().join("new.shards")).is_ok());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn check_folder(folder: impl AsRef<Path>) -> Result<(), ShardError> {
        write::check(folder.as_ref())
    }

    /// Opens a folder of shards, and verifies its manifest. Its files must not be modified or truncated while the `Shards` or a
    /// [`Shard`] of them exists.
    ///
    /// # Errors
    /// Returns an error if the manifest is missing, damaged or of another version.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(Shards::open(folder.path())?.root(), Some(17));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(folder: impl AsRef<Path>) -> Result<Shards, ShardError> {
        let folder = folder.as_ref();
        if !folder.join(MANIFEST_NAME).is_file() {
            fs::read_dir(folder).map_err(of_folder(folder, "read the folder"))?;
            return Err(ShardError::NoManifest { path: folder.to_owned() });
        }
        let file = Container::open(&folder.join(MANIFEST_NAME), &MANIFEST)?;
        let header: GraphHeader = file.fields();
        format::check_header(&header, &file)?;
        let blocks = (header.vertices as usize).div_ceil(Deal::BLOCK) as u64;
        let mut shards = Shards {
            folder: folder.to_owned(),
            header,
            reason: file.required(ManifestSection::Reason as u32)?.text()?,
            layers: file.column(ManifestSection::Layers as u32, u64::from(header.layers) + 1)?,
            owners: file.column(ManifestSection::Owners as u32, blocks)?,
            columns: read_column_lines(&file.required(ManifestSection::Columns as u32)?)?,
            weight: None,
            listed: file.column(ManifestSection::Shards as u32, header.own.into())?,
            blocks: Vec::new(),
            notes: split_key(file.key()).1,
        };
        shards.verify_manifest(&file)?;
        shards.blocks = grouped(shards.owners(), shards.num_shards().into());
        Ok(shards)
    }

    /// Returns `true` if a path is a folder with the manifest or the first of some shards. If writing them was interrupted,
    /// they may have no manifest.
    ///
    /// ```
    /// use wolfpath::cluster::Shards;
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("manifest"), "of a ship")?;
    /// assert!(!Shards::are_in(folder.path()));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn are_in(folder: impl AsRef<Path>) -> bool {
        let folder = folder.as_ref();
        format::begins_with(&folder.join(MANIFEST_NAME), &MANIFEST.magic)
            || format::begins_with(&shard_path(folder, 0), &format::SHARD.magic)
    }

    fn verify_manifest(&self, file: &Container) -> Result<(), ShardError> {
        file.passed_over().iter().try_for_each(|section| section.verify())?;
        let header = &self.header;
        check_layers(&self.layers, header.vertices, header.root_layers)?;
        self.owners.verify()?;
        self.listed.verify()?;
        let (owners, number) = (self.owners.values(), self.num_shards());
        if let Some(at) = owners.iter().position(|&owner| owner >= number) {
            let found = format!("block {at} in shard {}", owners[at]);
            return Err(self.owners.broken(at, found, format!("one of {number} shards")).into());
        }
        let mut vertices = vec![0u64; number.into()];
        for (block, &owner) in owners.iter().enumerate() {
            vertices[usize::from(owner)] += vertices_of(block, header.vertices).len() as u64;
        }
        let listed = self.listed.values();
        if let Some(at) = (0..listed.len()).find(|&at| listed[at].vertices != vertices[at]) {
            let found = format!("{} vertices of shard {at}", listed[at].vertices);
            return Err(self.listed.broken(at, found, format!("{}, as in its blocks", vertices[at])).into());
        }
        let bytes = listed.iter().try_fold(0u64, |sum, shard| sum.checked_add(shard.bytes));
        if bytes.is_none() {
            return Err(self.listed.broken(0, "files of more than 2^64 bytes", "smaller files").into());
        }
        for direction in [Direction::Out, Direction::In] {
            let edges = listed.iter().map(|shard| u128::from(shard.edges(direction))).sum::<u128>();
            let all = if direction == Direction::Out || self.has_in_rows() { header.edges } else { 0 };
            if edges != all.into() {
                return Err(self
                    .listed
                    .broken(0, format!("{edges} edges in all shards"), all.to_string())
                    .into());
            }
        }
        Ok(())
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of shards.
    pub fn num_shards(&self) -> u16 {
        self.header.own as u16
    }

    /// Returns the number of vertices of the graph.
    pub fn num_vertices(&self) -> u32 {
        self.header.vertices
    }

    /// Returns the number of edges of the graph. Guests count once.
    pub fn num_edges(&self) -> u64 {
        self.header.edges
    }

    /// Returns the start of each layer, then the number of vertices.
    pub fn layer_offsets(&self) -> &[u32] {
        self.layers.values()
    }

    /// Returns the id of the root; `None` if the graph has no vertices.
    pub fn root(&self) -> Option<u64> {
        (self.header.vertices > 0).then_some(self.header.root)
    }

    /// Returns why this root was chosen.
    pub fn root_reason(&self) -> &str {
        &self.reason
    }

    /// Returns the shard of each block of [`Deal::BLOCK`] vertices.
    pub fn owners(&self) -> &[u16] {
        self.owners.values()
    }

    /// Returns the type and the name of each column of numbers of the edges. The weight, if any, comes first.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (DatumKind, &str)> {
        self.columns.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    /// Returns the shards with this column as the weight, as
    /// [`LayeredGraph::with_weight_column`](wolfpath_core::graph::LayeredGraph::with_weight_column) does.
    ///
    /// # Errors
    /// Returns an error if the shards do not have this column.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let edges = EdgeList::from_edges([(17, 5), (5, 6)])?;
    /// let edges = edges.with_column("length", &[900u32, 30])?.with_column("toll", &[3u32, 4])?;
    /// let roads = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
    /// Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let shards = Shards::open(folder.path())?.with_weight_column("toll")?;
    /// assert_eq!(shards.weight_column(), Some("toll"));
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// assert_eq!(graph.run(&sssp::starting_at(17))?.value(6)?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_weight_column(self, name: &str) -> Result<Shards, WeightError> {
        let weight = self.whole().weights_in(name)?.column;
        Ok(Shards { weight, ..self })
    }

    /// Returns the name of the column that is the weight: the [chosen](Self::with_weight_column) one, else `weight`, else the
    /// only one. Returns `None` for shards without columns, and if several columns leave it open.
    pub fn weight_column(&self) -> Option<&str> {
        let at = self.whole().weight_column(self.weights(WeightChoice::Input)).ok()?;
        self.columns.get(at).map(|(_, name)| &**name)
    }

    /// Returns the weights of runs over a graph with this choice of weights.
    pub(crate) fn weights(&self, choice: WeightChoice) -> RunWeights {
        RunWeights { choice, column: self.weight.filter(|_| choice == WeightChoice::Input) }
    }

    /// Returns notes to the user about how the graph was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns `true` if shards have in-rows. Otherwise, the out-rows serve as in-rows, since the edges are symmetric.
    pub fn has_in_rows(&self) -> bool {
        self.header.has(format::IN_ROWS)
    }

    /// Returns the number of edges that a shard has in the rows of a direction, guests included. If there are no
    /// [in-rows](Self::has_in_rows), those of out-rows are returned.
    ///
    /// # Panics
    /// Panics if `shard` is not below the number of shards.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(shards.edges_of(0, Direction::In), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edges_of(&self, shard: u16, direction: Direction) -> u64 {
        let direction = if self.has_in_rows() { direction } else { Direction::Out };
        self.listed.values()[usize::from(shard)].edges(direction)
    }

    /// Returns the number of vertices of a shard.
    ///
    /// # Panics
    /// Panics if `shard` is not below the number of shards.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(shards.vertices_of(0), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vertices_of(&self, shard: u16) -> u64 {
        self.listed.values()[usize::from(shard)].vertices
    }

    /// Returns the size of all shards in bytes, without the manifest.
    pub fn bytes(&self) -> u64 {
        self.listed.values().iter().map(|shard| shard.bytes).sum()
    }

    /// Opens a shard, and verifies it.
    ///
    /// # Errors
    /// Returns an error if its file is missing, damaged, or not the one that the manifest lists.
    ///
    /// # Panics
    /// Panics if `shard` is not below the number of shards.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, ShardError, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// std::fs::remove_file(folder.path().join("0000.shard"))?;
    /// assert!(matches!(shards.open_shard(0), Err(ShardError::Missing { shard: 0, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_shard(&self, shard: u16) -> Result<Shard, ShardError> {
        assert!(shard < self.num_shards(), "shard {shard} is not among the {}", self.num_shards());
        Shard::open(self, shard)
    }

    /// Checks that the folder has a file for each shard, without opening any.
    ///
    /// # Errors
    /// Returns [`ShardError::Missing`] for the first that is missing.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, ShardError, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert!(shards.check_presence().is_ok());
    /// std::fs::remove_file(folder.path().join("0000.shard"))?;
    /// assert!(matches!(shards.check_presence(), Err(ShardError::Missing { shard: 0, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_presence(&self) -> Result<(), ShardError> {
        match (0..self.num_shards()).find(|&shard| !self.path_of(shard).is_file()) {
            Some(shard) => {
                Err(ShardError::Missing { path: self.path_of(shard), shard, shards: self.num_shards() })
            }
            None => Ok(()),
        }
    }

    /// Verifies each shard, that no two vertices have the same rank, and that each lent piece of a row is a guest of another
    /// shard. Reports the verified bytes to `progress`.
    ///
    /// # Errors
    /// Returns the error of the first shard that is missing, damaged, or not the one that the manifest lists, or the first
    /// contradiction between two of them.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// std::fs::write(folder.path().join("0000.shard"), "not a shard")?;
    /// assert!(shards.verify(&Progress::NONE).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify(&self, progress: &Progress) -> Result<(), ShardError> {
        progress.begin(Stage::Verify, Some(self.bytes()));
        let mut all = Together::new(self);
        for number in 0..self.num_shards() {
            all.add(&self.open_shard(number)?)?;
            progress.advance(self.bytes_of(number));
        }
        all.compare()
    }

    /// Returns the size of a shard in bytes.
    pub(crate) fn bytes_of(&self, shard: u16) -> u64 {
        self.listed.values()[usize::from(shard)].bytes
    }

    /// Checks that there is a shard for each process.
    pub(crate) fn check_processes(&self, processes: usize) -> Result<(), ClusterError> {
        let shards = self.num_shards();
        match processes > usize::from(shards) {
            true => Err(ClusterError::TooFewShards { shards, processes }),
            false => Ok(()),
        }
    }

    /// Returns a bound on the values of a run that adds up weights along paths, as
    /// [`LayeredGraph::length_bound`](wolfpath_core::graph::LayeredGraph::length_bound) does. `first` is the largest value of a
    /// source, and `most` the largest sum that a value can have. All shards must be in the folder, unless the type of the
    /// weights suffices.
    ///
    /// # Errors
    /// Returns an error if a shard is needed, but missing, damaged, or not the one that the manifest lists.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::{LengthBound, WeightChoice};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30u32), (5, 6, 10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let bound = shards.length_bound(WeightChoice::Input, 0, 255)?;
    /// assert_eq!(bound, Some(LengthBound::SimplePaths { longest: 40 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn length_bound(
        &self,
        weights: WeightChoice,
        first: u64,
        most: u64,
    ) -> Result<Option<LengthBound>, ShardError> {
        let whole = self.whole();
        let weights = self.weights(weights);
        whole.length_bound(weights, first, most, || {
            let all = self.open_all()?;
            Ok(whole.limits(weights, |at| all.iter().map(move |shard| shard.column(Direction::Out, at))))
        })
    }

    /// Returns the properties of the whole graph.
    pub(crate) fn whole(&self) -> WholeGraph {
        WholeGraph {
            vertices: self.num_vertices(),
            edges: self.num_edges(),
            layers: self.header.layers,
            root_layers: self.header.root_layers,
            symmetric_edges: self.header.has(SYMMETRIC),
            symmetric_columns: self.header.has(SYMMETRIC_COLUMNS),
            columns: self.columns.clone(),
        }
    }

    /// Returns bytes that differ from those of other graphs, builds and deals.
    pub(crate) fn identity(&self) -> Vec<u8> {
        let mut bytes = bytemuck::bytes_of(&self.header).to_vec();
        bytes.extend(bytemuck::cast_slice::<_, u8>(self.listed.values()));
        bytes
    }

    /// Returns the path of a shard's file.
    fn path_of(&self, shard: u16) -> PathBuf {
        shard_path(&self.folder, shard)
    }
}

/// Returns the path of a shard's file.
fn shard_path(folder: &Path, shard: u16) -> PathBuf {
    folder.join(format!("{shard:04}.shard"))
}

/// Returns a function that wraps a system error about a folder.
fn of_folder(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> ShardError {
    let path = path.to_owned();
    move |error| ShardError::Folder { path, action, error: Arc::new(error) }
}
