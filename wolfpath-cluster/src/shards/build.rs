//! Sharding by the processes of a cluster, for graphs that are too large for any one of them.
//!
//! 1. Each process reads its part of the text. Together they find all ids, and the types of columns.
//! 2. Each line goes to the owners of its two vertices: the vertices of a process are those whose rank, divided by the number
//!    of processes, leaves its number. A process then has all lines between a vertex of its own and any other, in input order,
//!    so it finds duplicates and missing opposites without asking others.
//! 3. They find the layered order ([`order`]).
//! 4. Each row is sorted by its owner, and sent to the processes that write the shards which have it ([`rows`]).
//!
//! Edges travel in rounds of bounded size ([`team`]). Every process has the ids, degrees and order of all vertices, but only
//! its own edges. All processes know every fact that decides on further exchanges, and every error.

mod order;
mod rows;
mod team;

use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use wolfpath_core::assemble::{Layers, Named, Number, Piece, Root, WeightBuilder, choose_root, grow};
use wolfpath_core::edge_list::{Duplicates, EdgeList, EdgeListError, Symmetry, VertexIds};
use wolfpath_core::graph::Direction;
use wolfpath_core::program::DatumKind;
use wolfpath_core::progress::{Progress, Stage};
use wolfpath_core::random::hash;
use wolfpath_core::store::graph_header::{GraphHeader, SYMMETRIC, SYMMETRIC_COLUMNS, SYMMETRIC_ORDER};
use wolfpath_core::weights::{WeightSlice, Weights};
use wolfpath_io::load::part::{EdgeListPart, Finished, PartColumn, added_note, loops_note, merged_note};
use wolfpath_io::load::{LoadError, LoadOptions, Policy, rounding};
use wolfpath_runtime::part::{Message, put};

use super::format::Listed;
use super::write::{self, Layout, Manifest, Writer};
use super::{MANIFEST_NAME, Shards, shard_path};
use crate::deal::Deal;
use crate::error::{BuildError, ShardError};
use crate::net::Cluster;
use crate::part::{Numbers, process_of};
use order::Search;
use rows::{Dealt, Flags, OwnRows};
use team::Team;

impl Shards {
    /// Shards a text edge list on a cluster, without any process ever having all edges. All processes must call this together,
    /// with the same options and number of shards. Each passes the same input and the same folder, which must be accessible
    /// to all. The files are those that [`write`](Self::write) would write on one machine, byte for byte.
    ///
    /// The input must be an uncompressed edge list (`.el .wel .txt .tsv .csv`), of which each process reads a part.
    ///
    /// # Errors
    /// Every process returns an error if one of them fails: for an input that is invalid, of another format or compressed, for
    /// a folder that contains other files or cannot be written, for processes with different options, and if a process is lost.
    /// Files that were written before are removed, as far as the processes are alive; shards of an earlier build are lost. [`Duplicates::Sum`] is refused, since it depends on the order of all lines.
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
        Shards::build_on_with(cluster, input, options, shards, folder, &Progress::NONE)
    }

    /// Shards an edge list like [`build_on`](Self::build_on), and reports the progress of this process.
    ///
    /// # Errors
    /// Returns the errors of [`build_on`](Self::build_on).
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{BuildError, Cluster, ClusterConfig, Shards};
    /// use wolfpath::load::LoadOptions;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("roads.el");
    /// std::fs::write(&input, "17 5\n5 x\n")?;
    /// let mut cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let (options, output) = (LoadOptions::new(), folder.path().join("roads.shards"));
    /// let built = Shards::build_on_with(&mut cluster, &input, &options, NonZeroU16::MIN, &output, &Progress::NONE);
    /// assert!(matches!(built, Err(BuildError::Load(error)) if error.to_string().contains("line 2")));
    /// assert!(!output.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_on_with(
        cluster: &mut Cluster,
        input: impl AsRef<Path>,
        options: &LoadOptions,
        shards: NonZeroU16,
        folder: impl AsRef<Path>,
        progress: &Progress,
    ) -> Result<Shards, BuildError> {
        let peers = cluster.peers();
        let build = Build {
            team: Team(&peers),
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

/// The lines of this process, each with at least one vertex of its own, and what is known of all lines.
struct Lines {
    list: EdgeList,
    notes: Vec<String>,
}

impl Build<'_> {
    fn run(&self) -> Result<Shards, BuildError> {
        let team = self.team;
        self.compare()?;
        if self.options.treatments().0 == Duplicates::Sum {
            return Err(BuildError::Sums);
        }
        team.agree(write::check(self.folder).map_err(BuildError::from))?;
        let Lines { mut list, mut notes } = self.lines()?;
        self.progress.begin(Stage::Order, Some(list.num_vertices().into()));
        let degrees = rows::degrees(team, &list)?;
        let mut search = Search::new(team, &list, &degrees, self.progress);
        let root = choose_root(&search, |rank| list.ids().id(rank))?;
        let layers = grow(&mut search, root.as_ref().map(|root| root.rank))?;
        let order = search.into_order();
        let columns = self.stored_columns(list.take_columns())?;
        let own = OwnRows::new(team, &list, &order);
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

    /// Reads the input, and sends each line to the owners of its vertices.
    fn lines(&self) -> Result<Lines, BuildError> {
        let team = self.team;
        let read = EdgeListPart::read(self.input, self.options, team.me(), team.processes(), self.progress);
        let lines = read.as_ref().map_or(0, EdgeListPart::lines);
        let before = team.before_and_all(lines)?.0;
        let part = team.agree(read.map_err(|error| BuildError::Load(error.after_lines(before))))?;
        team.compare(&[("length of the input in bytes", part.file_bytes().to_string())])?;
        let (first, edges) = team.before_and_all(part.num_edges())?;
        let is_weighted = team.any(part.is_weighted())?;
        let Finished { pieces, columns, mut notes } = part.finish(edges, is_weighted);
        let columns = self.typed(&pieces, columns, first, &mut notes)?;
        self.progress.begin(Stage::Number, None);
        let ids = self.ids(&pieces, &mut notes)?;
        let (sources, targets) = ranks(pieces, &ids);
        let list = rows::sent_to_owners(team, ids, (sources, targets), columns)?;
        self.treated(list, edges, notes)
    }

    /// Gives each column the type that all of its numbers need. `first` is the position of this process's first edge.
    fn typed(
        &self,
        pieces: &[Piece],
        columns: Vec<PartColumn>,
        first: u64,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Named<Weights>>, BuildError> {
        let own = pieces.iter().map(Piece::len).sum();
        let mut typed = Vec::with_capacity(columns.len());
        for PartColumn { name, plural, numbers } in columns {
            let inexact = WeightBuilder::first_inexact(&numbers);
            let mut told = Vec::new();
            numbers
                .iter()
                .flat_map(WeightBuilder::extremes)
                .for_each(|number| put_extreme(&mut told, number));
            let heard = self.team.tell_all(told)?;
            let extremes: Vec<Number> = heard.iter().flat_map(|told| extremes_in(told)).collect();
            let numbers = WeightBuilder::joined_among(&extremes, numbers, own);
            let numbers = numbers.unwrap_or(Weights::U32(Vec::new()));
            // Integers are rounded only if a fraction, or a number beyond 64 bits, makes all of them floats.
            let inexact = inexact.filter(|_| numbers.kind().is_float());
            let mut told = Vec::new();
            if let Some((source, target)) = inexact.and_then(|position| edge_at(pieces, position)) {
                let position = first + inexact.unwrap_or(0) as u64;
                [position, source, target].into_iter().for_each(|number| put(&mut told, number));
            }
            let heard = self.team.tell_all(told)?;
            let edges = heard.iter().filter_map(|told| {
                let mut told = Message(told);
                Some((told.u64()?, (told.u64()?, told.u64()?)))
            });
            if let Some((position, ends)) = edges.min() {
                notes.push(rounding(self.input, self.options, &plural, position, ends)?);
            }
            typed.push(Named { name, numbers });
        }
        Ok(typed)
    }

    /// Returns the ids of all vertices. Each id is first told to one process, which knows then whether others have told it.
    fn ids(&self, pieces: &[Piece], notes: &mut Vec<String>) -> Result<VertexIds, BuildError> {
        let mut own = Vec::new();
        for piece in pieces {
            piece.visit(|source, target| own.extend([source, target]));
        }
        let own = distinct(own);
        let processes = self.team.processes();
        let keeper = |id: u64| (hash(0, id) % processes as u64) as usize;
        let kept = distinct(self.team.spread(&own, |id| keeper(id)..keeper(id) + 1)?);
        let all = distinct(self.team.spread(&kept, |_| 0..processes)?);
        let many = |source| LoadError::Vertices { path: self.input.to_owned(), source };
        let found = all.len() as u64;
        let ids = VertexIds::from_sorted(all);
        let ids = ids.ok_or_else(|| many(EdgeListError::TooManyVertices { found }))?;
        let added = self.options.added_vertices().iter().copied();
        let more = distinct(added.filter(|&id| ids.rank(id).is_none()).collect());
        notes.extend(added_note(more.len() as u64));
        if more.is_empty() {
            return Ok(ids);
        }
        Ok(ids.with_more(&more).map_err(many)?.0)
    }

    /// Applies the options to the lines of all processes, of which there are `edges`.
    fn treated(&self, mut list: EdgeList, edges: u64, mut notes: Vec<String>) -> Result<Lines, BuildError> {
        let team = self.team;
        if self.options.is_undirected() {
            list = list.undirected();
            // A line is missing its opposite if it is missing where either of its vertices is.
            let doubled = team.any(list.symmetry() == Symmetry::Doubled)?;
            list = list.with_symmetry(if doubled { Symmetry::Doubled } else { Symmetry::Found });
            if !doubled && edges > 0 {
                notes.push(
                    "the file already contains both directions of every edge: they were not added again"
                        .to_owned(),
                );
            }
        }
        let (duplicates, self_loops) = self.options.treatments();
        let (_, loops) = team.before_and_all(list.num_self_loops())?;
        notes.extend(loops_note(self_loops, loops));
        if self_loops == Policy::Drop {
            list = list.without_self_loops();
        }
        if duplicates != Duplicates::Keep {
            let before = rows::own_edges(team, &list);
            let failed = |source| LoadError::Duplicates { path: self.input.to_owned(), source }.into();
            list = team.agree(list.merged(duplicates).map_err(failed))?;
            let (_, gone) = team.before_and_all(before - rows::own_edges(team, &list))?;
            notes.extend(merged_note(duplicates, gone));
        }
        Ok(Lines { list, notes })
    }

    /// Gives each column the type in which graphs store it.
    fn stored_columns(&self, columns: Vec<Named<Weights>>) -> Result<Vec<Named<Weights>>, BuildError> {
        let mut told = Vec::new();
        columns
            .iter()
            .for_each(|column| put(&mut told, column.numbers.slice().max_integer().unwrap_or(u64::MAX)));
        let heard = self.team.tell_all(told)?;
        let largest = |at: usize| {
            let of = |told: &Vec<u8>| Message(told.get(8 * at..).unwrap_or_default()).u64();
            heard.iter().filter_map(of).max()
        };
        let stored = columns.into_iter().enumerate().map(|(at, Named { name, numbers })| Named {
            name,
            numbers: numbers.for_graph_up_to(largest(at)),
        });
        Ok(stored.collect())
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
            for &shard in &own_shards {
                let path = shard_path(self.folder, shard);
                partial.files.push(path.clone());
                listed.push(writer.write_shard(&dealt, shard, &path)?);
                self.progress.advance(writer.bytes_of(shard));
            }
            Ok::<(), ShardError>(())
        };
        let wrote = wrote();
        team.agree(wrote.map_err(BuildError::from))?;
        let heard = team.tell_all(bytemuck::cast_slice(&listed).to_vec())?;
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
    fn listed(&self, heard: &[Vec<u8>]) -> Result<Vec<Listed>, ShardError> {
        let shards = self.shards.get();
        let mut listed = Vec::with_capacity(shards.into());
        for shard in 0..shards {
            let path = shard_path(self.folder, shard);
            let of = &heard[process_of(shard, heard.len())];
            let at = usize::from(shard) / heard.len() * size_of::<Listed>();
            let found = of.get(at..at + size_of::<Listed>()).filter(|_| path.is_file());
            let Some(found) = found else { return Err(ShardError::Missing { path, shard, shards }) };
            listed.push(bytemuck::pod_read_unaligned(found));
        }
        Ok(listed)
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
        let mut next = 0;
        let ends = self.order.iter().map(|&rank| {
            next += self.degrees[rank as usize][at];
            next
        });
        [0].into_iter().chain(ends).collect()
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

/// Returns the ranks of sources and targets.
fn ranks(pieces: Vec<Piece>, ids: &VertexIds) -> (Vec<u32>, Vec<u32>) {
    let rank = |id| ids.rank(id).expect("the ids of all edges are known");
    let of = |piece: Piece| {
        let mut ends = Vec::with_capacity(piece.len());
        piece.visit(|source, target| ends.push((source, target)));
        ends.into_iter().map(|(source, target)| (rank(source), rank(target))).collect::<Vec<_>>()
    };
    pieces.into_par_iter().map(of).collect::<Vec<_>>().into_iter().flatten().unzip()
}

/// Returns the ids of the source and the target of an edge.
fn edge_at(pieces: &[Piece], mut position: usize) -> Option<(u64, u64)> {
    for piece in pieces {
        if position < piece.len() {
            let (mut at, mut found) = (0, None);
            piece.visit(|source, target| {
                if at == position {
                    found = Some((source, target));
                }
                at += 1;
            });
            return found;
        }
        position -= piece.len();
    }
    None
}

fn distinct(mut ids: Vec<u64>) -> Vec<u64> {
    ids.par_sort_unstable();
    ids.dedup();
    ids
}

fn put_extreme(message: &mut Vec<u8>, number: Number) {
    match number {
        Number::Integer(integer) => {
            message.push(0);
            message.extend(integer.to_le_bytes());
        }
        Number::Float(float) => {
            message.push(1);
            message.extend(i128::from(float.to_bits()).to_le_bytes());
        }
    }
}

fn extremes_in(message: &[u8]) -> impl Iterator<Item = Number> + '_ {
    message.chunks_exact(17).filter_map(|bytes| {
        let (kind, bits) = bytes.split_first()?;
        let bits = i128::from_le_bytes(bits.try_into().ok()?);
        Some(if *kind == 0 { Number::Integer(bits) } else { Number::Float(f64::from_bits(bits as u64)) })
    })
}

/// Returns a column whose numbers are these bytes.
fn weights_of(kind: DatumKind, numbers: &Numbers) -> Weights {
    let numbers = WeightSlice::from_bytes(kind, numbers.bytes());
    numbers.expect("words are aligned for numbers").to_weights()
}
