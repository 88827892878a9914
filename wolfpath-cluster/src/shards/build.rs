//! Sharding by the processes of a cluster, for graphs that are too large for any one of them.
//!
//! 1. Each process reads its part of the text. Together they find all ids, and the types of columns ([`lines`]).
//! 2. Each line goes to the owners of its two vertices: the vertices of a process are those whose rank, divided by the number
//!    of processes, leaves its number. A process then has all lines between a vertex of its own and any other, in input order,
//!    so it finds duplicates, their sums and missing opposites without asking others.
//! 3. They find the layered order ([`order`]).
//! 4. Each row is sorted by its owner, and sent to the processes that write the shards which have it ([`rows`]).
//!
//! Edges travel in rounds of bounded size ([`team`]). Every process has the ids, degrees and order of all vertices, but only
//! its own edges. All processes know every fact that decides on further exchanges, and every error. Only a message that cannot
//! be read ends the exchanges of all.

mod lines;
mod order;
mod rows;
mod team;
#[cfg(test)]
mod tests;

use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use wolfpath_core::assemble::{Layers, Named, Root, choose_root, grow};
use wolfpath_core::edge_list::VertexIds;
use wolfpath_core::graph::Direction;
use wolfpath_core::program::DatumKind;
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::random::hash;
use wolfpath_core::store::graph_header::{GraphHeader, SYMMETRIC, SYMMETRIC_COLUMNS, SYMMETRIC_ORDER};
use wolfpath_core::weights::{WeightSlice, Weights};
use wolfpath_io::load::LoadOptions;
use wolfpath_runtime::CancelHandle;

use super::format::Listed;
use super::write::{self, Layout, Manifest, Writer};
use super::{MANIFEST_NAME, Shards, shard_path};
use crate::deal::Deal;
use crate::error::{BuildError, ShardError};
use crate::net::Cluster;
use crate::part::{Numbers, process_of};
use lines::Lines;
use order::Search;
use rows::{Dealt, Flags, OwnRows};
use team::Team;

impl Shards {
    /// Shards a text edge list on a cluster, without any process ever having all edges. All processes must call this together,
    /// with the same options and number of shards. Each passes the same input and the same folder, which must be accessible
    /// to all. The files are those that [`write`](Self::write) would write on one machine, byte for byte.
    ///
    /// The input must be an edge list (`.el .wel .txt .tsv .csv`), of which each process reads a part. If there are
    /// several processes, each decompresses a compressed file once to measure it, and again up to the end of its part.
    ///
    /// # Errors
    /// Every process returns an error if one of them fails: for an input that is invalid or of another format, for a folder
    /// that contains other files or cannot be written, for processes with different options or inputs, and if a process is lost.
    /// Files that were written before are removed, as far as the processes are alive; shards of an earlier build are lost.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Shards};
    /// use wolfpath::load::LoadOptions;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("roads.el");
    /// std::fs::write(&input, "17 5\n5 6\n")?;
    /// // A cluster of one process.
    /// let mut cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let output = folder.path().join("roads.shards");
    /// let shards = Shards::build_on(&mut cluster, &input, &LoadOptions::new(), NonZeroU16::MIN, &output)?;
    /// assert_eq!((shards.num_vertices(), shards.root()), (3, Some(17)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_on(
        cluster: &mut Cluster,
        input: impl AsRef<Path>,
        options: &LoadOptions,
        shards: NonZeroU16,
        folder: impl AsRef<Path>,
    ) -> Result<Shards, BuildError> {
        let (progress, cancel) = (Progress::NONE, CancelHandle::new());
        Shards::build_on_with(cluster, input, options, shards, folder, (&progress, &cancel))
    }

    /// Shards an edge list like [`build_on`](Self::build_on), reports the progress of this process, and can be cancelled in any
    /// process: all of them stop after the next exchange.
    ///
    /// # Errors
    /// Returns the errors of [`build_on`](Self::build_on), and [`BuildError::Cancelled`] in all processes if one was cancelled.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::CancelHandle;
    /// use wolfpath::cluster::{BuildError, Cluster, ClusterConfig, Shards};
    /// use wolfpath::load::LoadOptions;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("roads.el");
    /// std::fs::write(&input, "17 5\n5 6\n")?;
    /// let mut cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let (options, output) = (LoadOptions::new(), folder.path().join("roads.shards"));
    /// let (progress, cancel) = (Progress::NONE, CancelHandle::new());
    /// cancel.cancel();
    /// let built =
    ///     Shards::build_on_with(&mut cluster, &input, &options, NonZeroU16::MIN, &output, (&progress, &cancel));
    /// assert!(matches!(built, Err(BuildError::Cancelled { process: 0 })));
    /// assert!(!output.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_on_with(
        cluster: &mut Cluster,
        input: impl AsRef<Path>,
        options: &LoadOptions,
        shards: NonZeroU16,
        folder: impl AsRef<Path>,
        (progress, cancel): (&Progress, &CancelHandle),
    ) -> Result<Shards, BuildError> {
        let peers = cluster.peers();
        let build = Build {
            team: Team::new(&peers, cancel),
            input: input.as_ref(),
            options,
            shards,
            folder: folder.as_ref(),
            progress,
        };
        build.run()
    }
}

/// The processes, and what they build.
struct Build<'a> {
    team: Team<'a>,
    input: &'a Path,
    options: &'a LoadOptions,
    shards: NonZeroU16,
    folder: &'a Path,
    progress: &'a Progress,
}

impl Build<'_> {
    fn run(&self) -> Result<Shards, BuildError> {
        let team = self.team;
        self.compare()?;
        team.agree(write::check(self.folder).map_err(BuildError::from))?;
        let Lines { mut list, mut notes, edges, .. } = self.lines()?;
        self.progress.begin(Stage::Order, Some(list.num_vertices().into()));
        let degrees = rows::degrees(team, &list, edges)?;
        let mut search = Search::new(team, &list, &degrees, self.progress);
        let root = choose_root(&search, |rank| list.ids().id(rank))?;
        let layers = grow(&mut search, root.as_ref().map(|root| root.rank))?;
        let order = search.into_order();
        let columns = self.stored_columns(list.take_columns())?;
        let own = OwnRows::new(team, &list, &degrees, &order);
        let list = list.without_lines();
        let flags = own.flags(team, &columns)?;
        if flags.duplicates > 0 {
            let s = if flags.duplicates == 1 { "" } else { "s" };
            notes.push(format!("{} duplicate edge{s} kept", flags.duplicates));
        }
        let graph = Ordered { ids: list.ids(), degrees: &degrees, order: &order, layers, root, flags };
        self.write(&graph, &own, &columns, &notes)
    }

    /// Compares what all processes must agree on.
    fn compare(&self) -> Result<(), BuildError> {
        let added = self.options.added_vertices();
        let vertices = added.iter().fold(added.len() as u64, |sum, &id| hash(sum, id));
        self.team.compare(&[
            ("options for reading the input", self.options.shown()),
            ("list of additional vertices", format!("{vertices:016x}")),
            ("number of shards", self.shards.to_string()),
        ])
    }

    /// Deals the rows, and writes the shards of this process. The first process writes the manifest.
    fn write(
        &self,
        graph: &Ordered<'_>,
        own: &OwnRows,
        columns: &[Named<Weights>],
        notes: &[String],
    ) -> Result<Shards, BuildError> {
        let team = self.team;
        let offsets = [0, 1].map(|at| graph.offsets(at));
        let inward = (!graph.flags.weights).then_some(&offsets[1][..]);
        let in_columns = !columns.is_empty() && !graph.flags.order;
        let deal = Deal::of_rows(&offsets[0], inward, self.shards);
        let writer = Writer::new(Layout {
            deal: &deal,
            offsets: [&offsets[0], &offsets[1]],
            header: graph.header(self.shards, offsets[0][graph.order.len()]),
            has_ids: graph.ids.contiguous_from().is_none(),
            columns: columns.iter().map(|column| (column.numbers.kind(), column.name.as_str())).collect(),
            in_columns,
        });
        self.progress.begin(Stage::Rows, None);
        let mut directions = vec![Direction::Out];
        if deal.has_in_rows() || in_columns {
            directions.push(Direction::In);
        }
        let mut dealt = Dealt::new(team, &writer, (&deal, &directions), columns, (graph.order, graph.ids));
        for (&direction, offsets) in directions.iter().zip(&offsets) {
            dealt.send(own, direction, (&deal, offsets), columns)?;
        }
        let own_shards = (0..self.shards.get()).filter(|&s| process_of(s, team.processes()) == team.me());
        let own_shards: Vec<u16> = own_shards.collect();
        let mut partial = Partial { folder: self.folder, is_new: !self.folder.exists(), files: Vec::new() };
        let is_first = team.me() == 0;
        // Before the first process creates it, all others have seen whether the folder is new.
        team.agree(Ok(()))?;
        let prepared = || write::check(self.folder).and_then(|()| write::prepare(self.folder));
        team.agree(if is_first { prepared().map_err(BuildError::from) } else { Ok(()) })?;
        if !is_first {
            // On a network file system, this machine may have cached that the folder does not exist. If the folder cannot be
            // used, writing to it fails.
            let _ = fs::create_dir(self.folder);
        }
        self.progress.begin(Stage::Write, Some(own_shards.iter().map(|&s| writer.bytes_of(s)).sum()));
        let mut listed = Vec::new();
        let mut wrote = || {
            for &shard in own_shards.iter().take_while(|_| !team.cancel.is_cancelled()) {
                let path = shard_path(self.folder, shard);
                partial.files.push(path.clone());
                listed.push(writer.write_shard(&dealt, shard, &path)?);
                self.progress.advance(writer.bytes_of(shard));
            }
            Ok::<(), ShardError>(())
        };
        let wrote = wrote();
        team.agree(wrote.map_err(BuildError::from))?;
        let told = bytemuck::cast_slice(&listed).to_vec();
        let heard = team.tell_all("written shards", told, |process, told| {
            let shards = (process..self.shards.get().into()).step_by(team.processes());
            shards.map(|_| Some(bytemuck::pod_read_unaligned(told.take(size_of::<Listed>())?))).collect()
        })?;
        if is_first {
            partial.files.push(self.folder.join(MANIFEST_NAME));
        }
        let manifest = || {
            let listed = self.listed(&heard)?;
            write::remove_shards(self.folder, |shard| shard >= self.shards.get().into())?;
            let reason = graph.root.as_ref().map_or("the graph is empty", |root| root.reason.as_str());
            let layers = &graph.layers.layer_offsets;
            let manifest = Manifest { reason, layers, notes, listed: &listed };
            writer.write_manifest(&manifest, &self.folder.join(MANIFEST_NAME))
        };
        team.agree(if is_first { manifest().map_err(BuildError::from) } else { Ok(()) })?;
        let shards = team.agree(Shards::open(self.folder).map_err(BuildError::from))?;
        partial.files.clear();
        partial.is_new = false;
        Ok(shards)
    }

    /// Returns what the manifest lists of all shards, if this process sees the files of all others.
    fn listed(&self, heard: &[Vec<Listed>]) -> Result<Vec<Listed>, ShardError> {
        let shards = self.shards.get();
        let listed = |shard: u16| {
            let path = shard_path(self.folder, shard);
            match path.is_file() {
                true => Ok(heard[process_of(shard, heard.len())][usize::from(shard) / heard.len()]),
                false => Err(ShardError::Missing { path, shard, shards }),
            }
        };
        (0..shards).map(listed).collect()
    }
}

/// The order of all vertices, and what is known of the whole graph.
struct Ordered<'a> {
    ids: &'a VertexIds,
    /// The numbers of out-edges and in-edges of each rank.
    degrees: &'a [[u64; 2]],
    order: &'a [u32],
    layers: Layers,
    root: Option<Root>,
    flags: Flags,
}

impl Ordered<'_> {
    /// Returns the start of each row, then the number of edges. `at` is 0 for out-rows, and 1 for in-rows.
    fn offsets(&self, at: usize) -> Vec<u64> {
        rows::starts_of(self.order.iter().map(|&rank| self.degrees[rank as usize][at]))
    }

    fn header(&self, shards: NonZeroU16, edges: u64) -> GraphHeader {
        let Flags { edges: symmetric, weights, order, .. } = self.flags;
        let flags = [(symmetric, SYMMETRIC), (weights, SYMMETRIC_COLUMNS), (order, SYMMETRIC_ORDER)];
        GraphHeader {
            vertices: self.ids.len(),
            layers: self.layers.layer_offsets.len() as u32 - 1,
            edges,
            root: self.root.as_ref().map_or(0, |root| self.ids.id(root.rank)),
            first_id: self.ids.contiguous_from().unwrap_or(0),
            root_layers: self.layers.root_layers,
            flags: flags.into_iter().filter_map(|(is_set, flag)| is_set.then_some(flag)).sum(),
            own: shards.get().into(),
        }
    }
}

/// Files of this process, which are removed unless all processes have written theirs.
struct Partial<'a> {
    folder: &'a Path,
    is_new: bool,
    files: Vec<PathBuf>,
}

impl Drop for Partial<'_> {
    fn drop(&mut self) {
        // The error that led here is worth more to the user than another one of cleaning up.
        for path in &self.files {
            let _ = fs::remove_file(path);
        }
        if self.is_new {
            // Fails while files of other processes are there. The last of them removes it.
            let _ = fs::remove_dir(self.folder);
        }
    }
}

/// Returns a column whose numbers are these bytes.
fn weights_of(kind: DatumKind, numbers: &Numbers) -> Weights {
    let numbers = WeightSlice::from_bytes(kind, numbers.bytes());
    numbers.expect("words are aligned for numbers").to_weights()
}
