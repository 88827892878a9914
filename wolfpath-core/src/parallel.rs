//! Loops over long columns on all threads.
//!
//! Rayon's adaptors are compiled separately for every closure, at about 3,000 lines of LLVM IR each, and a conversion
//! between the six number types has 36 closures. This module splits a loop into pieces, and calls a closure through a
//! `dyn` reference for each piece. The code that splits the loop is therefore compiled only once. One call per 16,384
//! numbers has no measurable cost.

use std::ops::Range;

use rayon::prelude::*;

/// Length of a piece, in numbers: long enough that the cost of the call is negligible, and short enough that all
/// threads get pieces.
pub(crate) const PIECE: usize = 1 << 14;

/// Splits `0..len` into consecutive ranges of at most [`PIECE`].
fn pieces(len: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    (0..len.div_ceil(PIECE)).into_par_iter().map(move |piece| piece * PIECE..len.min((piece + 1) * PIECE))
}

/// Fills a slice on all threads. `fill` is called with the start position of a piece and the piece.
pub(crate) fn fill<T: Send>(slots: &mut [T], fill: &(dyn Fn(usize, &mut [T]) + Sync)) {
    slots.par_chunks_mut(PIECE).enumerate().for_each(|(piece, slots)| fill(piece * PIECE, slots));
}

/// Returns the first matching position below `len`. `find` is called with ranges of `0..len`, and returns the first
/// matching position in the range.
pub(crate) fn first(len: usize, find: &(dyn Fn(Range<usize>) -> Option<usize> + Sync)) -> Option<usize> {
    pieces(len).find_map_first(find)
}

/// Folds the results of `of` for the ranges of `0..len`. `combine` must be associative and commutative, and `neutral`
/// its neutral element.
pub(crate) fn fold<R: Copy + Send + Sync>(
    len: usize,
    neutral: R,
    of: &(dyn Fn(Range<usize>) -> R + Sync),
    combine: fn(R, R) -> R,
) -> R {
    pieces(len).map(of).reduce(|| neutral, combine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_position_once() {
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let mut positions = vec![0; len];
            fill(&mut positions, &|first, slots| {
                for (offset, slot) in slots.iter_mut().enumerate() {
                    *slot += first + offset + 1;
                }
            });
            assert!(positions.iter().copied().eq(1..=len), "{len}");
            let sum = fold(len, 0, &|range| positions[range].iter().sum::<usize>(), |a, b| a + b);
            assert_eq!(sum, len * (len + 1) / 2);
        }
    }

    #[test]
    fn the_first_of_several_is_found() {
        let wanted = [2 * PIECE + 7, 2 * PIECE, 5 * PIECE];
        let find = |range: Range<usize>| wanted.into_iter().filter(|position| range.contains(position)).min();
        assert_eq!(first(6 * PIECE, &find), Some(2 * PIECE));
        assert_eq!(first(2 * PIECE, &find), None);
    }
}
