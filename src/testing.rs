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

/// Effort that [`check_program_with`] spends on the search for a counterexample.
///
/// ```
/// use wolfpath::programs::bfs;
/// use wolfpath::testing::{Effort, check_program_with};
///
/// assert!(check_program_with(&bfs::starting_at(0), &Effort::new().graphs(20).seed(7)).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    graphs: u32,
    seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { graphs: 200, seed: 1 }
    }
}

impl Effort {
    /// Returns the default effort.
    pub fn new() -> Effort {
        Effort::default()
    }

    /// Sets the number of random graphs that the program runs over. Defaults to 200.
    ///
    /// ```
    /// # use wolfpath::testing::Effort;
    /// assert_ne!(Effort::new().graphs(1_000), Effort::default());
    /// ```
    #[must_use]
    pub fn graphs(mut self, graphs: u32) -> Effort {
        self.graphs = graphs;
        self
    }

    /// Sets the seed of the random numbers: the same seed asks the same questions. Defaults to 1.
    ///
    /// ```
    /// # use wolfpath::testing::Effort;
    /// assert_eq!(Effort::new().seed(1), Effort::default());
    /// ```
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Effort {
        self.seed = seed;
        self
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
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::testing::{Effort, check_program_with};
///
/// #[edge_program(combine = min)]
/// fn improves(value: i32, weight: i32) -> i32 {
///     value + weight // which may be below zero
/// }
/// assert!(check_program_with(&improves::from_source(1, 0), &Effort::new().seed(3)).is_err());
/// ```
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
