//! Combiners that combine field by field: arrays, and [`Fields`] with one combiner for each field of a struct. The macro
//! implements [`Combiner`] for the structs of a program's module.

use std::array;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;

use super::combine::{And, CombineKind, Combiner, Or, Sum};
use super::datum::Datum;

/// One combiner for each field of a struct, in the order in which the fields are declared.
///
/// `C` is a tuple of combiners: `Sum`, `Min`, `Max`, `Or`, `And`, `Any`, or another `Fields` for a field that is a
/// struct. A float field that is combined by `Min` or `Max` is NaN only if it is NaN in every message. Messages have a
/// neutral message if all the combiners have one.
///
/// ```
/// use wolfpath::prelude::*;
///
/// #[edge_program]
/// mod neighbours {
///     use wolfpath::prelude::*;
///
///     /// Number of in-neighbours, the smallest and the largest of their ids.
///     pub struct Summary {
///         pub count: u64,
///         pub smallest: u64,
///         pub largest: u64,
///     }
///
///     pub struct Neighbours;
///
///     impl EdgeProgram for Neighbours {
///         type Value = Summary;
///         type Message = Summary;
///         type Combine = Fields<(Sum, Min, Max)>;
///
///         fn start(&self, _v: Vertex) -> Summary {
///             Summary { count: 0, smallest: 0, largest: 0 }
///         }
///         fn edge(&self, e: Edge<Summary>) -> Summary {
///             Summary { count: 1, smallest: e.source, largest: e.source }
///         }
///         fn apply(&self, _v: Vertex<Summary>, incoming: Summary) -> Summary {
///             incoming
///         }
///     }
/// }
///
/// let graph = LayeredGraph::from_edges([(1, 9), (4, 9), (7, 9)])?;
/// let outcome = Engine::cpu().run_with(&graph, &neighbours::Neighbours, &RunOptions::new().steps_at_most(1))?;
/// let summary = outcome.value(9)?.unwrap();
/// assert_eq!((summary.count, summary.smallest, summary.largest), (3, 1, 7));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fields<C>(PhantomData<C>);

/// Implements one marker for arrays, element by element.
macro_rules! combines_elements {
    ($($name:ident)*) => {$(
        impl<M: Datum, const N: usize> Combiner<[M; N]> for $name
        where
            $name: Combiner<M>,
        {
            const KIND: CombineKind = CombineKind::$name;
            const ANY_ORDER: bool = <$name as Combiner<M>>::ANY_ORDER;
            type Accumulator = [<$name as Combiner<M>>::Accumulator; N];
            const PORTION_WORDS: usize = N * <$name as Combiner<M>>::PORTION_WORDS;

            #[inline]
            fn identity() -> Option<[M; N]> {
                <$name as Combiner<M>>::identity().map(|identity| [identity; N])
            }
            #[inline]
            fn combine(a: [M; N], b: [M; N]) -> [M; N] {
                array::from_fn(|at| <$name as Combiner<M>>::combine(a[at], b[at]))
            }
            #[inline]
            fn accumulate(message: [M; N]) -> Self::Accumulator {
                message.map(<$name as Combiner<M>>::accumulate)
            }
            #[inline]
            fn join(a: Self::Accumulator, b: Self::Accumulator) -> Self::Accumulator {
                array::from_fn(|at| <$name as Combiner<M>>::join(a[at], b[at]))
            }
            #[inline]
            fn combined(all: Self::Accumulator) -> [M; N] {
                all.map(<$name as Combiner<M>>::combined)
            }
            #[inline]
            fn add_portion(words: &[AtomicU64], message: [M; N], alone: bool) -> bool {
                let parts = words.chunks_exact(<$name as Combiner<M>>::PORTION_WORDS).zip(message);
                parts.fold(false, |first, (words, part)| {
                    <$name as Combiner<M>>::add_portion(words, part, alone) | first
                })
            }
            #[inline]
            fn portion(words: &[AtomicU64], takes: bool, alone: bool) -> [M; N] {
                let each = <$name as Combiner<M>>::PORTION_WORDS;
                array::from_fn(|at| <$name as Combiner<M>>::portion(&words[at * each..][..each], takes, alone))
            }
            #[inline]
            fn size(message: [M; N]) -> f64 {
                message.into_iter().map(<$name as Combiner<M>>::size).sum()
            }
        }
    )*};
}

combines_elements!(Sum Or And);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_combined_by_the_rules_of_numbers() {
        assert_eq!(Sum::combine([[u32::MAX, 1]], [[2, 3]]), [[1, 4]]);
        assert_eq!(And::combine([true, false], [true, true]), [true, false]);
        assert_eq!(<And as Combiner<[u32; 2]>>::identity(), Some([!0; 2]));
        assert_eq!(<Or as Combiner<[[bool; 1]; 2]>>::identity(), Some([[false]; 2]));
    }

    #[test]
    fn only_sums_of_floats_depend_on_the_order() {
        let in_any_order = [
            <Sum as Combiner<[u32; 2]>>::ANY_ORDER,
            <Or as Combiner<[[bool; 1]; 2]>>::ANY_ORDER,
            <Sum as Combiner<[f32; 2]>>::ANY_ORDER,
        ];
        assert_eq!(in_any_order, [true, true, false]);
    }

    #[test]
    fn floats_are_accumulated_in_f64() {
        type Sums = <Sum as Combiner<[f32; 2]>>::Accumulator;
        let large: Sums = Sum::accumulate([16_777_216.0f32, 0.0]);
        let sum = (0..400).fold(large, |sum, _| {
            <Sum as Combiner<[f32; 2]>>::join(sum, <Sum as Combiner<[f32; 2]>>::accumulate([1.0, 0.5]))
        });
        assert_eq!(<Sum as Combiner<[f32; 2]>>::combined(sum), [16_777_616.0, 200.0]);
    }
}
