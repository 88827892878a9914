//! The messages of control connections.

use std::io::{self, Read};

use super::error::ClusterError;

/// Largest length of the reason of an abort, in bytes.
const LONGEST_REASON: usize = 1 << 14;

/// The first byte of each message.
const BEAT: u8 = 0;
const ABORT: u8 = 1;
const BYE: u8 = 2;
const READY: u8 = 3;

/// A message of a control connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The process is alive, and has sent this number of bytes of data to the receiver.
    Beat(u64),
    /// The process that gave up first, and its reason.
    Abort(usize, String),
    /// The process leaves after this number of exchanges.
    Bye(u64),
    /// The process has all of its connections.
    Ready,
}

impl Message {
    /// Returns the message by which process `me` tells the others of a failure.
    pub(super) fn of_failure(me: usize, error: &ClusterError) -> Message {
        match error {
            ClusterError::Aborted { process, reason } => Message::Abort(*process, reason.clone()),
            error => Message::Abort(me, error.to_string()),
        }
    }

    /// Returns `true` if what a process has sent while others were connecting, of which these are the first two bytes, or fewer,
    /// is an abort. It may have said before that it has all of its connections.
    pub(super) fn are_of_abort(first: &[u8]) -> bool {
        first.strip_prefix(&[READY]).unwrap_or(first).starts_with(&[ABORT])
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Message::Beat(sent) => [&[BEAT][..], &sent.to_le_bytes()].concat(),
            Message::Bye(exchanges) => [&[BYE][..], &exchanges.to_le_bytes()].concat(),
            Message::Ready => vec![READY],
            Message::Abort(process, reason) => {
                let text = &reason.as_bytes()[..reason.len().min(LONGEST_REASON)];
                let numbers = [*process as u32, text.len() as u32].map(u32::to_le_bytes);
                [&[ABORT][..], numbers.as_flattened(), text].concat()
            }
        }
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Message> {
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        let mut number = [0; 8];
        match kind[0] {
            BEAT => from.read_exact(&mut number).map(|()| Message::Beat(u64::from_le_bytes(number))),
            BYE => from.read_exact(&mut number).map(|()| Message::Bye(u64::from_le_bytes(number))),
            READY => Ok(Message::Ready),
            ABORT => {
                let mut numbers = [[0; 4]; 2];
                from.read_exact(numbers.as_flattened_mut())?;
                let [process, length] = numbers.map(|number| u32::from_le_bytes(number) as usize);
                let mut text = vec![0; length.min(LONGEST_REASON)];
                from.read_exact(&mut text)?;
                // Nothing in it may control a terminal.
                let text = String::from_utf8_lossy(&text).escape_debug().to_string();
                Ok(Message::Abort(process, text))
            }
            other => Err(io::Error::new(io::ErrorKind::InvalidData, format!("an unknown message {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_are_written() {
        let all =
            [Message::Beat(1 << 40), Message::Abort(2, "full".to_owned()), Message::Bye(7), Message::Ready];
        let bytes: Vec<u8> = all.iter().flat_map(Message::bytes).chain([9]).collect();
        let mut from = bytes.as_slice();
        for message in all {
            assert_eq!(Message::read(&mut from).expect("it is whole"), message);
        }
        assert!(Message::read(&mut from).is_err_and(|error| error.kind() == io::ErrorKind::InvalidData));
        assert!(Message::read(&mut from).is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn reasons_cannot_control_a_terminal() {
        let bytes = Message::Abort(0, "\u{1b}[31mred".to_owned()).bytes();
        let read = Message::read(&mut bytes.as_slice()).expect("it is whole");
        assert_eq!(read, Message::Abort(0, "\\u{1b}[31mred".to_owned()));
    }
}
