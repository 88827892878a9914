//! `.wolf` files that were modified and then given valid checksums. Faults that a checksum cannot detect must not cause
//! a panic, an endless loop or a wrong answer. Also tests files that later programs wrote in the same version of the
//! format, and files in other versions.

mod seal;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{Direction, LayerOptions, LayeredGraph, Paths};
use wolfpath_core::progress::Progress;
use wolfpath_core::store::StoreError;

const PAGE: usize = 4096;
const TABLE: usize = 128;
const ENTRY: usize = 32;

fn layered(list: EdgeList, options: &LayerOptions) -> LayeredGraph {
    LayeredGraph::from_edge_list(list, options).unwrap()
}

/// Builds small graphs that together have every section, every flag and several rounds.
fn samples() -> Vec<LayeredGraph> {
    let plain = |edges: &[(u64, u64)]| EdgeList::from_edges(edges.iter().copied()).unwrap();
    let weighted = |edges: &[(u64, u64, f64)]| EdgeList::from_weighted_edges(edges.iter().copied()).unwrap();
    let both = LayerOptions::default();
    let out_only = both.in_edges(false);
    vec![
        layered(weighted(&[(3, 900, 1.5), (900, 17, 0.1), (17, 3, 2.0), (17, 3, 4.0), (50, 50, 7.0)]), &both),
        layered(plain(&[(0, 1), (1, 2), (2, 0), (3, 1), (5, 6), (6, 5), (7, 7), (0, 1)]), &both),
        layered(plain(&[(0, 1), (4, 5), (1, 5)]).with_vertices(0..9).unwrap(), &out_only),
        layered(weighted(&[(1, 2, 3.0), (2, 9, 4.0), (2, 9, 5.0)]).undirected(), &both),
        layered(plain(&[(0, 1), (0, 2), (1, 3), (2, 3), (3, 0)]), &both),
        layered(EdgeList::from_rows(["a", "b"], [(0, 1, (7u32, 0.5)), (1, 2, (8, 1.5))]).unwrap(), &both),
        layered(EdgeList::from_rows(["length"], [(0, 1, [3u32]), (1, 0, [3])]).unwrap().undirected(), &both),
        layered(plain(&[(0, 1), (1, 2), (2, 0), (3, 1), (5, 6), (6, 5), (7, 7), (0, 1)]), &both.packed(true)),
        layered(EdgeList::from_edges(hubs()).unwrap(), &both.packed(true)),
        layered(
            plain(&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 5), (5, 6), (0, 5)]),
            &both.paths(Paths::USUAL_LIMIT),
        ),
    ]
}

/// Returns edges with out-rows and in-rows of more than 256 ends, which have an index when they are packed.
fn hubs() -> impl Iterator<Item = (u64, u64)> {
    (0..600).map(|edge| if edge < 300 { (0, 1 + edge % 70) } else { (1 + edge % 67, 71) })
}

fn bytes_of(graph: &LayeredGraph, path: &Path) -> Vec<u8> {
    graph.write(path).unwrap();
    fs::read(path).unwrap()
}

fn number(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Returns the positions of all bytes except padding: header, table, sections and key.
fn meaningful(bytes: &[u8]) -> Vec<usize> {
    let sections = bytes[60] as usize;
    let table = TABLE..TABLE + sections * ENTRY;
    let parts = table.clone().step_by(ENTRY).flat_map(|entry| {
        let (offset, length) = (number(bytes, entry + 8), number(bytes, entry + 16));
        offset..offset + length
    });
    (0..TABLE).chain(table).chain(parts).chain(number(bytes, 64)..bytes.len()).collect()
}

/// Returns everything that a graph's methods return as one text, except the reason for its root, which cannot be
/// verified.
fn shown(graph: &LayeredGraph) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        (graph.root(), graph.root_layers(), graph.num_edges()),
        graph.layer_offsets(),
        graph.ids(),
        graph.by_rank(),
        graph.out_edges(),
        graph.in_edges(),
        graph.weights(),
        graph.column_names().iter().map(|name| (*name, graph.column(name))).collect::<Vec<_>>(),
        graph.weights_as::<f64>(Direction::In, true).map_err(|error| error.to_string()),
        graph.is_symmetric(),
        graph.profile(),
    )
}

/// Calls all methods of a graph, which may be invalid. None of them may panic.
fn use_all(graph: &LayeredGraph) {
    let vertices = graph.num_vertices();
    assert_eq!(graph.ids().len(), vertices as usize);
    for vertex in 0..vertices {
        graph.vertex_of(graph.id_of(vertex));
        assert_eq!(graph.by_rank()[graph.rank_of(vertex) as usize], vertex);
    }
    graph.vertex_of(u64::MAX);
    let _ = (graph.profile(), graph.first_negative_weight(), graph.to_edge_list());
    for direction in [Direction::Out, Direction::In] {
        let _ = graph.weights_as::<u32>(direction, false);
    }
    graph.column_names().iter().for_each(|name| assert!(graph.column(name).is_some()));
    assert_packed(graph);
    assert_paths(graph);
    for rows in [graph.out_edges(), graph.in_edges().unwrap()] {
        let ends = (0..vertices).flat_map(|vertex| rows.row(vertex));
        assert_eq!(ends.filter(|&&end| end < vertices).count() as u64, graph.num_edges());
    }
}

/// Checks that paths, if they are valid, have each edge once.
fn assert_paths(graph: &LayeredGraph) {
    let Ok(paths) = graph.paths() else { return };
    let mut edges: Vec<usize> = paths.iter().flat_map(|path| path.edges()).collect();
    edges.sort_unstable();
    assert!(edges.into_iter().eq(0..graph.num_edges() as usize));
}

/// Checks that packed rows, if any, contain the same ends as the rows, for any way to read them.
fn assert_packed(graph: &LayeredGraph) {
    let rows = [(Direction::Out, graph.out_edges()), (Direction::In, graph.in_edges().unwrap())];
    for (direction, rows) in rows {
        let Ok(Some(packed)) = graph.packed_rows(direction) else { continue };
        for vertex in 0..graph.num_vertices() {
            assert!(packed.row(vertex).eq(rows.row(vertex).iter().copied()));
            let blocks = (0..packed.blocks(vertex)).flat_map(|block| packed.block(vertex, block));
            assert!(blocks.eq(rows.row(vertex).iter().copied()));
        }
    }
}

/// Checks a graph in which examination found no fault: layering its edges again must give the same graph.
fn assert_sound(graph: &LayeredGraph, folder: &Path) {
    for vertex in 0..graph.num_vertices() {
        assert_eq!(graph.vertex_of(graph.id_of(vertex)), Some(vertex));
    }
    let again = folder.join("again.wolf");
    graph.write(&again).unwrap();
    assert_eq!(shown(&LayeredGraph::open_wolf(&again).unwrap()), shown(graph));
    let list = graph.to_edge_list();
    let made = layered(list, &LayerOptions::new().root(graph.root()));
    assert_eq!(made.to_edge_list(), graph.to_edge_list());
    // Examination does not verify the choice of the roots of later rounds, so only graphs that consist of the root's
    // tree are compared.
    if graph.root_layers() == graph.num_layers() {
        assert_eq!(shown(&made), shown(graph));
    }
}

/// A change at one position: either one byte is changed, or a whole number is replaced with a small number, which is
/// more likely to be plausible.
#[derive(Clone, Copy, Debug)]
enum Change {
    Byte(u8),
    Small(u32),
    Plus(i8),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<u8>().prop_map(Change::Byte),
        (0..12u32).prop_map(Change::Small),
        (-2..3i8).prop_map(Change::Plus),
    ]
}

fn apply(change: Change, bytes: &mut [u8], at: usize) {
    // Every number in the file is at a multiple of 4.
    let word = at / 4 * 4;
    match change {
        Change::Byte(byte) => bytes[at] = byte,
        Change::Plus(difference) => bytes[at] = bytes[at].wrapping_add_signed(difference),
        Change::Small(number) => {
            if let Some(place) = bytes.get_mut(word..word + 4) {
                place.copy_from_slice(&number.to_le_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn sealed_mutations_are_refused_or_told_or_sound(
        sample in 0..10usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..4),
        cut in prop::option::weighted(0.05, any::<prop::sample::Index>()),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.wolf");
        let graph = &samples()[sample];
        let mut bytes = bytes_of(graph, &path);
        let places = meaningful(&bytes);
        for (place, change) in changes {
            apply(change, &mut bytes, *place.get(&places));
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        seal::seal(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let Ok(graph) = LayeredGraph::open_wolf(&path) else { return Ok(()) };
        use_all(&graph);
        let examination = graph.examine(&Progress::NONE);
        if examination.problems.is_empty() {
            prop_assert!(examination.left_out.is_empty());
            assert_sound(&graph, folder.path());
        } else {
            prop_assert!(examination.problems.iter().all(|problem| !problem.is_empty()));
        }
    }
}

#[test]
fn sealing_changes_nothing_that_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    for graph in samples() {
        let bytes = bytes_of(&graph, &path);
        let mut sealed = bytes.clone();
        seal::seal(&mut sealed);
        assert!(sealed == bytes);
        let read = LayeredGraph::open_wolf(&path).unwrap();
        use_all(&read);
        assert_sound(&read, folder.path());
        assert_eq!(shown(&read), shown(&graph));
    }
}

/// Returns the file with one more section after the others.
fn with_section(mut bytes: Vec<u8>, kind: u32, flags: u32, content: &[u8]) -> Vec<u8> {
    let (sections, key) = (bytes[60] as usize, number(&bytes, 64));
    let entry = TABLE + sections * ENTRY;
    bytes[entry..entry + 4].copy_from_slice(&kind.to_le_bytes());
    bytes[entry + 4..entry + 8].copy_from_slice(&flags.to_le_bytes());
    put(&mut bytes, entry + 8, key as u64);
    put(&mut bytes, entry + 16, content.len() as u64);
    let mut padded = content.to_vec();
    padded.resize(content.len().next_multiple_of(PAGE), 0);
    put(&mut bytes, 64, (key + padded.len()) as u64);
    bytes[60] += 1;
    bytes.splice(key..key, padded);
    seal::seal(&mut bytes);
    bytes
}

fn refusal(path: &Path) -> StoreError {
    match LayeredGraph::open_wolf(path) {
        Err(error) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unknown_optional_section_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    for graph in samples() {
        let bytes = with_section(bytes_of(&graph, &path), 77, 0, &[7; 5000]);
        fs::write(&path, &bytes).unwrap();
        let read = LayeredGraph::open_wolf(&path).unwrap();
        assert_eq!(shown(&read), shown(&graph));
        let examination = read.examine(&Progress::NONE);
        assert_eq!(examination.problems, [] as [String; 0]);
        let mut parts = examination.parts.iter();
        let part = parts.find(|part| part.what.contains("kind 77")).unwrap();
        assert!(part.what.contains("does not know") && part.bytes == 5000, "{part:?}");
        // The section is not used, but its checksum is verified, because damage in it shows that the file was modified.
        let mut damaged = bytes.clone();
        let place = number(&bytes, 64) - 1;
        damaged[place] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert!(refusal(&path).to_string().contains("of kind 77"));
        let problems = LayeredGraph::examine_file(&path, &Progress::NONE).unwrap().problems;
        assert!(problems.len() == 1 && problems[0].contains("of kind 77"), "{problems:?}");
    }
}

#[test]
fn an_unknown_required_section_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let bytes = with_section(bytes_of(&samples()[1], &path), 77, 1, b"needed");
    fs::write(&path, bytes).unwrap();
    let message = refusal(&path).to_string();
    for part in ["graph.wolf: byte ", "section of kind 77", "required and unknown", "build it again"] {
        assert!(message.contains(part), "{message}");
    }
    // The flags of entries have no optional range, so an unknown flag may change the meaning of the section.
    let bytes = with_section(bytes_of(&samples()[1], &path), 77, 2, b"flagged");
    fs::write(&path, bytes).unwrap();
    assert!(matches!(refusal(&path), StoreError::Broken { .. }));
}

#[test]
fn flags_and_fields_of_later_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let graph = &samples()[3];
    let bytes = bytes_of(graph, &path);
    let changed = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] |= value;
        seal::seal(&mut bytes);
        fs::write(&path, bytes).unwrap();
    };
    // Readers may ignore unknown flags of the header from 2^16 on, and the contents of bytes 88 to 127.
    for at in [54, 55, 88, 127] {
        changed(at, 0x40);
        assert_eq!(shown(&LayeredGraph::open_wolf(&path).unwrap()), shown(graph));
    }
    for at in [52, 53] {
        changed(at, 0x40);
        let error = refusal(&path);
        assert!(matches!(error, StoreError::Unknown { byte: 52, .. }), "{error}");
    }
}

#[test]
fn another_version_is_refused_by_name_and_built_again_in_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let bytes = bytes_of(&samples()[0], &path);
    for version in [1, 3] {
        let mut other = bytes.clone();
        other[8] = version;
        seal::seal(&mut other);
        fs::write(&path, &other).unwrap();
        let error = refusal(&path);
        assert!(matches!(error, StoreError::Version { found, .. } if found == version.into()));
        let message = error.to_string();
        for part in [
            &format!("graph.wolf: byte 8: a .wolf file of version {version}"),
            "this program reads version 2",
            "build the file again from its input",
        ] {
            assert!(message.contains(part), "{message}");
        }
    }
}

/// Returns the position of the table's entry of a section.
fn entry_of(bytes: &[u8], kind: u32) -> usize {
    let entries = (0..bytes[60] as usize).map(|section| TABLE + section * ENTRY);
    entries.into_iter().find(|&at| bytes[at..at + 4] == kind.to_le_bytes()).unwrap()
}

/// Returns the message for a file with valid checksums after a change.
fn refused(bytes: &[u8], path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = bytes.to_vec();
    change(&mut bytes);
    seal::seal(&mut bytes);
    fs::write(path, &bytes).unwrap();
    let problems = LayeredGraph::examine_file(path, &Progress::NONE);
    assert!(problems.is_err() || !problems.unwrap().problems.is_empty());
    let used = |graph: LayeredGraph| {
        [Direction::Out, Direction::In]
            .into_iter()
            .try_for_each(|direction| graph.packed_rows(direction).map(drop))?;
        graph.paths().map(drop)
    };
    LayeredGraph::open_wolf(path)
        .and_then(used)
        .expect_err("opening or using the packed rows or the paths fails")
        .to_string()
}

/// Changes the numbers of packed rows. `first` is the kind of the first of their three sections.
fn forge_packed_rows(bytes: &[u8], path: &Path, first: u32) {
    let place = |kind: u32| number(bytes, entry_of(bytes, kind) + 8);
    let length = |kind: u32| number(bytes, entry_of(bytes, kind) + 16);
    let (bands, starts, words) = (place(first), place(first + 1), place(first + 2));
    let expect = |at: usize, parts: &[&str], change: &dyn Fn(&mut Vec<u8>)| {
        let message = refused(bytes, path, |bytes| change(bytes));
        assert!(message.contains(&format!("graph.wolf: byte {at}: ")), "{message}");
        parts.iter().for_each(|part| assert!(message.contains(part), "{message}, not {part}"));
    };
    expect(bands, &["position 8 of band 0", "expected 0;"], &|bytes| put(bytes, bands, 8));
    for wrong in [0, 7, 9, 1 << 40, u64::MAX, u64::MAX - 7] {
        expect(bands + 8, &["of band 1 in section \"packed ", "bands\""], &|bytes| {
            put(bytes, bands + 8, wrong)
        });
    }
    let second = number(bytes, bands + 8) as u64;
    let right = format!("expected {second};");
    expect(bands + 8, &[&right], &|bytes| put(bytes, bands + 8, second - 8));
    let last = bands + length(first) - 8;
    expect(last, &["because the words end 128 bytes after it"], &|bytes| {
        let position = number(bytes, last) as u64;
        put(bytes, last, position - 8);
    });
    for wrong in [0x01, 0x08, 0x80] {
        expect(starts + 2, &["of vertex 1 in section \"packed ", "starts\""], &|bytes| {
            bytes[starts + 3] ^= wrong;
        });
    }
    // Every byte of the packed ends, and of the zeros after them.
    for at in words..words + length(first + 2) {
        for wrong in [0x80, 0xff] {
            let word = words + (at - words) / 4 * 4;
            let change = |bytes: &mut Vec<u8>| bytes[at] ^= wrong;
            expect(
                word,
                &["word ", "in section \"packed ", "ends\"", "as packed from the row ends"],
                &change,
            );
        }
    }
}

#[test]
fn forged_packed_rows_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let bytes = bytes_of(&samples()[8], &path);
    forge_packed_rows(&bytes, &path, 12);
    forge_packed_rows(&bytes, &path, 15);
}

#[test]
fn sections_of_packed_rows_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let bytes = bytes_of(&samples()[8], &path);
    let entry = |kind| entry_of(&bytes, kind);
    // An unknown optional section is skipped, so one of the three is then missing.
    for kind in 12..18 {
        let message = refused(&bytes, &path, |bytes| {
            bytes[entry(kind)..entry(kind) + 4].copy_from_slice(&[99, 0, 0, 0])
        });
        assert!(message.contains("without the others of packed rows"), "{message}");
    }
    let message = refused(&bytes, &path, |bytes| {
        [8, 9].into_iter().zip([98u8, 99]).for_each(|(kind, other)| bytes[entry(kind)] = other);
    });
    assert!(message.contains("packed in-rows without in-rows"), "{message}");
    for (kind, length, expected) in [
        (12, 16, "expected 24 bytes"),
        (13, 140, "expected 144 bytes"),
        (14, 601, "whole words of 4 bytes"),
        (14, 124, "words of at least 128 bytes"),
        (14, 128, "expected a multiple of 8 from 0 to 0"),
    ] {
        let message = refused(&bytes, &path, |bytes| put(bytes, entry(kind) + 16, length));
        assert!(message.contains(expected), "{message}, not {expected}");
    }
    // They are optional, so they need not have the flag of required sections.
    let message = refused(&bytes, &path, |bytes| bytes[entry(12) + 4] = 1);
    assert!(message.contains("flags 0x1 of a section of kind 12"), "{message}");
}

#[test]
fn forged_paths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let bytes = bytes_of(&samples()[9], &path);
    let place = |kind: u32| number(&bytes, entry_of(&bytes, kind) + 8);
    let length = |kind: u32| number(&bytes, entry_of(&bytes, kind) + 16);
    let expect = |at: usize, to: u8, part: &str| {
        let message = refused(&bytes, &path, |bytes| bytes[at] = to);
        assert!(message.contains(part), "{message}, not {part}");
    };
    expect(place(22), 1, "numbers from 1 to");
    expect(place(22) + 4, 0, "0 after 0");
    expect(place(21) + 4, 99, "expected a larger number");
    expect(place(18), 7, "expected a vertex below 7");
    expect(place(19), 0, "a path without edges");
    expect(place(19), 200, "expected paths of 9 edges");
    expect(place(20), 9, "edge 9 of the vertex ");
    // Every change of an edge is found: another one then is on two paths, or on none.
    for at in (0..length(20)).step_by(4) {
        let at = place(20) + at;
        expect(at, bytes[at] ^ 1, "in");
    }
    // Without the first border between layers, the second layer is part of the first.
    let (begin, end) = (place(22), place(22) + length(22));
    assert!(length(22) > 12, "there are at least three layers");
    let message = refused(&bytes, &path, |bytes| {
        bytes.copy_within(begin + 8..end, begin + 4);
        bytes[end - 4..end].fill(0);
        let entry = entry_of(bytes, 22);
        put(bytes, entry + 16, (length(22) - 4) as u64);
    });
    assert!(message.contains("expected paths in the order of their dependencies"), "{message}");
}

#[test]
fn sections_of_paths_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let bytes = bytes_of(&samples()[9], &path);
    let entry = |kind| entry_of(&bytes, kind);
    for kind in 18..23 {
        let message = refused(&bytes, &path, |bytes| {
            bytes[entry(kind)..entry(kind) + 4].copy_from_slice(&[99, 0, 0, 0])
        });
        assert!(message.contains("without the others of paths"), "{message}");
    }
    for (kind, length, expected) in [
        (18, 4, "section \"first vertices of paths\" of 4 bytes"),
        (20, 32, "expected 36 bytes"),
        (21, 6, "numbers of 4 bytes, at least one"),
        (22, 7, "numbers of 4 bytes, at least one"),
    ] {
        let message = refused(&bytes, &path, |bytes| put(bytes, entry(kind) + 16, length));
        assert!(message.contains(expected), "{message}, not {expected}");
    }
}

#[test]
fn paths_of_forged_in_rows_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let graph = LayeredGraph::from_edges([(0, 1), (1, 2), (2, 1)]).unwrap();
    let mut bytes = bytes_of(&graph, &path);
    // All edges seem to enter vertex 0.
    let (offsets, ends) = (number(&bytes, entry_of(&bytes, 8) + 8), number(&bytes, entry_of(&bytes, 9) + 8));
    (1..4).for_each(|row| put(&mut bytes, offsets + 8 * row, 3));
    (0..3u32).for_each(|at| bytes[ends + 4 * at as usize..][..4].copy_from_slice(&at.to_le_bytes()));
    seal::seal(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let read = LayeredGraph::open_wolf(&path).unwrap();
    let error = read.paths().unwrap_err().to_string();
    assert!(error.contains("the in-edges are not the out-edges, grouped by target"), "{error}");
}

/// Returns a graph from a file whose sections of these kinds have kinds that this program does not know.
fn of_later_kinds(graph: &LayeredGraph, kinds: std::ops::Range<u32>) -> LayeredGraph {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let mut bytes = bytes_of(graph, &path);
    for kind in kinds {
        let entry = entry_of(&bytes, kind);
        bytes[entry..entry + 4].copy_from_slice(&(kind + 60).to_le_bytes());
    }
    seal::seal(&mut bytes);
    fs::write(&path, bytes).unwrap();
    LayeredGraph::open_wolf(&path).unwrap()
}

/// A program that does not know paths, or knows another form of them, computes its own.
#[test]
fn paths_can_be_passed_over() {
    let graph = &samples()[9];
    let read = of_later_kinds(graph, 18..23);
    assert!(!read.stores_paths() && graph.stores_paths());
    let listed = |graph: &LayeredGraph| {
        let paths = graph.paths().unwrap();
        paths.iter().map(|path| path.vertices().collect()).collect::<Vec<Vec<u32>>>()
    };
    assert_eq!(listed(&read), listed(graph));
}

/// A program that does not know packed rows reads the graph without them.
#[test]
fn packed_rows_can_be_passed_over() {
    let graph = &samples()[8];
    let read = of_later_kinds(graph, 12..18);
    assert!(
        read.packed_rows(Direction::Out).unwrap().is_none()
            && graph.packed_rows(Direction::Out).unwrap().is_some()
    );
    assert_eq!(shown(&read), shown(graph));
}
