//! Functions with which users test their own programs.
//!
//! The compiler checks that a program is well typed. It cannot check the laws that let engines combine messages in any
//! order, stop gathering early, and run in place. [`check_program`] searches for counterexamples to these laws.

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

    /// Sets the seed of the random numbers. The same seed gives the same test cases. Defaults to 1.
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

/// Searches for counterexamples to the laws that a program must obey, over small random graphs with random weights:
///
/// * A custom `combine` must be commutative and associative, on messages that occur in runs.
/// * Messages of one step must be equal: for a `uniform` program all of them, for `Any` those to the same vertex.
/// * If the program may run in place, its `edge` must be monotone (a better value never gives a worse message), and a
///   message must never be better than the value it was computed from. Programs may run in place if they combine with
///   `Min`, `Max`, `Or` or `And`, have the default `apply` and `changed`, and have no `sends`, `halts`, `priority` or
///   aggregate.
/// * If the program accumulates, the messages along an edge for two values must add up to the message for their sum.
/// * A `priority` must not be below the level (`v.level`) at which it is computed. It would count as equal to the level,
///   which is rarely intended.
///
/// Only values that occur in runs over these graphs are tested. Weights may be negative, except for programs declared
/// `non_negative`. Inputs on which the program faults are skipped. If a loop of the program does not terminate, neither
/// does this function: only engines have a time limit.
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
/// Returns the smallest counterexample that was found: for the laws of `uniform`, `Any` and `priority`, a graph
/// from which no edge can be removed; for the other laws, the smallest values.
pub fn check_program<P: EdgeProgram>(program: &P) -> Result<(), Counterexample> {
    check_program_with(program, &Effort::default())
}

/// Does the same as [`check_program`], with the given effort.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::testing::{Effort, check_program_with};
///
/// #[edge_program(combine = min)]
/// fn improves(value: i32, weight: i32) -> i32 {
///     value + weight // negative weights improve the value
/// }
/// assert!(check_program_with(&improves::from_source(1, 0), &Effort::new().seed(3)).is_err());
/// ```
///
/// # Errors
///
/// Returns the same error as [`check_program`].
pub fn check_program_with<P: EdgeProgram>(program: &P, effort: &Effort) -> Result<(), Counterexample> {
    let mut cases = Cases::<P>::new(program, effort.seed);
    let mut pool = laws::Pool::<P>::default();
    for _ in 0..effort.graphs {
        let graph = cases.graph();
        let run = simulation::run(program, &graph);
        laws::equal_messages(program, &graph, &run)?;
        laws::levels_rise(program, &graph, &run)?;
        pool.keep(run);
    }
    pool.combine_laws(program)?;
    pool.portions_add_up(program)?;
    pool.edge_laws(program)
}
