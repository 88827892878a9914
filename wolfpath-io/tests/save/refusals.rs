//! Tests that writing a graph that the format cannot store fails, and that the existing file is unchanged afterwards.

use wolfpath_core::edge_list::EdgeList;
use wolfpath_io::save::{SaveOptions, WriteError, save, write, write_edge_list};

/// Writes a graph to a file with this name, which must fail. Returns the error.
#[track_caller]
fn refused(list: &EdgeList, name: &str) -> String {
    let mut bytes = Vec::new();
    let error = write(list, &mut bytes, name, &SaveOptions::default()).unwrap_err().to_string();
    assert!(bytes.is_empty() && error.starts_with(&format!("{name}: ")), "{error}");
    error
}

#[test]
fn every_refusal_says_what_to_do() {
    let plain = EdgeList::from_edges([(5, 7)]).unwrap();
    let weighted = EdgeList::from_weighted_edges([(1, 2, 0.5), (2, 1, 7.0)]).unwrap();
    let wide = EdgeList::from_edges([(5, 1 << 32)]).unwrap();
    let zero = EdgeList::from_weighted_edges([(1, 2, 0)]).unwrap().undirected();
    let none = EdgeList::from_edges([]).unwrap();
    for (list, name, parts) in [
        (&plain, "g", &["does not determine the format", ".mtx"][..]),
        (&plain, "g.wel", &["no weights", "name the file .el"]),
        (&weighted, "g.el", &["have weights", "name the file .wel"]),
        (&plain, "g.mtx", &["ids from 1 on", "2 vertices with ids between 5 and 7", "renumber the vertices"]),
        (&plain, "g.sg", &["ids from 0 on"]),
        (&plain, "g.gr", &["no weights", "undirected"]),
        (&plain, "g.metis", &["one-way", "undirected"]),
        (&zero, "g.graph", &["the weight 0 of the edge 1 -> 2", "integers from 1"]),
        (&weighted, "g.sg", &["have weights", ".wsg"]),
        (&weighted, "g.wsg", &["the weight 0.5 of the edge 1 -> 2", "integers from -2147483648"]),
        (&wide, "g.bin32", &["4294967296 is too large", "up to 4294967295"]),
        (&weighted, "g.bin64", &["have weights", "bin64f64"]),
        (&plain, "g.bin64f32", &["no weights", "bin64"]),
        (&weighted, "g.bin64i64", &["the weight 0.5"]),
        (&none, "g.bin32", &["no edges"]),
    ] {
        let error = refused(list, name);
        for part in parts {
            assert!(error.contains(part), "{part:?}: {error}");
        }
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_needs_its_feature() {
    let list = EdgeList::from_edges([(1, 2)]).unwrap();
    assert!(refused(&list, "g.parquet").contains("cargo feature `parquet`"));
}

#[test]
fn a_failure_leaves_what_was_there() {
    let list = EdgeList::from_edges([(1, 2)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = write_edge_list(folder.path().join("no/such/g.el"), &list).unwrap_err().to_string();
    assert!(error.contains("no/such/g.el: cannot be written: there is no folder"), "{error}");
    let path = folder.path().join("g.wel");
    std::fs::write(&path, "1 2 3\n").unwrap();
    let error = write_edge_list(&path, &list).unwrap_err();
    assert!(matches!(error, WriteError::NoWeights { .. }));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2 3\n");
    let taken = folder.path().join("taken.el");
    std::fs::create_dir(&taken).unwrap();
    assert!(save(&list, &taken, &SaveOptions::default()).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn weights_are_dropped_where_asked_for() {
    let list = EdgeList::from_weighted_edges([(0, 1, 0.5)]).unwrap();
    let options = SaveOptions::new().drop_weights(true);
    let mut text = Vec::new();
    let report = write(&list, &mut text, "g.el", &options).unwrap();
    assert_eq!(report.notes, ["the weights were left out"]);
    assert_eq!(String::from_utf8(text).unwrap(), "# 2 vertices, 1 edges, one per line\n0 1\n");
}

#[test]
fn tables_have_words_or_a_comment_at_the_top() {
    let list = EdgeList::from_weighted_edges([(3, 1, 2)]).unwrap();
    let text = |name: &str| {
        let mut text = Vec::new();
        write(&list, &mut text, name, &SaveOptions::default()).unwrap();
        String::from_utf8(text).unwrap()
    };
    assert_eq!(text("g.csv"), "source,target,weight\n3,1,2\n");
    assert_eq!(text("g.tsv"), "# 2 vertices, 1 edges, one per line\n3\t1\t2\n");
    let list = list.undirected();
    let mut matrix = Vec::new();
    let renumber = SaveOptions::new().renumber(true);
    let report = write(&list, &mut matrix, "g.mtx", &renumber).unwrap();
    assert_eq!(report.notes, ["the vertices were renumbered by ascending id: 1 is 1, 3 is 2"]);
    let expected = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 2\n";
    assert_eq!(String::from_utf8(matrix).unwrap(), expected);
}
