//! What a program is made of before it has a text: a list of numbers. The writer asks for one whenever it has a
//! choice; a list that has ended answers 0, the simplest choice. So every list is a program, a shorter list is mostly
//! a smaller one, and shrinking needs to know nothing of the language.

use proptest::prelude::*;

/// A program as the choices that its writer will make.
pub type Choices = Vec<u32>;

/// Lists of choices that make programs of every size up to this many choices.
pub fn choices(longest: usize) -> impl Strategy<Value = Choices> {
    proptest::collection::vec(any::<u32>(), longest / 8..=longest)
}

/// Hands out the choices of a list.
#[derive(Debug)]
pub(crate) struct Chooser<'a> {
    rest: std::slice::Iter<'a, u32>,
}

impl<'a> Chooser<'a> {
    pub(crate) fn new(choices: &'a [u32]) -> Self {
        Chooser { rest: choices.iter() }
    }

    /// A number below `ways`.
    pub(crate) fn below(&mut self, ways: usize) -> usize {
        let choice = self.rest.next().copied().unwrap_or(0);
        choice as usize % ways.max(1)
    }

    /// One of these.
    pub(crate) fn pick<'b, T>(&mut self, from: &'b [T]) -> Option<&'b T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }

    /// True about once in this many times, and never once the list has ended.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.rest.len() == 0
    }
}
