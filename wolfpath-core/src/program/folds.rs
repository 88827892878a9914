//! Several folds at once: tuples of aggregators. The macro implements [`Aggregator`] for a struct whose fields are folds.

use super::combine::{Aggregator, CombineKind};

/// Implements `Aggregator` for tuples, fold by fold.
macro_rules! folds {
    ($($fold:ident $at:tt),*) => {
        impl<$($fold: Aggregator),*> Aggregator for ($($fold,)*) {
            type Value = ($($fold::Value,)*);
            const KIND: Option<CombineKind> = Some(CombineKind::Fields);
            #[inline]
            fn identity() -> Self::Value {
                ($($fold::identity(),)*)
            }
            #[inline]
            fn combine(a: Self::Value, b: Self::Value) -> Self::Value {
                ($($fold::combine(a.$at, b.$at),)*)
            }
        }
    };
}

folds!(A 0, B 1);
folds!(A 0, B 1, C 2);
folds!(A 0, B 1, C 2, D 3);
folds!(A 0, B 1, C 2, D 3, E 4);
folds!(A 0, B 1, C 2, D 3, E 4, F 5);
folds!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
folds!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

#[cfg(test)]
mod tests {
    use super::super::combine::{Min, Sum};
    use super::*;

    #[test]
    fn each_part_has_its_own_fold() {
        type Both = (Sum<f64>, Min<u32>);
        assert_eq!(Both::identity(), (0.0, u32::MAX));
        assert_eq!(Both::combine((0.5, 7), (0.25, 3)), (0.75, 3));
    }
}
