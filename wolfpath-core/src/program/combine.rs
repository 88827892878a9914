//! Combiners, which merge the messages to one vertex into one message, in any order.

use std::sync::atomic::AtomicU64;

use super::datum::Datum;
use super::portions::Portion;

/// The kind of a combiner, as data.
///
/// ```
/// use wolfpath::program::{CombineKind, Combiner, EdgeProgram};
/// use wolfpath::programs::sssp;
///
/// let kind = <<sssp as EdgeProgram>::Combine as Combiner<u32>>::KIND;
/// assert_eq!((kind, kind.name(), kind.is_idempotent()), (CombineKind::Min, "min", true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineKind {
    /// The smallest message. Numbers are preferred to NaN, and -0.0 is below +0.0.
    Min,
    /// The largest message. Numbers are preferred to NaN, and -0.0 is below +0.0.
    Max,
    /// The sum of all messages. Integers wrap around; floats are added up in f64, in row order.
    Sum,
    /// Logical or, or the union of bits.
    Or,
    /// Logical and, or the intersection of bits.
    And,
    /// Any one of the messages.
    Any,
    /// One combiner for each field of a struct.
    Fields,
    /// The message that arrives most often; of equally frequent ones, the smallest.
    MostFrequent,
    /// The program's own `combine`.
    Custom,
}

impl CombineKind {
    /// Returns the combiner's name. `min`, `max`, `or`, `and` and `any` are those that are written in
    /// `#[edge_program(combine = ...)]`.
    pub const fn name(self) -> &'static str {
        match self {
            CombineKind::Min => "min",
            CombineKind::Max => "max",
            CombineKind::Sum => "sum",
            CombineKind::Or => "or",
            CombineKind::And => "and",
            CombineKind::Any => "any",
            CombineKind::Fields => "fields",
            CombineKind::MostFrequent => "most frequent",
            CombineKind::Custom => "custom",
        }
    }

    /// Returns `true` if repeating messages does not change the result (`min`, `max`, `or`, `and`).
    pub const fn is_idempotent(self) -> bool {
        matches!(self, CombineKind::Min | CombineKind::Max | CombineKind::Or | CombineKind::And)
    }
}

/// A combiner for messages of type `M`. The combiners are [`Min`], [`Max`], [`Sum`], [`Or`], [`And`], [`Any`],
/// [`Fields`](super::Fields) and [`MostFrequent`](super::MostFrequent). A program with its own `combine` has the
/// combiner [`Custom`].
///
/// `Sum`, `Or` and `And` also combine arrays and structs, field by field: the rules of a number apply to every field.
/// The macro implements the trait for the structs of a program's module.
///
/// ```
/// use wolfpath::program::{Combiner, Max, Sum};
///
/// assert_eq!(Max::combine(3u32, 8), 8);
/// assert_eq!(<Sum as Combiner<u64>>::identity(), Some(0));
/// assert_eq!(<Max as Combiner<u64>>::identity(), None);
/// assert_eq!(Sum::combine([1u32, 2], [10, 20]), [11, 22]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not combine messages of type `{M}`",
    note = "`Min` and `Max` combine numbers; `Sum`, `Or` and `And` also arrays and structs of what they combine; \
            `Fields` has one combiner for each field of a struct"
)]
pub trait Combiner<M>: 'static {
    /// The combiner's kind.
    ///
    /// ```
    /// use wolfpath::program::{CombineKind, Combiner, Min};
    ///
    /// assert_eq!(<Min as Combiner<u32>>::KIND, CombineKind::Min);
    /// ```
    const KIND: CombineKind;

    /// `true` if messages may be combined in any order: no bit of the result depends on it. Sums of floats round, and
    /// of several NaN the first one stays.
    #[doc(hidden)]
    const ANY_ORDER: bool = false;

    /// Function that combines all messages to a vertex, if they cannot be combined pair by pair.
    #[doc(hidden)]
    const AT_ONCE: Option<AtOnce<M>> = None;

    /// The type in which several messages are accumulated: that of the messages, with `f64` for floats that are added.
    #[doc(hidden)]
    type Accumulator: Copy + Send + Sync + 'static;

    /// Returns the accumulation of one message.
    #[doc(hidden)]
    fn accumulate(message: M) -> Self::Accumulator;

    /// Returns the accumulation of the messages of both.
    #[doc(hidden)]
    fn join(a: Self::Accumulator, b: Self::Accumulator) -> Self::Accumulator;

    /// Returns the combined message.
    #[doc(hidden)]
    fn combined(all: Self::Accumulator) -> M;

    /// Number of words in which messages can be added up in portions, one word per number; 0 if the combiner does not add.
    ///
    /// The functions below work on these words. Floats are added up in f64, and integers modulo 2^64. `alone` means that no
    /// other thread accesses the words meanwhile, so that no locked instructions are needed.
    #[doc(hidden)]
    const PORTION_WORDS: usize = 0;

    /// Adds a message to the sum in these words. Returns `true` if a number that it changed was 0. After another thread
    /// took the sum, this is the case for the first message that it did not take.
    #[doc(hidden)]
    fn add_portion(words: &[AtomicU64], message: M, alone: bool) -> bool {
        let _ = (words, message, alone);
        unreachable!("only sums are added up in portions")
    }

    /// Returns the sum in these words. If `takes` is `true`, leaves 0: what other threads add meanwhile is either
    /// returned or stays, number by number.
    #[doc(hidden)]
    fn portion(words: &[AtomicU64], takes: bool, alone: bool) -> M {
        let _ = (words, takes, alone);
        unreachable!("only sums are added up in portions")
    }

    /// Returns the sum of the absolute values of a message's numbers.
    #[doc(hidden)]
    fn size(message: M) -> f64 {
        let _ = message;
        unreachable!("only sums are added up in portions")
    }

    /// Returns the neutral message, which does not change any message that it is combined with. `Sum`, `Or` and `And`
    /// have a neutral message; the other combiners return `None`.
    fn identity() -> Option<M> {
        None
    }

    /// Combines two messages. The operation is associative and commutative (up to rounding, for sums of floats).
    ///
    /// # Panics
    /// Panics for [`Custom`], because the program itself implements `combine`.
    ///
    /// ```
    /// use wolfpath::program::{And, Combiner, Sum};
    ///
    /// assert_eq!(And::combine(0b110u32, 0b011), 0b010);
    /// assert_eq!(Sum::combine(0.5f64, 0.25), 0.75);
    /// ```
    fn combine(a: M, b: M) -> M;
}

/// A function that combines all messages to a vertex. It may reorder them. For an empty slice, it returns `None`.
#[doc(hidden)]
pub type AtOnce<M> = fn(&mut [M]) -> Option<M>;

/// An operation that folds the values of all vertices into one before each step: [`NoAggregate`], or `Sum<T>`,
/// `Min<T>`, `Max<T>`, `Or<T>` or `And<T>`. Several folds are a tuple of two to eight of these, or a struct of the
/// program's module whose fields are folds.
///
/// ```
/// use wolfpath::program::{Aggregator, Min, NoAggregate, Sum};
///
/// let folded = [0.5, 0.25].into_iter().fold(Sum::<f64>::identity(), Sum::<f64>::combine);
/// assert_eq!(folded, 0.75);
/// assert_eq!(Min::<u32>::identity(), u32::MAX);
/// assert_eq!(<(Sum<f64>, Min<u32>)>::combine((0.5, 7), (0.25, 3)), (0.75, 3));
/// assert!(NoAggregate::KIND.is_none());
/// ```
pub trait Aggregator: 'static {
    /// The type of the folded value, and of the contribution that `aggregate` returns for each vertex.
    ///
    /// ```
    /// use wolfpath::program::{Aggregator, Max};
    ///
    /// let largest: <Max<u32> as Aggregator>::Value = 7u32;
    /// # let _ = largest;
    /// ```
    type Value: Datum;
    /// The kind of the combiner that folds two values; [`CombineKind::Fields`] for several folds, and `None` if the
    /// program has no aggregate.
    ///
    /// ```
    /// use wolfpath::program::{Aggregator, CombineKind, NoAggregate, Sum};
    ///
    /// assert_eq!(<Sum<f64> as Aggregator>::KIND, Some(CombineKind::Sum));
    /// assert_eq!(<NoAggregate as Aggregator>::KIND, None);
    /// ```
    const KIND: Option<CombineKind>;
    /// Returns the neutral value, which is the fold of no values.
    fn identity() -> Self::Value;
    /// Folds two values into one.
    ///
    /// ```
    /// use wolfpath::program::{Aggregator, Or};
    ///
    /// assert!(Or::<bool>::combine(false, true));
    /// ```
    fn combine(a: Self::Value, b: Self::Value) -> Self::Value;
}

/// The aggregator of a program without an aggregate. It is the default of `type Aggregate`.
///
/// ```
/// use wolfpath::program::AggregateOf;
/// use wolfpath::programs::Components;
///
/// let nothing: AggregateOf<Components> = ();
/// # let _ = nothing;
/// ```
#[derive(Clone, Copy, Debug)]
pub enum NoAggregate {}

impl Aggregator for NoAggregate {
    type Value = ();
    const KIND: Option<CombineKind> = None;
    #[inline]
    fn identity() {}
    #[inline]
    fn combine(_: (), _: ()) {}
}

/// Implements accumulation of a type of messages: in the same type, or in f64.
macro_rules! accumulates {
    ($type:ident) => {
        type Accumulator = $type;
        #[inline]
        fn accumulate(message: $type) -> $type {
            message
        }
        #[inline]
        fn join(a: $type, b: $type) -> $type {
            <Self as Combiner<$type>>::combine(a, b)
        }
        #[inline]
        fn combined(all: $type) -> $type {
            all
        }
    };
    ($type:ident as f64) => {
        type Accumulator = f64;
        #[inline]
        fn accumulate(message: $type) -> f64 {
            f64::from(message)
        }
        #[inline]
        fn join(a: f64, b: f64) -> f64 {
            a + b
        }
        #[inline]
        fn combined(all: f64) -> $type {
            all as $type
        }
    };
}

/// The combiner of a program that writes its own `combine`.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::program::Custom;
///
/// #[edge_program]
/// mod bits {
///     use wolfpath::prelude::*;
///
///     /// The set of the ids from which a vertex is reached, modulo 64, as bits.
///     pub struct Origins;
///
///     impl EdgeProgram for Origins {
///         type Value = u64;
///         type Message = u64;
///
///         fn start(&self, v: Vertex) -> u64 {
///             1 << (v.id % 64)
///         }
///         fn edge(&self, e: Edge<u64>) -> u64 {
///             e.value
///         }
///         fn combine(&self, a: u64, b: u64) -> u64 {
///             a | b
///         }
///     }
/// }
///
/// fn has_its_own<P: EdgeProgram<Combine = Custom>>(_: &P) {}
/// has_its_own(&bits::Origins);
/// assert_eq!(bits::Origins.combine(0b01, 0b10), 0b11);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Custom {}

impl<M: Datum> Combiner<M> for Custom {
    const KIND: CombineKind = CombineKind::Custom;
    accumulates!(M);
    fn combine(_: M, _: M) -> M {
        unreachable!("a program with its own `combine` is called directly")
    }
}

/// Declares a marker `Name<T = ()>`. `Name` is a combiner of messages, and `Name<T>` is an aggregator.
macro_rules! marker {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<T = ()>(std::marker::PhantomData<T>);
    };
}

marker! {
    /// The smallest message. For floats, numbers are preferred to NaN, and -0.0 is below +0.0.
    ///
    /// ```
    /// use wolfpath::program::{Combiner, Min};
    ///
    /// assert_eq!(Min::combine(f32::NAN, 2.0f32), 2.0);
    /// ```
    Min
}
marker! {
    /// The largest message. For floats, numbers are preferred to NaN, and -0.0 is below +0.0.
    ///
    /// ```
    /// use wolfpath::program::{Combiner, Max};
    ///
    /// assert_eq!(Max::combine(-3i64, 2), 2);
    /// ```
    Max
}
marker! {
    /// The sum of all messages. Integers wrap around; floats are added up in f64, in row order. Arrays and structs are
    /// added field by field.
    ///
    /// ```
    /// use wolfpath::program::{Combiner, Sum};
    ///
    /// assert_eq!(Sum::combine(3u64, 4), 7);
    /// assert_eq!(Sum::combine(u32::MAX, 2), 1);
    /// assert_eq!(Sum::combine([0.5f32, 1.0], [0.25, 2.0]), [0.75, 3.0]);
    /// ```
    Sum
}
marker! {
    /// Logical or of `bool`, or union of the bits of an integer. Arrays and structs are combined field by field.
    ///
    /// ```
    /// use wolfpath::program::{Combiner, Or};
    ///
    /// assert_eq!(Or::combine(0b100u32, 0b001), 0b101);
    /// assert_eq!(<Or as Combiner<bool>>::identity(), Some(false));
    /// ```
    Or
}
marker! {
    /// Logical and of `bool`, or intersection of the bits of an integer. Arrays and structs are combined field by field.
    ///
    /// ```
    /// use wolfpath::program::{And, Combiner};
    ///
    /// assert!(!And::combine(true, false));
    /// assert_eq!(<And as Combiner<u32>>::identity(), Some(!0));
    /// ```
    And
}
marker! {
    /// Any one of the messages. Correct if all messages of one step to one vertex are equal.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// /// The step in which a vertex is reached, which is equal in all of its messages.
    /// #[edge_program(combine = any, first = 0, uniform)]
    /// fn step(before: u32) -> u32 {
    ///     before + 1
    /// }
    ///
    /// assert_eq!(step(3), 4);
    /// ```
    Any
}

impl<M: Datum> Combiner<M> for Any {
    const KIND: CombineKind = CombineKind::Any;
    accumulates!(M);
    #[inline]
    fn combine(a: M, _: M) -> M {
        a
    }
}

/// Implements how `Sum` adds up numbers in portions.
macro_rules! portions {
    (Sum, $type:ident) => {
        const PORTION_WORDS: usize = 1;
        #[inline]
        fn add_portion(words: &[AtomicU64], message: $type, alone: bool) -> bool {
            message.add_to(&words[0], alone)
        }
        #[inline]
        fn portion(words: &[AtomicU64], takes: bool, alone: bool) -> $type {
            <$type as Portion>::of(&words[0], takes, alone)
        }
        #[inline]
        fn size(message: $type) -> f64 {
            (message as f64).abs()
        }
    };
    ($other:ident, $type:ident) => {};
}

/// Implements one marker for one number type, as a combiner and as an aggregator.
macro_rules! combines {
    ($name:ident, $kind:ident, $identity_of_messages:expr, $($type:ident $(as $accumulator:ident)?: $identity:expr, $combine:expr;)*) => {$(
        impl Combiner<$type> for $name {
            const KIND: CombineKind = CombineKind::$kind;
            const ANY_ORDER: bool = !<$type as Datum>::KIND.is_float();
            accumulates!($type $(as $accumulator)?);
            portions!($name, $type);
            #[inline]
            fn identity() -> Option<$type> {
                if $identity_of_messages { Some($identity) } else { None }
            }
            #[inline]
            fn combine(a: $type, b: $type) -> $type {
                let combine: fn($type, $type) -> $type = $combine;
                combine(a, b)
            }
        }
        impl Aggregator for $name<$type> {
            type Value = $type;
            const KIND: Option<CombineKind> = Some(CombineKind::$kind);
            #[inline]
            fn identity() -> $type {
                $identity
            }
            #[inline]
            fn combine(a: $type, b: $type) -> $type {
                <$name as Combiner<$type>>::combine(a, b)
            }
        }
    )*};
}

combines!(Min, Min, false,
    u32: u32::MAX, |a, b| a.min(b); i32: i32::MAX, |a, b| a.min(b);
    u64: u64::MAX, |a, b| a.min(b); i64: i64::MAX, |a, b| a.min(b);
    f32: f32::INFINITY, min_f32; f64: f64::INFINITY, min_f64;);
combines!(Max, Max, false,
    u32: u32::MIN, |a, b| a.max(b); i32: i32::MIN, |a, b| a.max(b);
    u64: u64::MIN, |a, b| a.max(b); i64: i64::MIN, |a, b| a.max(b);
    f32: f32::NEG_INFINITY, max_f32; f64: f64::NEG_INFINITY, max_f64;);
combines!(Sum, Sum, true,
    u32: 0, |a, b| a.wrapping_add(b); i32: 0, |a, b| a.wrapping_add(b);
    u64: 0, |a, b| a.wrapping_add(b); i64: 0, |a, b| a.wrapping_add(b);
    f32 as f64: 0.0, |a, b| a + b; f64: 0.0, |a, b| a + b;);
combines!(Or, Or, true,
    bool: false, |a, b| a | b; u32: 0, |a, b| a | b; i32: 0, |a, b| a | b;
    u64: 0, |a, b| a | b; i64: 0, |a, b| a | b;);
combines!(And, And, true,
    bool: true, |a, b| a & b; u32: !0, |a, b| a & b; i32: !0, |a, b| a & b;
    u64: !0, |a, b| a & b; i64: !0, |a, b| a & b;);

/// Defines the minimum and the maximum of a float type. Numbers are preferred to NaN, and -0.0 is below +0.0.
macro_rules! float_order {
    ($type:ident, $min:ident, $max:ident) => {
        /// Returns the smaller of two floats. As everywhere in wolfpath, a number is preferred to NaN, and -0.0 is
        /// below +0.0. (The standard library's `min` does not specify the sign of zero.)
        #[doc(hidden)]
        #[inline]
        pub fn $min(a: $type, b: $type) -> $type {
            if a.is_nan() || (!b.is_nan() && b.to_key() < a.to_key()) { b } else { a }
        }

        /// Returns the larger of two floats. As everywhere in wolfpath, a number is preferred to NaN, and -0.0 is below
        /// +0.0. (The standard library's `max` does not specify the sign of zero.)
        #[doc(hidden)]
        #[inline]
        pub fn $max(a: $type, b: $type) -> $type {
            if a.is_nan() || (!b.is_nan() && b.to_key() > a.to_key()) { b } else { a }
        }
    };
}

float_order!(f32, min_f32, max_f32);
float_order!(f64, min_f64, max_f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_drop_nan_and_order_zeros() {
        assert_eq!(min_f32(f32::NAN, 2.0), 2.0);
        assert_eq!(max_f64(2.0, f64::NAN), 2.0);
        assert!(min_f32(0.0, -0.0).is_sign_negative());
        assert!(max_f32(-0.0, 0.0).is_sign_positive());
        assert!(min_f64(f64::NAN, f64::NAN).is_nan());
    }

    #[test]
    fn sums_of_integers_wrap() {
        assert_eq!(<Sum as Combiner<u32>>::combine(u32::MAX, 2), 1);
        assert_eq!(<Sum<i64> as Aggregator>::combine(i64::MAX, 1), i64::MIN);
    }
}
