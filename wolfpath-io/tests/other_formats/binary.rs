//! Tests of binary edge lists.

use super::{bad, edges, good};
use wolfpath_core::resources::Resources;
use wolfpath_core::weights::Weights;
use wolfpath_io::load::{Format, LoadOptions, read_reported};

/// Returns the little-endian bytes of these numbers, concatenated.
macro_rules! bytes {
    ($($number:expr),*) => { [$(&$number.to_le_bytes()[..]),*].concat() };
}

#[test]
fn records_follow_each_other() {
    let list = good("g.bin32", bytes!(7u32, 3u32, 3u32, 3u32));
    assert_eq!(edges(&list), [(3, 3, 1.0), (7, 3, 1.0)]);
    assert_eq!(list.num_vertices(), 2);
    let list = good("g.bin64", bytes!(u64::MAX, 0u64));
    assert_eq!(list.edge(0), (u64::MAX, 0));
    let list = good("g.bin32f32", bytes!(1u32, 2u32, 0.1f32));
    assert_eq!(list.weights(), Some(&Weights::F32(vec![0.1])));
    let list = good("g.bin64i64", bytes!(1u64, 2u64, i64::MIN));
    assert_eq!(list.weights(), Some(&Weights::I64(vec![i64::MIN])));
    let list = good("g.bin32u64", bytes!(1u32, 2u32, 7u64, 2u32, 1u32, u64::MAX));
    assert_eq!(list.weights(), Some(&Weights::U64(vec![7, u64::MAX])));
    let list = good("g.bin64u32", bytes!(1u64, 2u64, 7u32));
    assert_eq!(edges(&list), [(1, 2, 7.0)]);
}

#[test]
fn the_format_is_named_where_the_ending_is_another() {
    let options = LoadOptions::new().format("bin32".parse::<Format>().ok());
    let (bytes, resources) = (bytes!(1u32, 2u32), Resources::default());
    let loaded = read_reported(&bytes[..], "edges.dat", &options, &resources).unwrap();
    assert_eq!(Some(loaded.report.format), "bin32".parse::<Format>().ok());
}

#[test]
fn ids_that_look_like_compressed_bytes_are_ids() {
    let gzip = u32::from_le_bytes([0x1f, 0x8b, 8, 8]);
    let list = good("g.bin32", bytes!(gzip, 3u32));
    assert_eq!(edges(&list), [(u64::from(gzip), 3, 1.0)]);
    let zstd = u64::from_le_bytes([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0]);
    let list = good("g.bin64", bytes!(zstd, 3u64));
    assert_eq!(edges(&list), [(zstd, 3, 1.0)]);
    assert!(list.notes().iter().any(|note| note.contains("does not end in .zst")), "{:?}", list.notes());
    // An uncompressed file is read unchanged, even if its name promises a compression.
    let list = good("g.bin32.gz", bytes!(7u32, 3u32));
    assert_eq!(edges(&list), [(7, 3, 1.0)]);
}

#[test]
fn half_a_record() {
    bad(
        "g.bin32",
        bytes!(1u32, 2u32, 3u32),
        &["byte 8: found 4 bytes of a record", "8 bytes per edge", "another format"],
    );
    bad(
        "g.bin64f32",
        bytes!(1u64),
        &["byte 0: found 8 bytes", "20 bytes per edge, as the format bin64f32 says"],
    );
    bad("g.bin32", [], &["empty"]);
    let long = vec![1; (1 << 21) + 3];
    bad("g.bin32", long, &["byte 2097152: found 3 bytes"]);
}

#[test]
fn weights_are_numbers() {
    bad(
        "g.bin32f32",
        bytes!(1u32, 2u32, 1f32, 1u32, 2u32, f32::NAN),
        &["byte 20: found a weight that is NaN"],
    );
    bad("g.bin64f64", bytes!(1u64, 2u64, f64::NAN), &["byte 16: found a weight that is NaN"]);
}
