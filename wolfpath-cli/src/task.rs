//! Converts a name on the command line to a program with its number type, its parameters and its oracle.

use wolfpath::graph::LayeredGraph;
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::programs;
use wolfpath::programs::{AccumulatingAdsorption, Adsorption};

use crate::arguments::{Program, RunArguments};
use crate::error::Error;
use crate::number::Number;
use crate::verify::{self, Verification};

/// Settings of a program other than the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// Sources of a traversal.
    pub(crate) sources: Vec<u64>,
    /// See [`programs::PageRank`].
    pub(crate) damping: f64,
    /// See [`programs::PageRank`].
    pub(crate) tolerance: f64,
    /// `true` if ranks are added up in portions ([`programs::AccumulatingPageRank`]).
    pub(crate) accumulate: bool,
    /// Graph of a program with inputs that depend on it; `None` to print a program, and for runs over shards.
    pub(crate) graph: Option<LayeredGraph>,
    /// Adsorption with the inputs that processes have computed together.
    pub(crate) adsorption: Option<Adsorption>,
    /// `true` if weights may be rounded.
    pub(crate) lossy_weights: bool,
    /// Requested number of steps, if any.
    pub(crate) steps: Option<u64>,
}

impl Setup {
    pub(crate) fn new(arguments: &RunArguments, sources: Vec<u64>, graph: Option<&LayeredGraph>) -> Setup {
        Setup {
            graph: graph.cloned(),
            adsorption: None,
            sources,
            damping: arguments.damping.unwrap_or(0.85),
            tolerance: arguments.tolerance.unwrap_or(1e-6),
            accumulate: arguments.accumulate,
            lossy_weights: arguments.graph.lossy_weights,
            steps: arguments.steps,
        }
    }

    /// Returns the label of each source.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.sources.iter().copied().zip(0..)
    }
}

/// The selected program.
pub(crate) struct Asked<'a, P: EdgeProgram> {
    /// Function that returns the program with these sources. Programs without sources ignore them.
    pub(crate) from: &'a dyn Fn(&[u64]) -> P,
    /// Function that compares the outcome of a run with the oracle's result.
    pub(crate) check: Check<'a, P>,
    /// Form in which values are written, unless they are written as they are.
    pub(crate) scale: Option<Scale<P::Value>>,
}

/// Form of values that are divided by their sum.
#[derive(Clone, Copy)]
pub(crate) struct Scale<V> {
    /// Function that returns a value as a number.
    pub(crate) number: fn(V) -> f64,
    /// Function that returns a value divided by the sum of all.
    pub(crate) divided: fn(V, f64) -> V,
}

impl<V: Datum> Scale<V> {
    /// Returns the sum of values.
    pub(crate) fn sum(&self, values: impl Iterator<Item = (u64, Option<V>)>) -> f64 {
        values.filter_map(|(_, value)| value).map(self.number).sum()
    }
}

/// Function that compares an outcome with an oracle's result.
pub(crate) type Check<'a, P> = &'a dyn Fn(&Setup, &Outcome<P>) -> Result<Verification, Error>;

/// Generic operation on a program, whose type is only known once it is selected.
pub(crate) trait Visitor {
    /// Result of the operation.
    type Output;
    /// Performs the operation.
    fn visit<P: EdgeProgram>(self, asked: &Asked<'_, P>) -> Result<Self::Output, Error>;
}

/// Calls the visitor with the selected program.
pub(crate) fn visit<V: Visitor>(
    program: Program,
    number: Number,
    setup: &Setup,
    visitor: V,
) -> Result<V::Output, Error> {
    match program {
        Program::Bfs => visitor.visit(&Asked {
            from: &|sources| programs::bfs::from_sources(starts(sources, 0)),
            check: &verify::hops,
            scale: None,
        }),
        Program::Reach => visitor.visit(&Asked {
            from: &|sources| programs::reach::from_sources(starts(sources, true)),
            check: &verify::reach,
            scale: None,
        }),
        Program::Components => visitor.visit(&Asked {
            from: &|_| programs::Components,
            check: &|_, outcome| verify::components(outcome),
            scale: None,
        }),
        Program::Kcore => visitor.visit(&Asked {
            from: &|_| programs::CoreNumbers,
            check: &|_, outcome| verify::cores(outcome),
            scale: None,
        }),
        Program::Sssp => visit_shortest(number, visitor),
        Program::Widest => visit_widest(number, visitor),
        Program::Pagerank => visit_pagerank(number, setup, visitor),
        Program::Adsorption => visit_adsorption(setup, visitor),
    }
}

/// Returns every source with the same first value.
fn starts<T: Copy>(sources: &[u64], value: T) -> impl Iterator<Item = (u64, T)> {
    sources.iter().map(move |&id| (id, value))
}

/// Visits a program over paths from sources, with its oracle.
macro_rules! paths {
    ($visitor:ident, $program:ident, $start:expr, $oracle:ident) => {
        $visitor.visit(&Asked {
            from: &|sources| programs::$program::from_sources(starts(sources, $start)),
            check: &|setup, outcome| verify::$oracle(setup, $start, outcome),
            scale: None,
        })
    };
}

fn visit_shortest<V: Visitor>(number: Number, visitor: V) -> Result<V::Output, Error> {
    match number {
        Number::U32 => paths!(visitor, sssp, 0, shortest),
        Number::U64 => paths!(visitor, sssp_u64, 0, shortest),
        Number::F32 => paths!(visitor, sssp_f32, 0.0, shortest),
        Number::F64 => paths!(visitor, sssp_f64, 0.0, shortest),
    }
}

fn visit_widest<V: Visitor>(number: Number, visitor: V) -> Result<V::Output, Error> {
    match number {
        Number::U32 => paths!(visitor, widest, u32::MAX, widest),
        Number::U64 => paths!(visitor, widest_u64, u64::MAX, widest),
        Number::F32 => paths!(visitor, widest_f32, f32::INFINITY, widest),
        Number::F64 => paths!(visitor, widest_f64, f64::INFINITY, widest),
    }
}

/// Visits adsorption, in which each source has a label of its own.
fn visit_adsorption<V: Visitor>(setup: &Setup, visitor: V) -> Result<V::Output, Error> {
    let Setup { damping, tolerance, accumulate, lossy_weights, .. } = *setup;
    let program = match (&setup.adsorption, &setup.graph) {
        (Some(program), _) => program.clone(),
        (None, graph) => {
            let empty = LayeredGraph::from_edges([])?;
            let graph = graph.as_ref().unwrap_or(&empty);
            Adsorption::over(graph, setup.labels(), damping as f32, lossy_weights)?
        }
    };
    if accumulate {
        let program = AccumulatingAdsorption::from(program);
        let from = |_: &[u64]| program.clone();
        return visitor.visit(&Asked { from: &from, check: &verify::accumulated_shares, scale: None });
    }
    let program = Adsorption { tolerance: tolerance as f32, ..program };
    let from = |_: &[u64]| program.clone();
    visitor.visit(&Asked { from: &from, check: &verify::shares, scale: None })
}

fn visit_pagerank<V: Visitor>(number: Number, setup: &Setup, visitor: V) -> Result<V::Output, Error> {
    let Setup { damping, tolerance, accumulate, .. } = *setup;
    match (accumulate, number == Number::F64) {
        (false, true) => {
            let from = |_: &[u64]| programs::PageRankF64 { damping, tolerance };
            visitor.visit(&Asked { from: &from, check: &verify::pagerank, scale: None })
        }
        (false, false) => {
            let from =
                |_: &[u64]| programs::PageRank { damping: damping as f32, tolerance: tolerance as f32 };
            visitor.visit(&Asked { from: &from, check: &verify::pagerank, scale: None })
        }
        (true, true) => {
            let from = |_: &[u64]| programs::AccumulatingPageRankF64 { damping };
            let scale = Scale { number: |rank| rank, divided: |rank, sum| rank / sum };
            visitor.visit(&Asked { from: &from, check: &verify::accumulated, scale: Some(scale) })
        }
        (true, false) => {
            let from = |_: &[u64]| programs::AccumulatingPageRank { damping: damping as f32 };
            let scale = Scale { number: f64::from, divided: |rank: f32, sum| (f64::from(rank) / sum) as f32 };
            visitor.visit(&Asked { from: &from, check: &verify::accumulated, scale: Some(scale) })
        }
    }
}
