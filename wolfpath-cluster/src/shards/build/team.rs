//! The processes that build shards together: what they tell each other, and how they fail together.

use std::ops::Range;

use wolfpath_runtime::part::{Difference, Message, Peers, Settings, put};

use crate::error::BuildError;
use crate::net::ClusterError;

/// Largest number of bytes that a process sends to one other in a round.
const ROUND: usize = 1 << 20;

/// The processes, seen by one of them.
#[derive(Clone, Copy)]
pub(super) struct Team<'a>(pub(super) &'a dyn Peers);

impl Team<'_> {
    pub(super) fn me(self) -> usize {
        self.0.process()
    }

    pub(super) fn processes(self) -> usize {
        self.0.processes()
    }

    /// Returns the process that owns a vertex, which is a rank.
    pub(super) fn owner_of(self, rank: u32) -> usize {
        rank as usize % self.processes()
    }

    pub(super) fn owns(self, rank: u32) -> bool {
        self.owner_of(rank) == self.me()
    }

    /// Sends a message to all processes, and returns those of all.
    pub(super) fn tell_all(self, message: Vec<u8>) -> Result<Vec<Vec<u8>>, BuildError> {
        Ok(self.0.exchange(vec![message; self.processes()])?)
    }

    /// Returns an error in all processes if one of them has failed.
    pub(super) fn agree<T>(self, done: Result<T, BuildError>) -> Result<T, BuildError> {
        let told = done.as_ref().err().map_or(String::new(), ToString::to_string);
        let failed = done.is_err();
        let message = [&[u8::from(failed)], told.as_bytes()].concat();
        let heard = self.tell_all(message)?;
        match heard.iter().position(|message| message.first() != Some(&0)) {
            Some(process) if process != self.me() => {
                let message = heard[process].get(1..).unwrap_or_default();
                let message = String::from_utf8_lossy(message).into_owned();
                Err(BuildError::Elsewhere { process, message })
            }
            _ => done,
        }
    }

    /// Compares settings that all processes must have.
    pub(super) fn compare(self, settings: &[(&str, String)]) -> Result<(), BuildError> {
        let settings = Settings(settings);
        let heard = self.tell_all(settings.message())?;
        match settings.difference(&heard) {
            Some(Difference { process, what, theirs, own }) => Err(ClusterError::Mismatch {
                peer: format!("process {process}"),
                found: format!("has another {what}: {theirs}"),
                expected: own,
            }
            .into()),
            None => Ok(()),
        }
    }

    /// Returns the sum of a number of the processes before this one, and of all.
    pub(super) fn before_and_all(self, number: u64) -> Result<(u64, u64), BuildError> {
        let mut told = Vec::new();
        put(&mut told, number);
        let heard = self.tell_all(told)?;
        let numbers: Vec<u64> = heard.iter().map(|told| Message(told).u64().unwrap_or(0)).collect();
        Ok((numbers[..self.me()].iter().sum(), numbers.iter().sum()))
    }

    /// Returns `true` if something is true in any process.
    pub(super) fn any(self, is_true: bool) -> Result<bool, BuildError> {
        Ok(self.before_and_all(is_true.into())?.1 > 0)
    }

    /// Sends each of `items` with `put`, which appends it to the messages of some processes, and calls `take` with the sender
    /// and its items. There are as many rounds as the process with the most items needs, so that no message is much larger than
    /// [`ROUND`].
    pub(super) fn in_rounds<T>(
        self,
        items: impl IntoIterator<Item = T>,
        mut put: impl FnMut(T, &mut [Vec<u8>]),
        mut take: impl FnMut(usize, &[u8]),
    ) -> Result<(), BuildError> {
        let mut items = items.into_iter().peekable();
        loop {
            // The first byte tells whether more rounds follow.
            let mut messages = vec![vec![0]; self.processes()];
            while messages.iter().all(|message| message.len() < ROUND) {
                let Some(item) = items.next() else { break };
                put(item, &mut messages);
            }
            let has_more = items.peek().is_some();
            messages.iter_mut().for_each(|message| message[0] = has_more.into());
            let mut goes_on = false;
            for (process, message) in self.0.exchange(messages)?.iter().enumerate() {
                let Some((more, items)) = message.split_first() else { continue };
                goes_on |= *more != 0;
                take(process, items);
            }
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Sends each number to a range of processes, and returns those that all have sent to this one.
    pub(super) fn spread(
        self,
        numbers: &[u64],
        to: impl Fn(u64) -> Range<usize>,
    ) -> Result<Vec<u64>, BuildError> {
        let mut received = Vec::new();
        let send = |&number: &u64, messages: &mut [Vec<u8>]| {
            messages[to(number)].iter_mut().for_each(|message| put(message, number));
        };
        self.in_rounds(numbers, send, |_, bytes| {
            received.extend(bytes.as_chunks().0.iter().map(|&number| u64::from_le_bytes(number)));
        })?;
        Ok(received)
    }
}
