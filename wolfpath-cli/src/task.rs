//! From a name on the command line to a program with its numbers, its parameters and its oracle.

use wolfpath::prelude::*;
use wolfpath::programs;

use crate::arguments::{Program, RunArguments};
use crate::error::Error;
use crate::number::Number;
use crate::verify::{self, Verification};

/// What the program is told beside the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// Where a traversal starts.
    pub(crate) sources: Vec<u64>,
    /// See [`programs::PageRank`].
    pub(crate) damping: f64,
    /// See [`programs::PageRank`].
    pub(crate) tolerance: f64,
    /// Weights may be rounded.
    pub(crate) lossy_weights: bool,
    /// A number of steps was asked for.
    pub(crate) steps: Option<u64>,
}

impl Setup {
    pub(crate) fn new(arguments: &RunArguments, sources: Vec<u64>) -> Setup {
        Setup {
            sources,
            damping: arguments.damping.unwrap_or(0.85),
            tolerance: arguments.tolerance.unwrap_or(1e-6),
            lossy_weights: arguments.lossy_weights,
            steps: arguments.steps,
        }
    }
}

/// Compares an outcome with the oracle's answer.
pub(crate) type Check<'a, P> = &'a dyn Fn(&Outcome<P>) -> Result<Verification, Error>;

/// What is to be done with a program, whichever it is.
pub(crate) trait Visitor {
    /// What comes out.
    type Output;
    /// Does it.
    fn visit<P: EdgeProgram>(self, program: &P, check: Check<'_, P>) -> Result<Self::Output, Error>;
}

/// Makes the program and has it visited.
pub(crate) fn visit<V: Visitor>(
    program: Program,
    number: Number,
    setup: &Setup,
    visitor: V,
) -> Result<V::Output, Error> {
    match program {
        Program::Bfs => visitor
            .visit(&programs::bfs::from_sources(starts(setup, 0)), &|outcome| verify::hops(setup, outcome)),
        Program::Reach => visitor.visit(&programs::reach::from_sources(starts(setup, true)), &|outcome| {
            verify::reach(setup, outcome)
        }),
        Program::Components => visitor.visit(&programs::Components, &verify::components),
        Program::Sssp => visit_shortest(number, setup, visitor),
        Program::Widest => visit_widest(number, setup, visitor),
        Program::Pagerank => visit_pagerank(number, setup, visitor),
    }
}

/// Every source with the same first value.
fn starts<'a, T: Copy + 'a>(setup: &'a Setup, value: T) -> impl Iterator<Item = (u64, T)> + 'a {
    setup.sources.iter().map(move |&id| (id, value))
}

/// Visits a program over paths from the sources, with its oracle.
macro_rules! paths {
    ($visitor:ident, $setup:ident, $program:ident, $start:expr, $oracle:ident) => {
        $visitor.visit(&programs::$program::from_sources(starts($setup, $start)), &|outcome| {
            verify::$oracle($setup, $start, outcome)
        })
    };
}

fn visit_shortest<V: Visitor>(number: Number, setup: &Setup, visitor: V) -> Result<V::Output, Error> {
    match number {
        Number::U32 => paths!(visitor, setup, sssp, 0, shortest),
        Number::U64 => paths!(visitor, setup, sssp_u64, 0, shortest),
        Number::F32 => paths!(visitor, setup, sssp_f32, 0.0, shortest),
        Number::F64 => paths!(visitor, setup, sssp_f64, 0.0, shortest),
    }
}

fn visit_widest<V: Visitor>(number: Number, setup: &Setup, visitor: V) -> Result<V::Output, Error> {
    match number {
        Number::U32 => paths!(visitor, setup, widest, u32::MAX, widest),
        Number::U64 => paths!(visitor, setup, widest_u64, u64::MAX, widest),
        Number::F32 => paths!(visitor, setup, widest_f32, f32::INFINITY, widest),
        Number::F64 => paths!(visitor, setup, widest_f64, f64::INFINITY, widest),
    }
}

fn visit_pagerank<V: Visitor>(number: Number, setup: &Setup, visitor: V) -> Result<V::Output, Error> {
    if number == Number::F64 {
        let program = programs::PageRankF64 { damping: setup.damping, tolerance: setup.tolerance };
        return visitor.visit(&program, &|outcome| verify::pagerank(setup, outcome));
    }
    let program = programs::PageRank { damping: setup.damping as f32, tolerance: setup.tolerance as f32 };
    visitor.visit(&program, &|outcome| verify::pagerank(setup, outcome))
}
