//! Counterexamples: a broken law, and the values that break it.

use std::fmt;

/// Law that engines rely on.
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
    /// `combine(a, b)` equals `combine(b, a)`.
    Commutative,
    /// `combine(combine(a, b), c)` equals `combine(a, combine(b, c))`.
    Associative,
    /// If all first values are equal, all messages of one step are equal. Promised by `uniform`.
    Uniform,
    /// All messages of one step to the same vertex are equal. Required by `Any`.
    AnyEqual,
    /// A better value never gives a worse message.
    Monotone,
    /// A message is never better than the value it was computed from.
    NeverImproves,
    /// A priority is never below the level at which it was computed.
    LevelsRise,
    /// The messages along an edge for two values add up to the message for their sum. Promised by `accumulates`.
    Additive,
}

impl Law {
    /// Returns the law as text.
    fn says(self) -> &'static str {
        match self {
            Law::Commutative => "`combine` must be commutative: messages arrive in any order",
            Law::Associative => "`combine` must be associative: messages are combined in any grouping",
            Law::Uniform => "`uniform` promises that all messages of one step are equal",
            Law::AnyEqual => {
                "`Any` keeps an arbitrary one of the messages to a vertex, so the messages of one step must be equal"
            }
            Law::Monotone => {
                "a better value must never give a worse message, because values may be seen before a step ends"
            }
            Law::NeverImproves => {
                "a message must never be better than the value it was computed from, because values may be seen \
                 before a step ends"
            }
            Law::Additive => {
                "`accumulates` promises that the messages for two portions add up to the message for their sum"
            }
            Law::LevelsRise => "levels never fall, so a priority below the level counts as equal to it",
        }
    }

    /// Returns advice on how to correct the program.
    fn advice(self) -> &'static str {
        match self {
            Law::Commutative | Law::Associative => {
                "resolve ties by something that does not depend on the order, such as an id"
            }
            Law::Uniform => "remove `uniform`",
            Law::AnyEqual => "combine with `Min`, or with a custom `combine` that chooses",
            Law::Monotone => {
                "write an `apply`, or run with a fixed number of steps, so that the run goes step by step"
            }
            Law::NeverImproves => {
                "declare the program `non_negative` if only negative weights improve a value; otherwise write an \
                 `apply`, so that the run goes step by step"
            }
            Law::Additive => {
                "multiply the value by something that does not depend on it, or remove the promise and compute the new value \
                 in an `apply`"
            }
            Law::LevelsRise => "if this is intended, return `priority.max(v.level)`",
        }
    }
}

/// Law that a program breaks, with values that break it.
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
    advice: &'static str,
}

impl Counterexample {
    pub(super) fn new(program: &'static str, law: Law, facts: Vec<String>) -> Counterexample {
        Counterexample { program, law, facts, advice: law.advice() }
    }

    /// Replaces the law's advice.
    pub(super) fn with_advice(self, advice: &'static str) -> Counterexample {
        Counterexample { advice, ..self }
    }

    /// Returns the broken law.
    pub fn law(&self) -> Law {
        self.law
    }

    /// Returns the observations that show that the law is broken, one sentence each.
    pub fn facts(&self) -> &[String] {
        &self.facts
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}: {}, but {}. To correct this, {}",
            self.program,
            self.law.says(),
            self.facts.join("; "),
            self.advice
        )
    }
}

impl std::error::Error for Counterexample {}
