//! Tests of duplicates, empty files, additional vertices, and numbers that no type holds exactly.

use super::{edges, load_text, packed};
use std::fs;
use wolfpath_core::cache::CacheFolder;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::weights::Weights;
use wolfpath_io::load::{Duplicates, LoadError, LoadOptions, Policy, each_id, read};
use wolfpath_io::{OpenGraph, OpenOptions};

fn merged(text: &str, duplicates: Duplicates, undirected: bool) -> Result<EdgeList, LoadError> {
    let options = LoadOptions::new().duplicates(duplicates).undirected(undirected);
    read(text.as_bytes(), "g.csv", &options)
}

fn weights(list: &EdgeList) -> Vec<f64> {
    let weights = list.weights().unwrap();
    (0..weights.len()).map(|line| weights.get(line)).collect()
}

#[test]
fn duplicates_have_the_fate_that_was_asked_for() {
    let text = "1 2 9\n1 2 3\n2 2 1\n2 1 7\n1 2 4\n";
    for (duplicates, directed, undirected, note) in [
        (Duplicates::Drop, [9.0, 1.0, 7.0].as_slice(), [9.0, 1.0].as_slice(), "2 duplicate edges dropped"),
        (
            Duplicates::Min,
            &[3.0, 1.0, 7.0],
            &[3.0, 1.0],
            "2 duplicate edges merged: the edge with the smallest weight is kept",
        ),
        (
            Duplicates::Max,
            &[9.0, 1.0, 7.0],
            &[9.0, 1.0],
            "2 duplicate edges merged: the edge with the largest weight is kept",
        ),
        (
            Duplicates::Sum,
            &[16.0, 1.0, 7.0],
            &[23.0, 1.0],
            "2 duplicate edges merged: the first edge gets the sum of the weights",
        ),
    ] {
        let list = merged(text, duplicates, false).unwrap();
        let mut found = weights(&list);
        // The edge that is kept stays at its own position, not at that of the first duplicate.
        if duplicates == Duplicates::Min {
            assert_eq!(edges(&list), [(1, 2), (2, 2), (2, 1)]);
        }
        assert_eq!(found, directed, "{duplicates:?}");
        assert!(list.notes().contains(&note.to_owned()), "{:?}", list.notes());
        let both = merged(text, duplicates, true).unwrap();
        found = weights(&both);
        found.sort_by(|a, b| b.total_cmp(a));
        assert_eq!((found.as_slice(), both.num_edges()), (undirected, 3), "{duplicates:?}");
    }
}

#[test]
fn duplicates_and_further_columns() {
    let text = "source,target,weight,lane\n1,2,9,1\n1,2,3,2\n";
    let least = merged(text, Duplicates::Min, false).unwrap();
    assert_eq!(least.column("lane"), Some(&Weights::U32(vec![2])));
    let error = merged(text, Duplicates::Sum, false).unwrap_err().to_string();
    assert!(error.contains("the edges have the columns weight, lane"), "{error}");
    let unclear = text.replace("weight", "length");
    let error = merged(&unclear, Duplicates::Max, false).unwrap_err().to_string();
    assert!(error.contains("length, lane"), "{error}");
}

#[test]
fn sums_are_exact_or_refused() {
    let sum = |text: &str, lossy_weights| {
        let options = LoadOptions::new().duplicates(Duplicates::Sum).lossy_weights(lossy_weights);
        read(text.as_bytes(), "g.wel", &options)
    };
    let wide = sum("1 2 4294967295\n1 2 4294967295\n2 1 1\n", false).unwrap();
    assert_eq!(wide.weights(), Some(&Weights::U64(vec![8_589_934_590, 1])));
    let beyond = "7 8 1\n1 2 18446744073709551615\n1 2 2\n";
    let error = sum(beyond, false).unwrap_err().to_string();
    assert!(error.contains("sums of weights") && error.contains("1 -> 2"), "{error}");
    assert_eq!(weights(&sum(beyond, true).unwrap()), [1.0, 18_446_744_073_709_551_616.0]);
    let error = sum("1 2 1e308\n1 2 1e308\n", true).unwrap_err().to_string();
    assert!(error.contains("the sum of the weights of the edges 1 -> 2"), "{error}");
    let counted = sum("1 2\n1 2\n2 3\n", false).unwrap();
    assert_eq!(counted.weights(), Some(&Weights::U32(vec![2, 1])));
    assert!(counted.notes()[0].contains("the number of its lines"), "{:?}", counted.notes());
}

#[test]
fn an_empty_edge_list_is_a_graph_without_vertices() {
    for (name, text) in [("g.el", &b""[..]), ("g", b""), ("g.csv", b"\xef\xbb\xbf"), ("g.tsv", b"\n\n")] {
        let list = load_text(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((list.num_vertices(), list.num_edges()), (0, 0), "{name}");
        assert_eq!(list.notes(), ["there are no edges in the file"]);
    }
    for name in ["g.mtx", "g.gr", "g.bin32"] {
        let error = load_text(name, b"").unwrap_err();
        assert!(matches!(error, LoadError::Empty { .. }), "{name}: {error}");
    }
}

fn with_vertices(name: &str, text: &str, vertices: &[u64]) -> Result<EdgeList, LoadError> {
    let options = LoadOptions::new().vertices(vertices);
    read(text.as_bytes(), name, &options)
}

#[test]
fn more_vertices_join_any_graph() {
    let list = with_vertices("g.wel", "5 9 1\n9 7 2\n", &[100, 6, 9, 6, 0]).unwrap();
    assert_eq!(list.ids().iter().collect::<Vec<_>>(), [0, 5, 6, 7, 9, 100]);
    assert_eq!((edges(&list), weights(&list)), (vec![(5, 9), (9, 7)], vec![1.0, 2.0]));
    assert!(list.notes().contains(&"3 vertices without edges were added".to_owned()), "{:?}", list.notes());
    let none = with_vertices("g.el", "", &[3, 1]).unwrap();
    assert_eq!((none.ids().iter().collect::<Vec<_>>(), none.num_edges()), (vec![1, 3], 0));
    let matrix = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
    let list = with_vertices("g.mtx", matrix, &[3, 2]).unwrap();
    assert_eq!((list.ids().contiguous_from(), list.num_vertices(), list.num_edges()), (Some(1), 3, 2));
    assert_eq!(with_vertices("g.el", "1 2\n", &[2, 1]).unwrap(), load_text("g.el", "1 2\n").unwrap());
    let both = LoadOptions::new().vertices([8]).undirected(true);
    let both = read(&b"1 2\n2 1\n"[..], "g.el", &both).unwrap();
    assert_eq!((both.num_edges(), both.num_vertices()), (2, 3));
}

#[test]
fn lists_of_vertices_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("islands");
    let text = &b"# islands\n8\n\n6\n"[..];
    let packed = packed::ALL.iter().map(|(_, pack)| pack(text));
    for bytes in packed.chain([text.to_vec()]) {
        fs::write(&path, bytes).unwrap();
        let mut ids = Vec::new();
        each_id(&path, |line, id| ids.push((line, id))).unwrap();
        assert_eq!(ids, [(2, 8), (4, 6)]);
    }
    let error = each_id(folder.path().join("none"), |_, _| ()).unwrap_err().to_string();
    assert!(error.contains("none: cannot be read"), "{error}");
}

#[test]
fn other_vertices_make_another_kept_graph() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.el");
    fs::write(&path, "1 2\n").unwrap();
    let ids = |vertices: &[u64]| {
        let load = LoadOptions::new().vertices(vertices);
        let cache_folder = folder.path().join("cache");
        let options = OpenOptions::new().load(load).cache_folder(cache_folder);
        let graph = LayeredGraph::open_with(&path, &options).unwrap();
        let mut ids: Vec<u64> = (0..graph.num_vertices()).map(|vertex| graph.id_of(vertex)).collect();
        ids.sort_unstable();
        ids
    };
    for vertices in [&[][..], &[7], &[8], &[7, 8], &[7]] {
        assert_eq!(ids(vertices), [&[1, 2][..], vertices].concat());
    }
    // The key of the kept graph stays short, however many vertices there are.
    assert_eq!(ids(&(1..=100_000).collect::<Vec<u64>>()).len(), 100_000);
    let kept = CacheFolder::at(folder.path().join("cache")).contents().unwrap().graphs;
    assert_eq!(kept.len(), 5);
    assert!(kept.iter().flat_map(|graph| &graph.options).all(|options| options.len() < 300), "{kept:?}");
}

#[test]
fn rounding_has_to_be_asked_for() {
    let lossy = LoadOptions::new().lossy_weights(true);
    let text = &b"1 2 0.5\n2 1 9007199254740993\n"[..];
    let list = read(text, "g.wel", &lossy).unwrap();
    assert_eq!(weights(&list), [0.5, 9_007_199_254_740_992.0]);
    assert!(list.notes()[0].contains("edge 2 -> 1 (number 1, counted from 0)"), "{:?}", list.notes());
    // Neither column needs rounding: the first contains only numbers that a float holds exactly, and the second only
    // integers.
    for exact in ["1 2 0.5\n2 1 9007199254740992\n", "1 2 1\n2 1 18446744073709551615\n"] {
        assert!(load_text("g.wel", exact).unwrap().notes().is_empty());
    }
}

#[test]
fn rows_in_memory_are_not_rounded_either() {
    use wolfpath_core::weights::{ColumnNumber, ColumnRow};
    struct Mixed(ColumnNumber);
    impl ColumnRow<1> for Mixed {
        fn numbers(self) -> [ColumnNumber; 1] {
            [self.0]
        }
    }
    let rows = [(1, 2, Mixed(0.5.into())), (2, 1, Mixed(9_007_199_254_740_993_u64.into()))];
    let error = EdgeList::from_rows(["a"], rows).unwrap_err().to_string();
    assert!(error.contains("column `a`") && error.contains("edge 1"), "{error}");
}

#[test]
fn loops_are_dropped_before_duplicates_are_counted() {
    let options = LoadOptions::new().duplicates(Duplicates::Sum).self_loops(Policy::Drop);
    let list = read(&b"1 1 5\n1 1 6\n1 2 3\n"[..], "g.wel", &options).unwrap();
    assert_eq!((edges(&list), weights(&list)), (vec![(1, 2)], vec![3.0]));
}
