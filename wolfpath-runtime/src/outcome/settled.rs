//! The values of a run that are known to be final.

use wolfpath_core::program::{CombineKind, Combiner, Datum, EdgeProgram};

use crate::cpu::{improves, largest_word, to_word};
use crate::stats::End;

/// Values that are known to be final.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Settled {
    All,
    Unknown,
    /// Those that are at least as good as this word.
    Before {
        kind: CombineKind,
        word: u64,
    },
}

impl Settled {
    /// Returns the final values of a run with this end. `nearest` is the word of the best value that was still to be sent, if the
    /// run ended because vertices were settled.
    pub(crate) fn of<P: EdgeProgram>(end: End, nearest: Option<u64>) -> Settled {
        match nearest {
            Some(word) => Settled::Before { kind: <P::Combine as Combiner<P::Message>>::KIND, word },
            None if end == End::Fixpoint => Settled::All,
            None => Settled::Unknown,
        }
    }

    /// Returns `true` if the value of a vertex is known to be final. `None` stands for no value.
    pub(crate) fn contains<V: Datum>(self, value: Option<V>) -> bool {
        match (self, value) {
            (Settled::All, _) => true,
            (Settled::Before { kind, word }, Some(value)) => {
                !improves(kind, word, to_word(kind, largest_word(V::KIND), value))
            }
            _ => false,
        }
    }
}
