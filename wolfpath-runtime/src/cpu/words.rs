//! Values that several threads combine: atomic words of 4 or 8 bytes for each [`Datum`].
//!
//! As in the kernels, a word contains the number's key (an unsigned word with the same order as the numbers) for `min`
//! and `max`, and its bits otherwise. A vertex without a value has the combiner's identity as its word. A separate bit
//! marks values whose word equals the identity.

use std::ops::Range;
use std::sync::atomic::{
    AtomicU8, AtomicU32, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};

use rayon::prelude::*;
use wolfpath_core::memory;
use wolfpath_core::program::{CombineKind, Datum, DatumKind};

use crate::plan::word_bytes;

/// An atomic unsigned word.
pub(crate) trait Word: Send + Sync + Sized {
    /// Largest word.
    const MAX: u64;
    fn new(word: u64) -> Self;
    fn load(&self) -> u64;
    /// Loads the word in an order that all threads agree on; see [`Flags`].
    fn load_latest(&self) -> u64;
    fn store(&self, word: u64);
    fn fetch_min(&self, word: u64) -> u64;
    fn fetch_max(&self, word: u64) -> u64;
    fn fetch_or(&self, word: u64) -> u64;
    fn fetch_and(&self, word: u64) -> u64;
    fn fetch_add(&self, word: u64) -> u64;
    fn swap(&self, word: u64) -> u64;
}

/// Loads and stores are relaxed: words are combined in any order, and the thread pool's joins separate the steps.
/// Combining is sequentially consistent for the sake of [`Flags`], which on x86-64 costs no more.
macro_rules! word {
    ($atomic:ident, $unsigned:ident) => {
        impl Word for $atomic {
            const MAX: u64 = $unsigned::MAX as u64;
            fn new(word: u64) -> Self {
                $atomic::new(word as $unsigned)
            }
            #[inline]
            fn load(&self) -> u64 {
                $atomic::load(self, Relaxed) as u64
            }
            #[inline]
            fn load_latest(&self) -> u64 {
                $atomic::load(self, SeqCst) as u64
            }
            #[inline]
            fn store(&self, word: u64) {
                $atomic::store(self, word as $unsigned, Relaxed);
            }
            #[inline]
            fn fetch_min(&self, word: u64) -> u64 {
                $atomic::fetch_min(self, word as $unsigned, SeqCst) as u64
            }
            #[inline]
            fn fetch_max(&self, word: u64) -> u64 {
                $atomic::fetch_max(self, word as $unsigned, SeqCst) as u64
            }
            #[inline]
            fn fetch_or(&self, word: u64) -> u64 {
                $atomic::fetch_or(self, word as $unsigned, SeqCst) as u64
            }
            #[inline]
            fn fetch_and(&self, word: u64) -> u64 {
                $atomic::fetch_and(self, word as $unsigned, SeqCst) as u64
            }
            #[inline]
            fn fetch_add(&self, word: u64) -> u64 {
                $atomic::fetch_add(self, word as $unsigned, SeqCst) as u64
            }
            #[inline]
            fn swap(&self, word: u64) -> u64 {
                $atomic::swap(self, word as $unsigned, Relaxed) as u64
            }
        }
    };
}

word!(AtomicU32, u32);
word!(AtomicU64, u64);

/// Returns `vertices` words with the same content.
pub(crate) fn fill<W: Word>(vertices: u32, word: u64) -> Vec<W> {
    filled(vertices as usize, word)
}

/// Returns `length` words with the same content.
pub(crate) fn filled<W: Word>(length: usize, word: u64) -> Vec<W> {
    let mut words = memory::with_room(length);
    words.par_extend((0..length).into_par_iter().map(|_| W::new(word)));
    words
}

/// Returns the largest word for a type of values.
pub(crate) fn largest_word(kind: DatumKind) -> u64 {
    if word_bytes(kind) == 4 { u64::from(u32::MAX) } else { u64::MAX }
}

/// Returns the identity of the combiner: the word that changes nothing when combined.
pub(crate) const fn identity(kind: CombineKind, max: u64) -> u64 {
    match kind {
        CombineKind::Min | CombineKind::And => max,
        _ => 0,
    }
}

/// Returns the word that no message can improve, if the combiner has one: the value of a vertex that has it is final.
pub(crate) const fn best(kind: CombineKind, value: DatumKind, max: u64) -> Option<u64> {
    match (kind, value) {
        (CombineKind::Or, DatumKind::Bool) => Some(1),
        (CombineKind::Or, DatumKind::U64 | DatumKind::I64) => Some(u64::MAX),
        (CombineKind::Or, _) => Some(u32::MAX as u64),
        (CombineKind::Max, DatumKind::Bool) => Some(1),
        (CombineKind::Max, _) => Some(max),
        (CombineKind::Min | CombineKind::And, _) => Some(0),
        _ => None,
    }
}

/// Returns `true` if `min` and `max` ignore this number, which is NaN.
pub(crate) fn is_dropped<D: Datum>(kind: CombineKind, datum: D) -> bool {
    let is_nan = match D::KIND {
        DatumKind::F32 => f32::from_bits(datum.to_bits() as u32).is_nan(),
        DatumKind::F64 => f64::from_bits(datum.to_bits()).is_nan(),
        _ => false,
    };
    is_nan && matches!(kind, CombineKind::Min | CombineKind::Max)
}

/// Returns the word of a number. For `min` and `max`, NaN has the word of the identity.
#[inline]
pub(crate) fn to_word<D: Datum>(kind: CombineKind, max: u64, datum: D) -> u64 {
    match kind {
        CombineKind::Min | CombineKind::Max if is_dropped(kind, datum) => identity(kind, max),
        CombineKind::Min | CombineKind::Max => datum.to_key(),
        _ => datum.to_bits(),
    }
}

/// Returns the number of a word.
#[inline]
pub(crate) fn from_word<D: Datum>(kind: CombineKind, word: u64) -> D {
    match kind {
        CombineKind::Min | CombineKind::Max => D::from_key(word),
        _ => D::from_bits(word),
    }
}

/// Returns `true` if combining `word` into `held` would change it.
#[inline]
pub(crate) fn improves(kind: CombineKind, word: u64, held: u64) -> bool {
    match kind {
        CombineKind::Min => word < held,
        CombineKind::Max => word > held,
        CombineKind::Or => word & !held != 0,
        CombineKind::And => held & !word != 0,
        _ => true,
    }
}

/// Combines `word` into `held` and returns the previous word. `alone` means that no other thread accesses `held`
/// meanwhile, so that no locked instruction is needed.
#[inline]
pub(crate) fn combine<W: Word>(kind: CombineKind, held: &W, word: u64, alone: bool) -> u64 {
    if alone {
        let before = held.load();
        held.store(match kind {
            CombineKind::Min => before.min(word),
            CombineKind::Max => before.max(word),
            CombineKind::Or => before | word,
            CombineKind::And => before & word,
            CombineKind::Sum => before.wrapping_add(word),
            _ => word,
        });
        return before;
    }
    match kind {
        CombineKind::Min => held.fetch_min(word),
        CombineKind::Max => held.fetch_max(word),
        CombineKind::Or => held.fetch_or(word),
        CombineKind::And => held.fetch_and(word),
        CombineKind::Sum => held.fetch_add(word),
        _ => held.swap(word),
    }
}

/// One bit per vertex.
pub(crate) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub(crate) fn new(vertices: u32) -> Bits {
        Bits((0..u64::from(vertices).div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn of_words(words: &[u64]) -> Bits {
        Bits(words.iter().map(|&word| AtomicU64::new(word)).collect())
    }

    /// Returns the number of words.
    pub(crate) fn words(&self) -> usize {
        self.0.len()
    }

    /// Returns the bits of the vertices from `64 * word` on.
    #[inline]
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.0[word].load(Relaxed)
    }

    /// Replaces the bits of the vertices from `64 * word` on.
    #[inline]
    pub(crate) fn put_word(&self, word: usize, bits: u64) {
        self.0[word].store(bits, Relaxed);
    }

    /// Returns all words.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.0.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// Clears all bits.
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(|word| *word.get_mut() = 0);
    }

    /// Clears the bits of all words after the one with the bit before `vertices`.
    pub(crate) fn clear_from(&mut self, vertices: u32) {
        let words = self.0.iter_mut().skip(vertices.div_ceil(64) as usize);
        words.for_each(|word| *word.get_mut() = 0);
    }

    #[inline]
    pub(crate) fn get(&self, v: u32) -> bool {
        self.0[v as usize / 64].load(Relaxed) >> (v % 64) & 1 != 0
    }

    /// Returns `true` if a bit is set, in an order that all threads agree on with [`unset`](Self::unset).
    #[inline]
    pub(crate) fn is_set(&self, v: u32) -> bool {
        self.0[v as usize / 64].load(SeqCst) >> (v % 64) & 1 != 0
    }

    /// Clears bits of a word. `ALONE` means that no other thread accesses the bits meanwhile.
    #[inline]
    pub(crate) fn unset<const ALONE: bool>(&self, word: usize, bits: u64) {
        if ALONE {
            self.0[word].store(self.0[word].load(Relaxed) & !bits, Relaxed);
        } else {
            self.0[word].fetch_and(!bits, SeqCst);
        }
    }

    /// Sets a bit. Returns `true` only to the caller that found it clear.
    #[inline]
    pub(crate) fn set(&self, v: u32) -> bool {
        let bit = 1 << (v % 64);
        self.0[v as usize / 64].fetch_or(bit, Relaxed) & bit == 0
    }

    /// Sets a bit. `ALONE` means that no other thread accesses the bits meanwhile.
    #[inline]
    pub(crate) fn mark<const ALONE: bool>(&self, v: u32) {
        let (word, bit) = (&self.0[v as usize / 64], 1 << (v % 64));
        if ALONE {
            word.store(word.load(Relaxed) | bit, Relaxed);
        } else {
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Sets or clears a bit. Writes nothing if the bit is as it should be.
    #[inline]
    pub(crate) fn put(&self, v: u32, on: bool) {
        if self.get(v) != on {
            self.0[v as usize / 64].fetch_xor(1 << (v % 64), Relaxed);
        }
    }

    /// Returns the vertices that are marked in these words, in ascending order. Words beyond the last have no marks.
    pub(crate) fn marked(&self, words: Range<usize>) -> impl Iterator<Item = u32> {
        (words.start..words.end.min(self.words())).flat_map(|word| marked(word, self.word(word)))
    }
}

/// Returns the vertices that are marked in the bits of the vertices from `64 * word` on, in ascending order.
pub(crate) fn marked(word: usize, mut marks: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let mark = (marks != 0).then(|| word as u32 * 64 + marks.trailing_zeros());
        marks &= marks.wrapping_sub(1);
        mark
    })
}

/// One flag per vertex, raised after a vertex's value improved and lowered before the value is sent.
///
/// A thread that improves a value and then finds the flag raised may rely on the thread that lowers it to send the
/// value. The first one combines the value and then loads the flag; the other one swaps the flag and then loads the
/// value. These four accesses are sequentially consistent, so at least one thread sees what the other wrote. On x86-64
/// only lowering a flag costs more than a plain access.
///
/// Flags also tell whether a vertex has sent in the current round. If two threads access a flag at the same time, this
/// may be wrong, so it serves statistics only.
pub(crate) struct Flags {
    /// In the lowest bit, whether the flag is raised. In the others, the round in which the vertex last sent, or 0. All
    /// of it is in one byte, since every line that threads write in turns slows them down.
    flags: Vec<AtomicU8>,
    round: u8,
}

/// Result of [`Flags::lower`].
pub(crate) enum Lowered {
    /// The flag was not raised.
    Not,
    /// The flag was raised, and the vertex had not sent in this round.
    First,
    /// The flag was raised, and the vertex had already sent in this round.
    Again,
}

impl Flags {
    /// The lowest bit of a flag.
    const RAISED: u8 = 1;

    /// Largest number of a round.
    const LAST_ROUND: u8 = u8::MAX >> 1;

    pub(crate) fn new(vertices: u32) -> Flags {
        Flags { flags: bytemuck::zeroed_vec(vertices as usize), round: 1 }
    }

    #[inline]
    pub(crate) fn is_raised(&self, v: u32) -> bool {
        self.flags[v as usize].load(SeqCst) & Self::RAISED != 0
    }

    /// Raises a flag. Returns `false` if it was raised already. Threads that raise it at the same time may all get
    /// `true`.
    #[inline]
    pub(crate) fn raise(&self, v: u32) -> bool {
        let flag = &self.flags[v as usize];
        let before = flag.load(SeqCst);
        if before & Self::RAISED != 0 {
            return false;
        }
        // The load above orders the value before any later lowering, so the order of this store does not matter.
        flag.store(before | Self::RAISED, Relaxed);
        true
    }

    /// Lowers a flag. `ALONE` means that no other thread accesses the flags meanwhile.
    #[inline]
    pub(crate) fn lower<const ALONE: bool>(&self, v: u32) -> Lowered {
        let flag = &self.flags[v as usize];
        let mut before = flag.load(Relaxed);
        if before & Self::RAISED == 0 {
            return Lowered::Not;
        }
        let sent = self.round << 1;
        if ALONE {
            flag.store(sent, Relaxed);
        } else {
            before = flag.swap(sent, SeqCst);
        }
        match before {
            before if before & Self::RAISED == 0 => Lowered::Not,
            before if before & !Self::RAISED == sent => Lowered::Again,
            _ => Lowered::First,
        }
    }

    /// Begins a round, in which no vertex has sent yet.
    pub(crate) fn begin_round(&mut self) {
        if self.round == Self::LAST_ROUND {
            self.flags.iter_mut().for_each(|flag| *flag.get_mut() &= Self::RAISED);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Returns the vertices whose flags are raised, in ascending order.
    pub(crate) fn raised(&mut self) -> Vec<u32> {
        let mut raised = Vec::new();
        for (at, flags) in self.flags.chunks_mut(64).enumerate() {
            // Most often none is raised. Without atomic loads, the compiler looks at many flags at once.
            if flags.iter_mut().fold(0, |all, flag| all | *flag.get_mut()) & Self::RAISED == 0 {
                continue;
            }
            let is_raised = |flag: &mut AtomicU8| *flag.get_mut() & Self::RAISED != 0;
            let found = flags.iter_mut().enumerate().filter_map(|(bit, flag)| is_raised(flag).then_some(bit));
            raised.extend(found.map(|bit| (64 * at + bit) as u32));
        }
        raised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_looks_like_nothing() {
        assert_eq!(to_word(CombineKind::Min, u64::from(u32::MAX), f32::NAN), u64::from(u32::MAX));
        assert_eq!(to_word(CombineKind::Max, u64::from(u32::MAX), f32::NAN), 0);
        assert!(from_word::<f32>(CombineKind::Min, u64::from(u32::MAX)).is_nan());
        assert!(from_word::<f32>(CombineKind::Max, 0).is_nan());
    }

    #[test]
    fn combining_alone_and_together_agree() {
        for kind in [CombineKind::Min, CombineKind::Max, CombineKind::Or, CombineKind::And, CombineKind::Sum]
        {
            for (held, word) in [(5u64, 3u64), (3, 5), (6, 6), (u64::from(u32::MAX), 1)] {
                let (one, other) = (<AtomicU32 as Word>::new(held), <AtomicU32 as Word>::new(held));
                assert_eq!(combine(kind, &one, word, true), combine(kind, &other, word, false));
                assert_eq!(Word::load(&one), Word::load(&other), "{kind:?} {held} {word}");
            }
        }
    }

    #[test]
    fn flags_know_who_sent_in_this_round() {
        let mut flags = Flags::new(2);
        for _ in 0..300 {
            assert!(matches!(flags.lower::<true>(1), Lowered::Not));
            assert!(flags.raise(1) && !flags.raise(1));
            assert_eq!(flags.raised(), [1]);
            assert!(matches!(flags.lower::<false>(1), Lowered::First));
            assert!(flags.raise(1));
            assert!(matches!(flags.lower::<true>(1), Lowered::Again));
            assert!(!flags.is_raised(1));
            flags.begin_round();
        }
    }

    #[test]
    fn rounds_with_the_same_number_are_told_apart() {
        let mut flags = Flags::new(200);
        assert!(flags.raise(0) && flags.raise(131));
        assert_eq!(flags.raised(), [0, 131]);
        assert!(matches!(flags.lower::<true>(0), Lowered::First));
        (0..Flags::LAST_ROUND).for_each(|_| flags.begin_round());
        assert_eq!(flags.raised(), [131]);
        assert!(flags.raise(0));
        assert!(matches!(flags.lower::<true>(0), Lowered::First));
    }
}
