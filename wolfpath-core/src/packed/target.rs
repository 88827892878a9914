//! Destinations of packed rows: memory, or a comparison with packed rows that exist already.
//!
//! Both have no branch per number that depends on the numbers, because it would be unpredictable.

/// A sequence of numbers of any width, the lowest bits first.
pub(super) trait Target: Sized + Send {
    /// Splits off the first `words` words. Nothing was put yet.
    fn split(self, words: usize) -> (Self, Self);

    /// Returns the number of bits that were put.
    fn len(&self) -> usize;

    /// Puts a number of at most `width` bits, where `width` is at most 32.
    fn put(&mut self, number: u32, width: u32);

    /// Puts the differences between consecutive ends of a block.
    #[inline(always)]
    fn put_differences(&mut self, block: &[u32], width: u32) {
        let mut at = 0;
        if width <= u32::BITS / 2 {
            // Two differences fit in one number, which takes half as long.
            while let Some(&[a, b, c]) = block.get(at..at + 3) {
                self.put((b - a) | (c - b) << width, 2 * width);
                at += 2;
            }
        }
        while let Some(&[a, b]) = block.get(at..at + 2) {
            self.put(b - a, width);
            at += 1;
        }
    }

    /// Returns `true` if all numbers were right, and no words are left.
    fn is_right(&self) -> bool;

    /// Puts zeros until the number of bits is a multiple of `bits`.
    fn align(&mut self, bits: u32) {
        let mut rest = self.len().next_multiple_of(bits as usize) - self.len();
        while rest > 0 {
            let width = rest.min(32);
            self.put(0, width as u32);
            rest -= width;
        }
    }

    /// Puts a position, at the next multiple of its size.
    fn put_position(&mut self, position: u64) {
        self.align(u64::BITS);
        self.put(position as u32, u32::BITS);
        self.put((position >> u32::BITS) as u32, u32::BITS);
    }
}

/// Words in memory. As many as there are must be put.
pub(super) struct Store<'a> {
    words: &'a mut [u32],
    /// Number of full words that were put.
    full: usize,
    /// The bits after them, fewer than 32. The next number stores them.
    pending: u64,
    filled: u32,
}

impl<'a> Store<'a> {
    pub(super) fn into(words: &'a mut [u32]) -> Store<'a> {
        Store { words, full: 0, pending: 0, filled: 0 }
    }
}

impl Target for Store<'_> {
    fn split(self, words: usize) -> (Self, Self) {
        let (first, rest) = self.words.split_at_mut(words);
        (Store::into(first), Store::into(rest))
    }

    fn len(&self) -> usize {
        self.full * u32::BITS as usize + self.filled as usize
    }

    #[inline]
    fn put(&mut self, number: u32, width: u32) {
        self.pending |= u64::from(number) << self.filled;
        self.filled += width;
        // After the last number of the last word there is no further word, and nothing is pending.
        if let Some(word) = self.words.get_mut(self.full) {
            *word = self.pending as u32;
        }
        self.full += (self.filled / u32::BITS) as usize;
        self.pending >>= self.filled & u32::BITS;
        self.filled %= u32::BITS;
    }

    fn is_right(&self) -> bool {
        true
    }
}

/// Words that are compared with the numbers that are put. There may be fewer or more.
pub(super) struct Compare<'a> {
    words: &'a [u32],
    /// Number of bits that were compared.
    at: usize,
    /// The bits in which any numbers differed.
    differing: u32,
}

impl<'a> Compare<'a> {
    pub(super) fn with(words: &'a [u32]) -> Compare<'a> {
        Compare { words, at: 0, differing: 0 }
    }
}

/// Returns the 64 bits from bit `at` on, of which the first 33 are valid. Bits after the last word are zeros.
#[inline]
fn bits(words: &[u32], at: usize) -> u64 {
    let word = at / u32::BITS as usize;
    let pair = match words.get(word..word + 2) {
        Some(pair) => u64::from(pair[0]) | u64::from(pair[1]) << u32::BITS,
        None => words.get(word).copied().unwrap_or(0).into(),
    };
    pair >> (at % u32::BITS as usize)
}

impl Target for Compare<'_> {
    fn split(self, words: usize) -> (Self, Self) {
        let (first, rest) = self.words.split_at(words.min(self.words.len()));
        (Compare::with(first), Compare::with(rest))
    }

    fn len(&self) -> usize {
        self.at
    }

    #[inline]
    fn put(&mut self, number: u32, width: u32) {
        self.differing |= (bits(self.words, self.at) & ((1 << width) - 1)) as u32 ^ number;
        self.at += width as usize;
    }

    fn is_right(&self) -> bool {
        self.differing == 0 && self.at == u32::BITS as usize * self.words.len()
    }
}
