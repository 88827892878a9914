//! The combiner that chooses the message that arrives most often.

use std::marker::PhantomData;

use super::combine::{AtOnce, CombineKind, Combiner};

/// The message that arrives most often in a step; of equally frequent ones, the smallest. `T` is the type of the
/// messages, `u32` or `u64`.
///
/// The messages of a vertex are not combined pair by pair: the vertex gathers all of them at once, in the schedule `pull`.
/// Under [`Senders::Active`](super::Senders::Active) only the messages of this step's senders count. A program with this
/// combiner has its own `apply`. `combine` combines exactly two messages, and therefore returns the smaller one.
///
/// Community detection by label propagation (LDBC Graphalytics' CDLP): every vertex starts with its id as its label, and
/// adopts the most frequent label of its neighbours.
///
/// ```
/// use wolfpath::prelude::*;
///
/// #[edge_program]
/// mod cdlp {
///     use wolfpath::prelude::*;
///
///     pub struct Communities;
///
///     impl EdgeProgram for Communities {
///         type Value = u64;
///         type Message = u64;
///         type Combine = MostFrequent<u64>;
///         const SENDERS: Senders = Senders::All;
///         const ALONG: Along = Along::Both;
///
///         fn start(&self, v: Vertex) -> u64 {
///             v.id
///         }
///         fn edge(&self, e: Edge<u64>) -> u64 {
///             e.value
///         }
///         fn apply(&self, v: Vertex<u64>, incoming: Option<u64>) -> u64 {
///             incoming.unwrap_or(v.value)
///         }
///     }
/// }
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3), (3, 1), (3, 4)])?;
/// let outcome = Engine::cpu().run_with(&graph, &cdlp::Communities, &RunOptions::new().steps_at_most(1))?;
/// assert_eq!(outcome.value(4)?, Some(3));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MostFrequent<T>(PhantomData<T>);

/// Accumulation of equal messages: the message and how often it arrived. The device uses the same layout.
#[doc(hidden)]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Frequent<T> {
    message: T,
    count: u32,
}

/// Returns the most frequent message; of equally frequent ones, the smallest. Sorts the messages.
fn most_frequent<T: Ord + Copy>(messages: &mut [T]) -> Option<T> {
    messages.sort_unstable();
    // `max_by_key` returns the last of several maxima.
    messages.chunk_by(|a, b| a == b).rev().max_by_key(|equal| equal.len()).map(|equal| equal[0])
}

/// Implements the combiner for one type of messages.
macro_rules! most_frequent_of {
    ($($type:ident)*) => {$(
        impl Combiner<$type> for MostFrequent<$type> {
            const KIND: CombineKind = CombineKind::MostFrequent;
            const AT_ONCE: Option<AtOnce<$type>> = Some(most_frequent);
            type Accumulator = Frequent<$type>;

            #[inline]
            fn combine(a: $type, b: $type) -> $type {
                a.min(b)
            }
            #[inline]
            fn accumulate(message: $type) -> Frequent<$type> {
                Frequent { message, count: 1 }
            }
            #[inline]
            fn join(a: Frequent<$type>, b: Frequent<$type>) -> Frequent<$type> {
                let b_wins = b.count > a.count || (b.count == a.count && b.message < a.message);
                if b_wins { b } else { a }
            }
            #[inline]
            fn combined(all: Frequent<$type>) -> $type {
                all.message
            }
        }
    )*};
}

most_frequent_of!(u32 u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_the_most_frequent() {
        assert_eq!(most_frequent::<u32>(&mut []), None);
        assert_eq!(most_frequent(&mut [7u32]), Some(7));
        assert_eq!(most_frequent(&mut [9u64, 4, 9, 4, 1]), Some(4));
        assert_eq!(most_frequent(&mut [3u32, 9, 9]), Some(9));
    }

    #[test]
    fn counts_of_different_messages_are_joined() {
        let few = Frequent { message: 1u32, count: 2 };
        let many = Frequent { message: 8u32, count: 3 };
        let as_many = Frequent { message: 5u32, count: 3 };
        for (a, b, wins) in [(few, many, 8), (many, few, 8), (many, as_many, 5), (as_many, many, 5)] {
            assert_eq!(MostFrequent::<u32>::combined(MostFrequent::<u32>::join(a, b)), wins);
        }
    }
}
