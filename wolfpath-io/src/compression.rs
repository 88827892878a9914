//! The compression of files: the first bytes tell it when reading, the name when writing. Files that may begin with any
//! bytes are decompressed only if their names promise it, too. Only this module knows the codecs, each of which is a cargo
//! feature.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;

/// Bytes of the longest magic number.
const LONGEST_MAGIC: u64 = 6;

/// Bytes that a decompressor is given at once.
const INPUT: usize = 1 << 17;

/// The level of xz: its usual one, 6, takes minutes for a gigabyte and saves a few percent.
#[cfg(feature = "xz")]
const XZ_LEVEL: u32 = 3;

/// The compression of a file, told by its first bytes regardless of its name. Raw binary edges and WebGraph's bits may begin
/// with any bytes: they are decompressed only if the name promises that compression, too.
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
    /// Not at all.
    None,
    /// gzip (`.gz`), of one or several members. Needs the cargo feature `gzip`.
    Gzip,
    /// Zstandard (`.zst`), of one or several frames. Needs the cargo feature `zstd`.
    Zstd,
    /// xz (`.xz`), of one or several streams. Needs the cargo feature `xz`.
    Xz,
}

/// Writes the bytes that are compressed.
pub(crate) type Fill<'a> = Box<dyn FnOnce(&mut (dyn Write + Send)) -> io::Result<()> + 'a>;

/// Compresses what [`Fill`] writes.
pub(crate) type Encode = fn(&mut (dyn Write + Send), Fill<'_>) -> io::Result<()>;

impl Compression {
    /// All compressions but none.
    const ALL: [Compression; 3] = [Compression::Gzip, Compression::Zstd, Compression::Xz];

    /// Returns what the first bytes of a file say.
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

    /// Returns the ending of a compressed file's name, without its dot; empty if the file is not compressed.
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Xz => "xz",
        }
    }

    /// Returns the path of what is compressed in a file: the same without the ending of a compression.
    pub(crate) fn without_ending(path: &Path) -> std::borrow::Cow<'_, Path> {
        match Compression::of_name(path) {
            Compression::None => path.into(),
            Compression::Gzip | Compression::Zstd | Compression::Xz => path.with_extension("").into(),
        }
    }

    /// Returns the cargo feature that the codec needs; empty if none.
    pub(crate) const fn feature(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
        }
    }

    /// Returns the text in a compressed input, or `None` if this build lacks the codec.
    fn decoder<'a>(self, input: impl Read + Send + 'a) -> io::Result<Decoder<'a>> {
        let buffered = |input| BufReader::with_capacity(INPUT, input);
        Ok(match self {
            Compression::None => Some(Box::new(input)),
            Compression::Gzip => gzip_decoder(buffered(input)),
            Compression::Zstd => zstd_decoder(buffered(input))?,
            Compression::Xz => xz_decoder(buffered(input)),
        })
    }

    /// Returns what compresses, or `None` if this build lacks the codec.
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

/// Rule by which an input's compression is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// By the first bytes, which cannot be those of an uncompressed input.
    Bytes,
    /// By the first bytes if the name promises the same, since an uncompressed input may begin with any bytes.
    BytesAsPromised(Compression),
}

/// An input that has been opened.
pub(crate) struct Decompressed<'a> {
    /// The compression as which it is read.
    pub(crate) compression: Compression,
    /// The compression whose magic number it begins with.
    pub(crate) apparent: Compression,
    /// The text in it; `None` if this build lacks the codec.
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

/// The text in a compressed input, if this build has the codec.
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
    // Graphs are often compressed with `--long=31`; memory is only taken as far as the file really reaches.
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
