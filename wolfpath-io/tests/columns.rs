//! Tests of named columns through the public API: reading, writing, layering, keeping in files, and errors.

use std::fs;

use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{Direction, LayerOptions, LayeredGraph, Origin, WeightError};
use wolfpath_core::progress::Progress;
use wolfpath_core::resources::Resources;
use wolfpath_core::weights::{WeightSlice, Weights};
use wolfpath_io::load::{Duplicates, LoadError, LoadOptions, load, read};
use wolfpath_io::save::{SaveOptions, write};
use wolfpath_io::{OpenGraph, OpenOptions};

/// An edge: the ids of its source and target, and its number in each column, as text.
type Row = (u64, u64, Vec<String>);

fn asked(columns: &[&str]) -> LoadOptions {
    LoadOptions::new().columns(columns.iter().copied())
}

fn text(name: &str, text: &str) -> Result<EdgeList, LoadError> {
    read(text.as_bytes(), name, &LoadOptions::default())
}

fn names(list: &EdgeList) -> Vec<&str> {
    list.columns().map(|(name, _)| name).collect()
}

/// Returns every directed edge, sorted.
fn rows(list: &EdgeList) -> Vec<Row> {
    let numbers = |line| list.columns().map(|(_, column)| column.slice().text(line)).collect();
    let ids = list.ids();
    let mut rows: Vec<Row> =
        list.edges().map(|(source, target, line)| (ids.id(source), ids.id(target), numbers(line))).collect();
    rows.sort();
    rows
}

/// Returns every directed edge of a layered graph, sorted.
fn rows_of(graph: &LayeredGraph) -> Vec<Row> {
    let out = graph.out_edges();
    let columns: Vec<WeightSlice<'_>> =
        graph.column_names().iter().map(|name| graph.column(name).unwrap()).collect();
    let mut rows = Vec::new();
    for vertex in 0..graph.num_vertices() {
        for place in out.range(vertex) {
            let numbers = columns.iter().map(|column| column.text(place)).collect();
            rows.push((graph.id_of(vertex), graph.id_of(out.ends[place]), numbers));
        }
    }
    rows.sort();
    rows
}

fn layered(list: &EdgeList) -> LayeredGraph {
    LayeredGraph::from_edge_list(list.clone(), &LayerOptions::default()).unwrap()
}

/// Strategy for numbers of one type. If they are written as text and read again, they have the narrowest type that
/// holds them all.
fn column(lines: usize) -> impl Strategy<Value = Weights> {
    prop_oneof![
        prop::collection::vec(0..5u32, lines).prop_map(Weights::U32),
        prop::collection::vec(any::<i32>(), lines).prop_map(Weights::I32),
        prop::collection::vec(any::<u64>(), lines).prop_map(Weights::U64),
        prop::collection::vec(any::<i64>(), lines).prop_map(Weights::I64),
        prop::collection::vec((-64..64i32).prop_map(|n| n as f32 / 4.0), lines).prop_map(Weights::F32),
        prop::collection::vec(-1e30..1e30f64, lines).prop_map(Weights::F64),
    ]
}

fn with_column(list: EdgeList, name: &str, column: &Weights) -> EdgeList {
    let list = match column {
        Weights::U8(numbers) => list.with_column(name, numbers),
        Weights::U16(numbers) => list.with_column(name, numbers),
        Weights::U32(numbers) => list.with_column(name, numbers),
        Weights::I32(numbers) => list.with_column(name, numbers),
        Weights::U64(numbers) => list.with_column(name, numbers),
        Weights::I64(numbers) => list.with_column(name, numbers),
        Weights::F32(numbers) => list.with_column(name, numbers),
        Weights::F64(numbers) => list.with_column(name, numbers),
    };
    list.unwrap()
}

/// Strategy for lists of up to 40 edges between 12 vertices, with one to four columns.
fn lists() -> impl Strategy<Value = EdgeList> {
    let names = vec!["departure", "weight", "_x", "Länge", "a.b", "from", "v"];
    let names = prop::sample::subsequence(names, 1..5);
    let edges = prop::collection::vec((0..12u64, 0..12u64), 1..40);
    let parts = (edges, names.prop_shuffle(), any::<bool>());
    let parts = parts.prop_flat_map(|(edges, names, both)| {
        let columns = names.iter().map(|_| column(edges.len())).collect::<Vec<_>>();
        (Just(edges), Just(names), columns, Just(both))
    });
    parts.prop_map(|(edges, names, columns, both)| {
        let plain = EdgeList::from_edges(edges).unwrap();
        let list =
            names.iter().zip(&columns).fold(plain, |list, (name, column)| with_column(list, name, column));
        if both { list.undirected() } else { list }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(list in lists()) {
        for name in ["g.csv", "g.tsv", "g.txt", "g.parquet"] {
            if name == "g.parquet" && cfg!(not(feature = "parquet")) {
                continue;
            }
            let mut bytes = Vec::new();
            write(&list, &mut bytes, name, &SaveOptions::default()).unwrap();
            let columns = if name == "g.parquet" { names(&list) } else { Vec::new() };
            let options = asked(&columns).undirected(list.is_symmetric());
            let again = read(bytes.as_slice(), name, &options).unwrap();
            prop_assert_eq!(names(&again), names(&list), "{}", name);
            prop_assert_eq!(rows(&again), rows(&list), "{}", name);
            for (column, numbers) in list.columns() {
                prop_assert_eq!(again.column(column).unwrap().kind(), numbers.kind());
            }
        }
    }

    #[test]
    fn columns_follow_their_edges(list in lists()) {
        let graph = layered(&list);
        prop_assert_eq!(graph.column_names(), names(&list));
        prop_assert_eq!(rows_of(&graph), rows(&list));
        let problems = graph.examine(&Progress::NONE).problems;
        prop_assert!(problems.is_empty(), "{:?}", problems);
        prop_assert_eq!(rows(&graph.to_edge_list()), rows(&list));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.wolf");
        graph.write(&path).unwrap();
        let opened = LayeredGraph::open_wolf(&path).unwrap();
        prop_assert_eq!(opened.column_names(), graph.column_names());
        prop_assert_eq!(opened.column_sizes(), graph.column_sizes());
        prop_assert_eq!(rows_of(&opened), rows(&list));
        prop_assert_eq!(opened.is_symmetric(), graph.is_symmetric());
        let bytes = fs::read(&path).unwrap();
        opened.write(&path).unwrap();
        prop_assert!(fs::read(&path).unwrap() == bytes);
        // Use each column as the weight. Sorted, the weights of the in-edges must equal those of the out-edges.
        for name in graph.column_names() {
            let chosen = graph.with_weight_column(name).unwrap();
            prop_assert_eq!(chosen.weight_column(), Some(name));
            let sorted = |direction| {
                let mut weights: Vec<u64> = chosen.weights_as::<f64>(direction, true).unwrap().iter().map(|w| w.to_bits()).collect();
                weights.sort_unstable();
                weights
            };
            prop_assert_eq!(sorted(Direction::In), sorted(Direction::Out));
        }
    }
}

#[test]
fn working_files_make_the_same_graph() {
    let edges = (0..50_000u64).map(|i| (i * i % 1009, i * 7 % 997, (i as u32, i as f64 / 8.0, i % 3 == 0)));
    let list = EdgeList::from_rows(["a", "b", "c"], edges).unwrap();
    let options = LayerOptions::default();
    let on_disk = |memory| {
        let resources = Resources::new().memory(memory);
        LayeredGraph::from_edge_list_with(list.clone(), &options, &resources)
    };
    // This limit is enough for the columns and line numbers, which are always in memory, but not for the rows, which
    // are on disk.
    assert_eq!(rows_of(&on_disk(1_200_000).unwrap()), rows(&list));
    let error = on_disk(500_000).unwrap_err().to_string();
    assert!(error.contains("cannot be layered here"), "{error}");
}

#[test]
fn names_come_from_a_header_a_comment_or_the_options() {
    let rides = "1 2 480 25\n2 3 510 12\n";
    let expected =
        vec![(1, 2, vec!["480".to_owned(), "25".to_owned()]), (2, 3, vec!["510".into(), "12".into()])];
    let commented =
        text("g.txt", &format!("# made today\n# source target departure duration\n{rides}")).unwrap();
    let headed = text("g.csv", &format!("from,to,departure,duration\n{}", rides.replace(' ', ","))).unwrap();
    let quoted =
        text("g.csv", &format!("\"from\",\"to\",\"departure\",\"duration\"\n{}", rides.replace(' ', ",")))
            .unwrap();
    let named = read(rides.as_bytes(), "g.txt", &asked(&["departure", "duration"])).unwrap();
    for list in [commented, headed, quoted, named] {
        assert_eq!((names(&list), rows(&list)), (vec!["departure", "duration"], expected.clone()));
        assert!(list.notes().iter().any(|note| note == "columns: departure, duration"), "{:?}", list.notes());
    }
    let chosen = read(
        "source,target,departure,duration,runs\n1,2,480,25,true\n2,3,510,12.5,FALSE\n".as_bytes(),
        "g.csv",
        &asked(&["runs", "duration"]),
    );
    let chosen = chosen.unwrap();
    assert_eq!(chosen.column("runs"), Some(&Weights::U32(vec![1, 0])));
    assert_eq!(chosen.column("duration"), Some(&Weights::F32(vec![25.0, 12.5])));
    assert_eq!(chosen.column("departure"), None);
    // A column called `weight` can be read by its name like the others, and is also the weight for programs that read a
    // single number.
    let weighted = text("g.csv", "source,target,toll,weight\n1,2,3,4\n").unwrap();
    assert_eq!(
        (weighted.weights(), names(&weighted)),
        (Some(&Weights::U32(vec![4])), vec!["weight", "toll"])
    );
}

#[test]
fn one_number_is_the_weight_whatever_it_is_called() {
    for (content, name) in [
        ("1 2 7\n", "weight"),
        ("source target weight\n1 2 7\n", "weight"),
        ("source target length\n1 2 7\n", "length"),
        ("# source target length\n1 2 7\n", "length"),
        ("# nodes and edges of a city\n1 2 7\n", "weight"),
        ("# source target length toll\n1 2 7\n", "weight"),
    ] {
        let list = text("g.txt", content).unwrap();
        assert_eq!((list.weights(), names(&list)), (Some(&Weights::U32(vec![7])), vec![name]), "{content}");
    }
    let named = read("1 2 7\n".as_bytes(), "g.txt", &asked(&["length"])).unwrap();
    assert_eq!((names(&named), named.weights()), (vec!["length"], Some(&Weights::U32(vec![7]))));
    // If the weight is called `weight`, its name is not stored. Any other name is stored in an optional section, which
    // older readers skip.
    let folder = tempfile::tempdir().unwrap();
    let sections = |list: &EdgeList| {
        let path = folder.path().join("graph.wolf");
        layered(list).write(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let entry = |index: usize| {
            let at = 128 + 32 * index;
            (u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()), bytes[at + 4])
        };
        (0..usize::from(bytes[60])).map(entry).collect::<Vec<_>>()
    };
    let plain = sections(&text("g.txt", "1 2 7\n").unwrap());
    assert!(plain.iter().all(|(kind, _)| *kind <= 9), "{plain:?}");
    assert_eq!(sections(&named)[plain.len()..], [(11, 0)]);
    let several = EdgeList::from_rows(["a", "b"], [(1, 2, (1u32, 2u32))]).unwrap();
    assert_eq!(sections(&several)[plain.len() - 1..], [(10, 1), (1024, 1), (1025, 1)]);
}

#[test]
fn wrong_lines_are_told_by_column() {
    let head = "source,target,departure,duration\n1,2,480,25\n";
    for (line, parts) in [
        ("2,3,510\n", &["line 3", "3 fields on the line", "`source target departure duration`"][..]),
        ("2,3,510,5,6\n", &["line 3", "5 fields on the line"]),
        ("2,3,510,soon\n", &["line 3", "`soon` in the column `duration`", "true or false"]),
        ("2,3,nan,5\n", &["line 3", "NaN in the column `departure`"]),
        ("2,-3,510,5\n", &["line 3", "negative"]),
        ("2,3,,5\n", &["line 3", "a field is empty"]),
    ] {
        let error = text("g.csv", &format!("{head}{line}")).unwrap_err().to_string();
        for part in parts.iter().chain(&["g.csv"]) {
            assert!(error.contains(part), "{part:?}: {error}");
        }
    }
    let error = |content: &str, columns: &[&str]| {
        read(content.as_bytes(), "g.txt", &asked(columns)).unwrap_err().to_string()
    };
    assert!(error("1 2 3 4\n", &["a"]).contains("4 fields on the line"));
    assert!(error("1 2 3 4\n", &["a", "A"]).contains("two columns are called `A`"));
    assert!(error("1 2 3 4\n", &["a", "b c"]).contains("`b c` cannot name a column"));
    let missing = error("x y a b\n1 2 3 4\n", &["c"]);
    assert!(
        missing.contains("no column `c`; besides source (`x`) and target (`y`) the file names these: a, b")
    );
    assert!(error("x y a a\n1 2 3 4\n", &[]).contains("two columns are called `a`"));
    assert!(
        error("x y a b\n1 2 3 4\n", &["c"])
            .contains("(requested: `c`; line 1 (`x y a b`) names the columns)")
    );
    assert!(error("1 2 3 4\n", &[]).contains("name them in the options"));
    let gr = read("p sp 2 1\na 1 2 3\n".as_bytes(), "g.gr", &asked(&["a"])).unwrap_err().to_string();
    assert!(gr.contains("has no named columns"), "{gr}");
}

#[test]
fn formats_of_one_weight_refuse_more() {
    let list = EdgeList::from_rows(["a", "b"], [(0, 1, (1u32, 2u32)), (1, 0, (1, 2))]).unwrap().undirected();
    for name in ["g.el", "g.wel", "g.mtx", "g.gr", "g.graph", "g.sg", "g.wsg", "g.bin32", "g.bin64f64"] {
        let error = write(&list, Vec::new(), name, &SaveOptions::default()).unwrap_err().to_string();
        assert!(error.contains("the columns a, b") && error.contains(name), "{error}");
    }
    let drop = SaveOptions::new().drop_weights(true);
    write(&list, Vec::new(), "g.el", &drop).unwrap();
    let only = list.with_only_column("b").unwrap();
    let report = write(&only, Vec::new(), "g.wsg", &SaveOptions::default()).unwrap();
    assert!(report.notes[0].contains("the column b is written as the weight"), "{:?}", report.notes);
}

#[test]
fn the_first_of_duplicates_stays_with_all_its_numbers() {
    let content = "source,target,a,b\n1,2,9,1\n2,1,3,2\n1,2,1,3\n";
    let options = LoadOptions::new().duplicates(Duplicates::Drop);
    let list = read(content.as_bytes(), "g.csv", &options).unwrap();
    let row = |u, v, a: &str, b: &str| (u, v, vec![a.to_owned(), b.to_owned()]);
    assert_eq!(rows(&list), [row(1, 2, "9", "1"), row(2, 1, "3", "2")]);
}

#[test]
fn which_column_is_the_weight() {
    let rows = [(1, 2, (5u32, -7i32)), (2, 3, (6, 8))];
    let graph = layered(&EdgeList::from_rows(["length", "toll"], rows).unwrap());
    assert!(graph.has_weights() && graph.weights().is_none() && graph.weight_column().is_none());
    let error = graph.weights_as::<u32>(Direction::Out, false).unwrap_err();
    assert!(matches!(&error, WeightError::WhichColumn { .. }) && error.to_string().contains("length, toll"));
    let tolls = graph.with_weight_column("TOLL").unwrap();
    assert_eq!(tolls.weights(), Some(WeightSlice::I32(&[-7, 8])));
    assert_eq!(tolls.first_negative_weight(), Some((1, 2, "-7".to_owned())));
    let error = graph.with_weight_column("width").unwrap_err().to_string();
    assert!(error.contains("no column `width`") && error.contains("length, toll"), "{error}");
}

#[test]
fn damaged_columns_are_refused_when_they_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let rows = [(1, 2, (5u32, 0.5, true)), (2, 3, (6, 1.5, false)), (3, 1, (7, 2.5, true))];
    layered(&EdgeList::from_rows(["weight", "share", "open"], rows).unwrap()).write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let place = |kind: u32| {
        let entries = (0..usize::from(bytes[60])).map(|index| 128 + 32 * index);
        let mut entries = entries.filter(|&at| bytes[at..at + 4] == kind.to_le_bytes());
        let at = entries.next().unwrap() + 8;
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    };
    let damaged = |kind: u32| {
        let mut damaged = bytes.clone();
        damaged[place(kind)] ^= 1;
        fs::write(&path, damaged).unwrap();
        LayeredGraph::open_wolf(&path)
    };
    let error = damaged(1024).unwrap_err().to_string();
    assert!(error.contains("section \"column 0\"") && error.contains("graph.wolf: byte"), "{error}");
    let problems = LayeredGraph::examine_file(&path, &Progress::NONE).unwrap().problems;
    assert!(problems.len() == 1 && problems[0].contains("column 0"), "{problems:?}");
    assert!(damaged(10).unwrap_err().to_string().contains("names of columns"));
}

#[test]
fn a_damaged_cache_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("rides.csv");
    fs::write(&input, "source,target,departure,duration\n1,2,480,25\n2,3,510,12\n").unwrap();
    let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    let made = LayeredGraph::open_with(&input, &options).unwrap();
    let Origin::Input { kept: Some(kept), .. } = made.opened_from() else {
        panic!("{:?}", made.opened_from())
    };
    let mut bytes = fs::read(kept).unwrap();
    // The last section is a column, and the key follows it. This changes a byte of the column.
    let length = u64::from_le_bytes(bytes[64..72].try_into().unwrap()) as usize;
    bytes[length - 4096] ^= 1;
    fs::write(kept, bytes).unwrap();
    let opened = LayeredGraph::open_with(&input, &options).unwrap();
    assert_eq!(rows_of(&opened), rows_of(&made));
    assert!(opened.notes().iter().any(|note| note.contains("damaged")), "{:?}", opened.notes());
}

#[test]
fn options_without_columns_read_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.txt");
    fs::write(&path, "1 2 3 4\n").unwrap();
    let ignored = LoadOptions::new().ignore_extra_columns(true);
    assert_eq!(load(&path, &ignored).unwrap().weights(), Some(&Weights::U32(vec![3])));
}
