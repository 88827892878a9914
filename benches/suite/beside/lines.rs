//! The lines that are compared with the GAP Benchmark Suite, and the upper limits of their times.

use super::super::{Arguments, Graph, Prepared, Program, Result};
use super::gap::{Call, Files};

/// One program over one graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GapLine {
    /// Graph, by its name for `--only`.
    pub(crate) graph: &'static str,
    pub(crate) program: Program,
    /// Width of GAP's buckets, which only `sssp` has.
    delta: Option<u32>,
    /// Upper limit of our time, as a multiple of GAP's.
    must: f64,
    /// The same for an R-MAT graph of scale [`LARGE`] or more, which is for machines with sixteen cores.
    must_large: f64,
}

/// Smallest scale of an R-MAT graph with the limits of sixteen cores.
const LARGE: u32 = 22;

/// All lines. Those over one graph are adjacent.
pub(crate) const LINES: [GapLine; 11] = [
    GapLine { must_large: 1.2, ..line("R-MAT", Program::Bfs, 1.0) },
    GapLine { delta: Some(16), must_large: 1.0, ..line("R-MAT", Program::Sssp, 0.6) },
    GapLine { must_large: 1.2, ..line("R-MAT", Program::PageRank, 1.0) },
    line("R-MAT", Program::Components, 1.2),
    line("cnr-2000", Program::Bfs, 1.0),
    line("cnr-2000", Program::PageRank, 1.0),
    line("cnr-2000", Program::Components, 1.2),
    line("USA-road-NE", Program::Bfs, 1.0),
    line("USA-road-NE", Program::PageRank, 1.0),
    line("USA-road-NE", Program::Components, 1.2),
    GapLine { delta: Some(256), ..line("osm-moscow", Program::Sssp, 1.0) },
];

const fn line(graph: &'static str, program: Program, must: f64) -> GapLine {
    GapLine { graph, program, delta: None, must, must_large: must }
}

/// Returns the graphs with requested lines, and these lines.
pub(crate) fn wanted(arguments: &Arguments) -> Vec<(Graph, Vec<&'static GapLine>)> {
    let mut wanted: Vec<(Graph, Vec<&'static GapLine>)> = Vec::new();
    for line in &LINES {
        let graph = match line.graph {
            "R-MAT" => arguments.rmat_scale.map(Graph::Rmat),
            real => Graph::real(real),
        };
        let Some(graph) = graph.filter(|graph| arguments.wants(graph, line.program)) else { continue };
        match wanted.last_mut().filter(|(last, _)| last.kind() == line.graph) {
            Some((_, lines)) => lines.push(line),
            None => wanted.push((graph, vec![line])),
        }
    }
    wanted
}

impl GapLine {
    /// Returns the upper limit over a graph of this size.
    pub(crate) fn must(&self, graph: &Graph) -> f64 {
        if matches!(graph, Graph::Rmat(scale) if *scale >= LARGE) { self.must_large } else { self.must }
    }

    /// Returns the name of GAP's program.
    pub(crate) fn peer(&self) -> &'static str {
        match self.program {
            Program::Sssp => "sssp",
            // `pr` updates ranks in place, so that its steps are not those of PageRank.
            Program::PageRank => "pr_spmv",
            Program::Components => "cc",
            _ => "bfs",
        }
    }

    /// Returns GAP's call that does the same work over the same graph. Writes the graph's file if it does not exist.
    pub(crate) fn call(&self, prepared: &Prepared, files: &Files) -> Result<Call> {
        let file = files.of(&prepared.graph, self.program == Program::Sssp)?;
        let mut options: Vec<String> = match self.program {
            Program::PageRank => {
                vec!["-i".to_owned(), super::super::program::RANK_STEPS.to_string(), "-t".into(), "0".into()]
            }
            Program::Components => Vec::new(),
            _ => vec!["-r".to_owned(), rank(prepared).to_string()],
        };
        options.extend(self.delta.into_iter().flat_map(|delta| ["-d".to_owned(), delta.to_string()]));
        Ok(Call { program: self.peer(), file, options, graph: prepared.graph.clone() })
    }
}

/// Returns the source's position in ascending order of ids, which is its number in GAP's files.
fn rank(prepared: &Prepared) -> usize {
    let graph = &prepared.graph;
    graph.by_rank().partition_point(|&vertex| graph.id_of(vertex) < prepared.source)
}
