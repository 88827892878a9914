//! Tests of compressed files: each compression, files of several concatenated members, and files that are truncated or
//! damaged.

use super::{edges, load_text, report_of};
use wolfpath_io::load::{Compression, LoadError};

#[cfg(feature = "gzip")]
fn gz(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, text).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "zstd")]
fn zst(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).unwrap()
}

#[cfg(feature = "xz")]
fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    std::io::Write::write_all(&mut encoder, text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) type Pack = fn(&[u8]) -> Vec<u8>;

/// Codecs of this build.
pub(crate) const ALL: &[(Compression, Pack)] = &[
    #[cfg(feature = "gzip")]
    (Compression::Gzip, gz),
    #[cfg(feature = "zstd")]
    (Compression::Zstd, zst),
    #[cfg(feature = "xz")]
    (Compression::Xz, xz),
];

/// For each codec that this build lacks: the first bytes of a file, and the cargo feature that is required to read it.
const MISSING: &[(&[u8], &str)] = &[
    #[cfg(not(feature = "gzip"))]
    (&[0x1f, 0x8b, 8, 0, 0, 0], "gzip"),
    #[cfg(not(feature = "zstd"))]
    (&[0x28, 0xb5, 0x2f, 0xfd, 0, 0], "zstd"),
    #[cfg(not(feature = "xz"))]
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz"),
];

#[test]
fn a_codec_that_is_not_built_in_is_named() {
    assert_eq!(ALL.len() + MISSING.len(), 3);
    for (bytes, feature) in MISSING {
        let error = load_text("g.el", bytes).unwrap_err();
        assert!(matches!(error, LoadError::Codec { .. }), "{error}");
        assert!(error.to_string().contains(&format!("the cargo feature `{feature}`")), "{error}");
    }
}

#[test]
fn each_compression_whatever_the_name() {
    for &(compression, pack) in ALL {
        for name in ["g.el.gz", "g.el.zst", "g.el", "g"] {
            let packed = pack(b"1 2\n3 1\n");
            assert_eq!(edges(&load_text(name, &packed).unwrap()), [(1, 2), (3, 1)]);
            assert_eq!(report_of(name, &packed).compression, compression);
        }
    }
    assert_eq!(report_of("g.el.gz", "1 2\n").compression, Compression::None);
}

#[test]
fn several_members_are_one_text() {
    for &(compression, pack) in ALL {
        let both = [pack(b"1 2\n3 "), pack(b"1\n")].concat();
        let list = load_text("g.el", both).unwrap_or_else(|error| panic!("{compression}: {error}"));
        assert_eq!(edges(&list), [(1, 2), (3, 1)]);
    }
}

#[test]
fn nothing_inside_is_an_edge_list_without_edges() {
    for &(_, pack) in ALL {
        let list = load_text("g.el", pack(b"")).unwrap();
        assert_eq!((list.num_vertices(), list.num_edges()), (0, 0));
        assert!(matches!(load_text("g.mtx", pack(b"")), Err(LoadError::Empty { .. })));
    }
    // A file of zero bytes is truncated, because no compressor writes one.
    for name in ["g.el.gz", "g.el.zst", "g.EL.XZ"] {
        assert!(matches!(load_text(name, b""), Err(LoadError::Truncated { .. })), "{name}");
    }
}

#[test]
fn cut_short_anywhere() {
    let text: String = (0..2000).map(|edge| format!("{edge} {}\n", edge * 7919 % 1000)).collect();
    for &(compression, pack) in ALL {
        let whole = pack(text.as_bytes());
        for len in (6..whole.len()).step_by(97).chain([whole.len() - 1]) {
            let error = load_text("g.el", &whole[..len]).expect_err("a truncated file must be rejected");
            assert!(matches!(error, LoadError::Truncated { .. }), "{compression} at {len}: {error}");
            assert!(error.to_string().contains("cut short"), "{error}");
        }
    }
}

#[test]
fn garbage_behind_or_inside() {
    for &(compression, pack) in ALL {
        let mut bytes = pack(b"1 2\n3 1\n");
        bytes.extend(b"garbage that is no further member");
        let error = load_text("g.el", &bytes).expect_err("garbage after the last member must be rejected");
        assert!(
            matches!(error, LoadError::Damaged { .. } | LoadError::Truncated { .. }),
            "{compression}: {error}"
        );
    }
}
