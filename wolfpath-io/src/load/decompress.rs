//! From bytes to text: the decompressor that a file's first bytes ask for.

use super::Compression;
use crate::compression::LONGEST_MAGIC;
use std::io::{self, Cursor, Read};

/// Returns the compression of an input and the text in it, or `None` for the text if this build lacks the codec.
pub(super) fn decompress<'a>(
    mut input: impl Read + Send + 'a,
) -> io::Result<(Compression, Option<Box<dyn Read + Send + 'a>>)> {
    let mut start = Vec::new();
    input.by_ref().take(LONGEST_MAGIC).read_to_end(&mut start)?;
    let compression = Compression::of_bytes(&start);
    Ok((compression, compression.decoder(Cursor::new(start).chain(input))?))
}
