//! Tests of METIS graphs.

use super::{bad, edges, good};

#[test]
fn neighbours_are_edges_once() {
    let list = good("g.graph", "% a triangle and a vertex alone\n4 3\n2 3\n1 3\n% in between\n1 2\n\n");
    assert_eq!(edges(&list), [(1, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0)]);
    assert_eq!((list.num_vertices(), list.num_edges(), list.is_symmetric()), (4, 6, true));
    assert_eq!(list.weights(), None);
}

#[test]
fn weights_of_edges_are_kept_and_those_of_vertices_passed_over() {
    let weighted = [(1, 2, 7.0), (2, 2, 5.0), (2, 3, 0.5)];
    for text in [
        "3 3 1\n2 7\n1 7 2 5 3 0.5\n2 0.5\n",
        "3 3 001\r\n2 7\r\n1 7 2 5 3 0.5\r\n2 0.5\r\n",
        "3 3 11\n9 2 7\n9 1 7 2 5 3 0.5\n9 2 0.5",
        "3 3 011 2\n9 8 2 7\n9 8 1 7 2 5 3 0.5\n9 8 2 0.5\n\n\n",
        "3 3 111 2\n1 9 8 2 7\n1 9 8 1 7 2 5 3 0.5\n1 9 8 2 0.5\n",
    ] {
        let list = good("g.metis", text);
        assert_eq!(edges(&list), weighted, "{text:?}");
        let passed_over = list.notes().iter().any(|note| note.contains("were ignored"));
        assert_eq!(passed_over, text.contains('9'), "{text:?}");
    }
}

#[test]
fn parallel_edges_stay() {
    let list = good("g.graph", "2 2 1\n2 5 2 6\n1 6 1 5\n");
    assert_eq!(edges(&list), [(1, 2, 5.0), (1, 2, 6.0)]);
}

#[test]
fn lines_at_the_end_that_an_editor_took_away() {
    let list = good("g.graph", "4 1\n2\n1");
    assert_eq!(list.num_vertices(), 4);
    assert!(list.notes().iter().any(|note| note.contains("the last 2 vertices have no line")));
    assert_eq!(good("g.graph", "0 0\n").num_vertices(), 0);
    assert_eq!(good("g.graph", "\u{feff}2 1\r\n\t2 \r\n 1\t").num_vertices(), 2);
}

#[test]
fn lines_may_be_of_any_length() {
    let leaves = 400_000;
    let mut text = format!("{} {leaves}\n", leaves + 1);
    (2..leaves + 2).for_each(|leaf| text.push_str(&format!("{leaf} ")));
    (0..leaves).for_each(|_| text.push_str("\n1"));
    assert_eq!(good("star.graph", text).num_edges(), 2 * leaves);
}

#[test]
fn adjacency_must_be_symmetric() {
    bad(
        "g.graph",
        "% c\n3 2\n2\n1 3\n\n",
        &["line 4", "vertex 2 has the neighbour 3", "line 5", "no neighbour 2"],
    );
    bad("g.graph", "3 2\n2\n1\n2\n", &["line 4", "vertex 3 has the neighbour 2", "line 3", "no neighbour 3"]);
    bad("g.graph", "2 1 1\n2 5\n1 6\n", &["line 2", "line 3", "another weight for neighbour 1"]);
    bad("g.graph", "3 1\n3\n", &["line 2", "vertex 1 has the neighbour 3"]);
}

#[test]
fn headers_and_rows() {
    bad("g.graph", "three 2\n", &["line 1", "`three` is not a count", "VERTICES EDGES"]);
    bad("g.graph", "3\n", &["line 1", "`3` is not a header"]);
    bad("g.graph", "3 2 0 1 5\n", &["line 1", "is not a header"]);
    bad("g.graph", "3 2 2\n", &["line 1", "`2` is not a format", "001"]);
    bad("g.graph", "3 2 0001\n", &["`0001` is not a format"]);
    bad("g.graph", "% only this\n", &["is not a header"]);
    bad("g.graph", "4294967296 0\n", &["4294967296 vertices are declared"]);
    bad("g.graph", "2 3\n2\n1\n", &["line 1 declares 3 edges, but the file holds 1"]);
    bad("g.graph", "2 1\n2\n1\n\n2\n", &["line 5", "one line more than the 2 vertices that line 1 declares"]);
    bad("g.graph", "2 1\n3\n1\n", &["line 2", "the id 3 is not one of the declared vertices 1 to 2"]);
    bad("g.graph", "2 1\n0\n1\n", &["line 2", "the id 0"]);
    bad("g.graph", "2 1\n2\nx\n", &["line 3", "`x` is not a vertex id"]);
    bad("g.graph", "2 1 1\n2 5\n1\n", &["line 3", "no weight after the neighbour 1"]);
    bad("g.graph", "2 1 10 3\n1 1 1 2\n1 1\n", &["line 3", "1 number is missing"]);
    bad("g.graph", "2 1 1\n2 heavy\n1 5\n", &["line 2", "`heavy` is not a weight"]);
    bad("g.graph", "2 1\n2\n1\u{1}\n", &["not text", "byte 7", "0x01"]);
    bad("g.graph", format!("2 1\n{}", "7".repeat(1 << 21)), &["line 2", "a word of more than"]);
}
