//! The state of an accumulating program between two steps, when nothing is untold.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wolfpath_core::program::EdgeProgram;

use super::super::halt::Halt;
use super::super::stepwise::{BLOCK, Head};
use super::Portions;
use crate::part::{KeptState, Message, put};

impl<P: EdgeProgram> Portions<'_, P> {
    /// Returns the state after some steps: for each vertex whether it has a value, and the words of what it holds, and of what
    /// is pending.
    pub(crate) fn keep(&self, steps: u64) -> KeptState {
        let own = self.view.num_vertices() as usize;
        Head::<P>::after(steps).state(own, |block| {
            let vertices = block * BLOCK..((block + 1) * BLOCK).min(own);
            let mut record = Vec::with_capacity(vertices.len() * (1 + 2 * 8 * Self::WORDS));
            for v in vertices {
                record.push(u8::from(self.is_present(v as u32)));
                for word in self.words_of(v as u32) {
                    put(&mut record, word.load(Relaxed));
                }
            }
            record
        })
    }

    /// Returns the number of bytes of the records of so many own vertices, as [`keep`](Self::keep) returns them.
    pub(crate) fn record_bytes(own: u64) -> u64 {
        own * (1 + 2 * 8 * Self::WORDS as u64)
    }

    /// Continues from a state. Returns the vertices that have something to send.
    pub(super) fn resume(&self, kept: &KeptState) -> Result<Vec<u32>, Halt> {
        let read = self.read(kept);
        read.ok_or_else(|| self.view.mirrors.as_ref().expect("the run is one over a part").cannot_resume())
    }

    fn read(&self, kept: &KeptState) -> Option<Vec<u32>> {
        let own = self.view.num_vertices();
        let mut first = Vec::new();
        let mut record = Message(&[]);
        for v in 0..own {
            if (v as usize).is_multiple_of(BLOCK) {
                record = Message(kept.record(v as usize / BLOCK));
            }
            if record.byte()? != 0 && self.present.words() > 0 {
                self.present.set(v);
            }
            for word in self.words_of(v) {
                word.store(record.u64()?, Relaxed);
            }
            // Integers are sent without what exceeds their type, so that something may be pending that is 0.
            if Self::words(&self.pending, v).iter().any(|word| word.load(Relaxed) != 0) {
                first.push(v);
            }
        }
        Some(first)
    }

    /// Returns the words of what a vertex holds, and of what is pending there.
    fn words_of(&self, v: u32) -> impl Iterator<Item = &AtomicU64> {
        Self::words(&self.held, v).iter().chain(Self::words(&self.pending, v))
    }
}
