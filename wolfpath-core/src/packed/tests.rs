//! Round trips of rows of every shape, and every single fault in small packed rows.

use proptest::prelude::*;

use super::check::{Check, Fault};
use super::layout::{BAND, BLOCK, Layout, SEGMENT, first_bits};
use super::pack::measured;
use super::{Packed, PackedRows};
use crate::graph::Rows;
use crate::progress::Progress;
use crate::random;
use crate::space::Space;

/// Returns offsets and ends of these rows.
fn csr(rows: &[Vec<u32>]) -> (Vec<u64>, Vec<u32>) {
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |sum, row| {
        *sum += row.len() as u64;
        Some(*sum)
    }));
    (offsets, rows.concat())
}

/// Checks every way of reading packed rows, and that the packed rows are those of `rows`.
fn assert_round_trip(rows: Rows<'_>) {
    let packed = Packed::of(rows).unwrap();
    let read = packed.rows(rows.offsets);
    assert_eq!((read.num_vertices(), read.num_edges()), (rows.num_vertices(), rows.ends.len() as u64));
    for vertex in 0..rows.num_vertices() {
        let row = rows.row(vertex);
        assert!(read.row(vertex).eq(row.iter().copied()), "vertex {vertex}");
        assert_eq!((read.degree(vertex), read.row(vertex).len()), (row.len() as u64, row.len()));
        assert_eq!(read.blocks(vertex), row.len().div_ceil(BLOCK) as u64);
        for (block, ends) in row.chunks(BLOCK).enumerate() {
            assert!(read.block(vertex, block as u64).eq(ends.iter().copied()), "block {block} of {vertex}");
        }
    }
    assert_eq!(check(rows, read).first_fault(), None);
    assert!(check(rows, read).are_right(0..read.words().len()));
}

fn check<'a>(rows: Rows<'a>, read: PackedRows<'a>) -> Check<'a> {
    Check::new(rows, read.bands(), read.starts(), read.words())
}

/// Returns the row of `len` ends below `vertices` that is drawn with this seed, with many or few duplicates.
fn drawn(seed: u64, len: usize, vertices: u32) -> Vec<u32> {
    let bound = if seed.is_multiple_of(3) { vertices.min(1 + len as u32 / 2) } else { vertices };
    let mut row: Vec<u32> =
        (0..len as u64).map(|end| random::below(bound, random::hash(seed, end))).collect();
    row.sort_unstable();
    row
}

/// A length of a row: mostly short, sometimes around the sizes of blocks and segments.
fn length() -> impl Strategy<Value = usize> {
    let near = |size: usize| size.saturating_sub(2)..size + 3;
    prop_oneof![6 => 0..5usize, 3 => near(BLOCK), 2 => near(SEGMENT), 1 => near(2 * SEGMENT), 1 => 0..3000usize]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_rows(lengths in prop::collection::vec(length(), 1..300), seed in any::<u64>()) {
        let vertices = lengths.len() as u32;
        let rows: Vec<Vec<u32>> =
            lengths.iter().zip(seed..=u64::MAX).map(|(&length, seed)| drawn(seed, length, vertices)).collect();
        let (offsets, ends) = csr(&rows);
        assert_round_trip(Rows { offsets: &offsets, ends: &ends });
    }
}

#[test]
fn rows_of_every_length_around_blocks_and_segments() {
    let lengths = (0..70).chain(250..270).chain([511, 512, 513, 1024, 1025, 5000]);
    let rows: Vec<Vec<u32>> = lengths.zip(0..).map(|(length, seed)| drawn(seed, length, 96)).collect();
    let (offsets, ends) = csr(&rows);
    assert_round_trip(Rows { offsets: &offsets, ends: &ends });
}

#[test]
fn no_rows_and_empty_rows() {
    for vertices in [0, 1, 63, 64, 65, 1000] {
        assert_round_trip(Rows { offsets: &vec![0; vertices + 1], ends: &[] });
    }
    // With one vertex, an end takes no bits at all.
    assert_round_trip(Rows { offsets: &[0, 700], ends: &[0; 700] });
}

#[test]
fn hubs_are_packed_and_checked_by_several_threads() {
    let vertices = 300_000u32;
    let hub: Vec<u32> = (0..vertices).filter(|end| end % 3 > 0).collect();
    let mut rows = vec![Vec::new(); vertices as usize];
    (rows[3], rows[5], rows[6]) = (hub, vec![7; 70_000], drawn(1, 40_001, vertices));
    let (offsets, ends) = csr(&rows);
    let rows = Rows { offsets: &offsets, ends: &ends };
    assert_round_trip(rows);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (one, many) = (alone.install(|| Packed::of(rows)).unwrap(), Packed::of(rows).unwrap());
    assert_eq!((one.bands, one.starts, one.words), (many.bands, many.starts, many.words));
}

/// The layout is that of a graph with 2^32 - 1 vertices, but rows exist only for the first of them.
#[test]
fn ends_of_all_32_bits() {
    let largest = u32::MAX - 1;
    let row = |length: usize| {
        let mut row: Vec<u32> = (0..length as u64).map(|end| random::hash(7, end) as u32 & !1).collect();
        row.extend([0, largest, largest]);
        row.sort_unstable();
        row
    };
    let rows: Vec<Vec<u32>> = (0..2 * BAND).map(|vertex| row(vertex % 5 * 64)).collect();
    let (offsets, ends) = csr(&rows);
    let layout = Layout { rows: Rows { offsets: &offsets, ends: &ends }, first_bits: first_bits(u32::MAX) };
    let measured = measured(layout, &Progress::NONE).unwrap();
    let packed = measured.write(&Space::Memory, &Progress::NONE).unwrap();
    let read = packed.rows(&offsets).with_first_bits(layout.first_bits);
    assert_eq!(read.first_bits(), 32);
    for (vertex, row) in (0..).zip(&rows) {
        assert!(read.row(vertex).eq(row.iter().copied()), "vertex {vertex}");
    }
}

#[test]
fn the_example_of_the_specification() {
    let mut offsets = vec![0; 1];
    offsets.extend(std::iter::repeat_n(5, 300));
    let packed = Packed::of(Rows { offsets: &offsets, ends: &[17, 18, 18, 21, 260] }).unwrap();
    assert_eq!(packed.bands, vec![0, 8, 8, 8, 8, 8].into());
    assert_eq!(packed.starts[..3], [0, 7, 7]);
    assert_eq!(packed.words[..2], [0x0002_1108, 0x0001_de06]);
    assert!(packed.words[2..].iter().all(|&word| word == 0) && packed.words.len() == 2 + 32);
}

/// Changes every number of packed rows in turn. The check must find each change, at its position.
#[test]
fn every_fault_is_found() {
    let rows: Vec<Vec<u32>> =
        (0..150).map(|seed| drawn(seed, [0, 3, 40, 300][seed as usize % 4], 150)).collect();
    let (offsets, ends) = csr(&rows);
    let rows = Rows { offsets: &offsets, ends: &ends };
    let mut packed = Packed::of(rows).unwrap();
    for word in 0..packed.words.len() {
        for bit in [0, 13, 31] {
            packed.words[word] ^= 1 << bit;
            let read = packed.rows(&offsets);
            let fault = check(rows, read).first_fault();
            assert!(
                matches!(fault, Some(Fault::Word(at, right)) if at == word && right ^ read.words()[at] == 1 << bit)
            );
            assert!(!check(rows, read).are_right(0..read.words().len()));
            packed.words[word] ^= 1 << bit;
        }
    }
    for start in 0..packed.starts.len() {
        let right = packed.starts[start];
        packed.starts[start] ^= 8;
        let read = packed.rows(&offsets);
        assert_eq!(check(rows, read).first_fault(), Some(Fault::Start(start, right)));
        assert!(!check(rows, read).are_right(0..read.words().len()));
        packed.starts[start] = right;
    }
    let right = packed.bands[1];
    packed.bands[1] -= 8;
    let read = packed.rows(&offsets);
    assert_eq!(check(rows, read).first_fault(), Some(Fault::Band(1, right)));
    assert!(!check(rows, read).are_right(0..read.words().len()));
}

#[test]
#[should_panic(expected = "vertex 0 has 1 blocks, so there is no block 1")]
fn a_block_that_does_not_exist() {
    let packed = Packed::of(Rows { offsets: &[0, 2], ends: &[0, 0] }).unwrap();
    packed.rows(&[0, 2]).block(0, 1);
}
