//! A stand-in for an engine, whose runs several processes share.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use wolfpath::cluster::Cluster;
use wolfpath::graph::LayeredGraph;
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{End, Engine, LoadedGraph, Outcome, OutcomeError, PlanError, RunError, RunOptions};
use wolfpath_runtime::part::{Gathered, GraphPart, PartPredecessors, PartRan, PartRun, RunWeights};

use crate::interrupted::Interrupted;
use crate::parts::{parts, whole};
use crate::processes;

/// Processes that share runs, for which threads stand. What a cluster cannot do is done by the CPU engine.
pub(crate) struct Tested {
    processes: usize,
    threads: usize,
    /// Number of vertices that are dealt to a process together.
    unit: u32,
    /// `true` to continue runs from a state within them, too, and to compare the ends.
    continues: bool,
    /// Connections of earlier runs.
    clusters: Mutex<Vec<Cluster>>,
    alone: Engine,
}

/// Outcome of a run in one process.
struct Ran<P: EdgeProgram> {
    ran: PartRan<P>,
    /// The same of a run that continued from a state of this one.
    resumed: Option<PartRan<P>>,
    predecessors: Result<PartPredecessors, OutcomeError>,
}

/// A graph for many runs.
pub(crate) struct TestedGraph<'a> {
    tested: &'a Tested,
    alone: LoadedGraph,
}

impl Drop for Tested {
    fn drop(&mut self) {
        leave(self.clusters.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..));
    }
}

/// Closes connections. Each process waits for the others to leave, so all leave at the same time.
fn leave(clusters: impl IntoIterator<Item = Cluster>) {
    thread::scope(|scope| {
        for cluster in clusters {
            scope.spawn(move || drop(cluster));
        }
    });
}

/// Checks that the predecessors of a part's vertices are those in the whole graph, or that neither have any.
fn check_predecessors<P: EdgeProgram>(
    outcome: &Outcome<P>,
    part: &GraphPart,
    found: &Result<PartPredecessors, OutcomeError>,
) {
    let name = P::MODEL.name;
    match (outcome.predecessors(), found) {
        (Ok(expected), Ok(found)) => {
            let expected: Vec<(u64, Option<u64>)> = expected.collect();
            for v in 0..part.own {
                let before = found.of(v).map(|before| part.ids[before as usize]);
                let of_whole = expected[part.ranks[v as usize] as usize];
                assert_eq!((part.ids[v as usize], before), of_whole, "predecessor of {name}");
            }
        }
        (expected, found) => {
            let expected = expected.map(drop).expect_err("one of them has no paths");
            assert_eq!(Some(&expected), found.as_ref().err(), "predecessors of {name}");
        }
    }
}

/// Checks that a run that continued from a state of another one ended like it.
fn check_resumed<P: EdgeProgram>(part: &GraphPart, resumed: &PartRan<P>, ran: &PartRan<P>) {
    let name = P::MODEL.name;
    assert_eq!(resumed.stats.end, ran.stats.end, "{name}, continued");
    if !P::ACCUMULATES {
        let end = |ran: &PartRan<P>| (ran.stats.steps, bits(ran.aggregate()));
        assert_eq!(end(resumed), end(ran), "{name}, continued");
    } else if ran.stats.end != End::Fixpoint || (!P::Value::KIND.is_number() || P::Value::KIND.is_float()) {
        // The values are only within a tolerance, which other tests check.
        return;
    }
    for v in 0..part.own {
        let [found, expected] = [resumed, ran].map(|ran| ran.value(v).map(bits));
        assert_eq!(found, expected, "value of {} in {name}, continued", part.ids[v as usize]);
    }
}

fn bits<V: Datum>(value: V) -> Vec<u8> {
    let mut bits = vec![0; V::KIND.size()];
    value.write(&mut bits);
    bits
}

/// Checks that all processes know the same values to be final.
fn check_settled<P: EdgeProgram>(outcome: &Outcome<P>, parts: &[GraphPart], ran: &[Ran<P>]) {
    for (part, Ran { ran, .. }) in parts.iter().zip(ran) {
        for v in 0..part.own {
            assert_eq!(outcome.is_settled(part.ids[v as usize]), Ok(ran.is_settled(v)), "{}", P::MODEL.name);
        }
    }
}

impl Deref for Tested {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.alone
    }
}

impl Deref for TestedGraph<'_> {
    type Target = LoadedGraph;

    fn deref(&self) -> &LoadedGraph {
        &self.alone
    }
}

impl Tested {
    pub(crate) fn new(processes: usize, threads: usize, unit: u32) -> Tested {
        let (clusters, alone) = (Mutex::new(Vec::new()), Engine::cpu());
        Tested { processes, threads, unit, continues: true, clusters, alone }
    }

    /// Returns the same processes, for programs whose values differ from run to run.
    pub(crate) fn for_any_values(mut self) -> Tested {
        self.continues = false;
        self
    }

    pub(crate) fn run<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        program: &P,
    ) -> Result<Outcome<P>, RunError> {
        self.run_with(graph, program, &RunOptions::new())
    }

    /// Runs a program. All processes must end in the same way.
    pub(crate) fn run_with<P: EdgeProgram>(
        &self,
        graph: &LayeredGraph,
        program: &P,
        options: &RunOptions,
    ) -> Result<Outcome<P>, RunError> {
        if let Some(refusal) = PartRun::<P>::refusal(options) {
            return Err(refusal.into());
        }
        let options = options.clone().threads(self.threads);
        let whole = whole(graph);
        let column = graph.weight_column().and_then(|name| whole.weights_in(name).ok()?.column);
        let weights = RunWeights { choice: graph.weight_choice(), column };
        let weights = whole.weights_of(weights, &options).map_err(PlanError::from)?;
        let graph = &match weights.column {
            Some(at) => graph.with_weight_column(&whole.columns[at].1).expect("a column of the graph"),
            None => graph.clone(),
        };
        let gathered = match whole.gathered::<P>(weights) {
            // Each step then has one more exchange. Three processes suffice to test this.
            Gathered::Edges { out, inward, pieces } => {
                Gathered::Edges { out, inward, pieces: pieces && self.processes == 3 }
            }
            gathered => gathered,
        };
        // Two processes suffice to test this, unless processes gather pieces for each other.
        let in_pieces = matches!(gathered, Gathered::Edges { pieces: true, .. });
        let is_continued = self.continues && (self.processes == 2 || in_pieces);
        let parts = parts(graph, self.processes, self.unit, gathered);
        let mut clusters = self.connected();
        let options = &options;
        let run = &|(part, cluster): (&GraphPart, &mut Cluster)| {
            let peers = cluster.peers();
            PartRun::compare(&peers, program, options, weights)?;
            let keeping = Interrupted::keeping(&peers);
            let ran = PartRun { part, peers: &keeping, program, options, weights }.run()?;
            let kept = keeping.kept().filter(|_| is_continued).map(Arc::new);
            let resume = |kept| {
                let resuming = Interrupted::resuming(&peers, kept);
                PartRun { part, peers: &resuming, program, options, weights }.run()
            };
            let resumed = kept.map(resume).transpose()?;
            let predecessors = ran.predecessors(part, &peers);
            Ok(Ran { ran, resumed, predecessors })
        };
        let ran: Vec<Result<Ran<P>, RunError>> = thread::scope(|scope| {
            let started = parts.iter().zip(&mut clusters).map(|each| scope.spawn(move || run(each)));
            let started: Vec<_> = started.collect();
            started.into_iter().map(|process| process.join().expect("no process panics")).collect()
        });
        if ran.iter().all(Result::is_ok) {
            *self.clusters.lock().expect("no run panicked") = clusters;
        } else {
            assert!(ran.iter().all(Result::is_err), "some processes did not fail");
            leave(clusters);
        }
        let is_cause = |ran: &Result<Ran<P>, RunError>| !matches!(ran, Err(RunError::Peer { .. }) | Ok(_));
        let cause = ran.iter().position(is_cause);
        let mut ran = ran;
        if let Some(cause) = cause {
            return Err(ran.swap_remove(cause).err().expect("it has failed"));
        }
        let ran = ran.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut by_rank = vec![None; graph.num_vertices() as usize];
        for (part, Ran { ran, resumed, .. }) in parts.iter().zip(&ran) {
            if let Some(resumed) = resumed {
                check_resumed(part, resumed, ran);
            }
            for v in 0..part.own {
                by_rank[part.ranks[v as usize] as usize] = ran.value(v);
            }
        }
        let first = &ran[0].ran;
        let (stats, fold) = (first.stats.clone(), first.aggregate());
        for Ran { ran, .. } in &ran {
            assert_eq!((ran.stats.steps, ran.stats.end), (stats.steps, stats.end));
            assert_eq!(ran.stats.pending, stats.pending);
            assert_eq!(format!("{:?}", ran.aggregate()), format!("{fold:?}"));
        }
        let outcome = Outcome::gathered(graph, program, &by_rank, (stats, first.trace.clone()), fold);
        let outcome = outcome.settled_as(first);
        check_settled(&outcome, &parts, &ran);
        for (part, Ran { predecessors, .. }) in parts.iter().zip(&ran) {
            check_predecessors(&outcome, part, predecessors);
        }
        Ok(outcome)
    }

    pub(crate) fn load(&self, graph: &LayeredGraph) -> TestedGraph<'_> {
        TestedGraph { tested: self, alone: self.alone.load(graph) }
    }

    /// Returns connected processes.
    fn connected(&self) -> Vec<Cluster> {
        let kept = std::mem::take(&mut *self.clusters.lock().expect("no run panicked"));
        if !kept.is_empty() {
            return kept;
        }
        processes::run(self.processes, |config| config, |connected| connected.expect("all are there"))
    }
}

impl TestedGraph<'_> {
    pub(crate) fn run<P: EdgeProgram>(&self, program: &P) -> Result<Outcome<P>, RunError> {
        self.run_with(program, &RunOptions::new())
    }

    pub(crate) fn run_with<P: EdgeProgram>(
        &self,
        program: &P,
        options: &RunOptions,
    ) -> Result<Outcome<P>, RunError> {
        self.tested.run_with(self.alone.graph(), program, options)
    }
}
