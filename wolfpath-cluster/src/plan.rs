//! Memory and messages of each process of a cluster in a run, counted on one machine from the shards.

use std::num::NonZeroU16;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, WeightChoice, visit_neighbours};
use wolfpath_core::program::{EdgeProgram, Starts};
use wolfpath_runtime::part::{Gathered, PartNeeds, PartRun, PartSize};
use wolfpath_runtime::{PlanError, RunOptions, Schedule};

use crate::error::ShardError;
use crate::net::{CONNECTION_BYTES, ClusterError};
use crate::part::{Division, Owners, Remote, Shares, directions_of, process_of};
use crate::shards::{Shard, ShardRow, Shards, ids_in};

/// Number of times that the bytes of a message are in memory at once: as the run reads or writes them, and in the buffers of
/// a connection.
const COPIES: u64 = 2;

/// Memory and messages of one process in a run. All sizes are in bytes; what it sends and receives is that of a step in which all
/// vertices take part.
///
/// Memory is not counted if its size depends on none of the numbers of vertices, edges, mirrors and connections. Neither are
/// the inputs of programs, and arrays that exist for a moment only: pieces of rows and names of mirrors as they arrive while
/// shards are loaded, columns before they are in their places, weights while they are converted, and the trees that process 0
/// joins in union-find.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Shards};
/// use wolfpath::graph::WeightChoice;
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
/// let program = bfs::starting_at(17);
/// let plan = shards.plan(&program, NonZeroU16::MIN, WeightChoice::Input, &RunOptions::new())?;
/// let alone = plan.processes()[0];
/// assert_eq!((alone.vertices, alone.edges, alone.mirrors, alone.sent_bytes), (3, 2, 0, 0));
/// assert_eq!(alone.mapped_bytes, shards.bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessPlan {
    /// Number of its own vertices.
    pub vertices: u64,
    /// Number of edges in the rows over which it gathers: those of its vertices, or the pieces that its shards have, if processes
    /// gather them for each other. Rows of both directions count if messages travel in both.
    pub edges: u64,
    /// Number of vertices of other processes of which it has mirrors.
    pub mirrors: u64,
    /// Number of mirrors of its own vertices that other processes have.
    pub mirrored: u64,
    /// Size of its shards' files, which are mapped into memory. The system can drop these pages and read them again.
    pub mapped_bytes: u64,
    /// Size of its rows with all columns, of the transpose along which vertices send unless all of them send in every step,
    /// of weights as the program reads them, and of what is needed for a moment to count common neighbours or to find places of
    /// edges.
    pub row_bytes: u64,
    /// Size of ids, ranks and degrees of its vertices and mirrors, and of the lists of mirrors.
    pub name_bytes: u64,
    /// Size of values, combined messages, worklists, and other arrays with an element or a bit per vertex. Worklists and values
    /// that may be missing count with the most that they can take.
    pub value_bytes: u64,
    /// Size of what it sends and receives in a step in which all vertices take part, in the run and in connections, and of the
    /// buffers of connections, which stay allocated. If the program counts common neighbours, the batches of rows that are
    /// exchanged before take more.
    pub message_bytes: u64,
    /// Number of bytes that it sends to other processes in such a step: values of vertices with mirrors, what it has gathered
    /// over pieces of rows for others, and folds of blocks if the program has an aggregate. If few vertices send, or vertices
    /// without edges never compute, it sends fewer.
    pub sent_bytes: u64,
    /// Number of bytes that it receives from other processes in such a step.
    pub received_bytes: u64,
    /// Size of the state that it copies for a [checkpoint](crate::Checkpoints), which is not included in
    /// [`memory_bytes`](Self::memory_bytes). It is in memory twice while it is copied, and then once until it is on the disk.
    /// 0 if the run has no steps.
    pub checkpoint_bytes: u64,
}

impl ProcessPlan {
    /// Returns the sum of the sizes in memory: rows, names, values and messages. The mapped files of shards are not included.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::WeightChoice;
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::Components;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let plan = shards.plan(&Components, NonZeroU16::MIN, WeightChoice::Input, &RunOptions::new())?;
    /// let alone = plan.processes()[0];
    /// assert!(alone.memory_bytes() > alone.row_bytes + alone.value_bytes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn memory_bytes(&self) -> u64 {
        self.row_bytes + self.name_bytes + self.value_bytes + self.message_bytes
    }
}

/// Memory and messages of all processes of a cluster in a run.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Shards};
/// use wolfpath::graph::WeightChoice;
/// use wolfpath::prelude::*;
/// use wolfpath::programs::PageRank;
///
/// let folder = tempfile::tempdir()?;
/// let ring = LayeredGraph::from_edges((0..8192).map(|v| (v, (v + 1) % 8192)))?;
/// let two = NonZeroU16::new(2).unwrap();
/// let shards = Shards::write(&ring, &Deal::new(&ring, two)?, folder.path())?;
/// let program = PageRank { damping: 0.85, tolerance: 1e-6 };
/// let plan = shards.plan(&program, two, WeightChoice::Input, &RunOptions::new())?;
/// for process in plan.processes() {
///     assert_eq!((process.vertices, process.edges), (4096, 4096));
///     assert!(process.mirrors <= 4, "one at the start of each block");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClusterPlan {
    schedule: Schedule,
    processes: Vec<ProcessPlan>,
}

impl ClusterPlan {
    /// Returns the schedule of the run, unless its `start` returns NaN.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Returns what each process needs, in the order of their numbers.
    pub fn processes(&self) -> &[ProcessPlan] {
        &self.processes
    }
}

/// Error of planning a run on a cluster.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{ClusterPlanError, Deal, Shards};
/// use wolfpath::graph::WeightChoice;
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
/// let plan = |source, processes| {
///     let (bfs, processes) = (bfs::starting_at(source), NonZeroU16::new(processes).unwrap());
///     shards.plan(&bfs, processes, WeightChoice::Input, &RunOptions::new())
/// };
/// assert!(matches!(plan(99, 1), Err(ClusterPlanError::Program(_))), "vertex 99 is unknown");
/// assert!(matches!(plan(17, 2), Err(ClusterPlanError::Cluster(_))), "there is one shard");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ClusterPlanError {
    /// The processes cannot share the shards, or a shard is missing or damaged.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The processes cannot share runs of the program, or the graph does not have a source or a column that it reads.
    #[error(transparent)]
    Program(#[from] PlanError),
}

impl From<ShardError> for ClusterPlanError {
    fn from(error: ShardError) -> ClusterPlanError {
        ClusterPlanError::Cluster(error.into())
    }
}

impl Shards {
    /// Predicts how much memory each of the `processes` processes of a cluster will need, and how much it will send. All shards
    /// must be in the folder. They are verified, and their rows are read as often as there are processes, but nothing is loaded
    /// or connected.
    ///
    /// The weights of the input are those of the column that the options or the [shards](Self::with_weight_column) name. The plan
    /// is that of the first run of a [`ClusterGraph`](crate::ClusterGraph) with these weights. If it also runs programs
    /// that gather in another direction, it keeps the rows for these, too.
    ///
    /// # Errors
    /// Returns an error if there are fewer shards than processes, if a shard is missing or damaged, if several processes cannot
    /// share runs of the program with these options, or if the graph lacks a source or a column that the program names. Negative
    /// weights are found only by a run.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::WeightChoice;
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let ring = LayeredGraph::from_edges((0..8192).map(|v| (v, (v + 1) % 8192)))?;
    /// let shards = Shards::write(&ring, &Deal::new(&ring, NonZeroU16::new(4).unwrap())?, folder.path())?;
    /// let two = NonZeroU16::new(2).unwrap();
    /// let plan = shards.plan(&bfs::starting_at(0), two, WeightChoice::Input, &RunOptions::new())?;
    /// let [one, other] = plan.processes() else { panic!("there are two processes") };
    /// assert_eq!((one.mirrored, one.sent_bytes), (other.mirrors, other.received_bytes));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan<P: EdgeProgram>(
        &self,
        program: &P,
        processes: NonZeroU16,
        weights: WeightChoice,
        options: &RunOptions,
    ) -> Result<ClusterPlan, ClusterPlanError> {
        let processes = usize::from(processes.get());
        self.check_processes(processes)?;
        let whole = self.whole();
        let weights = whole.weights_of(self.weights(weights), options).map_err(PlanError::from)?;
        let schedule = PartRun::planned_schedule(program, &whole, weights, options)?;
        let all = self.open_all()?;
        check_sources(program, &all)?;
        let shares_of =
            |me| Shares::of(all.iter().filter(|shard| process_of(shard.number(), processes) == me));
        let shares: Vec<Shares> = (0..processes).map(shares_of).collect();
        let gathered = Shares::choose(&shares, whole.gathered::<P>(weights));
        let counted = |me| Counted { shards: self, all: &all, owners: Owners::new(self, me, processes) };
        let places = P::ORIENTED.then(|| places(self, &all, (0..processes).map(counted)));
        let size = |me| counted(me).size(gathered, places.as_deref());
        let mut sizes = (0..processes).into_par_iter().map(size).collect::<Result<Vec<PartSize>, _>>()?;
        for me in 0..processes {
            sizes[me].mirrored = sizes.iter().map(|other| other.mirrors[me]).collect();
        }
        let needs = |(process, size)| PartRun::<P>::needs(schedule, process, size, &whole, weights);
        let needs: Vec<PartNeeds> = sizes.iter().enumerate().map(needs).collect();
        let process = |me: usize| {
            let (size, own) = (&sizes[me], &needs[me]);
            let own_shards = (0..self.num_shards()).filter(|&shard| process_of(shard, processes) == me);
            let sent_bytes = own.sent.iter().sum::<u64>();
            let received_bytes = needs.iter().map(|other| other.sent[me]).sum::<u64>();
            ProcessPlan {
                vertices: size.own.into(),
                edges: size.edges.iter().sum(),
                mirrors: size.mirrors.iter().sum(),
                mirrored: size.mirrored.iter().sum(),
                mapped_bytes: own_shards.map(|shard| self.bytes_of(shard)).sum(),
                row_bytes: own.rows,
                name_bytes: own.names + Owners::bytes(self),
                value_bytes: own.values,
                // Rows are exchanged before the first step.
                message_bytes: COPIES * (sent_bytes + received_bytes).max(own.batches)
                    + (CONNECTION_BYTES * (processes - 1)) as u64,
                sent_bytes,
                received_bytes,
                checkpoint_bytes: PartRun::<P>::kept_bytes(schedule, size.own),
            }
        };
        Ok(ClusterPlan { schedule, processes: (0..processes).map(process).collect() })
    }
}

/// Checks that all sources of a program are vertices of these shards.
fn check_sources<P: EdgeProgram>(program: &P, all: &[Shard]) -> Result<(), PlanError> {
    if P::MODEL.starts != Starts::Sources {
        return Ok(());
    }
    let named: Vec<u64> = program.sources().iter().map(|&(id, _)| id).collect();
    let found = ids_in(all, &named);
    match named.iter().find(|&id| !found.contains(id)) {
        Some(&id) => Err(PlanError::UnknownSource { id }),
        None => Ok(()),
    }
}

/// Returns the place of each vertex in the order of numbers of neighbours, and then of ranks.
fn places<'a>(shards: &Shards, all: &[Shard], counted: impl Iterator<Item = Counted<'a>>) -> Vec<(u64, u32)> {
    let mut places = vec![(0, 0); shards.num_vertices() as usize];
    counted.for_each(|counted| counted.visit_neighbours(|v, row| places[v as usize].0 = row.len() as u64));
    for shard in all {
        for (vertex, &rank) in shard.vertices().zip(shard.ranks()) {
            places[vertex as usize].1 = rank;
        }
    }
    places
}

/// The shards, as they are counted for one process.
struct Counted<'a> {
    shards: &'a Shards,
    all: &'a [Shard],
    owners: Owners,
}

impl Counted<'_> {
    /// Returns the size of the process's part with these rows. Vertices have `places` if runs are oriented. The size lacks
    /// what other processes mirror.
    fn size(&self, gathered: Gathered, places: Option<&[(u64, u32)]>) -> Result<PartSize, ClusterError> {
        let directions = directions_of(gathered, self.shards);
        let in_pieces = matches!(gathered, Gathered::Edges { pieces: true, .. });
        let edges = |direction| {
            let is_used = directions.contains(&direction);
            let pieces = is_used.then(|| self.gathered_pieces(direction, in_pieces)).into_iter().flatten();
            pieces.map(|(_, row)| row.edges.len() as u64).sum::<u64>()
        };
        let division = in_pieces.then(|| Division::of(self.own_shards(), &self.owners, &directions));
        let (receivers, pieces) = division
            .map_or_else(Default::default, |division| (division.pieces.receivers, division.pieces.held_for));
        let ends = directions.iter().flat_map(|&direction| {
            let pieces = self.gathered_pieces(direction, in_pieces);
            pieces.map(move |(shard, row)| &shard.ends(direction)[row.edges])
        });
        let ends = ends.chain(std::iter::once(receivers.as_slice()));
        let remote = Remote::of(ends, self.shards.num_vertices(), &self.owners);
        remote.first_mirror(&self.owners)?;
        let mut mirrors = vec![0; self.owners.processes()];
        remote.vertices().for_each(|vertex| mirrors[self.owners.place_of(vertex).0] += 1);
        let (mut neighbours, mut earlier) = (0, 0);
        if gathered == Gathered::Neighbours {
            self.visit_neighbours(|v, row| {
                neighbours += row.len() as u64;
                let place = |v: u32| places.map(|places| places[v as usize]);
                earlier += row.iter().filter(|&&end| place(end) < place(v)).count() as u64;
            });
        }
        let edges = match gathered {
            Gathered::Edges { .. } => [Direction::Out, Direction::In].map(edges),
            Gathered::Neighbours => [0, if places.is_some() { earlier } else { neighbours }],
        };
        let own = self.owners.num_own();
        Ok(PartSize { own, edges, neighbours, pieces, mirrored: Vec::new(), mirrors })
    }

    /// Calls `visit(vertex, neighbours)` for each of the process's vertices, with its distinct neighbours in ascending order.
    fn visit_neighbours(&self, mut visit: impl FnMut(u32, &[u32])) {
        let mut out = self.in_order(Direction::Out);
        let mut inward = match self.shards.has_in_rows() {
            true => self.in_order(Direction::In),
            false => Vec::new(),
        };
        // The rows of later vertices come first, so that the next ones are removed from the end.
        [&mut out, &mut inward].into_iter().for_each(|rows| rows.reverse());
        let (mut row, mut in_row, mut merged) = (Vec::new(), Vec::new(), Vec::new());
        for vertex in self.owners.vertices(self.shards.num_vertices()) {
            for (rows, row) in [(&mut out, &mut row), (&mut inward, &mut in_row)] {
                row.clear();
                while let Some((_, _, ends)) = rows.pop_if(|(of, ..)| *of == vertex) {
                    row.extend_from_slice(ends);
                }
            }
            merged.clear();
            visit_neighbours(vertex, &row, &in_row, |end, _| merged.push(end));
            visit(vertex, &merged);
        }
    }

    /// Returns the pieces of the rows of the process's vertices in ascending order: vertex, first edge, and ends.
    fn in_order(&self, direction: Direction) -> Vec<(u32, u64, &[u32])> {
        let pieces = self
            .pieces(direction)
            .map(|(shard, ShardRow { vertex, first, edges })| (vertex, first, &shard.ends(direction)[edges]));
        let mut pieces: Vec<(u32, u64, &[u32])> = pieces.collect();
        pieces.par_sort_unstable();
        pieces
    }

    /// Returns the pieces of rows over which the process gathers: those that it has, or those of its vertices.
    fn gathered_pieces(
        &self,
        direction: Direction,
        in_pieces: bool,
    ) -> impl Iterator<Item = (&Shard, ShardRow)> {
        let of_own = (!in_pieces).then(|| self.pieces(direction));
        let here = in_pieces.then(|| {
            self.own_shards().flat_map(move |shard| shard.rows(direction).map(move |row| (shard, row)))
        });
        of_own.into_iter().flatten().chain(here.into_iter().flatten())
    }

    fn own_shards(&self) -> impl Iterator<Item = &Shard> + Clone {
        self.all.iter().filter(|shard| self.owners.is_of_this(shard.number()))
    }

    /// Returns the pieces of the rows of the process's vertices: in its own shards, and as guests in others.
    fn pieces(&self, direction: Direction) -> impl Iterator<Item = (&Shard, ShardRow)> {
        self.all.iter().flat_map(move |shard| {
            let is_own = self.owners.is_of_this(shard.number());
            let own = is_own.then(|| shard.own_rows(direction)).into_iter().flatten();
            let guests = shard.guest_rows(direction).filter(|row| self.owners.own(row.vertex).is_some());
            own.chain(guests).map(move |row| (shard, row))
        })
    }
}
