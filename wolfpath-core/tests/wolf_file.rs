//! Tests of the `.wolf` file: reading a written file returns the same graph, and any other file is rejected.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{Direction, LayerOptions, LayeredGraph, Origin};
use wolfpath_core::progress::Progress;
use wolfpath_core::store::StoreError;

/// Returns everything that a graph's methods return as one text.
fn shown(graph: &LayeredGraph) -> Result<String, StoreError> {
    let (out, transposed) = (graph.out_edges(), graph.in_edges()?);
    let weights = graph.weights_as::<f64>(Direction::In, true);
    Ok(format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {} {}",
        graph.root(),
        graph.root_reason(),
        graph.root_layers(),
        graph.layer_offsets(),
        graph.ids(),
        graph.by_rank(),
        (out, transposed),
        graph.weights(),
        weights.map_err(|error| error.to_string()),
        graph.is_symmetric(),
        graph.num_edges(),
    ))
}

fn refusal(result: Result<LayeredGraph, StoreError>) -> String {
    result.unwrap_err().to_string()
}

/// Returns a small graph that has every section.
fn sample() -> LayeredGraph {
    LayeredGraph::from_weighted_edges([(3u64, 900, 1.5f64), (900, 17, 0.1), (17, 3, 2.0), (50, 50, 7.0)])
        .unwrap()
}

#[test]
fn written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let graphs = [
        sample(),
        LayeredGraph::from_edges([]).unwrap(),
        LayeredGraph::from_edges((0..2000).flat_map(|v| [(v, v / 2), (v, v)])).unwrap(),
        LayeredGraph::from_weighted_edges([(u64::MAX, 1, -5i64), (1, u64::MAX, 5)]).unwrap(),
        LayeredGraph::from_edge_list(
            EdgeList::from_edges([(7, 9)]).unwrap().with_vertices(5..20).unwrap(),
            &LayerOptions::default(),
        )
        .unwrap(),
    ];
    for graph in graphs {
        graph.write(&path).unwrap();
        let read = LayeredGraph::open_wolf(&path).unwrap();
        assert_eq!(read.opened_from(), &Origin::File(path.clone()));
        assert_eq!(shown(&read).unwrap(), shown(&graph).unwrap());
        assert_eq!(read.vertex_of(4_000), None);
        let again = folder.path().join("again.wolf");
        read.write(&again).unwrap();
        assert!(fs::read(&again).unwrap() == fs::read(&path).unwrap());
    }
}

#[test]
fn every_kind_of_damage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    sample().write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let message = refusal(LayeredGraph::open_wolf(&path));
        assert!(message.contains("graph.wolf"), "{message}");
        message
    };
    for (change, expected) in [
        (&(|bytes: &mut Vec<u8>| bytes.clear()) as &dyn Fn(&mut Vec<u8>), "not a .wolf file"),
        (&|bytes: &mut Vec<u8>| bytes[0] = b'#', "not a .wolf file"),
        (&|bytes: &mut Vec<u8>| bytes.truncate(5), "the file ends"),
        (&|bytes: &mut Vec<u8>| bytes.truncate(100), "the file ends"),
        (&|bytes: &mut Vec<u8>| bytes.truncate(4096), "the file ends"),
        (&|bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 1), "the file ends"),
        (&|bytes: &mut Vec<u8>| bytes.push(0), "bytes of key"),
        (&|bytes: &mut Vec<u8>| bytes[8] = 1, "version 1"),
        (&|bytes: &mut Vec<u8>| bytes[12..16].reverse(), "opposite byte order"),
        (&|bytes: &mut Vec<u8>| bytes[16] ^= 1, "header has checksum"),
        (&|bytes: &mut Vec<u8>| bytes[4000] ^= 1, "table has checksum"),
        (&|bytes: &mut Vec<u8>| bytes[4096 * 2] ^= 1, "\"layers\""),
    ] {
        let message = damaged(change);
        assert!(message.contains(expected), "{message}, not {expected}");
    }
}

/// Opening stops at the first fault and returns its position, whereas examination lists all faults.
#[test]
fn a_damaged_file_is_refused_when_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    sample().write(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let (ranks, ends) = (4096 * 3, 4096 * 6);
    bytes[ranks..ranks + 16].fill(0xff);
    bytes[ends] ^= 1;
    fs::write(&path, bytes).unwrap();
    let Err(StoreError::Broken { byte, .. }) = LayeredGraph::open_wolf(&path) else {
        panic!("a damaged file must be rejected")
    };
    assert_eq!(byte, ranks as u64);
    let problems = LayeredGraph::examine_file(&path, &Progress::NONE).unwrap().problems;
    assert!(problems.len() == 1 && problems[0].contains("\"ranks\""), "{problems:?}");
}

#[test]
fn any_flipped_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    sample().write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    // Every byte of the fields in the first page and of the key is changed, and a sample of all other bytes, including
    // padding.
    let places = (0..400).chain((400..bytes.len()).step_by(97)).chain(bytes.len() - 40..bytes.len());
    for place in places {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&path, damaged).unwrap();
        refusal(LayeredGraph::open_wolf(&path));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mutated_bytes_are_refused_or_harmless(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.wolf");
        let graph = sample();
        graph.write(&path).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        fs::write(&path, &bytes).unwrap();
        if let Ok(found) = LayeredGraph::open_wolf(&path).map_err(|_| ()).and_then(|graph| shown(&graph).map_err(|_| ())) {
            prop_assert_eq!(found, shown(&graph).unwrap());
        }
    }
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such folder/graph.wolf");
    let message = sample().write(&missing).unwrap_err().to_string();
    assert!(message.contains("no such folder"), "{message}");
    let message = sample().write(folder.path()).unwrap_err().to_string();
    assert!(message.contains("folder"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    if Path::new("/dev/full").exists() {
        assert!(sample().write("/dev/full/graph.wolf").is_err());
    }
}

#[test]
fn missing_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let missing = refusal(LayeredGraph::open_wolf(folder.path().join("none.wolf")));
    assert!(missing.contains("none.wolf"), "{missing}");
    let inside = folder.path().join("folder.wolf");
    fs::create_dir(&inside).unwrap();
    let message = refusal(LayeredGraph::open_wolf(&inside));
    assert!(message.contains("folder.wolf"), "{message}");
}

#[test]
fn a_graph_is_shared_by_threads_from_the_first_moment() {
    use rayon::prelude::*;

    fn shared<T: Send + Sync + Clone>(_: &T) {}
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.wolf");
    let edges = (0..150_000u64).map(|v| (v, v * 7 % 50_000));
    LayeredGraph::from_edges(edges).unwrap().write(&path).unwrap();
    for threads in [1, 3] {
        let graph = LayeredGraph::open_wolf(&path).unwrap();
        shared(&graph);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| {
            let asked = (0..200_000u64).into_par_iter();
            asked
                .filter(|&id| {
                    graph.vertex_of(id).is_some() && graph.in_edges().is_ok() && !graph.ids().is_empty()
                })
                .count()
        });
        assert_eq!(found, 150_000);
    }
}
