//! Messages of processes, as bytes.

use wolfpath_core::program::Datum;

/// A message that is read from its start.
#[derive(Debug)]
pub struct Message<'m>(pub &'m [u8]);

impl<'m> Message<'m> {
    /// Removes and returns so many bytes; `None` if there are fewer.
    pub fn take(&mut self, bytes: usize) -> Option<&'m [u8]> {
        let (taken, left) = self.0.split_at_checked(bytes)?;
        self.0 = left;
        Some(taken)
    }

    /// Reads a byte.
    pub fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// Reads a number of 32 bits.
    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    /// Reads a number of 64 bits.
    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }

    /// Reads what [`put_number`] wrote.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// Appends a value to a message.
pub fn put<V: Datum>(message: &mut Vec<u8>, value: V) {
    let first = message.len();
    message.resize(first + V::KIND.size(), 0);
    value.write(&mut message[first..]);
}

/// Appends a number in groups of 7 bits, lowest first, each of which but the last is marked by the highest bit of its byte.
pub(crate) fn put_number(message: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        message.push(number as u8 | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read_back() {
        let numbers = [0, 1, 127, 128, 300, 1 << 21, u64::from(u32::MAX), u64::MAX];
        let mut message = Vec::new();
        numbers.iter().for_each(|&number| put_number(&mut message, number));
        let mut message = Message(&message);
        assert!(numbers.iter().all(|&number| message.number() == Some(number)));
        assert_eq!((message.number(), Message(&[0x80; 20]).number()), (None, None));
    }
}
