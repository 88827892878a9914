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
    /// Returns the final values of a run with this end, as far as the end tells.
    pub(super) fn at(end: End) -> Settled {
        if end == End::Fixpoint { Settled::All } else { Settled::Unknown }
    }

    /// Returns the final values of a run in which a value with this word is the best that was still to be sent.
    pub(super) fn before<P: EdgeProgram>(word: u64) -> Settled {
        Settled::Before { kind: <P::Combine as Combiner<P::Message>>::KIND, word }
    }

    /// Returns `true` if the value of a vertex is known to be final. `None` stands for no value.
    pub(super) fn contains<V: Datum>(self, value: Option<V>) -> bool {
        match (self, value) {
            (Settled::All, _) => true,
            (Settled::Before { kind, word }, Some(value)) => {
                !improves(kind, word, to_word(kind, largest_word(V::KIND), value))
            }
            _ => false,
        }
    }
}
