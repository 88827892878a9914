//! Times many runs at once, and the same runs one after the other.

use std::time::{Duration, Instant};

use wolfpath::{Many, ManyStats, RunOptions, oracle, programs::bfs};

use super::Result;
use super::answers::{by_rank, same, wrong};
use super::timer::{LONGEST, Ran, Task, Timer, Timing};

/// Number of runs at once.
const AT_ONCE: usize = 64;

impl Timer<'_> {
    /// Times breadth-first searches from vertices that have edges, spread evenly over the ids. The timing is that of
    /// the batch.
    pub(crate) fn many(&self, task: &Task) -> Result<Ran> {
        let graph = &self.prepared.graph;
        let rows = graph.out_edges();
        let has_edge = |id: &u64| {
            let v = graph.vertex_of(*id).map_or(0, |v| v as usize);
            rows.offsets[v + 1] > rows.offsets[v]
        };
        let ids: Vec<u64> = graph.by_rank().iter().map(|&v| graph.id_of(v)).filter(has_edge).collect();
        let stride = (ids.len() / AT_ONCE).max(1);
        let sources: Vec<u64> = ids.into_iter().step_by(stride).take(AT_ONCE).collect();
        let searches: Vec<bfs> = sources.iter().map(|&id| bfs::from_source(id, 0)).collect();
        let options = self.options(task);
        let (first, took) = timed(|| self.loaded.run_many_with(&searches, &options))?;
        let (mut times, mut sum) = (Vec::with_capacity(task.repeat), Duration::ZERO);
        let last = loop {
            let many = self.loaded.run_many_with(&searches, &options)?;
            sum += many.stats().times.run;
            times.push(many.stats().times.run);
            if times.len() >= task.repeat || sum >= LONGEST {
                break many;
            }
        };
        times.sort_unstable();
        let apart = self.one_by_one(&searches, &options)?;
        let (wrong, reached, read_back) = self.judge(&last, &sources)?;
        Ok(Ran::Timed(Box::new(self.batch_timing(
            task,
            &first,
            &last,
            Batch { times, took, apart, wrong, reached, read_back },
        )?)))
    }

    /// Returns the total time of the runs one after the other.
    fn one_by_one(&self, searches: &[bfs], options: &RunOptions) -> Result<Duration> {
        let mut sum = Duration::ZERO;
        for search in searches {
            sum += self.loaded.run_with(search, options)?.stats().times.run;
        }
        Ok(sum)
    }

    /// Checks the first, a middle and the last run. Returns the number of vertices with a wrong number of hops, the
    /// largest number of vertices that one of these runs reached, and the time of copying the batch to the host.
    fn judge(&self, many: &Many<bfs>, sources: &[u64]) -> Result<(usize, u64, Duration)> {
        let graph = &self.prepared.graph;
        let rows = graph.out_edges();
        let (mut bad, mut reached, mut read_back) = (0, 0, Duration::ZERO);
        for run in [0, many.len() / 2, many.len().saturating_sub(1)] {
            let outcome = many.outcome(run)?;
            read_back += outcome.stats().times.read_back;
            let source: Vec<u32> = graph.vertex_of(sources[run]).into_iter().collect();
            let hops: Vec<Option<u32>> =
                oracle::hops(rows, &source).into_iter().map(|hops| hops.map(|hops| hops as u32)).collect();
            let values = outcome.read()?;
            bad += wrong(&values, &by_rank(graph, &hops), same);
            reached = reached.max(values.reached());
        }
        Ok((bad, reached, read_back))
    }

    fn batch_timing(&self, task: &Task, first: &Many<bfs>, last: &Many<bfs>, batch: Batch) -> Result<Timing> {
        let (stats, of_first): (&ManyStats, _) = (last.stats(), first.stats().times);
        let outcome = last.outcome(0)?;
        let of_batch = wolfpath::Stats { steps: stats.steps, edges: stats.edges, ..outcome.stats().clone() };
        let work = self.work(task.program, batch.reached, &of_batch)?;
        let footprint = task.program.footprint();
        Ok(Timing {
            engine: of_batch.engine,
            schedule: if stats.shared > 0 { "many (a bit for each run)" } else { "each by itself" },
            times: batch.times,
            steps: of_batch.steps,
            edges: stats.edges,
            launches: stats.launches,
            host_bytes: stats.host_bytes,
            streamed_bytes: stats.streamed.bytes,
            reached: batch.reached,
            first: batch.took,
            compile: of_first.compile,
            load: of_first.load,
            read_back: batch.read_back,
            wrong: batch.wrong,
            floor: work.floor(footprint),
            levels: None,
            apart: Some(batch.apart),
        })
    }
}

/// Results of timing a batch.
struct Batch {
    times: Vec<Duration>,
    took: Duration,
    apart: Duration,
    wrong: usize,
    reached: u64,
    read_back: Duration,
}

/// Returns the result of `work`, and its time.
fn timed<T, E>(work: impl FnOnce() -> std::result::Result<T, E>) -> std::result::Result<(T, Duration), E> {
    let began = Instant::now();
    Ok((work()?, began.elapsed()))
}
