//! The programs that are timed over a graph, and what their answers are compared with.

use std::time::Instant;

use wolfpath::graph::Direction;
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{Engine, LoadedGraph, RunOptions, oracle, programs};

use super::guarded::{guarded::Guarded, unguarded::Unguarded};
use super::{Arguments, Line, Prepared, Result, Table};

/// Steps of PageRank.
const RANK_STEPS: u64 = 20;

/// What answers are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// The CPU engine's answers.
    CpuEngine,
    /// The serial oracles'.
    Oracle,
}

/// Every value by ascending id.
type Answer<P> = Vec<Option<<P as EdgeProgram>::Value>>;

/// Times the graph's programs on an engine, and prints a line each.
pub(crate) fn run_all(
    engine: &Engine,
    prepared: &Prepared,
    arguments: &Arguments,
    table: &mut Table,
) -> Result<()> {
    let loaded = engine.load(&prepared.graph)?;
    let timer = Timer { prepared, loaded, arguments };
    for &program in prepared.programs {
        let line = timer.named(program)?;
        table.print(&line);
    }
    Ok(())
}

/// Times programs over one loaded graph.
struct Timer<'a> {
    prepared: &'a Prepared,
    loaded: LoadedGraph,
    arguments: &'a Arguments,
}

impl Timer<'_> {
    fn named(&self, name: &'static str) -> Result<Line> {
        let (graph, source) = (&self.prepared.graph, self.prepared.source);
        let rows = graph.out_edges()?;
        let until_rest = RunOptions::new();
        let from = |id: u64| graph.vertex_of(id).ok_or_else(|| format!("vertex {id} is not in the graph"));
        let bfs = |id: u64| -> Result<Line> {
            let expected = || {
                let hops = oracle::hops(rows, &[from(id)?]);
                Ok(hops.into_iter().map(|hops| hops.map(|hops| hops as u32)).collect())
            };
            self.time(name, 4, &programs::bfs::from_source(id, 0), &until_rest, expected, Datum::same)
        };
        match name {
            "bfs" => bfs(source),
            "bfs from the root" => bfs(graph.root().ok_or("the graph has no root")?),
            "sssp" | "sssp that can fault" | "sssp that cannot" => {
                let expected = || {
                    let weights = graph.weights_as::<u32>(Direction::Out, false)?;
                    Ok(oracle::shortest(rows, &weights, &[(from(source)?, 0)]))
                };
                let (sssp, from) = (programs::sssp::from_source(source, 0), source);
                match name {
                    "sssp that can fault" => {
                        self.time(name, 8, &Guarded { from }, &until_rest, expected, Datum::same)
                    }
                    "sssp that cannot" => {
                        self.time(name, 8, &Unguarded { from }, &until_rest, expected, Datum::same)
                    }
                    _ => self.time(name, 8, &sssp, &until_rest, expected, Datum::same),
                }
            }
            "components" => {
                let expected = || Ok(oracle::smallest_ids(graph)?.into_iter().map(Some).collect());
                self.time(name, 4, &programs::Components, &until_rest, expected, Datum::same)
            }
            _ => {
                let expected = || {
                    let options = oracle::PageRankOptions { steps: Some(RANK_STEPS), ..Default::default() };
                    let ranks = oracle::pagerank(rows, &options).ranks;
                    Ok(ranks.into_iter().map(|rank| Some(rank as f32)).collect())
                };
                let program = programs::PageRank { damping: 0.85, tolerance: 1e-6 };
                let options = RunOptions::new().steps(RANK_STEPS);
                let near = |ours: f32, right: f32| (ours - right).abs() <= 1e-5 * right;
                self.time(name, 4, &program, &options, expected, near)
            }
        }
    }

    /// One first run, one to warm up, the timed ones, and the comparison. `oracle` answers by internal index.
    fn time<P: EdgeProgram>(
        &self,
        name: &'static str,
        bytes_an_edge: u64,
        program: &P,
        options: &RunOptions,
        oracle: impl FnOnce() -> Result<Answer<P>>,
        is_right: impl Fn(P::Value, P::Value) -> bool,
    ) -> Result<Line> {
        let options = RunOptions {
            threads: Some(self.arguments.threads).filter(|&threads| threads > 0),
            ..options.clone()
        };
        let began = Instant::now();
        let outcome = self.loaded.run_with(program, &options)?;
        let (first, of_first) = (began.elapsed(), outcome.stats().times);
        let expected = match self.arguments.judge {
            Judge::CpuEngine => {
                let answer = Engine::cpu().run_with(&self.prepared.graph, program, &options)?;
                answer.iter().map(|(_, value)| value).collect()
            }
            Judge::Oracle => by_rank(&self.prepared.graph, &oracle()?),
        };
        let right = |ours, right: Option<P::Value>| match (ours, right) {
            (Some(ours), Some(right)) => is_right(ours, right),
            (ours, right) => ours.is_none() && right.is_none(),
        };
        self.loaded.run_with(program, &options)?;
        let (mut times, mut wrong, mut last) = (Vec::with_capacity(self.arguments.repeat), 0, outcome);
        for _ in 0..self.arguments.repeat {
            last = self.loaded.run_with(program, &options)?;
            times.push(last.stats().times.run);
            let differ = last.iter().zip(&expected).filter(|((_, ours), answer)| !right(*ours, **answer));
            wrong = wrong.max(differ.count());
        }
        times.sort_unstable();
        let stats = last.stats();
        Ok(Line {
            graph: self.prepared.name.clone(),
            program: name,
            engine: stats.engine.clone(),
            times,
            steps: stats.steps,
            edges: stats.edges,
            launches: stats.launches,
            bytes_an_edge,
            first,
            compile: of_first.compile,
            load: of_first.load,
            read_back: stats.times.read_back,
            wrong,
        })
    }
}

/// An answer by internal index, by ascending id.
fn by_rank<T: Copy>(graph: &wolfpath::graph::LayeredGraph, answer: &[T]) -> Vec<T> {
    graph.by_rank().iter().map(|&v| answer[v as usize]).collect()
}
