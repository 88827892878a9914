//! Parallel encoding with ordered output: while one set of chunks is written, the next set is encoded on all threads.

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;

/// Number of items (lines or vertices) per chunk. As text, such a chunk takes a few hundred kilobytes.
const CHUNK: usize = 1 << 15;

/// Writes the bytes of all items, in order. `make` encodes a range of items and appends the bytes to a buffer.
pub(super) fn write_in_chunks(
    out: &mut (dyn Write + Send),
    items: usize,
    make: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    let chunks = items.div_ceil(CHUNK);
    let wave = 2 * rayon::current_num_threads();
    let mut ready: Vec<Vec<u8>> = Vec::new();
    for first in (0..chunks).step_by(wave) {
        let made = || -> Vec<Vec<u8>> {
            let wave = (first..chunks.min(first + wave)).into_par_iter();
            wave.map(|chunk| {
                let mut bytes = Vec::new();
                make(chunk * CHUNK..items.min((chunk + 1) * CHUNK), &mut bytes);
                bytes
            })
            .collect()
        };
        let (written, next) = rayon::join(|| write_all(out, &ready), made);
        written?;
        ready = next;
    }
    write_all(out, &ready)
}

fn write_all(out: &mut (dyn Write + Send), chunks: &[Vec<u8>]) -> io::Result<()> {
    chunks.iter().try_for_each(|chunk| out.write_all(chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept() {
        for items in [0, 1, CHUNK, 11 * CHUNK + 7] {
            let mut out = Vec::new();
            write_in_chunks(&mut out, items, |range, bytes| {
                range.for_each(|item| bytes.extend_from_slice(&(item as u32).to_le_bytes()));
            })
            .unwrap();
            let expected: Vec<u8> = (0..items as u32).flat_map(u32::to_le_bytes).collect();
            assert!(out == expected, "{items}");
        }
    }
}
