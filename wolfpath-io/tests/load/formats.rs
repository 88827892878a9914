//! Tests of valid files of each text format.

use super::{edges, load_text, report_of};
use wolfpath_core::edge_list::Symmetry;
use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_core::weights::Weights;
use wolfpath_io::load::{Duplicates, Format, LoadOptions, Policy, read};

#[test]
fn edge_lists_in_all_their_dialects() {
    for text in [
        "1 2\n3 1\n",
        "# SNAP\r\n# FromNodeId\tToNodeId\r\n1\t2\r\n3\t1\r\n",
        "% konect\n1,2\n\n3 , 1",
        "\u{feff}1;2\n   3;1   \n  # the end",
        "source,target\n1,2\n3,1\n",
        "\"from\"\t\"to\"\n1\t2\n3\t1\n",
        "a b\n1 2\n3 1\n",
        "# one\n# edge per line\n1 2\n3 1\n",
    ] {
        let list = load_text("g.txt", text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(edges(&list), [(1, 2), (3, 1)], "{text:?}");
        assert_eq!((list.weights(), list.num_vertices()), (None, 3), "{text:?}");
    }
}

#[test]
fn headers_are_told() {
    let list = load_text("g.csv", "src,dst,w\n1,2,3\n").unwrap();
    assert_eq!(list.notes(), ["line 1 contains words and was read as a header: src,dst,w"]);
    assert_eq!(list.weights(), Some(&Weights::U32(vec![3])));
}

#[test]
fn ids_are_any_u64() {
    let list = load_text("g.el", "18446744073709551615 0\n00000000000000000000007 0\n").unwrap();
    assert_eq!(edges(&list), [(u64::MAX, 0), (7, 0)]);
    assert_eq!(list.sources(), [2, 1]);
}

#[test]
fn weights_take_the_narrowest_type() {
    let weights = |text: &str| load_text("g.wel", text).unwrap().weights().cloned();
    assert_eq!(weights("1 2 1.0\n2 1 7\n"), Some(Weights::U32(vec![1, 7])));
    assert_eq!(weights("1 2 -1\n2 1 7\n"), Some(Weights::I32(vec![-1, 7])));
    assert_eq!(weights("1 2 5000000000\n"), Some(Weights::U64(vec![5_000_000_000])));
    assert_eq!(weights("1 2 0.5\n2 1 7\n"), Some(Weights::F32(vec![0.5, 7.0])));
    assert_eq!(weights("1 2 0.1\n"), Some(Weights::F64(vec![0.1])));
    assert_eq!(weights("1 2 inf\n2 1 -1e3\n"), Some(Weights::F32(vec![f32::INFINITY, -1000.0])));
}

#[test]
fn comments_alone_are_an_empty_graph() {
    let list = load_text("g.txt", "# nothing yet\n").unwrap();
    assert_eq!((list.num_vertices(), list.num_edges()), (0, 0));
    assert_eq!(list.notes(), ["there are no edges in the file"]);
}

#[test]
fn matrix_market() {
    let general = "%%MatrixMarket matrix coordinate pattern general\n% by hand\n\n5 5 2\n1 2\n3 1\n";
    let list = load_text("g.mtx", general).unwrap();
    assert_eq!((edges(&list), list.num_vertices()), (vec![(1, 2), (3, 1)], 5));
    assert_eq!(list.symmetry(), Symmetry::Directed);

    let symmetric = "%%matrixmarket MATRIX Coordinate Real Symmetric\n3 3 2\n2 1 2.5\n3 3 1e0\n";
    let list = load_text("whatever", symmetric).unwrap();
    assert_eq!(edges(&list), [(2, 1), (1, 2), (3, 3)]);
    assert_eq!(list.weights(), Some(&Weights::F32(vec![2.5, 1.0])));
    assert_eq!(list.symmetry(), Symmetry::Doubled);

    let integers = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -4\n";
    assert_eq!(load_text("g.txt", integers).unwrap().weights(), Some(&Weights::I32(vec![-4])));
}

#[test]
fn matrix_market_of_unsigned_integers() {
    let text =
        "%%MatrixMarket matrix coordinate unsigned-integer symmetric\n2 2 1\n2 1 18446744073709551615\n";
    let list = load_text("g.mtx", text).unwrap();
    assert_eq!(list.weights(), Some(&Weights::U64(vec![u64::MAX])));
    assert_eq!(edges(&list), [(2, 1), (1, 2)]);
}

#[test]
fn an_entry_of_a_skew_symmetric_matrix_is_two_edges_of_opposite_weights() {
    let text =
        "%%MatrixMarket matrix coordinate real skew-symmetric\n% by hand\n4 4 3\n2 1 2.5\n3 1 -4\n3 2 0\n";
    let list = load_text("g.mtx", text).unwrap();
    assert_eq!(edges(&list), [(2, 1), (1, 2), (3, 1), (1, 3), (3, 2), (2, 3)]);
    assert_eq!(list.weights(), Some(&Weights::F32(vec![2.5, -2.5, -4.0, 4.0, 0.0, 0.0])));
    assert_eq!((list.symmetry(), list.num_vertices()), (Symmetry::Directed, 4));
    assert_eq!(report_of("g.mtx", text).edges_in_file, 3);
    let integers = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 4294967295\n";
    let list = load_text("g.mtx", integers).unwrap();
    assert_eq!(list.weights(), Some(&Weights::I64(vec![4_294_967_295, -4_294_967_295])));
}

#[test]
fn gr_of_dimacs() {
    let list = load_text("g.gr", "c roads\nc\np sp 4 2\na 1 2 10\na 2 1 12\n").unwrap();
    assert_eq!((edges(&list), list.num_vertices()), (vec![(1, 2), (2, 1)], 4));
    assert_eq!(list.weights(), Some(&Weights::U32(vec![10, 12])));
    assert_eq!((list.symmetry(), list.notes().len()), (Symmetry::Directed, 0));
}

#[test]
fn gr_of_dimacs_without_its_p_line() {
    let list = load_text("g.gr", "a 0 24021 172\na 1 539 146\n").unwrap();
    assert_eq!((edges(&list), list.num_vertices()), (vec![(0, 24021), (1, 539)], 4));
    assert!(list.notes()[0].contains("`p` line is missing"), "{:?}", list.notes());
}

#[test]
fn gr_of_pace() {
    let list = load_text("g.gr", "p tw 4 2\n1 2\nc between\n3 3\n").unwrap();
    assert_eq!((edges(&list), list.num_vertices()), (vec![(1, 2), (2, 1), (3, 3)], 4));
    assert!(list.is_symmetric());
}

#[test]
fn the_name_decides_and_content_where_the_name_is_silent() {
    let format = |name, text| report_of(name, text).format;
    assert_eq!(format("roads", "c hello\np sp 2 1\na 1 2 3\n"), Format::Gr);
    assert_eq!(format("roads", "1 2\n"), Format::EdgeList);
    assert_eq!(format("roads.gr", "a 1 2 3\n"), Format::Gr);
    let forced = LoadOptions::new().format(Format::EdgeList);
    let list = read(&b"2 1\n1113 1\n"[..], "luxembourg.mtx", &forced).unwrap();
    assert_eq!(edges(&list), [(2, 1), (1113, 1)]);
}

#[test]
fn undirected_doubles_unless_the_file_does() {
    let undirected = LoadOptions::new().undirected(true);
    let list = read(&b"1 2 5\n2 3 6\n"[..], "g", &undirected).unwrap();
    assert_eq!(edges(&list), [(1, 2), (2, 1), (2, 3), (3, 2)]);
    let list = read(&b"1 2 5\n2 1 5\n"[..], "g", &undirected).unwrap();
    assert_eq!((edges(&list), list.symmetry()), (vec![(1, 2), (2, 1)], Symmetry::Found));
    assert_eq!(
        list.notes(),
        ["the file already contains both directions of every edge: they were not added again"]
    );
}

#[test]
fn duplicates_and_loops_are_counted_and_dropped_on_request() {
    let text = &b"1 2 9\n1 2 3\n2 2 1\n2 2 1\n1 2 4\n"[..];
    let list = read(text, "g", &LoadOptions::default()).unwrap();
    let report = report_of("g", text);
    assert_eq!((report.lines, report.edges_in_file, report.self_loops), (5, 5, 2));
    assert_eq!((list.counts().unwrap().duplicates, list.notes()), (3, &["2 self-loops kept".to_owned()][..]));
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default()).unwrap();
    assert_eq!(graph.notes(), ["2 self-loops kept", "3 duplicate edges kept"]);

    let drop = LoadOptions::new().duplicates(Duplicates::Drop).self_loops(Policy::Drop);
    let list = read(text, "g", &drop).unwrap();
    assert_eq!((edges(&list), list.weights()), (vec![(1, 2)], Some(&Weights::U32(vec![9]))));
    assert_eq!(list.notes(), ["2 self-loops dropped", "2 duplicate edges dropped"]);
}

#[test]
fn lines_may_cross_the_buffer() {
    let mut text = format!("# {}\n", "x".repeat(1 << 19));
    for edge in 0..300_000u64 {
        text.push_str(&format!("{edge} {} {}\n", edge + 1, edge % 97));
    }
    let list = load_text("g.wel", &text).unwrap();
    assert_eq!((list.num_edges(), report_of("g.wel", &text).lines), (300_000, 300_001));
    assert!((0..300_000).all(|edge| list.edge(edge) == (edge as u64, edge as u64 + 1)));
    assert!((0..300_000).all(|edge| list.weights().unwrap().get(edge) == (edge % 97) as f64));
}

#[test]
fn declaring_many_vertices_costs_nothing() {
    let list = load_text("g.gr", "p tw 4294967295 2\n1 4294967295\n4294967295 1\n").unwrap();
    assert_eq!((list.num_vertices(), list.num_edges()), (u32::MAX, 2));
    assert_eq!(list.symmetry(), Symmetry::Found);
}
