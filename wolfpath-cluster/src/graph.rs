//! A graph whose shards the processes of a cluster have loaded.

use std::fmt;
use std::sync::Arc;

use wolfpath_core::graph::{LengthBound, WeightChoice};
use wolfpath_core::program::EdgeProgram;
use wolfpath_runtime::part::{
    Gathered, GraphPart, Message, PartRun, PeerError, Peers, RunWeights, WholeGraph, put,
};
use wolfpath_runtime::{OutcomeError, PlanError, RunError, RunOptions};

use crate::net::{Cluster, ClusterError};
use crate::outcome::ShardOutcome;
use crate::part::{Builder, Owners, Shares, process_of};
use crate::predecessors::ShardPredecessors;
use crate::shards::{Shard, Shards, ids_in};

/// A graph whose shards the processes of a cluster have loaded, each some of them. Every process runs the same programs over
/// it, in the same order, and gets the values of its own vertices. They are those of a run on one machine, bit for bit, except for
/// sums of floats in [portions](EdgeProgram::ACCUMULATES), which are within the same tolerance.
///
/// A run goes step by step. Between steps, each process tells the values of those of its vertices that send to the
/// processes that have edges from them.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
/// // A cluster of one process.
/// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
/// let mut graph = cluster.load(shards)?;
/// let depths = graph.run(&bfs::starting_at(17))?;
/// assert_eq!((depths.value(6)?, depths.steps()), (Some(2), 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ClusterGraph {
    cluster: Cluster,
    shards: Shards,
    whole: WholeGraph,
    own: Vec<Shard>,
    owners: Owners,
    weights: RunWeights,
    /// Shares of all processes in the edges, found when a run could gather in pieces.
    shares: Option<Vec<Shares>>,
    /// The parts of this process, by the rows that they have.
    parts: Vec<(Gathered, Arc<GraphPart>)>,
}

impl fmt::Debug for ClusterGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterGraph")
            .field("process", &self.cluster.process())
            .field("processes", &self.cluster.processes())
            .field("shards", &self.shards.folder())
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// Opens the shards of this process, and verifies them. Of *n* processes, process *p* has the shards *p*, *p* + *n*,
    /// *p* + 2*n*, and so on. All processes must call this with shards of the same graph.
    ///
    /// # Errors
    /// Returns an error if there are fewer shards than processes, if a shard of this process is missing or damaged, or if
    /// another process has shards of another graph or build. The other processes then get an error, too.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, ClusterError, Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// std::fs::remove_file(folder.path().join("0000.shard"))?;
    /// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// assert!(matches!(cluster.load(shards), Err(ClusterError::Shards(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(mut self, shards: Shards) -> Result<ClusterGraph, ClusterError> {
        let (me, processes) = (self.process(), self.processes());
        shards.check_processes(processes)?;
        let identity = shards.identity();
        let heard = self.exchange(vec![identity.clone(); processes])?;
        if let Some(process) = heard.iter().position(|other| *other != identity) {
            let error = ClusterError::Mismatch {
                peer: format!("process {process}"),
                found: "has shards of another graph or build".to_owned(),
                expected: format!("those of {}", shards.folder().display()),
            };
            self.abort(&error.to_string());
            return Err(error);
        }
        let numbers = (0..shards.num_shards()).filter(|&shard| process_of(shard, processes) == me);
        let own = numbers.map(|shard| shards.open_shard(shard)).collect::<Result<Vec<_>, _>>();
        let own = own.map_err(ClusterError::from).inspect_err(|error| self.abort(&error.to_string()))?;
        // Each process knows that all others have their shards before it begins to run.
        self.exchange(vec![Vec::new(); processes])?;
        let (owners, whole) = (Owners::new(&shards, me, processes), shards.whole());
        let weights = shards.weights(WeightChoice::Input);
        let (shares, parts) = (None, Vec::new());
        Ok(ClusterGraph { cluster: self, shards, whole, own, owners, weights, shares, parts })
    }
}

impl ClusterGraph {
    /// Returns the same graph with other weights. All processes must make the same choice. The input's weights are those of
    /// the column that the [shards](Shards::with_weight_column) chose, if they did.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::graph::WeightChoice;
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::sssp;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30u32), (5, 6, 10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let mut graph = cluster.load(shards)?;
    /// assert_eq!(graph.run(&sssp::starting_at(17))?.value(6)?, Some(40));
    /// let mut hops = graph.with_weights(WeightChoice::Unit);
    /// assert_eq!(hops.run(&sssp::starting_at(17))?.value(6)?, Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_weights(self, weights: WeightChoice) -> ClusterGraph {
        let weights = self.shards.weights(weights);
        ClusterGraph { weights, ..self }
    }

    /// Returns the shards.
    pub fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns the cluster, for exchanges of the caller's own between runs.
    pub fn cluster_mut(&mut self) -> &mut Cluster {
        &mut self.cluster
    }

    /// Returns the number of this process, from 0.
    pub fn process(&self) -> usize {
        self.cluster.process()
    }

    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.cluster.processes()
    }

    /// Runs a program until nothing changes. All processes must run the same program, with the same parameters.
    ///
    /// # Errors
    /// Returns the errors of [`run_with`](Self::run_with).
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::Components;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (3, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let components = graph.run(&Components)?;
    /// assert_eq!((components.value(17)?, components.value(6)?), (Some(5), Some(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run<P: EdgeProgram>(&mut self, program: &P) -> Result<ShardOutcome<P>, RunError> {
        self.run_with(program, &RunOptions::new())
    }

    /// Runs a program with options. All processes must choose the same numbers of steps, but may have different numbers of
    /// threads. Only schedules can be requested that go step by step, union-find, and `frontier` for accumulating programs; the values of a run without an answer are
    /// not kept.
    ///
    /// A step of an accumulating program is two rounds, after which processes tell each other what their vertices have taken. A
    /// run [until vertices are settled](RunOptions::until_settled) ends before the first step in which no better value than
    /// theirs is sent.
    ///
    /// # Errors
    /// Returns an error if several processes cannot share runs of the program, and the errors of
    /// [`Engine::run_with`](wolfpath_runtime::Engine::run_with). If a process fails, all others return
    /// [`RunError::Peer`], and further runs on the same connections fail. Connections stay open after errors that all
    /// processes find at the same time: an unknown id of a source, an input or a vertex to settle, a refusal, and too many steps.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let cluster = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?;
    /// let one_step = RunOptions::new().steps_at_most(1);
    /// let depths = cluster.load(shards)?.run_with(&bfs::starting_at(17), &one_step)?;
    /// assert_eq!((depths.value(5)?, depths.value(6)?), (Some(1), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_with<P: EdgeProgram>(
        &mut self,
        program: &P,
        options: &RunOptions,
    ) -> Result<ShardOutcome<P>, RunError> {
        let (part, weights) = self.prepare(program, options)?;
        let peers = self.cluster.peers();
        let ran = PartRun { part: &part, peers: &peers, program, options, weights }.run()?;
        Ok(ShardOutcome::new(part, ran, None))
    }

    /// Checks that all processes run the same program with the same options, and returns the part of this one.
    pub(crate) fn prepare<P: EdgeProgram>(
        &mut self,
        program: &P,
        options: &RunOptions,
    ) -> Result<(Arc<GraphPart>, RunWeights), RunError> {
        if let Some(refusal) = PartRun::<P>::refusal(options) {
            return Err(refusal.into());
        }
        PartRun::compare(&self.cluster.peers(), program, options, self.weights)?;
        let weights = self.whole.weights_of(self.weights, options).map_err(PlanError::from)?;
        let part = self.part(self.whole.gathered::<P>(weights)).map_err(|error| RunError::Peer { error })?;
        Ok((part, weights))
    }

    /// Returns the predecessors of this process's own vertices: for each, the vertex that its value came from, as
    /// [`Outcome::predecessor`](wolfpath_runtime::Outcome::predecessor) would after the same run on one machine. All processes
    /// must call this together, with outcomes of the same run.
    ///
    /// The processes find all predecessors in one breadth-first pass, with one exchange per level, in which they tell the final
    /// values of the level's vertices.
    ///
    /// # Errors
    /// Returns [`OutcomeError::NoPaths`] if the program's values do not travel along single edges, and
    /// [`OutcomeError::Peer`] if the outcomes are not of the same run or a process has failed. Connections stay open unless
    /// a process has failed.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6), (17, 3), (3, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let depths = graph.run(&bfs::starting_at(17))?;
    /// assert_eq!(graph.predecessors(&depths)?.of(6)?, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn predecessors<P: EdgeProgram>(
        &mut self,
        outcome: &ShardOutcome<P>,
    ) -> Result<ShardPredecessors, OutcomeError> {
        outcome.predecessors(&self.cluster.peers())
    }

    /// Returns the path from a source to the vertex with this id, including both, or `None` if the vertex was not reached. The
    /// path is the chain of predecessors, and every process gets all of it. All processes must call this together, with the
    /// predecessors of the same run and the same id.
    ///
    /// There is one exchange each time that the path enters the vertices of another process.
    ///
    /// # Errors
    /// Returns [`OutcomeError::UnknownVertex`] if the graph has no such vertex, and [`OutcomeError::Peer`] if the processes ask
    /// for different paths or a process has failed. Connections stay open unless a process has failed.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6), (8, 17)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// let depths = graph.run(&bfs::starting_at(17))?;
    /// let predecessors = graph.predecessors(&depths)?;
    /// assert_eq!(graph.path_to(&predecessors, 6)?, Some(vec![17, 5, 6]));
    /// assert_eq!(graph.path_to(&predecessors, 8)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn path_to(
        &mut self,
        predecessors: &ShardPredecessors,
        id: u64,
    ) -> Result<Option<Vec<u64>>, OutcomeError> {
        predecessors.found().path_to(predecessors.part(), &self.cluster.peers(), id)
    }

    /// Returns, for each of these ids, whether the graph has a vertex with it. All processes must call this together, with the
    /// same ids.
    ///
    /// # Errors
    /// Returns [`RunError::Peer`] if a process has failed.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// assert_eq!(graph.contains(&[5, 99])?, [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(&mut self, ids: &[u64]) -> Result<Vec<bool>, RunError> {
        let own = ids_in(&self.own, ids);
        let told: Vec<u8> = ids.iter().map(|id| u8::from(own.contains(id))).collect();
        let heard = self.tell_all(told)?;
        Ok((0..ids.len()).map(|at| heard.iter().any(|told| told.get(at) == Some(&1))).collect())
    }

    /// Returns the ids of source and target of an edge with a negative weight, and the weight as text. All processes must call
    /// this together, and get the same edge.
    ///
    /// # Errors
    /// Returns [`RunError::Peer`] if a process has failed.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30i32), (5, 6, -10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// assert_eq!(graph.negative_weight()?, Some((5, 6, "-10".to_owned())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn negative_weight(&mut self) -> Result<Option<(u64, u64, String)>, RunError> {
        if !self.whole.may_be_negative(self.weights) {
            return Ok(None);
        }
        let part = self.part_of_all_edges()?;
        let mut told = Vec::new();
        if let Some((source, target, weight)) = part.negative_weight(self.weights) {
            put(&mut told, source);
            put(&mut told, target);
            told.extend(weight.into_bytes());
        }
        let edge = |message: &Vec<u8>| {
            let mut message = Message(message);
            let (source, target) = message.u64().zip(message.u64())?;
            Some((source, target, String::from_utf8_lossy(message.0).into_owned()))
        };
        Ok(self.tell_all(told)?.iter().find_map(edge))
    }

    /// Returns a bound on the values of a run that adds up weights along paths, as
    /// [`LayeredGraph::length_bound`](wolfpath_core::graph::LayeredGraph::length_bound) does. `first` is the largest value of a
    /// source, and `most` the largest sum that a value can have. All processes must call this together.
    ///
    /// # Errors
    /// Returns [`RunError::Peer`] if a process has failed.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Cluster, ClusterConfig, Deal, Shards};
    /// use wolfpath::graph::LengthBound;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30u32), (5, 6, 10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let mut graph = Cluster::connect(&ClusterConfig::new(0, ["127.0.0.1:0"]))?.load(shards)?;
    /// assert_eq!(graph.length_bound(0, 255)?, Some(LengthBound::SimplePaths { longest: 40 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn length_bound(&mut self, first: u64, most: u64) -> Result<Option<LengthBound>, RunError> {
        let part = self.part_of_all_edges()?;
        let peers = self.cluster.peers();
        part.length_bound(&peers, self.weights, first, most).map_err(|error| RunError::Peer { error })
    }

    /// Returns the cluster, for other graphs.
    pub fn into_cluster(self) -> Cluster {
        self.cluster
    }

    /// Returns a part with all edges to own vertices, over which most programs gather, so that it serves their runs, too.
    fn part_of_all_edges(&mut self) -> Result<Arc<GraphPart>, RunError> {
        let symmetric = self.whole.is_symmetric(self.weights);
        let gathered = |pieces| Gathered::Edges { out: symmetric, inward: !symmetric, pieces };
        // Each edge is in one process's part, in a piece or not.
        let has = |gathered| self.parts.iter().any(|(known, _)| *known == gathered);
        let gathered = if has(gathered(true)) { gathered(true) } else { gathered(false) };
        self.part(gathered).map_err(|error| RunError::Peer { error })
    }

    /// Sends a message to all processes, and returns those of all.
    pub(crate) fn tell_all(&mut self, message: Vec<u8>) -> Result<Vec<Vec<u8>>, RunError> {
        let messages = vec![message; self.processes()];
        self.cluster.exchange(messages).map_err(|error| RunError::Peer { error: Arc::new(error) })
    }

    /// Returns the part of this process for runs that gather over these rows.
    fn part(&mut self, gathered: Gathered) -> Result<Arc<GraphPart>, PeerError> {
        let peers = self.cluster.peers();
        let gathered = match (gathered, &mut self.shares) {
            (Gathered::Edges { pieces: true, .. }, None) => {
                let shares = Shares::of_all(&self.own, &peers);
                let shares = shares.inspect_err(|error| peers.abort(&error.to_string()))?;
                Shares::choose(self.shares.insert(shares), gathered)
            }
            (_, shares) => shares.as_ref().map_or(gathered, |shares| Shares::choose(shares, gathered)),
        };
        if let Some((_, part)) = self.parts.iter().find(|(known, _)| *known == gathered) {
            return Ok(part.clone());
        }
        let builder = Builder { shards: &self.shards, own: &self.own, owners: &self.owners, peers: &peers };
        let built = builder.build(&self.whole, gathered);
        // If another process has failed, this changes nothing.
        let part = Arc::new(built.inspect_err(|error| peers.abort(&error.to_string()))?);
        self.parts.push((gathered, part.clone()));
        Ok(part)
    }
}
