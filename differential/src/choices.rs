//! The list of numbers from which a program is written. The writer takes the next number whenever it has a choice.
//! After the end of the list it takes 0, which is the simplest choice. So every list yields a program, a shorter list
//! usually yields a smaller program, and shrinking does not depend on the language. Each function of a program has its
//! own part of the list.

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
    list: &'a [u32],
    next: usize,
    /// End of the choices of the part that is being written.
    end: usize,
}

impl<'a> Chooser<'a> {
    pub(crate) fn new(choices: &'a [u32]) -> Self {
        Chooser { list: choices, next: 0, end: choices.len() }
    }

    /// Begins a part of the program that is one of `parts` still to be written. It has an equal share of the remaining
    /// choices, so that no part uses up those of the others; the last part has all that are left.
    pub(crate) fn begin_part(&mut self, parts: usize) {
        self.end = self.next + (self.list.len() - self.next) / parts.max(1);
    }

    /// Holds back a third of the choices of this part. Returns the end of the part, for [`release`](Self::release).
    pub(crate) fn hold_back(&mut self) -> usize {
        let end = self.end;
        self.end -= (end - self.next) / 3;
        end
    }

    /// Makes the choices available that were held back.
    pub(crate) fn release(&mut self, end: usize) {
        self.end = end;
    }

    /// Returns a number below `ways`.
    pub(crate) fn below(&mut self, ways: usize) -> usize {
        let choice = self.list[self.next..self.end].first().copied().unwrap_or(0);
        self.next = (self.next + 1).min(self.end);
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

    /// Returns `true` if no choices are left for this part of the program.
    pub(crate) fn has_ended(&self) -> bool {
        self.next == self.end
    }
}
