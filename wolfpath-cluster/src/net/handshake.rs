//! The handshake at the start of each connection: both sides say who they are, and prove that they know the secret.
//!
//! The side that connects sends a hello; the other one answers with a hello and a proof, gets a proof, and sends its verdict. A
//! proof is the HMAC (RFC 2104, with SHA-256) of both hellos, which contain fresh random numbers, so that neither the
//! secret nor anything that could be used again is sent. The two sides sign with different first bytes, so that a proof
//! cannot be returned to its sender.

use std::io::{self, Read, Write};

use bytemuck::{Pod, Zeroable};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The first bytes of a hello.
const MAGIC: [u8; 8] = *b"wolfpath";

/// A constant that reads as a different number on a machine of the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;

/// Version of the handshake.
const PROTOCOL: u32 = 1;

/// Largest length of a verdict, in bytes.
const LONGEST_VERDICT: u32 = 1 << 12;

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Purpose {
    Data = 0,
    Control = 1,
}

/// The first message of each side.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Hello {
    magic: [u8; 8],
    byte_order: u32,
    protocol: u32,
    /// Version of wolfpath, padded with zeros.
    version: [u8; 32],
    pub(super) process: u32,
    processes: u32,
    purpose: u32,
    has_secret: u32,
    nonce: [u8; 32],
}

impl Hello {
    pub(super) fn new(
        process: usize,
        processes: usize,
        purpose: Purpose,
        has_secret: bool,
    ) -> io::Result<Hello> {
        let mut version = [0; 32];
        let text = env!("CARGO_PKG_VERSION").as_bytes();
        let length = text.len().min(version.len());
        version[..length].copy_from_slice(&text[..length]);
        let mut nonce = [0; 32];
        getrandom::fill(&mut nonce).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Hello {
            magic: MAGIC,
            byte_order: BYTE_ORDER,
            protocol: PROTOCOL,
            version,
            process: process as u32,
            processes: processes as u32,
            purpose: purpose as u32,
            has_secret: has_secret.into(),
            nonce,
        })
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Hello> {
        let mut hello = Hello::zeroed();
        from.read_exact(bytemuck::bytes_of_mut(&mut hello))?;
        Ok(hello)
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(bytemuck::bytes_of(self))
    }

    /// Returns `true` if a wolfpath of this byte order and handshake sent it.
    pub(super) fn is_ours(&self) -> bool {
        (self.magic, self.byte_order, self.protocol) == (MAGIC, BYTE_ORDER, PROTOCOL)
    }

    pub(super) fn purpose(&self) -> Option<Purpose> {
        [Purpose::Data, Purpose::Control].into_iter().find(|&purpose| purpose as u32 == self.purpose)
    }

    /// Returns what is wrong with the other side's hello, and what is expected.
    pub(super) fn mismatch(&self, other: &Hello) -> Option<(String, String)> {
        let version = |hello: &Hello| {
            String::from_utf8_lossy(&hello.version).trim_end_matches('\0').escape_debug().to_string()
        };
        let secret = |hello: &Hello| if hello.has_secret != 0 { "has a secret" } else { "has no secret" };
        if self.version != other.version {
            return Some((format!("is wolfpath {}", version(other)), version(self)));
        }
        if self.processes != other.processes {
            let found = format!("is one of {} processes", other.processes);
            return Some((found, self.processes.to_string()));
        }
        if self.has_secret != other.has_secret {
            return Some((secret(other).to_owned(), format!("one that {}", secret(self))));
        }
        None
    }
}

/// The side that makes a proof.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Role {
    Connects = 1,
    Listens = 2,
}

/// A proof that one side knows the secret; zeros in a cluster without one.
pub(super) type Proof = [u8; 32];

/// Returns the signature of a connection by one side. `connects` and `listens` are the hellos of both sides.
fn signature(secret: &[u8], role: Role, connects: &Hello, listens: &Hello) -> Hmac<Sha256> {
    // HMAC accepts keys of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length is accepted");
    mac.update(&[role as u8]);
    mac.update(bytemuck::bytes_of(connects));
    mac.update(bytemuck::bytes_of(listens));
    mac
}

/// Returns the proof of one side.
pub(super) fn proof(secret: Option<&[u8]>, role: Role, connects: &Hello, listens: &Hello) -> Proof {
    match secret {
        Some(secret) => signature(secret, role, connects, listens).finalize().into_bytes().into(),
        None => Proof::default(),
    }
}

/// Returns `true` if a proof of one side is right. Takes the same time for all wrong ones.
pub(super) fn is_right(
    secret: Option<&[u8]>,
    proof: &Proof,
    role: Role,
    connects: &Hello,
    listens: &Hello,
) -> bool {
    secret.is_none_or(|secret| signature(secret, role, connects, listens).verify_slice(proof).is_ok())
}

/// Writes the verdict of the side that listens: why it refuses the connection, or an empty text.
pub(super) fn write_verdict(to: &mut impl Write, refusal: &str) -> io::Result<()> {
    let text = &refusal.as_bytes()[..refusal.len().min(LONGEST_VERDICT as usize)];
    to.write_all(&(text.len() as u32).to_le_bytes())?;
    to.write_all(text)
}

/// Reads a verdict.
pub(super) fn read_verdict(from: &mut impl Read) -> io::Result<String> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST_VERDICT {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "an answer that is too long"));
    }
    let mut text = vec![0; length as usize];
    from.read_exact(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(process: usize, processes: usize, has_secret: bool) -> Hello {
        Hello::new(process, processes, Purpose::Data, has_secret).expect("random numbers are available")
    }

    #[test]
    fn proofs_are_of_one_secret_one_side_and_one_connection() {
        let (connects, listens) = (hello(1, 2, true), hello(0, 2, true));
        let secret: Option<&[u8]> = Some(b"a secret of both");
        let mine = proof(secret, Role::Connects, &connects, &listens);
        assert!(is_right(secret, &mine, Role::Connects, &connects, &listens));
        assert!(!is_right(secret, &mine, Role::Listens, &connects, &listens), "another side");
        assert!(!is_right(Some(b"another secret"), &mine, Role::Connects, &connects, &listens));
        let again = hello(1, 2, true);
        assert!(!is_right(secret, &mine, Role::Connects, &again, &listens), "another connection");
    }

    #[test]
    fn hellos_that_do_not_fit_are_named() {
        let mine = hello(0, 2, true);
        assert_eq!(mine.mismatch(&hello(1, 2, true)), None);
        let (found, expected) = mine.mismatch(&hello(1, 3, true)).expect("another number of processes");
        assert_eq!((found.as_str(), expected.as_str()), ("is one of 3 processes", "2"));
        let (found, expected) = mine.mismatch(&hello(1, 2, false)).expect("no secret");
        assert_eq!((found.as_str(), expected.as_str()), ("has no secret", "one that has a secret"));
        let mut other = hello(1, 2, true);
        other.version[0] = b'9';
        assert!(mine.mismatch(&other).is_some_and(|(found, _)| found.starts_with("is wolfpath 9")));
        other.magic[0] = b'W';
        assert!(!other.is_ours());
    }

    #[test]
    fn verdicts_are_read_as_they_are_written() {
        for text in ["", "process 1 is already connected"] {
            let mut bytes = Vec::new();
            write_verdict(&mut bytes, text).expect("a vector grows");
            assert_eq!(read_verdict(&mut bytes.as_slice()).expect("it is whole"), text);
        }
        assert!(read_verdict(&mut [255u8, 255, 255, 255].as_slice()).is_err());
    }
}
