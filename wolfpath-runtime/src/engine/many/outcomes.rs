//! Results of many runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::EdgeProgram;

use super::sharing::Sharing;
use crate::cpu::Values;
use crate::cuda;
use crate::error::RunError;
use crate::outcome::Outcome;
use crate::stats::{End, StageTimes, Stats, Streamed};
use crate::trace::Trace;

/// Results of many runs: an [`Outcome`] for each run, created on request, and statistics of all runs together.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let many = Engine::auto().run_many(&graph, &[1, 2, 3].map(bfs::starting_at))?;
/// let reached: Vec<u64> = many.outcomes().map(|outcome| Ok(outcome?.read()?.reached())).collect::<wolfpath::Result<_>>()?;
/// assert_eq!(reached, [3, 2, 1]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub struct Many<P: EdgeProgram> {
    pub(super) runs: Vec<OneOf<P>>,
    pub(super) stats: ManyStats,
}

/// One of many runs.
pub(super) enum OneOf<P: EdgeProgram> {
    /// The outcome is complete.
    Whole(Box<Outcome<P>>),
    /// The outcome is built on request. `bit` is the run's number in the batch.
    Shared { batch: Arc<Shared<P>>, bit: u32, program: P },
}

/// Data shared by the runs of one batch.
pub(super) struct Shared<P: EdgeProgram> {
    pub(super) graph: LayeredGraph,
    pub(super) reached: cuda::Reached,
    /// Value of the vertices that were reached in step 0, 1, and so on.
    pub(super) values: Vec<P::Value>,
    pub(super) stats: Stats,
    pub(super) trace: Option<Trace>,
    /// Requested number of steps.
    pub(super) limit: u64,
}

/// Statistics of many runs together.
///
/// # Examples
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::programs::bfs;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let many = Engine::auto().run_many(&graph, &[1, 2].map(bfs::starting_at))?;
/// let stats = many.stats();
/// assert_eq!((stats.runs, stats.shared, stats.batches), (2, 2, 1));
/// println!("{:.1} times fewer edges, {:?} per run", stats.gained(), stats.time_a_run());
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ManyStats {
    /// Number of runs.
    pub runs: usize,
    /// Names of the engines that executed the runs, without duplicates, in alphabetical order.
    pub engines: Vec<String>,
    /// The parts into which the runs were divided: the number of runs in each part, and how they shared. They are in the
    /// order in which they ran, unless several devices executed them. Runs outside of a batch form parts of their own.
    pub parts: Vec<(usize, Sharing)>,
    /// Number of runs that shared reads of the graph. Each of the others ran by itself.
    pub shared: usize,
    /// Number of batches that the shared runs formed.
    pub batches: usize,
    /// Total number of steps of all batches and of all runs outside of a batch.
    pub steps: u64,
    /// Number of edge visits. A visit counts once, even if it serves several runs of a batch.
    pub edges: u64,
    /// Number of edge visits that the runs would need if each ran separately.
    ///
    /// - For a run in a batch of bits, this is the number of edges of all vertices that it reached. A separate run that
    ///   only pushes visits each of them once. A separate run that also pulls visits fewer, so the gain in time is
    ///   smaller than the gain in edges.
    /// - For a run in a batch of values stored together (abreast), this is the number of times that it sent along an
    ///   edge.
    pub edges_apart: u64,
    /// Number of kernel launches.
    pub launches: u64,
    /// Number of copies from host to device.
    pub host_to_device_copies: u64,
    /// Number of copies from device to host, without the copies for a batch's outcomes, which are made on request.
    pub device_to_host_copies: u64,
    /// Bytes of device memory of the batch or run that needed most.
    pub device_bytes: u64,
    /// Bytes of the arrays in host memory of the batch or run that read most of them in place.
    pub host_bytes: u64,
    /// Rows that were copied to the device during batches and single runs.
    pub streamed: Streamed,
    /// Times of the stages, summed over batches and single runs. If several devices execute runs at a time, the time of a
    /// stage is that of the device that took longest for it.
    pub times: StageTimes,
    /// Notes for the user, for example why runs did not share.
    pub notes: Vec<String>,
}

impl ManyStats {
    /// Returns the factor by which sharing reduced the number of edges visited: [`edges_apart`](Self::edges_apart)
    /// divided by [`edges`](Self::edges); 1 if nothing was shared.
    pub fn gained(&self) -> f64 {
        if self.edges == 0 { 1.0 } else { self.edges_apart as f64 / self.edges as f64 }
    }

    /// Returns the mean time per run: [`times`](Self::times)`.run` divided by [`runs`](Self::runs); zero if there were
    /// no runs.
    pub fn time_a_run(&self) -> Duration {
        match self.runs {
            0 => Duration::ZERO,
            runs => Duration::from_secs_f64(self.times.run.as_secs_f64() / runs as f64),
        }
    }

    /// Adds a run or a batch, except for its times. `apart` is the number of edge visits that its runs would need if each
    /// ran separately.
    pub(super) fn add(&mut self, stats: &Stats, apart: u64) {
        self.steps += stats.steps;
        self.edges += stats.edges;
        self.edges_apart += apart;
        self.launches += stats.launches;
        self.host_to_device_copies += stats.host_to_device_copies;
        self.device_to_host_copies += stats.device_to_host_copies;
        self.device_bytes = self.device_bytes.max(stats.device_bytes);
        self.host_bytes = self.host_bytes.max(stats.host_bytes);
        self.streamed.add(stats.streamed);
        stats.notes.iter().for_each(|note| self.note(note.clone()));
        if let Err(place) = self.engines.binary_search(&stats.engine) {
            self.engines.insert(place, stats.engine.clone());
        }
    }

    /// Adds a part: the number of its runs, and how they shared.
    pub(super) fn take_part(&mut self, runs: usize, sharing: Sharing) {
        if !matches!(sharing, Sharing::Alone(_)) {
            self.batches += 1;
            self.shared += runs;
        }
        self.parts.push((runs, sharing));
    }

    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl<P: EdgeProgram> std::fmt::Debug for Many<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Many")
            .field("program", &P::MODEL.name)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<P: EdgeProgram> Many<P> {
    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Returns `true` if there were no runs.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the statistics of all runs together.
    pub fn stats(&self) -> &ManyStats {
        &self.stats
    }

    /// Returns the outcome of one run, by its program's index in the list. Each call builds a new outcome. The first
    /// call for a batch copies the batch's results, which are a few bits per run and vertex, from the device to the
    /// host.
    ///
    /// For a run in a batch of bits, the number of steps is that of the run. For a run in a batch of values stored
    /// together (abreast), it is that of the batch. The edges, times and copies of a run in a batch are always those of
    /// the batch.
    ///
    /// # Errors
    ///
    /// Returns [`RunError::UnknownRun`] if there is no such run, and [`RunError::Device`] if the device cannot be read.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let many = Engine::auto().run_many(&graph, &[1, 2].map(bfs::starting_at))?;
    /// assert_eq!(many.outcome(1)?.value(3)?, Some(1));
    /// assert!(matches!(many.outcome(2), Err(RunError::UnknownRun { run: 2, runs: 2 })));
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn outcome(&self, run: usize) -> Result<Outcome<P>, RunError> {
        match self.runs.get(run) {
            None => Err(RunError::UnknownRun { run, runs: self.runs.len() }),
            Some(OneOf::Whole(outcome)) => Ok(outcome.duplicate()),
            Some(OneOf::Shared { batch, bit, program }) => batch.outcome(program, *bit),
        }
    }

    /// Returns every vertex with its value in one run, ascending by id, like
    /// [`OutcomeValues::iter`](crate::OutcomeValues::iter), but without building the outcome.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`outcome`](Self::outcome).
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::programs::bfs;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let many = Engine::auto().run_many(&graph, &[1, 2].map(bfs::starting_at))?;
    /// assert_eq!(many.values(1)?.collect::<Vec<_>>(), [(1, None), (2, Some(0)), (3, Some(1))]);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn values(&self, run: usize) -> Result<impl Iterator<Item = (u64, Option<P::Value>)> + '_, RunError> {
        let graph;
        let value: Box<dyn Fn(u32) -> Option<P::Value> + '_> = match self.runs.get(run) {
            None => return Err(RunError::UnknownRun { run, runs: self.runs.len() }),
            Some(OneOf::Whole(outcome)) => {
                graph = outcome.graph();
                let values = outcome.read()?;
                Box::new(move |v| values.at(v))
            }
            Some(OneOf::Shared { batch, bit, .. }) => {
                graph = &batch.graph;
                let planes = batch.reached.planes()?;
                Box::new(move |v| batch.value(&planes, *bit, v))
            }
        };
        Ok(graph.by_id().map(move |(id, v)| (id, value(v))))
    }

    /// Returns an iterator over the [`outcome`](Self::outcome) of each run, in order.
    ///
    /// # Errors
    /// Each item is an error under the conditions of [`outcome`](Self::outcome).
    pub fn outcomes(&self) -> impl ExactSizeIterator<Item = Result<Outcome<P>, RunError>> + '_ {
        (0..self.runs.len()).map(|run| self.outcome(run))
    }
}

impl<P: EdgeProgram> Shared<P> {
    /// Returns the value of a vertex in one of the runs.
    fn value(&self, planes: &[Vec<u64>], bit: u32, v: u32) -> Option<P::Value> {
        let (seen, digits) = planes.split_first()?;
        let is_reached = seen[v as usize] >> bit & 1 != 0;
        is_reached.then(|| self.values.get(step_of(digits, bit, v as usize)).copied()).flatten()
    }

    fn outcome(&self, program: &P, bit: u32) -> Result<Outcome<P>, RunError> {
        let asked = Instant::now();
        let planes = self.reached.planes()?;
        let graph = &self.graph;
        let (mut steps, mut end) = (0, End::Fixpoint);
        if let Some((seen, digits)) = planes.split_first() {
            let reached = (0..seen.len()).into_par_iter().filter(|&v| seen[v] >> bit & 1 != 0);
            // After the step that reached the last vertex, the run took one more step, which changed nothing. Hence `+
            // 1`.
            let needed = reached.map(|v| step_of(digits, bit, v)).max().map_or(0, |last| last as u64 + 1);
            steps = needed.min(self.limit);
            end = if needed > self.limit { End::Steps } else { End::Fixpoint };
        }
        let values = Values::collect(graph.num_vertices(), |v| self.value(&planes, bit, v));
        let mut stats = Stats { steps, end, ..self.stats.clone() };
        stats.times.read_back = asked.elapsed();
        Ok(Outcome::on_host(graph, program, values, stats, self.trace.clone()))
    }
}

/// Returns the step in which a run reached a vertex.
fn step_of(digits: &[Vec<u64>], bit: u32, v: usize) -> usize {
    digits.iter().enumerate().map(|(digit, words)| ((words[v] >> bit & 1) as usize) << digit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_digit_by_digit() {
        // Run 1 reached vertex 0 in step 5, and run 63 reached it in step 2. Every run that reached vertex 1 did so in
        // step 0.
        let digits = vec![vec![0b10, 0], vec![1 << 63, 0], vec![0b10, 0]];
        assert_eq!([0, 1, 63].map(|bit| step_of(&digits, bit, 0)), [0, 5, 2]);
        assert_eq!(step_of(&digits, 1, 1), 0);
        assert_eq!(step_of(&[], 1, 1), 0);
        assert_eq!([0, 1, 2, 3, 4, 255, 256].map(cuda::digits_of), [0, 1, 2, 2, 3, 8, 9]);
    }

    #[test]
    fn sharing_gains_what_was_not_looked_at() {
        assert_eq!(ManyStats::default().gained(), 1.0);
        let stats = ManyStats { edges: 10, edges_apart: 320, ..ManyStats::default() };
        assert_eq!(stats.gained(), 32.0);
        let times = StageTimes { run: Duration::from_millis(64), ..StageTimes::default() };
        assert_eq!(ManyStats { runs: 64, times, ..stats }.time_a_run(), Duration::from_millis(1));
        assert_eq!(ManyStats::default().time_a_run(), Duration::ZERO);
    }
}
