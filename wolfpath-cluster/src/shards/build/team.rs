//! The processes that build shards together: what they tell each other, and how they fail together.
//!
//! Every message ends with its length, and with a byte that tells whether its sender was cancelled, so that all processes stop
//! after the same exchange.

use std::ops::Range;

use wolfpath_runtime::CancelHandle;
use wolfpath_runtime::part::{Message, Peers, Settings, peer_error, put};

use crate::error::BuildError;
use crate::net::ClusterError;

/// Largest number of bytes that a process sends to one other in a round.
const ROUND: usize = 1 << 20;

/// The processes, seen by one of them.
#[derive(Clone, Copy)]
pub(super) struct Team<'a> {
    peers: &'a dyn Peers,
    pub(super) cancel: &'a CancelHandle,
    /// Kept here because [`owns`](Self::owns) is called for each edge.
    me: usize,
    processes: usize,
}

impl<'a> Team<'a> {
    pub(super) fn new(peers: &'a dyn Peers, cancel: &'a CancelHandle) -> Team<'a> {
        Team { peers, cancel, me: peers.process(), processes: peers.processes() }
    }

    pub(super) fn me(self) -> usize {
        self.me
    }

    pub(super) fn processes(self) -> usize {
        self.processes
    }

    /// Returns the process that owns a vertex, which is a rank.
    pub(super) fn owner_of(self, rank: u32) -> usize {
        rank as usize % self.processes()
    }

    pub(super) fn owns(self, rank: u32) -> bool {
        self.owner_of(rank) == self.me()
    }

    /// Sends a message to each process, and returns those of all.
    fn exchange(self, mut messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, BuildError> {
        let is_cancelled = self.cancel.is_cancelled();
        for message in &mut messages {
            put(message, message.len() as u64);
            message.push(is_cancelled.into());
        }
        let mut heard = self.peers.exchange(messages)?;
        let mut cancelled = None;
        for (process, message) in heard.iter_mut().enumerate() {
            match without_end(message) {
                Some(false) => {}
                Some(true) => cancelled = cancelled.or(Some(process)),
                None => return Err(self.unreadable(process, "sharding")),
            }
        }
        match cancelled {
            Some(process) => Err(BuildError::Cancelled { process }),
            None => Ok(heard),
        }
    }

    /// Returns the error for a process whose message cannot be read. The exchanges of all others fail, too: they may have been
    /// able to read theirs.
    #[cold]
    pub(super) fn unreadable(self, process: usize, what: &str) -> BuildError {
        let error =
            peer_error(format!("process {process} sent an invalid or incomplete message about {what}"));
        self.peers.abort(&error.to_string());
        error.into()
    }

    /// Sends a message to all processes, and returns what `read` makes of those of all, which must be read to their ends.
    /// `what` says what messages are about.
    pub(super) fn tell_all<T>(
        self,
        what: &str,
        message: Vec<u8>,
        mut read: impl FnMut(usize, &mut Message<'_>) -> Option<T>,
    ) -> Result<Vec<T>, BuildError> {
        let heard = self.exchange(vec![message; self.processes()])?;
        let mut all = Vec::with_capacity(heard.len());
        for (process, message) in heard.iter().enumerate() {
            let mut message = Message(message);
            let read = read(process, &mut message).filter(|_| message.0.is_empty());
            all.push(read.ok_or_else(|| self.unreadable(process, what))?);
        }
        Ok(all)
    }

    /// Returns an error in all processes if one of them has failed.
    pub(super) fn agree<T>(self, done: Result<T, BuildError>) -> Result<T, BuildError> {
        let told = done.as_ref().err().map_or(String::new(), ToString::to_string);
        let message = [&[u8::from(done.is_err())], told.as_bytes()].concat();
        let heard = self.tell_all("its success", message, |_, told| match told.byte()? {
            0 => Some(None),
            1 => Some(Some(String::from_utf8_lossy(told.take(told.0.len())?).into_owned())),
            _ => None,
        })?;
        let failed = heard.into_iter().enumerate().find_map(|(process, told)| Some((process, told?)));
        match failed {
            Some((process, message)) if process != self.me() => {
                Err(BuildError::Elsewhere { process, message })
            }
            _ => done,
        }
    }

    /// Compares settings that all processes must have.
    pub(super) fn compare(self, settings: &[(&str, String)]) -> Result<(), BuildError> {
        let settings = Settings(settings);
        let heard = self.exchange(vec![settings.message(); self.processes()])?;
        if let Some(process) = heard.iter().position(|message| !settings.are_as_many_as_in(message)) {
            return Err(self.unreadable(process, "settings"));
        }
        let different = |difference| Err(ClusterError::from(difference).into());
        settings.difference(&heard).map_or(Ok(()), different)
    }

    /// Returns the sum of a number of the processes before this one, and of all.
    pub(super) fn before_and_all(self, what: &str, number: u64) -> Result<(u64, u64), BuildError> {
        let mut told = Vec::new();
        put(&mut told, number);
        let numbers = self.tell_all(what, told, |_, told| told.u64())?;
        let sum = |numbers: &[u64]| numbers.iter().fold(0, |sum, &number| u64::wrapping_add(sum, number));
        Ok((sum(&numbers[..self.me()]), sum(&numbers)))
    }

    /// Returns the sum of a number of all processes.
    pub(super) fn sum(self, what: &str, number: u64) -> Result<u64, BuildError> {
        Ok(self.before_and_all(what, number)?.1)
    }

    /// Returns `true` if something is true in any process.
    pub(super) fn any(self, what: &str, is_true: bool) -> Result<bool, BuildError> {
        let flag = |_: usize, told: &mut Message<'_>| told.byte().filter(|flag| *flag <= 1);
        Ok(self.tell_all(what, vec![is_true.into()], flag)?.contains(&1))
    }

    /// Sends each of `items` with `put`, which appends it to the messages of some processes and returns its length, and calls
    /// `take` with the sender and its items until none are left. `take` returns `None` if it cannot read one. There are as many
    /// rounds as the process with the most items needs, so that no message is much larger than [`ROUND`].
    pub(super) fn in_rounds<T>(
        self,
        what: &str,
        items: impl IntoIterator<Item = T>,
        mut put: impl FnMut(T, &mut [Vec<u8>]) -> usize,
        mut take: impl FnMut(usize, &mut Message<'_>) -> Option<()>,
    ) -> Result<(), BuildError> {
        let mut items = items.into_iter().peekable();
        loop {
            // The first byte tells whether more rounds follow.
            let mut messages = vec![vec![0]; self.processes()];
            // The longest message is not looked for after each item, because that would take time for each process.
            let mut room = ROUND;
            while room > 0 {
                let Some(item) = items.next() else { break };
                room = room.saturating_sub(put(item, &mut messages));
                if room == 0 {
                    room = ROUND.saturating_sub(messages.iter().map(Vec::len).max().unwrap_or(0));
                }
            }
            let has_more = items.peek().is_some();
            messages.iter_mut().for_each(|message| message[0] = has_more.into());
            let mut goes_on = false;
            for (process, message) in self.exchange(messages)?.iter().enumerate() {
                let mut message = Message(message);
                let Some(more @ (0 | 1)) = message.byte() else { return Err(self.unreadable(process, what)) };
                goes_on |= more == 1;
                while !message.0.is_empty() {
                    take(process, &mut message).ok_or_else(|| self.unreadable(process, what))?;
                }
            }
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Sends each number to a range of processes, and returns those that all have sent to this one.
    pub(super) fn spread(
        self,
        what: &str,
        numbers: impl IntoIterator<Item = u64>,
        to: impl Fn(u64) -> Range<usize>,
    ) -> Result<Vec<u64>, BuildError> {
        let mut received = Vec::new();
        let send = |number: u64, messages: &mut [Vec<u8>]| {
            messages[to(number)].iter_mut().for_each(|message| put(message, number));
            size_of::<u64>()
        };
        self.in_rounds(what, numbers, send, |_, message| {
            received.push(message.u64()?);
            Some(())
        })?;
        Ok(received)
    }
}

/// Removes the end of a message that [`Team::exchange`] has added. Returns `true` if the sender was cancelled, and `None` if
/// the message is not complete.
fn without_end(message: &mut Vec<u8>) -> Option<bool> {
    let (cancelled, rest) = message.split_last().filter(|(cancelled, _)| **cancelled <= 1)?;
    let (rest, length) = rest.split_last_chunk()?;
    let is_cancelled = *cancelled == 1;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|&length| length == rest.len())?;
    message.truncate(length);
    Some(is_cancelled)
}
