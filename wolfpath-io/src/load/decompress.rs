//! From bytes to text: the decompressor that a file's first bytes ask for.

use super::Compression;
use std::io::{self, BufReader, Cursor, Read};

/// As many bytes as the longest magic number has.
const MAGIC: u64 = 6;

/// Wraps `input` in the decompressor it needs.
pub(super) fn decompress<'a>(
    mut input: impl Read + Send + 'a,
) -> io::Result<(Compression, Box<dyn Read + Send + 'a>)> {
    let mut start = Vec::new();
    input.by_ref().take(MAGIC).read_to_end(&mut start)?;
    let compression = Compression::of_bytes(&start);
    let whole = Cursor::new(start).chain(input);
    let text: Box<dyn Read + Send + 'a> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(whole))),
        Compression::Zstd => Box::new(zstd_decoder(buffered(whole))?),
        Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered(whole))),
    };
    Ok((compression, text))
}

fn buffered<R: Read>(input: R) -> BufReader<R> {
    BufReader::with_capacity(1 << 17, input)
}

fn zstd_decoder<R: io::BufRead>(input: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?;
    // Graphs are often compressed with `--long=31`; memory is only taken as far as the file really reaches.
    decoder.window_log_max(31)?;
    Ok(decoder)
}
