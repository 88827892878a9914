//! Where packed rows are written to, and a writer of bits.

/// Words that are written one after the other, or compared with what would be written.
pub(super) trait Target: Sized + Send {
    /// Splits off the first `words` words.
    fn split(self, words: usize) -> (Self, Self);

    /// Writes the next word.
    fn put(&mut self, word: u32);

    /// Returns `true` if all words were right.
    fn is_right(self) -> bool;
}

/// Words in memory that are written.
pub(super) struct Store<'a>(pub(super) &'a mut [u32]);

impl Target for Store<'_> {
    fn split(self, words: usize) -> (Self, Self) {
        let (first, rest) = self.0.split_at_mut(words);
        (Store(first), Store(rest))
    }

    #[inline]
    fn put(&mut self, word: u32) {
        let words = std::mem::take(&mut self.0);
        let (place, rest) = words.split_first_mut().expect("the target has the size that was measured");
        *place = word;
        self.0 = rest;
    }

    fn is_right(self) -> bool {
        true
    }
}

/// Words that are compared with those that would be written.
pub(super) struct Compare<'a> {
    words: &'a [u32],
    /// The bits in which any words differ.
    differing: u32,
}

impl<'a> Compare<'a> {
    pub(super) fn with(words: &'a [u32]) -> Compare<'a> {
        Compare { words, differing: 0 }
    }
}

impl Target for Compare<'_> {
    fn split(self, words: usize) -> (Self, Self) {
        let (first, rest) = self.words.split_at(words);
        (Compare::with(first), Compare { words: rest, differing: self.differing })
    }

    #[inline]
    fn put(&mut self, word: u32) {
        let (&found, rest) = self.words.split_first().expect("the words have the size that was measured");
        self.differing |= found ^ word;
        self.words = rest;
    }

    fn is_right(self) -> bool {
        self.differing == 0
    }
}

/// Writes numbers of any width, the lowest bits first.
pub(super) struct Bits<'t, T> {
    target: &'t mut T,
    /// The bits that do not fill a word yet, fewer than 32.
    pending: u64,
    filled: u32,
    /// Number of words that were written.
    words: usize,
}

impl<'t, T: Target> Bits<'t, T> {
    pub(super) fn to(target: &'t mut T) -> Bits<'t, T> {
        Bits { target, pending: 0, filled: 0, words: 0 }
    }

    /// Writes a number of at most `width` bits, where `width` is at most 32.
    #[inline]
    pub(super) fn put(&mut self, number: u32, width: u32) {
        self.pending |= u64::from(number) << self.filled;
        self.filled += width;
        if self.filled >= u32::BITS {
            self.target.put(self.pending as u32);
            self.pending >>= u32::BITS;
            self.filled -= u32::BITS;
            self.words += 1;
        }
    }

    /// Writes a position in two words, at a multiple of its size.
    pub(super) fn put_position(&mut self, position: u64) {
        self.align_position();
        self.put(position as u32, u32::BITS);
        self.put((position >> u32::BITS) as u32, u32::BITS);
    }

    /// Writes zeros up to the next multiple of a position's size.
    pub(super) fn align_position(&mut self) {
        self.align(u32::BITS);
        if self.words % 2 == 1 {
            self.put(0, u32::BITS);
        }
    }

    /// Writes zeros until the number of bits is a multiple of `bits`, which is at most 32.
    pub(super) fn align(&mut self, bits: u32) {
        self.put(0, self.filled.next_multiple_of(bits) - self.filled);
    }
}
