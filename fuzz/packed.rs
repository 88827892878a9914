//! Compact form of `.wolf` files as fuzzer inputs. The files themselves consist mostly of zeros, because sections are
//! aligned to pages.

const PAGE: usize = 4096;

/// Unpacks a fuzzer's input into a file of pages of 4096 bytes. Each page is given by a length (u16) and that number of
/// bytes, and padded with zeros. If the highest bit of the last page's length is set, that page is not padded.
pub fn unpacked(mut input: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [low, high, rest @ ..] = input {
        let length = u16::from_le_bytes([*low, *high]);
        let (page, after) = rest.split_at(usize::from(length & 0x1fff).min(PAGE).min(rest.len()));
        bytes.extend_from_slice(page);
        if length >> 15 == 0 {
            bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
        }
        input = after;
        if bytes.len() > 64 * PAGE {
            break;
        }
    }
    bytes
}

/// Packs a file into an input.
pub fn packed(file: &[u8]) -> Vec<u8> {
    let pages = file.chunks(PAGE).flat_map(|page| {
        let used = page.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let (length, used) =
            if page.len() == PAGE { (used, used) } else { (page.len() | 0x8000, page.len()) };
        (length as u16).to_le_bytes().into_iter().chain(page[..used].iter().copied())
    });
    pages.collect()
}
