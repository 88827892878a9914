//! What users call in the tests of their own programs.
//!
//! A compiler sees whether a program is well typed, and not whether it keeps the laws that let engines combine
//! messages in any order, stop gathering early, and run in place. [`check_program`] tries to break them.

mod cases;
mod counterexample;
mod laws;
mod simulation;

use wolfpath_core::program::EdgeProgram;

use cases::Cases;
pub use counterexample::{Counterexample, Law};

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many random graphs the program runs over; 200 if not said.
    pub graphs: u32,
    /// Where the random numbers begin; the same seed asks the same questions.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { graphs: 200, seed: 1 }
    }
}

/// Tries to break the laws that the program's settings promise, over small random graphs with random weights:
///
/// * a `combine` of its own is commutative and associative, on messages that occur;
/// * the messages of one step are equal: all of them under `uniform`, those to one vertex under `Any`;
/// * the `edge` of a program that may run in place (`Min`, `Max`, `Or`, `And` with the default `apply` and `changed` and
///   without an aggregate) is monotone, so that a better value never gives a worse message, and never improves on the
///   value that it was given.
///
/// The values are those that runs over the graphs bring about, so that what the program itself never holds is not asked
/// about. Weights are of every sign, of at least zero for programs that say `non_negative`. Questions on which the program
/// faults are left out. A program whose loops do not end is not stopped; engines stop one by their time limit.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::testing::check_program;
///
/// #[edge_program(combine = min, non_negative)]
/// fn shortest(distance: u64, weight: u32) -> u64 {
///     distance + weight as u64
/// }
/// assert!(check_program(&shortest::from_source(1, 0)).is_ok());
///
/// #[edge_program(combine = min, uniform)]
/// fn not_uniform(distance: u64, weight: u32) -> u64 {
///     distance + 1 + weight as u64 % 2
/// }
/// let broken = check_program(&not_uniform::from_source(1, 0)).unwrap_err();
/// assert_eq!(broken.law(), wolfpath::testing::Law::Uniform);
/// ```
///
/// # Errors
///
/// The smallest counterexample that was found: of the graphs those with the fewest edges, of the values the smallest.
pub fn check_program<P: EdgeProgram>(program: &P) -> Result<(), Counterexample> {
    check_program_with(program, &Effort::default())
}

/// [`check_program`] with a given effort.
///
/// # Errors
///
/// As [`check_program`].
pub fn check_program_with<P: EdgeProgram>(program: &P, effort: &Effort) -> Result<(), Counterexample> {
    let mut cases = Cases::<P>::new(program, effort.seed);
    let mut pool = laws::Pool::<P>::default();
    for _ in 0..effort.graphs {
        let graph = cases.graph();
        let run = simulation::run(program, &graph);
        laws::equal_messages(program, &graph, &run)?;
        pool.keep(run);
    }
    pool.combine_laws(program)?;
    pool.edge_laws(program)
}
