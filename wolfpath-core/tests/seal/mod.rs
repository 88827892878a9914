//! Computes valid checksums for a modified `.wolf` file, so that the checksums do not hide the modification from the
//! other checks. This code follows `docs/file-format.md` and shares nothing with the library.

use twox_hash::XxHash3_64;

const PAGE: usize = 4096;
const PIECE: usize = 1 << 20;

fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + size)?;
    let value = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    usize::try_from(value).ok()
}

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Writes valid checksums wherever the file is long enough to contain them. Only for files in little-endian byte order.
// This file is also compiled into the fuzz targets, which are another crate.
#[allow(unreachable_pub)]
pub fn seal(bytes: &mut [u8]) {
    // The sections of a `.wolf` file start after one page, those of a shard after two.
    let first = number(bytes, 136, 8).filter(|&first| first == 2 * PAGE && number(bytes, 60, 4) > Some(0));
    let head = first.unwrap_or(PAGE);
    if bytes.len() < head {
        return;
    }
    for index in 0..number(bytes, 60, 4).unwrap_or(0).min((head - 128) / 32) {
        let entry = 128 + 32 * index;
        let place = number(bytes, entry + 8, 8).zip(number(bytes, entry + 16, 8));
        let end =
            place.and_then(|(offset, length)| length.checked_next_multiple_of(PAGE)?.checked_add(offset));
        if let Some(section) = place.zip(end).and_then(|((offset, _), end)| bytes.get(offset..end)) {
            let pieces = section.chunks(PIECE).flat_map(|piece| XxHash3_64::oneshot(piece).to_le_bytes());
            let checksum = XxHash3_64::oneshot(&pieces.collect::<Vec<u8>>());
            put(bytes, entry + 24, checksum);
        }
    }
    let key = number(bytes, 64, 8).filter(|&key| key < bytes.len().saturating_sub(24));
    if let Some(key) = key {
        let checksum = XxHash3_64::oneshot(&bytes[key + 24..]);
        put(bytes, key + 16, checksum);
    }
    let table = XxHash3_64::oneshot(&bytes[88..head]);
    put(bytes, 72, table);
    let header = XxHash3_64::oneshot(&bytes[..80]);
    put(bytes, 80, header);
}
