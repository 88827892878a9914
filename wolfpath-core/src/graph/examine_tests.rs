//! Tests of opening and examining: graphs with stored in-rows, and graphs with one fault each.

use std::path::Path;

use super::layered_graph::out_rows;
use super::*;
use crate::progress::Progress;
use crate::random;
use crate::resources::Resources;
use crate::store::{self, Column, Contents, InRows};

/// Returns the contents of a graph with these edges.
fn contents(edges: &[(u64, u64)]) -> Contents {
    let list = crate::edge_list::EdgeList::from_edges(edges.iter().copied()).unwrap();
    super::build::layer(list, &LayerOptions::new().in_edges(false), &Resources::default()).unwrap().contents
}

fn random_edges(seed: u64, vertices: u32, edges: u64) -> Vec<(u64, u64)> {
    let draw = |counter| u64::from(random::below(vertices, random::hash(seed, counter)));
    (0..edges).map(|edge| (draw(2 * edge), draw(2 * edge + 1))).collect()
}

fn with_in_rows(mut contents: Contents) -> Contents {
    let transposed = out_rows(&contents).transposed().unwrap();
    let in_rows = InRows {
        offsets: Column::Owned(transposed.offsets.into()),
        ends: Column::Owned(transposed.ends),
        packed: None,
    };
    contents.in_rows = (!contents.symmetry.edges).then_some(in_rows);
    contents
}

fn problems(contents: Contents) -> String {
    super::examine::examine(&contents, &[], &Progress::NONE).problems.join("; ")
}

fn write(contents: &Contents, path: &Path) {
    store::write(contents, "", &[], path, &Progress::NONE).unwrap();
}

/// Removes the number at `index` from a column.
fn without(column: &mut Column<u32>, index: usize) {
    let mut left = column.values().to_vec();
    left.remove(index);
    *column = Column::Owned(left.into());
}

fn numbers<T>(column: &mut Column<T>) -> &mut [T] {
    match column {
        Column::Owned(numbers) => numbers,
        Column::Mapped(_) => panic!("in memory"),
    }
}

#[test]
fn every_layered_graph_is_sound() {
    for seed in 0..200 {
        let vertices = 1 + random::below(40, random::hash(seed, 1 << 40));
        let edges = random_edges(seed, vertices, random::below(80, random::hash(seed, 1 << 41)).into());
        assert_eq!(problems(contents(&edges)), "", "{edges:?}");
        assert_eq!(problems(with_in_rows(contents(&edges))), "", "{edges:?}");
    }
    assert_eq!(problems(contents(&random_edges(7, 30_000, 60_000))), "");
    assert_eq!(problems(contents(&(0..20_000).map(|v| (v, v + 1)).collect::<Vec<_>>())), "");
}

#[test]
fn stored_in_rows_are_those_that_would_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let edges = random_edges(3, 500, 2000);
    write(&with_in_rows(contents(&edges)), &path);
    let (stored, made) = (LayeredGraph::open_wolf(&path).unwrap(), LayeredGraph::from_edges(edges).unwrap());
    assert!(stored.has_in_edges() && stored.data.contents.in_rows.is_some());
    assert_eq!(stored.in_edges().unwrap(), made.in_edges().unwrap());
    let examination = stored.examine(&Progress::NONE);
    assert!(examination.problems.is_empty() && examination.left_out.is_empty(), "{examination:?}");
    assert!(examination.parts.iter().any(|part| part.what.contains("transpose")), "{examination:?}");
    let again = folder.path().join("again.wolf");
    stored.write(&again).unwrap();
    assert!(std::fs::read(again).unwrap() == std::fs::read(path).unwrap());
}

#[test]
fn damaged_in_rows_are_refused_when_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    write(&with_in_rows(contents(&random_edges(3, 500, 2000))), &path);
    let mut bytes = std::fs::read(&path).unwrap();
    let key = u64::from_ne_bytes(bytes[64..72].try_into().unwrap()) as usize;
    bytes[key - 4096] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let message = LayeredGraph::open_wolf(&path).unwrap_err().to_string();
    assert!(message.contains("\"in-row ends\""), "{message}");
    let examination = LayeredGraph::examine_file(&path, &Progress::NONE).unwrap();
    assert_eq!(examination.problems, [message]);
    assert!(examination.left_out.is_empty());
}

/// Builds a graph with the edges 0 -> 1, 2, 3; 1 -> 4; 2 -> 4; 5 -> 6; 7 <-> 8 and the isolated vertex 9. Its layers
/// are 0 | 1 2 3 | 4 | 5 | 6 | 7 | 8 | 9.
fn small() -> Contents {
    let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (5, 6), (7, 8), (8, 7)];
    let list = crate::edge_list::EdgeList::from_edges(edges).unwrap().with_vertices(0..10).unwrap();
    super::build::layer(list, &LayerOptions::new().root(0).in_edges(false), &Resources::default())
        .unwrap()
        .contents
}

#[test]
fn what_opening_takes_on_trust() {
    assert_eq!(small().layers.values(), [0, 1, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(problems(small()), "");
    type Change = fn(&mut Contents);
    let cases: [(Change, &str); 9] = [
        (|c| numbers(&mut c.ranks).swap(1, 2), "vertex 2 (id 1) comes too late in layer 1"),
        (|c| c.root_layers = 2, "2 layers of the root's tree, expected 3"),
        (|c| c.symmetry.edges = true, "the header states"),
        (|c| without(&mut c.layers, 1), "layer 0 holds 4 vertices"),
        (|c| without(&mut c.layers, 3), "vertex 5 (id 5) of layer 2 has no parent"),
        (|c| without(&mut c.layers, 7), "all isolated vertices and no others"),
        (|c| numbers(&mut c.ends)[7] = 8, "is not at the start of the second round"),
        (|c| numbers(&mut c.ends)[2] = 2, "has no parent in the layer before, unlike the others"),
        (
            |c| {
                *c = with_in_rows(std::mem::replace(c, small()));
                numbers(&mut c.in_rows.as_mut().unwrap().ends)[0] = 4;
            },
            "not the transpose of the out-rows",
        ),
    ];
    for (change, expected) in cases {
        let mut contents = small();
        change(&mut contents);
        let found = problems(contents);
        assert!(found.contains(expected), "{found:?}, expected {expected:?}");
    }
}

#[test]
fn in_rows_that_the_out_rows_belie_move_no_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let list = crate::edge_list::EdgeList::from_weighted_edges([(1, 2, 5), (2, 3, 6), (1, 3, 7)]).unwrap();
    let layered = super::build::layer(list, &LayerOptions::default(), &Resources::default()).unwrap();
    let mut contents = with_in_rows(layered.contents);
    numbers(&mut contents.in_rows.as_mut().unwrap().ends).fill(2);
    write(&contents, &path);
    let graph = LayeredGraph::open_wolf(&path).unwrap();
    assert!(graph.in_edges().is_ok());
    let message = graph.weights_as::<u32>(Direction::In, false).unwrap_err().to_string();
    assert!(message.contains("inconsistent with the out-rows"), "{message}");
}
