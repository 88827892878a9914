//! `.wolf` files as inputs of a fuzzer: spread over pages of zeros they are mostly nothing.

const PAGE: usize = 4096;

/// The file that a fuzzer's input stands for: pages of 4096 bytes, each given by a length (u16) and as many bytes, and
/// filled up with zeros; the last one is not filled up when its length has the highest bit.
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

/// The input that stands for a file.
pub fn packed(file: &[u8]) -> Vec<u8> {
    let pages = file.chunks(PAGE).flat_map(|page| {
        let used = page.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let (length, used) =
            if page.len() == PAGE { (used, used) } else { (page.len() | 0x8000, page.len()) };
        (length as u16).to_le_bytes().into_iter().chain(page[..used].iter().copied())
    });
    pages.collect()
}
