//! Tests of GAP's serialized graphs.

use super::{bad, edges, good};

/// Returns the bytes of a header.
fn header(directed: u8, edges: i64, vertices: i64) -> Vec<u8> {
    let mut bytes = vec![directed];
    bytes.extend(edges.to_le_bytes());
    bytes.extend(vertices.to_le_bytes());
    bytes
}

/// Appends row offsets and entries. An entry is one number (the neighbour), or two if there are weights.
fn rows(mut bytes: Vec<u8>, offsets: &[i64], entries: &[i32]) -> Vec<u8> {
    bytes.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
    bytes.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
    bytes
}

fn directed() -> Vec<u8> {
    let bytes = rows(header(1, 3, 4), &[0, 2, 2, 3, 3], &[1, 2, 0]);
    rows(bytes, &[0, 1, 2, 3, 3], &[2, 0, 0])
}

fn undirected() -> Vec<u8> {
    rows(header(0, 5, 3), &[0, 1, 4, 5], &[1, 5, 0, 5, 1, 7, 2, 6, 1, 6])
}

#[test]
fn one_way_edges() {
    let list = good("g.sg", directed());
    assert_eq!(edges(&list), [(0, 1, 1.0), (0, 2, 1.0), (2, 0, 1.0)]);
    assert_eq!((list.num_vertices(), list.is_symmetric()), (4, false));
}

#[test]
fn undirected_edges_are_listed_twice_and_loops_once() {
    let list = good("g.wsg", undirected());
    assert_eq!(edges(&list), [(0, 1, 5.0), (1, 1, 7.0), (1, 2, 6.0)]);
    assert_eq!((list.num_edges(), list.is_symmetric()), (5, true));
    let negative = rows(header(1, 1, 2), &[0, 1, 1], &[1, -5]);
    let negative = rows(negative, &[0, 0, 1], &[0, -5]);
    assert_eq!(edges(&good("g.wsg", negative)), [(0, 1, -5.0)]);
    assert_eq!(good("g.sg", rows(header(0, 0, 0), &[0], &[])).num_vertices(), 0);
    assert_eq!(good("g.sg", rows(header(1, 0, 1), &[0, 0, 0, 0], &[])).num_vertices(), 1);
}

#[test]
fn cut_short_anywhere_or_too_long() {
    for whole in [directed(), rows(header(0, 2, 2), &[0, 1, 2], &[1, 0])] {
        for length in 1..whole.len() {
            bad("g.sg", &whole[..length], &["found the end of the file", "cut short"]);
        }
        let longer = [&whole[..], &[0]].concat();
        bad("g.sg", longer, &[&format!("byte {}: found more bytes", whole.len())]);
    }
    bad("g.sg", undirected(), &["byte"]);
}

#[test]
fn headers() {
    bad("g.sg", header(2, 0, 0), &["byte 0: found 0x02", "whether the graph is directed"]);
    bad("g.sg", header(1, -1, 0), &["byte 1: found -1", "number of edges"]);
    bad("g.sg", header(1, 0, -7), &["byte 9: found -7", "number of vertices"]);
    bad("g.sg", header(1, 0, 1 << 40), &["byte 9: found 1099511627776"]);
    // Counts that exceed the size of any file must not allocate memory.
    bad("g.sg", header(1, i64::MAX, 1 << 31), &["byte 17: found the end of the file"]);
    bad("g.sg", rows(header(0, 5, 0), &[0], &[]), &["byte 17: found edges", "none without vertices"]);
}

#[test]
fn offsets_ascend_from_zero_to_the_number_of_edges() {
    let with = |offsets: &[i64]| rows(header(1, 2, 3), offsets, &[1, 2]);
    bad("g.sg", with(&[1, 1, 1, 2]), &["byte 17: found 1", "from 0 to 0"]);
    bad("g.sg", with(&[0, 2, 1, 2]), &["byte 33: found 1, where the row of vertex 2 begins", "from 2 to 2"]);
    bad("g.sg", with(&[0, 1, 3, 2]), &["byte 33: found 3"]);
    bad("g.sg", with(&[0, -1, 2, 2]), &["byte 25: found -1"]);
    bad("g.sg", with(&[0, 1, 1, 1]), &["byte 41: found 1", "from 2 to 2"]);
}

#[test]
fn neighbours_are_vertices() {
    let with = |entries: &[i32]| rows(header(0, 2, 2), &[0, 1, 2], entries);
    bad("g.sg", with(&[1, 2]), &["byte 45: found the neighbour 2 of vertex 1", "from 0 to 1"]);
    bad("g.sg", with(&[-1, 0]), &["byte 41: found the neighbour -1 of vertex 0"]);
}

#[test]
fn both_parts_say_the_same() {
    let other = rows(rows(header(1, 1, 2), &[0, 1, 1], &[1]), &[0, 1, 1], &[1]);
    bad("g.sg", other, &["byte 45: found in-edges that do not match"]);
    let lonely = rows(header(0, 2, 3), &[0, 1, 1, 2], &[1, 0]);
    bad("g.sg", lonely, &["the edge 0 - 1 in the row of 0 and nothing of it in that of 1"]);
    let differs = rows(header(0, 2, 2), &[0, 1, 2], &[1, 5, 0, 6]);
    bad("g.wsg", differs, &["the edge 0 - 1 in the row of 0 and another weight in that of 1"]);
}
