//! Up to 64 runs at once, one bit per run (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
//! VLDB 2014). `kernels/include/bits.cuh` does the same on a device.
//!
//! A run is represented by the sets of vertices that it first reached in step 0, 1, and so on: for each vertex, the
//! step number is stored in binary. Each binary digit of the step number has a plane, which contains one bit for each
//! vertex and run. All messages of a step are equal, so the program is not called for each edge. Instead, `look_ahead`
//! describes the messages of a step.
//!
//! All words are atomic. A vertex's word in `next` may be written by several tasks. All its other words are written
//! only by the task that visits the vertex.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wolfpath_core::graph::Rows;

use super::Tally;
use super::pieces::{SERIAL_EDGES, Task, tasks_of};
use super::tasks::{map_ranges, map_tasks};
use crate::error::RunError;
use crate::options::{Counts, RunOptions, Watch};
use crate::plan::{ArrayName, Budget, Plan, PlannedArray};
use crate::stats::End;
use crate::trace::{Recorded, Recorder, StepKind, StepTrace};

/// Divisor in the rule for gathering: receivers gather if frontier edges > graph edges / `PULL_SHARE` + vertices.
const PULL_SHARE: u64 = 8;

/// Minimum number of vertices per task.
const LEAST_VERTICES: usize = 1024;

/// Returns the arrays that a batch on the CPU needs in addition to the graph's arrays. `digits` is the number of binary
/// digits of the last step's number.
pub(crate) fn arrays(budget: &Budget<'_>, digits: usize) -> Vec<PlannedArray> {
    let n = budget.graph.vertices;
    let of = |name, each| PlannedArray::new(name, n, each);
    vec![
        of(ArrayName::SeenRuns, 8),
        of(ArrayName::FrontierRuns, 8),
        of(ArrayName::NextFrontierRuns, 8),
        of(ArrayName::EstimatedStepDigits, 8 * digits as u64),
        of(ArrayName::Frontiers, 8),
    ]
}

/// Description of the messages of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// All messages are equal, and no better than those of earlier steps.
    Sends,
    /// There are no messages.
    Ends,
    /// The messages are better than earlier ones, or a message faults, so bits cannot represent the runs.
    Unsteady,
}

/// A batch of runs on the CPU.
pub(crate) struct Bits<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a RunOptions,
    /// Rows that senders traverse.
    pub(crate) sends: Vec<Rows<'a>>,
    /// Rows over which receivers gather.
    pub(crate) gathers: Vec<Rows<'a>>,
    /// Sources of all runs, without duplicates.
    pub(crate) sources: &'a [u32],
    /// Runs that start at each source, one bit per run.
    pub(crate) runs: &'a [u64],
}

/// Result of a batch.
pub(crate) struct BitsRan {
    /// The plane of reached vertices, followed by the plane of each step digit; `None` if the messages were unsteady.
    pub(crate) planes: Option<Vec<Vec<u64>>>,
    pub(crate) steps: u64,
    pub(crate) end: End,
    pub(crate) edges: u64,
    /// Number of edges that separate runs would visit: the edges of the vertices that each run reached, summed over the
    /// runs.
    pub(crate) apart: u64,
    pub(crate) recorded: Recorded,
}

impl BitsRan {
    pub(crate) fn tally(&self) -> Tally {
        Tally { steps: self.steps, end: self.end, edges: self.edges, updates: None, pending: None }
    }
}

/// Frontier of all runs together.
#[derive(Default)]
struct Frontier {
    vertices: Vec<u32>,
    /// Number of edges of the vertices.
    edges: u64,
    /// Runs that have a vertex in the frontier, one bit per run.
    alive: u64,
    /// Number of edges, summed over the runs.
    apart: u64,
}

impl Frontier {
    fn add(&mut self, v: u32, runs: u64, edges: u64) {
        self.vertices.push(v);
        self.edges += edges;
        self.alive |= runs;
        self.apart += edges * u64::from(runs.count_ones());
    }

    fn join(parts: impl IntoIterator<Item = Frontier>) -> Frontier {
        parts.into_iter().fold(Frontier::default(), |mut all, part| {
            all.vertices.extend(part.vertices);
            all.edges += part.edges;
            all.alive |= part.alive;
            all.apart += part.apart;
            all
        })
    }
}

/// One word of bits per vertex.
type Words = Vec<AtomicU64>;

fn words(vertices: usize) -> Words {
    (0..vertices).map(|_| AtomicU64::new(0)).collect()
}

/// Vertices that were reached, and the runs that reached them. Each word has one bit per run.
struct Reach {
    /// Runs that have reached each vertex.
    seen: Words,
    /// Runs that first reached each vertex in the previous step.
    front: Words,
    /// Runs that first reach each vertex in the current step.
    next: Words,
    /// Binary digits of the step in which each run first reached each vertex, the lowest digit first.
    digits: Vec<Words>,
}

impl Reach {
    /// Records the runs `fresh`, which first reached the vertex in `step`. Two tasks must not call this for the same
    /// vertex at the same time.
    fn settle(&self, v: u32, fresh: u64, step: u64) {
        let at = v as usize;
        let add = |word: &AtomicU64| word.store(word.load(Relaxed) | fresh, Relaxed);
        add(&self.seen[at]);
        self.digits
            .iter()
            .enumerate()
            .filter(|(digit, _)| step >> digit & 1 != 0)
            .for_each(|(_, of)| add(&of[at]));
    }

    fn planes(self) -> Vec<Vec<u64>> {
        let plain = |words: Words| words.into_iter().map(AtomicU64::into_inner).collect();
        std::iter::once(self.seen).chain(self.digits).map(plain).collect()
    }
}

impl Bits<'_> {
    /// Runs the batch. Calls `look_ahead` before every step for a description of its messages.
    pub(crate) fn run(&self, mut look_ahead: impl FnMut() -> Ahead) -> Result<BitsRan, RunError> {
        let n = self.plan.graph.vertices as usize;
        let mut watch = Watch::new(self.plan, self.options);
        let mut recorder = Recorder::new(self.options.trace);
        let mut reach = Reach { seen: words(n), front: words(n), next: words(n), digits: Vec::new() };
        let mut frontier = self.start(&reach);
        let (mut steps, mut edges, mut apart) = (0, 0, frontier.apart);
        let mut ahead = Ahead::Sends;
        while !frontier.vertices.is_empty() && self.plan.steps.is_none_or(|limit| steps < limit) {
            let active = frontier.vertices.len() as u64;
            watch.look(Counts { steps, edges, active, present: None })?;
            if steps >= self.plan.max_steps {
                return Err(RunError::Overrun {
                    program: self.plan.program,
                    max_steps: self.plan.max_steps,
                    cycle: None,
                    pending: None,
                });
            }
            ahead = look_ahead();
            if ahead == Ahead::Unsteady {
                break;
            }
            steps += 1;
            let began = recorder.begin();
            let (looked_at, kind) = match ahead {
                Ahead::Sends => self.step(&mut reach, &mut frontier, steps),
                _ => (std::mem::take(&mut frontier).edges, StepKind::Push),
            };
            edges += looked_at;
            apart += frontier.apart;
            recorder.end(began, |began, took| StepTrace {
                step: steps,
                began,
                took,
                active,
                edges: looked_at,
                kind,
                bucket: None,
                streamed: 0,
            });
        }
        let planes = (ahead != Ahead::Unsteady).then(|| reach.planes());
        let end = if frontier.vertices.is_empty() { End::Fixpoint } else { End::Steps };
        Ok(BitsRan { planes, steps, end, edges, apart, recorded: recorder.finish() })
    }

    /// Returns the frontier of the sources, with the runs that start at each of them.
    fn start(&self, reach: &Reach) -> Frontier {
        let mut frontier = Frontier::default();
        for (&v, &runs) in self.sources.iter().zip(self.runs) {
            reach.front[v as usize].store(runs, Relaxed);
            reach.settle(v, runs, 0);
            frontier.add(v, runs, self.degree(v));
        }
        frontier
    }

    fn degree(&self, v: u32) -> u64 {
        self.sends.iter().map(|rows| rows.range(v).len() as u64).sum()
    }

    /// Takes a step, and replaces `frontier` with the next frontier. Returns the number of edges visited and the kind
    /// of the step.
    fn step(&self, reach: &mut Reach, frontier: &mut Frontier, step: u64) -> (u64, StepKind) {
        if step.is_power_of_two() {
            reach.digits.push(words(reach.seen.len()));
        }
        let graph = self.plan.graph;
        let pulls =
            self.options.techniques.direction && frontier.edges > graph.edges / PULL_SHARE + graph.vertices;
        let (next, looked_at) =
            if pulls { self.pull(reach, frontier.alive, step) } else { self.push(reach, frontier, step) };
        let wipe = |&v: &u32| reach.front[v as usize].store(0, Relaxed);
        map_ranges(frontier.vertices.len(), LEAST_VERTICES, |range| {
            frontier.vertices[range].iter().for_each(wipe);
        });
        std::mem::swap(&mut reach.front, &mut reach.next);
        *frontier = next;
        (looked_at, if pulls { StepKind::Pull } else { StepKind::Push })
    }

    /// Sends along the edges of the frontier, then records the vertices that were reached.
    fn push(&self, reach: &Reach, frontier: &Frontier, step: u64) -> (Frontier, u64) {
        let vertices = &frontier.vertices;
        let send = |v: u32, part: Option<(usize, std::ops::Range<u64>)>, reached: &mut Vec<u32>| {
            let runs = reach.front[v as usize].load(Relaxed);
            for (side, rows) in self.sends.iter().enumerate() {
                let all = rows.range(v);
                let range = match &part {
                    Some((of, _)) if *of != side => continue,
                    Some((_, piece)) => all.start + piece.start as usize..all.start + piece.end as usize,
                    None => all,
                };
                for &end in &rows.ends[range] {
                    let (seen, next) = (&reach.seen[end as usize], &reach.next[end as usize]);
                    let fresh = runs & !seen.load(Relaxed);
                    // This load may miss bits that other tasks set in this step. Setting those bits again is harmless.
                    if fresh & !next.load(Relaxed) != 0 && next.fetch_or(fresh, Relaxed) == 0 {
                        reached.push(end);
                    }
                }
            }
        };
        let reached: Vec<Vec<u32>> = if frontier.edges < SERIAL_EDGES {
            let mut reached = Vec::new();
            vertices.iter().for_each(|&v| send(v, None, &mut reached));
            vec![reached]
        } else {
            let tasks = self.tasks(vertices);
            map_tasks(tasks.len(), |task| {
                let mut reached = Vec::new();
                match &tasks[task] {
                    (_, Task::Vertices(range)) => {
                        let alone = vertices[range.clone()].iter().filter(|&&v| !self.is_hub(v));
                        alone.for_each(|&v| send(v, None, &mut reached));
                    }
                    (side, Task::Piece(hub, piece)) => send(*hub, Some((*side, piece.clone())), &mut reached),
                }
                reached
            })
        };
        let settled = map_tasks(reached.len(), |part| {
            let mut next = Frontier::default();
            for &v in &reached[part] {
                let fresh = reach.next[v as usize].load(Relaxed);
                reach.settle(v, fresh, step);
                next.add(v, fresh, self.degree(v));
            }
            next
        });
        (Frontier::join(settled), frontier.edges)
    }

    fn is_hub(&self, v: u32) -> bool {
        self.degree(v) > SERIAL_EDGES
    }

    /// Returns the tasks of a frontier: ranges of vertices (once, for all directions), then for each direction pieces
    /// of the rows of hubs (vertices with many edges).
    fn tasks(&self, vertices: &[u32]) -> Vec<(usize, Task)> {
        let sides = self.sends.iter().enumerate().flat_map(|(side, rows)| {
            let hub = |v: u32| self.is_hub(v).then(|| rows.range(v).len() as u64);
            let tasks = tasks_of(vertices, hub).into_iter();
            tasks
                .filter(move |task| side == 0 || matches!(task, Task::Piece(..)))
                .map(move |task| (side, task))
        });
        sides.collect()
    }

    /// For each vertex, searches its neighbours for active runs that have not reached the vertex yet. Stops when every
    /// such run has been found.
    fn pull(&self, reach: &Reach, alive: u64, step: u64) -> (Frontier, u64) {
        let gathered = map_ranges(reach.seen.len(), LEAST_VERTICES, |range| {
            let (mut next, mut looked_at) = (Frontier::default(), 0);
            for v in range {
                let wanted = alive & !reach.seen[v].load(Relaxed);
                let mut fresh = 0;
                let rows = self.gathers.iter().flat_map(|rows| &rows.ends[rows.range(v as u32)]);
                for &end in rows.take_while(|_| wanted != 0) {
                    looked_at += 1;
                    fresh |= wanted & reach.front[end as usize].load(Relaxed);
                    if fresh == wanted {
                        break;
                    }
                }
                if fresh != 0 {
                    reach.next[v].store(fresh, Relaxed);
                    reach.settle(v as u32, fresh, step);
                    next.add(v as u32, fresh, self.degree(v as u32));
                }
            }
            (next, looked_at)
        });
        let looked_at = gathered.iter().map(|(_, looked_at)| looked_at).sum();
        (Frontier::join(gathered.into_iter().map(|(next, _)| next)), looked_at)
    }
}
