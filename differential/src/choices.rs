//! The list of numbers from which a program is written. The writer takes the next number whenever it has a choice.
//! After the end of the list it takes 0, which is the simplest choice. So every list yields a program, a shorter list
//! usually yields a smaller program, and shrinking does not depend on the language.

use proptest::prelude::*;

/// A program, as the choices that its writer will make.
pub type Choices = Vec<u32>;

/// Returns a strategy for lists of `longest / 8` to `longest` choices.
pub fn choices(longest: usize) -> impl Strategy<Value = Choices> {
    proptest::collection::vec(any::<u32>(), longest / 8..=longest)
}

/// Iterator over the choices of a list.
#[derive(Debug)]
pub(crate) struct Chooser<'a> {
    rest: std::slice::Iter<'a, u32>,
}

impl<'a> Chooser<'a> {
    pub(crate) fn new(choices: &'a [u32]) -> Self {
        Chooser { rest: choices.iter() }
    }

    /// Returns a number below `ways`.
    pub(crate) fn below(&mut self, ways: usize) -> usize {
        let choice = self.rest.next().copied().unwrap_or(0);
        choice as usize % ways.max(1)
    }

    /// Returns one of these elements; `None` if there are none.
    pub(crate) fn pick<'b, T>(&mut self, from: &'b [T]) -> Option<&'b T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }

    /// Returns `true` about once in `times` calls. If `times` is 2 or more, never returns `true` after the end of the
    /// list.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.rest.len() == 0
    }
}
