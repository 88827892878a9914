//! Numbers that threads add up in shared memory, and take from there in portions: see
//! [`ACCUMULATES`](super::EdgeProgram::ACCUMULATES).

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// A number that is added up in a word of 8 bytes: floats in f64, integers modulo 2^64, whose lower bits are those of the
/// wrapped sum.
pub(super) trait Portion: Sized {
    /// Adds the number to a word. `alone` means that no other thread accesses the word meanwhile. Returns `true` if the
    /// number is not 0 and the word was.
    fn add_to(self, word: &AtomicU64, alone: bool) -> bool;

    /// Returns the sum in a word, and leaves 0 if it `takes` it.
    fn of(word: &AtomicU64, takes: bool, alone: bool) -> Self;
}

#[inline(always)]
fn take(word: &AtomicU64, takes: bool, alone: bool) -> u64 {
    if takes && !alone {
        return word.swap(0, SeqCst);
    }
    let all = word.load(SeqCst);
    if takes {
        word.store(0, Relaxed);
    }
    all
}

/// Implements [`Portion`] for integers, which `$wide` extends to 8 bytes.
macro_rules! integers {
    ($($type:ident as $wide:ident)*) => {$(
        impl Portion for $type {
            #[inline(always)]
            fn add_to(self, word: &AtomicU64, alone: bool) -> bool {
                let more = self as $wide as u64;
                if more == 0 {
                    return false;
                }
                let before = match alone {
                    true => word.load(Relaxed),
                    false => word.fetch_add(more, SeqCst),
                };
                if alone {
                    word.store(before.wrapping_add(more), Relaxed);
                }
                before == 0
            }
            #[inline(always)]
            fn of(word: &AtomicU64, takes: bool, alone: bool) -> $type {
                take(word, takes, alone) as $type
            }
        }
    )*};
}

integers!(u32 as u64 i32 as i64 u64 as u64 i64 as i64);

/// Implements [`Portion`] for floats.
macro_rules! floats {
    ($($type:ident)*) => {$(
        impl Portion for $type {
            #[inline(always)]
            fn add_to(self, word: &AtomicU64, alone: bool) -> bool {
                if self == 0.0 {
                    return false;
                }
                let sum = |before| (f64::from_bits(before) + f64::from(self)).to_bits();
                let mut before = word.load(Relaxed);
                if alone {
                    word.store(sum(before), Relaxed);
                } else {
                    while let Err(now) = word.compare_exchange_weak(before, sum(before), SeqCst, Relaxed) {
                        before = now;
                    }
                }
                f64::from_bits(before) == 0.0
            }
            #[inline(always)]
            fn of(word: &AtomicU64, takes: bool, alone: bool) -> $type {
                f64::from_bits(take(word, takes, alone)) as $type
            }
        }
    )*};
}

floats!(f32 f64);

#[cfg(test)]
mod tests {
    use super::super::combine::{Combiner, Sum};
    use super::*;

    fn words<const N: usize>() -> [AtomicU64; N] {
        std::array::from_fn(|_| AtomicU64::new(0))
    }

    #[test]
    fn numbers_are_added_up_and_taken() {
        type Of = [f32; 2];
        for alone in [false, true] {
            let sums = words::<2>();
            assert!(!Sum::add_portion(&sums, [0.0f32; 2], alone));
            assert!(Sum::add_portion(&sums, [16_777_216.0f32, -7.25], alone));
            (0..400).for_each(|_| assert!(!Sum::add_portion(&sums, [1.0f32, 0.5], alone)));
            let all = [16_777_616.0, 192.75];
            assert_eq!(<Sum as Combiner<Of>>::portion(&sums, false, alone), all);
            assert_eq!(<Sum as Combiner<Of>>::portion(&sums, true, alone), all);
            assert_eq!(<Sum as Combiner<Of>>::portion(&sums, true, alone), [0.0; 2]);
        }
        assert_eq!((Sum::size([-1.5f32, 2.0]), Sum::size(-7i32)), (3.5, 7.0));
    }

    #[test]
    fn integers_wrap_like_their_type() {
        let sum = words::<1>();
        Sum::add_portion(&sum, u32::MAX, false);
        Sum::add_portion(&sum, 3u32, true);
        assert_eq!(<Sum as Combiner<u32>>::portion(&sum, true, false), 2);
        Sum::add_portion(&sum, i32::MIN, true);
        Sum::add_portion(&sum, -1i32, false);
        assert_eq!(<Sum as Combiner<i32>>::portion(&sum, true, true), i32::MAX);
    }
}
