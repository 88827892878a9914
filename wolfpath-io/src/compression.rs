//! Compression of files. When reading, the first bytes determine the compression; when writing, the file name does.
//! There is one exception: a file of a format that may start with any bytes is decompressed only if the first bytes and
//! the file name indicate the same compression. Only this module uses the codecs, each of which is a cargo feature.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;

/// Length of the longest magic number in bytes.
const LONGEST_MAGIC: u64 = 6;

/// Number of compressed bytes that a decompressor receives at a time.
const INPUT: usize = 1 << 17;

/// Compression level of xz. The default level, 6, would take minutes per gigabyte, and would make files only a few
/// percent smaller.
#[cfg(feature = "xz")]
const XZ_LEVEL: u32 = 3;

/// Compression of a file. When a file is read, its first bytes determine the compression, regardless of the name.
/// Binary edge lists and WebGraph files are an exception: they may start with any bytes, so they are decompressed only
/// if the name indicates the same compression.
///
/// ```
/// use wolfpath::load::{Compression, LoadOptions, read_reported};
/// use wolfpath::resources::Resources;
///
/// // The name promises gzip, but the bytes are plain text.
/// let loaded = read_reported(&b"1 2\n"[..], "g.el.gz", &LoadOptions::new(), &Resources::new())?;
/// assert_eq!(loaded.report.compression, Compression::None);
/// assert_eq!(Compression::Zstd.to_string(), "zstd");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    None,
    /// gzip (`.gz`), with one or several members. Requires the cargo feature `gzip`.
    Gzip,
    /// Zstandard (`.zst`), with one or several frames. Requires the cargo feature `zstd`.
    Zstd,
    /// xz (`.xz`), with one or several streams. Requires the cargo feature `xz`.
    Xz,
}

/// Function that writes the uncompressed bytes.
pub(crate) type Fill<'a> = Box<dyn FnOnce(&mut (dyn Write + Send)) -> io::Result<()> + 'a>;

/// Function that compresses the output of a [`Fill`].
pub(crate) type Encode = fn(&mut (dyn Write + Send), Fill<'_>) -> io::Result<()>;

impl Compression {
    /// All compressions except [`Compression::None`].
    const ALL: [Compression; 3] = [Compression::Gzip, Compression::Zstd, Compression::Xz];

    /// Returns the compression that the first bytes of a file indicate.
    fn of_bytes(start: &[u8]) -> Compression {
        match start {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }

    /// Returns the compression that a file's name promises.
    pub(crate) fn of_name(path: &Path) -> Compression {
        let ending = path.extension().unwrap_or_default();
        let named = Compression::ALL.into_iter().find(|named| ending.eq_ignore_ascii_case(named.ending()));
        named.unwrap_or(Compression::None)
    }

    /// Returns the extension of compressed files, without its dot; empty for [`Compression::None`].
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Xz => "xz",
        }
    }

    /// Returns the path without the extension of a compression.
    pub(crate) fn without_ending(path: &Path) -> std::borrow::Cow<'_, Path> {
        match Compression::of_name(path) {
            Compression::None => path.into(),
            Compression::Gzip | Compression::Zstd | Compression::Xz => path.with_extension("").into(),
        }
    }

    /// Returns the cargo feature that the codec requires; empty for [`Compression::None`].
    pub(crate) const fn feature(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
        }
    }

    /// Returns a reader of the decompressed bytes of an input, or `None` if this build lacks the codec.
    fn decoder<'a>(self, input: impl Read + Send + 'a) -> io::Result<Decoder<'a>> {
        let buffered = |input| BufReader::with_capacity(INPUT, input);
        Ok(match self {
            Compression::None => Some(Box::new(input)),
            Compression::Gzip => gzip_decoder(buffered(input)),
            Compression::Zstd => zstd_decoder(buffered(input))?,
            Compression::Xz => xz_decoder(buffered(input)),
        })
    }

    /// Returns the compressor, or `None` if this build lacks the codec.
    pub(crate) fn encoder(self) -> Option<Encode> {
        match self {
            Compression::None => Some(|out, fill| fill(out)),
            #[cfg(feature = "gzip")]
            Compression::Gzip => Some(|out, fill| {
                let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                fill(&mut encoder)?;
                encoder.finish().map(drop)
            }),
            #[cfg(feature = "zstd")]
            Compression::Zstd => Some(|out, fill| {
                let mut encoder = zstd::stream::write::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                fill(&mut encoder)?;
                encoder.finish().map(drop)
            }),
            #[cfg(feature = "xz")]
            Compression::Xz => Some(|out, fill| {
                let mut encoder = liblzma::write::XzEncoder::new(out, XZ_LEVEL);
                fill(&mut encoder)?;
                encoder.finish().map(drop)
            }),
            #[cfg(not(feature = "gzip"))]
            Compression::Gzip => None,
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => None,
            #[cfg(not(feature = "xz"))]
            Compression::Xz => None,
        }
    }
}

/// Rule that determines the compression of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// The first bytes decide, because an uncompressed input cannot start with them.
    Bytes,
    /// The first bytes decide only if the name promises the same compression, since an uncompressed input may start
    /// with any bytes.
    BytesAsPromised(Compression),
}

/// An input that was opened, and is decompressed while it is read.
pub(crate) struct Decompressed<'a> {
    /// Compression that is removed while reading.
    pub(crate) compression: Compression,
    /// Compression whose magic number the input starts with.
    pub(crate) apparent: Compression,
    /// Reader of the decompressed bytes; `None` if this build lacks the codec.
    pub(crate) text: Decoder<'a>,
}

/// Opens an input that may be compressed.
pub(crate) fn decompress<'a>(
    mut input: impl Read + Send + 'a,
    telling: Telling,
) -> io::Result<Decompressed<'a>> {
    let mut start = Vec::new();
    input.by_ref().take(LONGEST_MAGIC).read_to_end(&mut start)?;
    let apparent = Compression::of_bytes(&start);
    let compression = match telling {
        Telling::BytesAsPromised(promised) if promised != apparent => Compression::None,
        Telling::Bytes | Telling::BytesAsPromised(_) => apparent,
    };
    let text = compression.decoder(Cursor::new(start).chain(input))?;
    Ok(Decompressed { compression, apparent, text })
}

/// Reader of the decompressed bytes of an input; `None` if this build lacks the codec.
pub(crate) type Decoder<'a> = Option<Box<dyn Read + Send + 'a>>;

#[cfg(feature = "gzip")]
fn gzip_decoder<'a>(input: impl BufRead + Send + 'a) -> Decoder<'a> {
    Some(Box::new(flate2::bufread::MultiGzDecoder::new(input)))
}

#[cfg(not(feature = "gzip"))]
fn gzip_decoder<'a>(_: impl BufRead + Send + 'a) -> Decoder<'a> {
    None
}

#[cfg(feature = "zstd")]
fn zstd_decoder<'a>(input: impl BufRead + Send + 'a) -> io::Result<Decoder<'a>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?;
    // Graphs are often compressed with `--long=31`, which allows a window of 2 GiB (how far back the compressed data
    // may refer). Memory is allocated only for the window that the file actually uses.
    decoder.window_log_max(31)?;
    Ok(Some(Box::new(decoder)))
}

#[cfg(not(feature = "zstd"))]
fn zstd_decoder<'a>(_: impl BufRead + Send + 'a) -> io::Result<Decoder<'a>> {
    Ok(None)
}

#[cfg(feature = "xz")]
fn xz_decoder<'a>(input: impl BufRead + Send + 'a) -> Decoder<'a> {
    Some(Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(input)))
}

#[cfg(not(feature = "xz"))]
fn xz_decoder<'a>(_: impl BufRead + Send + 'a) -> Decoder<'a> {
    None
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::None => "uncompressed",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_a_compression() {
        let of = |name: &str| (Compression::of_name(Path::new(name)), without(name));
        fn without(name: &str) -> String {
            Compression::without_ending(Path::new(name)).display().to_string()
        }
        assert_eq!(of("a.b/g.el"), (Compression::None, "a.b/g.el".to_owned()));
        assert_eq!(of("a.b/g.el.GZ"), (Compression::Gzip, "a.b/g.el".to_owned()));
        assert_eq!(of("g.zst"), (Compression::Zstd, "g".to_owned()));
        assert_eq!(of("g.t.graph.xz"), (Compression::Xz, "g.t.graph".to_owned()));
        assert_eq!(of(".gz"), (Compression::None, ".gz".to_owned()));
    }

    #[test]
    fn a_codec_is_built_in_if_its_feature_is_on() {
        let built_in = [cfg!(feature = "gzip"), cfg!(feature = "zstd"), cfg!(feature = "xz")];
        for (compression, built_in) in Compression::ALL.into_iter().zip(built_in) {
            assert_eq!(compression.encoder().is_some(), built_in, "{compression}");
            let decoder = compression.decoder(io::empty()).unwrap();
            assert_eq!(decoder.is_some(), built_in, "{compression}");
        }
    }
}
