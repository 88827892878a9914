//! Tests, for every format, that writing a graph and reading the file returns the same graph.

use super::{directed, ids, sorted};
use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::resources::Resources;
use wolfpath_core::weights::Weights;
use wolfpath_io::load::{Compression, Format, LoadOptions, Record, RecordWeight, load_reported, read};
use wolfpath_io::save::{SaveOptions, save, write};

/// Strategy for the kind of a graph's weights; `None` for a graph without weights. Some kinds fit in the narrow types,
/// others do not.
fn weight_kinds() -> impl Strategy<Value = Option<BoxedStrategy<f64>>> {
    let kinds = [
        (1u32..100).prop_map(f64::from).boxed(),
        (0u32..3).prop_map(f64::from).boxed(),
        (-5i32..5).prop_map(f64::from).boxed(),
        prop_oneof![Just(4e9), Just(1e15), Just(7.0)].boxed(),
        prop_oneof![Just(-4e9), Just(1.0)].boxed(),
        prop_oneof![Just(0.5), Just(-0.0), Just(f64::INFINITY), Just(f64::from(0.1f32)), Just(3.0)].boxed(),
        prop::num::f64::NORMAL.boxed(),
    ];
    prop::option::weighted(0.8, prop::sample::select(Vec::from(kinds)))
}

/// Strategy for small graphs with duplicates, self-loops, isolated vertices, and ids from 0, from 1 or anywhere.
fn graphs() -> impl Strategy<Value = EdgeList> {
    (weight_kinds(), 0..4u8, any::<bool>()).prop_flat_map(|(weights, numbering, undirected)| {
        let weight = weights.clone().unwrap_or_else(|| Just(1.0).boxed());
        prop::collection::vec((0..9u64, 0..9u64, weight), 0..30).prop_map(move |edges| {
            let id = |vertex: u64| match numbering {
                0 => vertex,
                1 => vertex + 1,
                2 => vertex * vertex * 1000 + 7,
                _ => u64::MAX - 3 * vertex,
            };
            let edges = edges.into_iter().map(|(u, v, weight)| (id(u), id(v), weight));
            let list = match weights {
                Some(_) => EdgeList::from_weighted_edges(edges).unwrap(),
                None => EdgeList::from_edges(edges.map(|(u, v, _)| (u, v))).unwrap(),
            };
            let list = match numbering {
                0 => list.with_vertices(0..10).unwrap(),
                1 => list.with_vertices(1..11).unwrap(),
                _ => list,
            };
            if undirected { list.undirected() } else { list }
        })
    })
}

/// Returns a file name for every format.
fn names() -> Vec<String> {
    let mut names: Vec<String> =
        ["g.txt", "g.csv", "g.tsv", "g.mtx", "g.gr", "g.graph", "g.sg", "g.wsg"].map(String::from).into();
    names.extend(Record::ALL.map(|record| format!("g.{}", record.name())));
    if cfg!(feature = "parquet") {
        names.push("g.parquet".to_owned());
    }
    names
}

/// Returns `true` if the format can store the graph.
fn fits(list: &EdgeList, format: Format) -> bool {
    let weights = list.weights();
    let from = |first| list.ids().is_empty() || list.ids().contiguous_from() == Some(first);
    let converts = |weights: &Weights, kind| {
        let weights = weights.slice();
        match kind {
            RecordWeight::U32 => weights.convert::<u32>(false).is_ok(),
            RecordWeight::I32 => weights.convert::<i32>(false).is_ok(),
            RecordWeight::U64 => weights.convert::<u64>(false).is_ok(),
            RecordWeight::I64 => weights.convert::<i64>(false).is_ok(),
            RecordWeight::F32 => weights.convert::<f32>(false).is_ok(),
            RecordWeight::F64 => weights.convert::<f64>(false).is_ok(),
        }
    };
    let positive = |weights: &Weights| (0..weights.len()).all(|line| weights.get(line) >= 1.0);
    match format {
        Format::EdgeList | Format::Parquet => true,
        Format::MatrixMarket => from(1),
        Format::Gr => from(1) && (weights.is_some() || list.is_symmetric()),
        Format::Metis => {
            let weights = weights.is_none_or(|w| converts(w, RecordWeight::U64) && positive(w));
            from(1) && weights && (list.is_symmetric() || list.num_edges() == 0)
        }
        Format::Serialized => from(0) && weights.is_none(),
        Format::SerializedWeighted => from(0) && weights.is_some_and(|w| converts(w, RecordWeight::I32)),
        Format::Binary(record) => {
            let weights = match (record.weights, weights) {
                (None, None) => true,
                (Some(kind), Some(weights)) => converts(weights, kind),
                _ => false,
            };
            let last = ids(list).last().copied().unwrap_or(0);
            weights && list.num_edges() > 0 && (record.ids.bytes() == 8 || last <= u64::from(u32::MAX))
        }
        other => panic!("no rule for {other}"),
    }
}

/// Returns `true` if a weight is -0.0, which becomes 0 in formats with integer weights.
fn has_negative_zero(list: &EdgeList) -> bool {
    list.weights().is_some_and(|weights| {
        (0..weights.len()).any(|line| weights.get(line) == 0.0 && weights.get(line).is_sign_negative())
    })
}

fn there_and_back(list: &EdgeList, name: &str) -> Result<(), TestCaseError> {
    let format = Format::of_name(name).unwrap();
    let mut bytes = Vec::new();
    let written = write(list, &mut bytes, name, &SaveOptions::default());
    prop_assert_eq!(written.is_ok(), fits(list, format), "{}: {:?}", name, written);
    let Ok(report) = written else {
        return Ok(());
    };
    let options = LoadOptions::new().undirected(list.is_symmetric());
    let again = read(bytes.as_slice(), name, &options);
    let again = match again {
        Ok(again) => again,
        Err(error) => {
            return Err(TestCaseError::fail(format!("{error}\n{:?}", String::from_utf8_lossy(&bytes))));
        }
    };
    if !has_negative_zero(list) {
        prop_assert_eq!(sorted(&again), sorted(list), "{}", name);
    }
    if !list.is_symmetric()
        && !has_negative_zero(list)
        && !matches!(format, Format::Serialized | Format::SerializedWeighted)
    {
        prop_assert_eq!(directed(&again), directed(list), "{}", name);
    }
    // If there are no edges, a file does not show whether the graph is undirected.
    prop_assert!(again.is_symmetric() == list.is_symmetric() || list.num_edges() == 0);
    let holds_isolated = matches!(
        format,
        Format::MatrixMarket | Format::Gr | Format::Metis | Format::Serialized | Format::SerializedWeighted
    );
    let lost = ids(list).len() - ids(&again).len();
    prop_assert!(lost == 0 || !holds_isolated, "{}", name);
    prop_assert_eq!(lost > 0, report.notes.iter().any(|note| note.contains("have no edge")), "{}", name);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_reads_back(list in graphs()) {
        for name in names() {
            there_and_back(&list, &name)?;
        }
    }

    #[test]
    fn renumbered_graphs_are_isomorphic(list in graphs()) {
        for (name, first) in [("g.el", 0), ("g.mtx", 1), ("g.sg", 0), ("g.gr", 1), ("g.bin32", 0)] {
            let mut bytes = Vec::new();
            let options = SaveOptions::new().renumber(true).drop_weights(true);
            if write(&list, &mut bytes, name, &options).is_err() {
                continue;
            }
            let undirected = LoadOptions::new().undirected(list.is_symmetric());
            let again = read(bytes.as_slice(), name, &undirected).unwrap();
            let rank = |id| u64::from(list.ids().rank(id).unwrap()) + first;
            let mut expected: Vec<_> =
                directed(&list).iter().map(|(u, v, _)| (rank(*u), rank(*v), String::new())).collect();
            expected.sort();
            prop_assert_eq!(sorted(&again), expected, "{}", name);
        }
    }
}

/// If the weights are dropped, the two lines look like opposite directions of one edge. They must nevertheless stay two
/// undirected edges.
#[test]
fn opposite_lines_of_different_weights_stay_two_edges() {
    let list = EdgeList::from_weighted_edges([(1, 2, 3u32), (2, 1, 5)]).unwrap().undirected();
    let options = SaveOptions::new().drop_weights(true);
    for name in ["g.el", "g.mtx", "g.gr", "g.bin32"] {
        let mut bytes = Vec::new();
        write(&list, &mut bytes, name, &options).unwrap();
        let undirected = LoadOptions::new().undirected(true);
        let again = read(bytes.as_slice(), name, &undirected).unwrap();
        assert_eq!(again.num_edges(), 4, "{name}");
    }
}

#[test]
fn files_are_compressed_by_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let list = EdgeList::from_weighted_edges((0..70_000u64).map(|i| (i, i * i % 70_001, i % 97))).unwrap();
    let codecs = [
        ("", Compression::None, true),
        (".gz", Compression::Gzip, cfg!(feature = "gzip")),
        (".zst", Compression::Zstd, cfg!(feature = "zstd")),
        (".xz", Compression::Xz, cfg!(feature = "xz")),
    ];
    for (ending, compression, is_built_in) in codecs {
        for name in ["g.wel", "g.csv", "g.bin32u32"] {
            let path = folder.path().join(format!("{name}{ending}"));
            let saved = save(&list, &path, &SaveOptions::default());
            if !is_built_in {
                let error = saved.unwrap_err().to_string();
                assert!(error.contains(&format!("the cargo feature `{compression}`")), "{error}");
                continue;
            }
            assert_eq!(saved.unwrap().compression, compression);
            let again = load_reported(&path, &LoadOptions::default(), &Resources::default()).unwrap();
            assert_eq!(again.report.compression, compression);
            assert_eq!(directed(&again.edges), directed(&list), "{}", path.display());
        }
    }
    let written = 3 * codecs.iter().filter(|(.., is_built_in)| *is_built_in).count();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), written);
}

#[test]
fn an_f32_keeps_its_value_as_text() {
    let list = EdgeList::from_weighted_edges([(0, 1, 0.1f32)]).unwrap();
    let mut text = Vec::new();
    write(&list, &mut text, "g.wel", &SaveOptions::default()).unwrap();
    let again = read(text.as_slice(), "g.wel", &LoadOptions::default()).unwrap();
    assert_eq!(again.weights(), Some(&Weights::F32(vec![0.1])));
}
