//! Targets of each line of the benchmark, and the time of the fastest other system. No other file contains these
//! figures.
//!
//! The other systems ran one after the other on one NVIDIA H200 (CUDA 13.0, 2026-11-22), over the same files and from the
//! same sources as wolfpath. Times are medians in milliseconds. Their answers were checked.

/// The fastest other system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) milliseconds: f64,
    /// Difference from the work of our line, if there is one; the times are then not compared.
    pub(crate) note: Option<&'static str>,
}

/// Bound that a median must not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Milliseconds(f64),
    /// Microseconds per level of the breadth-first search. A step may process several levels.
    MicrosecondsALevel(f64),
    /// Multiple of the median of another program over the same graph.
    TimesProgram(f64, &'static str),
    /// Multiple of the throughput of separate runs, one after the other.
    TimesThroughput(f64),
}

/// Target of one line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) graph: &'static str,
    pub(crate) program: &'static str,
    pub(crate) peer: Option<Peer>,
    pub(crate) must: Option<Bound>,
    pub(crate) aim: Option<Bound>,
}

use Bound::{MicrosecondsALevel, Milliseconds as Ms, TimesProgram, TimesThroughput};

/// Lines with bounds. Lines that were not measured are listed as such.
pub(crate) const TARGETS: [Target; 23] = [
    line("R-MAT 22", "bfs", Some((0.68, "Gunrock 1.2")), Some(Ms(0.22)), Some(Ms(0.18))),
    line("R-MAT 22", "bfs, push only", None, Some(Ms(1.9)), Some(Ms(1.3))),
    line("R-MAT 22", "sssp", Some((6.2, "Gunrock 1.2")), Some(Ms(1.85)), Some(Ms(1.6))),
    line("R-MAT 22", "components", None, Some(TimesProgram(3.0, "bfs, push only")), None),
    Target {
        peer: Some(Peer {
            name: "Gunrock 2",
            milliseconds: 22.4,
            note: Some("its run ends by another rule"),
        }),
        ..line("R-MAT 22", "pagerank, 20 steps", None, Some(Ms(13.0)), Some(Ms(10.5)))
    },
    line("R-MAT 22", "widest", None, Some(TimesProgram(1.1, "sssp")), None),
    line("R-MAT 22", "reach", None, Some(TimesProgram(1.1, "bfs")), None),
    line("R-MAT 22", "own min", None, Some(TimesProgram(1.1, "sssp")), None),
    line("R-MAT 22", "bfs, 64 sources at once", None, Some(TimesThroughput(8.0)), None),
    line("USA-road-NE", "bfs", Some((9.1, "Galois")), Some(Ms(1.8)), Some(Ms(1.5))),
    line("USA-road-NE from 1000", "bfs from the root", None, Some(Ms(2.4)), Some(Ms(1.6))),
    line("USA-road-NE", "sssp", Some((8.1, "ADDS")), Some(Ms(3.0)), Some(Ms(2.5))),
    line("USA-road-NE", "widest", None, Some(Ms(4.2)), Some(Ms(3.5))),
    line("USA-road-NE", "reach", None, Some(TimesProgram(1.1, "bfs")), None),
    line("USA-road-NE", "own min", None, Some(TimesProgram(1.1, "sssp")), None),
    line("osm-moscow", "bfs", Some((4.9, "Galois")), Some(Ms(0.9)), Some(Ms(0.75))),
    line("osm-moscow", "sssp", Some((7.7, "ADDS")), Some(Ms(1.5)), Some(Ms(1.2))),
    line("dblp-2010", "bfs", Some((0.375, "Galois")), Some(Ms(0.11)), Some(Ms(0.09))),
    line("dblp-2010", "sssp", Some((0.469, "ADDS")), Some(Ms(0.28)), Some(Ms(0.22))),
    line("cnr-2000", "bfs", None, Some(Ms(0.12)), None),
    line("cnr-2000", "sssp", None, Some(Ms(0.50)), None),
    line("path 1M", "bfs", None, Some(MicrosecondsALevel(1.5)), Some(MicrosecondsALevel(0.7))),
    line("star 10M", "bfs", None, Some(Ms(0.13)), None),
];

const fn line(
    graph: &'static str,
    program: &'static str,
    peer: Option<(f64, &'static str)>,
    must: Option<Bound>,
    aim: Option<Bound>,
) -> Target {
    let peer = match peer {
        Some((milliseconds, name)) => Some(Peer { name, milliseconds, note: None }),
        None => None,
    };
    Target { graph, program, peer, must, aim }
}

/// Returns the target of a line, if it has one.
pub(crate) fn target(graph: &str, program: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.graph == graph && target.program == program)
}

/// Measured numbers that bounds are computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measures {
    /// Number of levels of the breadth-first search after the source's level.
    pub(crate) levels: Option<u64>,
    /// Time of the batch's runs, one after the other.
    pub(crate) apart_ms: Option<f64>,
}

impl Bound {
    /// Returns the bound in milliseconds, or `None` if the line that it refers to was not measured.
    pub(crate) fn milliseconds(
        self,
        of: &Measures,
        median: impl FnOnce(&'static str) -> Option<f64>,
    ) -> Option<f64> {
        match self {
            Bound::Milliseconds(bound) => Some(bound),
            Bound::MicrosecondsALevel(bound) => of.levels.map(|levels| bound * levels as f64 / 1e3),
            Bound::TimesProgram(times, program) => median(program).map(|median| times * median),
            Bound::TimesThroughput(times) => of.apart_ms.map(|apart| apart / times),
        }
    }

    /// Returns the bound as text, in its own unit.
    pub(crate) fn words(self) -> String {
        match self {
            Bound::Milliseconds(bound) => format!("{bound:.2} ms"),
            Bound::MicrosecondsALevel(bound) => format!("{bound} us per level"),
            Bound::TimesProgram(times, program) => format!("{times} x {program}"),
            Bound::TimesThroughput(times) => format!("{times} x the throughput of separate runs"),
        }
    }

    /// Returns a median in the unit of the bound, unless that is milliseconds.
    pub(crate) fn shown(self, median: f64, of: &Measures, line: Option<f64>) -> Option<String> {
        let times = |by: f64| (by > 0.0).then(|| median / by);
        match self {
            Bound::Milliseconds(_) => None,
            Bound::MicrosecondsALevel(_) => {
                let levels = of.levels.filter(|&levels| levels > 0)?;
                Some(format!("{:.2} us per level", median * 1e3 / levels as f64))
            }
            Bound::TimesThroughput(_) if median > 0.0 => {
                Some(format!("{:.2} x the throughput of separate runs", of.apart_ms? / median))
            }
            Bound::TimesThroughput(_) => None,
            Bound::TimesProgram(_, program) => times(line?).map(|times| format!("{times:.2} x {program}")),
        }
    }
}
