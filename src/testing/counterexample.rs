//! What is told of a broken law.

use std::fmt;

/// A law that engines rely on.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::testing::{Law, check_program};
///
/// #[edge_program(combine = min, uniform)]
/// fn not_uniform(distance: u64, weight: u32) -> u64 {
///     distance + weight as u64
/// }
/// let broken = check_program(&not_uniform::from_source(1, 0)).unwrap_err();
/// assert!(matches!(broken.law(), Law::Uniform));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// `combine(a, b)` is `combine(b, a)`.
    Commutative,
    /// `combine(combine(a, b), c)` is `combine(a, combine(b, c))`.
    Associative,
    /// All messages of one step are equal when all first values are: what `uniform` promises.
    Uniform,
    /// All messages of one step to one vertex are equal: what `Any` takes for granted.
    AnyEqual,
    /// A better value never gives a worse message.
    Monotone,
    /// A message is never better than the value that it was made of.
    NeverImproves,
}

impl Law {
    /// The law in words.
    fn says(self) -> &'static str {
        match self {
            Law::Commutative => "`combine` must be commutative: messages arrive in any order",
            Law::Associative => "`combine` must be associative: messages are combined in any grouping",
            Law::Uniform => "`uniform` promises that all messages of one step are equal",
            Law::AnyEqual => {
                "`Any` keeps any one of the messages to a vertex, so those of one step must be equal"
            }
            Law::Monotone => {
                "a better value must never give a worse message, because values may be seen early"
            }
            Law::NeverImproves => {
                "a message must never be better than the value that it was made of, because values may be seen early"
            }
        }
    }

    /// What to do about it.
    fn advice(self) -> &'static str {
        match self {
            Law::Commutative | Law::Associative => {
                "decide ties by something that does not depend on the order, such as an id"
            }
            Law::Uniform => "leave `uniform` out",
            Law::AnyEqual => "combine by `Min`, or by a `combine` of your own that chooses",
            Law::Monotone => {
                "write an `apply`, or run with a number of steps: then the run goes step by step"
            }
            Law::NeverImproves => {
                "say `non_negative` if it is weights below zero that improve it; otherwise write an `apply`: then the run \
                 goes step by step"
            }
        }
    }
}

/// A law that a program breaks, with values on which it does.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::testing::{Counterexample, check_program};
///
/// #[edge_program(combine = min, uniform)]
/// fn not_uniform(distance: u64, weight: u32) -> u64 {
///     distance + weight as u64
/// }
/// let broken: Counterexample = check_program(&not_uniform::from_source(1, 0)).unwrap_err();
/// assert!(broken.to_string().contains("not_uniform"));
/// assert!(!broken.facts().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Counterexample {
    program: &'static str,
    law: Law,
    facts: Vec<String>,
}

impl Counterexample {
    pub(super) fn new(program: &'static str, law: Law, facts: Vec<String>) -> Counterexample {
        Counterexample { program, law, facts }
    }

    /// Which law is broken.
    pub fn law(&self) -> Law {
        self.law
    }

    /// What was seen, a sentence each.
    pub fn facts(&self) -> &[String] {
        &self.facts
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}: {}; but {}. To mend it, {}",
            self.program,
            self.law.says(),
            self.facts.join("; "),
            self.law.advice()
        )
    }
}

impl std::error::Error for Counterexample {}
