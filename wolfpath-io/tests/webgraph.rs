//! Tests of WebGraph files: reading a written file returns the same graph, files can be exchanged with another
//! implementation, and damaged files are rejected.
#![cfg(feature = "webgraph")]

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use webgraph::prelude::{BvComp, BvGraphSeq, CompFlags, VecGraph};
use webgraph::traits::labels;
use wolfpath_core::edge_list::{EdgeList, Symmetry};
use wolfpath_core::graph::{LayeredGraph, Origin};
use wolfpath_core::resources::Resources;
use wolfpath_io::load::{Format, LoadOptions, Loaded, load, load_reported};
use wolfpath_io::save::{SaveOptions, save, write};
use wolfpath_io::{OpenGraph, OpenOptions};

const WEBGRAPH: Option<Format> = Some(Format::WebGraph);

fn to_webgraph() -> SaveOptions {
    SaveOptions::new().format(WEBGRAPH)
}

fn list(edges: &[(u64, u64)], vertices: u64) -> EdgeList {
    EdgeList::from_edges(edges.iter().copied()).unwrap().with_vertices(0..vertices).unwrap()
}

/// Returns every directed edge as a pair of ranks, sorted.
fn sorted(list: &EdgeList) -> Vec<(u32, u32)> {
    let implied = list.symmetry() == Symmetry::Doubled;
    let mut edges = Vec::new();
    for (&source, &target) in list.sources().iter().zip(list.targets()) {
        edges.push((source, target));
        if implied && source != target {
            edges.push((target, source));
        }
    }
    edges.sort_unstable();
    edges
}

/// Writes a graph to a new folder.
fn written(list: &EdgeList) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.graph");
    save(list, &path, &to_webgraph()).unwrap();
    (folder, path)
}

fn error(path: &Path, options: &LoadOptions) -> String {
    load(path, options).unwrap_err().to_string()
}

#[track_caller]
fn says(error: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| error.contains(part)), "{parts:?}: {error}");
}

/// Strategy for graphs in which most rows resemble earlier rows, like those of real graphs, and some do not.
fn graphs() -> impl Strategy<Value = (Vec<(u64, u64)>, u64)> {
    (1..60u64)
        .prop_flat_map(|vertices| {
            let interval = (0..vertices, 0..vertices, 1..12u64);
            let anywhere = (0..vertices, 0..vertices);
            (prop::collection::vec(interval, 0..40), prop::collection::vec(anywhere, 0..80), Just(vertices))
        })
        .prop_map(|(intervals, anywhere, vertices)| {
            let intervals = intervals.into_iter().flat_map(|(source, first, many)| {
                (first..vertices.min(first + many)).map(move |target| (source, target))
            });
            let mut edges: Vec<_> = intervals.chain(anywhere).collect();
            edges.sort_unstable();
            edges.dedup();
            (edges, vertices)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back((edges, vertices) in graphs(), undirected in any::<bool>()) {
        let list = list(&edges, vertices);
        let list = if undirected { list.undirected() } else { list };
        prop_assume!(list.counts().unwrap().duplicates == 0);
        let (_folder, path) = written(&list);
        let options = LoadOptions::new().undirected(undirected);
        let Loaded { edges: again, report, .. } =
            load_reported(&path, &options, &Resources::default()).unwrap();
        prop_assert_eq!(sorted(&again), sorted(&list));
        prop_assert_eq!(again.num_vertices(), list.num_vertices());
        prop_assert_eq!(report.format, Format::WebGraph);
        let crates = BvGraphSeq::with_basename(path.with_extension("")).load().unwrap();
        let mut theirs = VecGraph::empty(again.num_vertices() as usize);
        for (source, target) in sorted(&list) {
            theirs.add_arc(source as usize, target as usize);
        }
        prop_assert!(labels::eq_sorted(&crates, &theirs).is_ok());
    }

    #[test]
    fn any_parameters_are_read(
        (edges, vertices) in graphs(),
        compression_window in 0..9usize,
        min_interval_length in 0..5usize,
        little in any::<bool>(),
        codes in prop::sample::select(vec!["GAMMA", "DELTA", "ZETA2", "ZETA5", "UNARY", "OMEGA", "PI2"]),
    ) {
        let code = CompFlags::code_from_str(codes, 3).unwrap();
        let flags = CompFlags {
            compression_window,
            min_interval_length,
            residuals: code,
            outdegrees: code,
            ..CompFlags::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let mut graph = VecGraph::empty(vertices as usize);
        edges.iter().for_each(|&(source, target)| {
            graph.add_arc(source as usize, target as usize);
        });
        let mut configuration = BvComp::with_basename(folder.path().join("g")).comp_flags(flags);
        if little {
            configuration.comp_graph::<dsi_bitstream::traits::LE>(&graph).unwrap();
        } else {
            configuration.comp_graph::<dsi_bitstream::traits::BE>(&graph).unwrap();
        }
        let again = load(folder.path().join("g.graph"), &LoadOptions::default()).unwrap();
        prop_assert_eq!(sorted(&again), sorted(&list(&edges, vertices)));
    }

    #[test]
    fn damage_is_refused_or_another_graph(
        (edges, vertices) in graphs(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (_folder, path) = written(&list(&edges, vertices));
        let mut bytes = std::fs::read(&path).unwrap();
        for (place, byte) in flips {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        std::fs::write(&path, &bytes).unwrap();
        match load(&path, &LoadOptions::default()) {
            Ok(again) => {
                prop_assert_eq!(again.num_edges(), edges.len() as u64);
                prop_assert!(again.num_vertices() as u64 == vertices);
            }
            Err(error) => prop_assert!(error.to_string().contains("g.graph, byte "), "{}", error),
        }
    }
}

#[test]
fn the_sibling_decides() {
    let (folder, path) = written(&list(&[(0, 1), (1, 0)], 2));
    assert!(["g.graph", "g.properties", "g.offsets"].iter().all(|name| folder.path().join(name).is_file()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    assert_eq!(Format::of_file(&path), WEBGRAPH);
    let other = folder.path().join("m.graph");
    std::fs::write(&other, "2 1\n2\n1\n").unwrap();
    assert_eq!(Format::of_file(&other), Some(Format::Metis));
    let loaded = load_reported(&other, &LoadOptions::default(), &Resources::default()).unwrap();
    assert_eq!(loaded.report.format, Format::Metis);
    let options = LoadOptions::new().format(WEBGRAPH);
    says(&error(&other, &options), &["m.graph, beside it: found no file", "m.properties", "name the format"]);
    let metis = SaveOptions::new().renumber(true);
    let report = save(&list(&[(0, 1)], 2).undirected(), &path, &metis).unwrap();
    says(&report.notes.join("\n"), &["there is a .properties file next to this file"]);
    save(&list(&[(0, 1), (1, 0)], 2), &path, &to_webgraph()).unwrap();
    let metis = LoadOptions::new().format(Format::Metis);
    assert!(load(&path, &metis).is_err());
    // If the format is specified, the file may have any name.
    for name in ["h.bv", "h.properties"] {
        let from = if name == "h.bv" { "g.graph" } else { "g.properties" };
        std::fs::copy(folder.path().join(from), folder.path().join(name)).unwrap();
    }
    assert_eq!(sorted(&load(folder.path().join("h.bv"), &options).unwrap()), [(0, 1), (1, 0)]);
}

#[cfg(feature = "gzip")]
#[test]
fn a_compressed_graph_has_plain_properties() {
    let (folder, path) = written(&list(&[(0, 1), (1, 2)], 3));
    let mut zipped = Vec::new();
    let file = std::fs::File::create(folder.path().join("g.graph.gz")).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::copy(&mut std::fs::File::open(&path).unwrap(), &mut zipped).unwrap();
    std::io::Write::write_all(&mut encoder, &zipped).unwrap();
    encoder.finish().unwrap();
    let path = folder.path().join("g.graph.gz");
    let loaded = load_reported(&path, &LoadOptions::default(), &Resources::default()).unwrap();
    assert_eq!(loaded.report.compression, wolfpath_io::load::Compression::Gzip);
    assert_eq!(sorted(&loaded.edges), [(0, 1), (1, 2)]);
}

#[test]
fn graphs_without_edges_or_vertices() {
    for vertices in [0, 1, 5] {
        let (_folder, path) = written(&list(&[], vertices));
        let again = load(&path, &LoadOptions::default()).unwrap();
        assert_eq!((u64::from(again.num_vertices()), again.num_edges()), (vertices, 0));
    }
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.graph");
    let refused = |list: &EdgeList, path: &Path, parts: &[&str]| {
        says(&save(list, path, &to_webgraph()).unwrap_err().to_string(), parts);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    };
    let plain = list(&[(0, 1)], 2);
    let parallel = list(&[(0, 1), (1, 1), (1, 0), (1, 1)], 2);
    refused(&parallel, &path, &["1 -> 1", "more than once", "drop duplicates"]);
    let weighted = EdgeList::from_weighted_edges([(0u64, 1u64, 2u32)]).unwrap();
    refused(&weighted, &path, &["weights"]);
    refused(&EdgeList::from_edges([(1, 2)]).unwrap(), &path, &["ids from 0 on", "renumber"]);
    for name in ["g.bv", "g.graph.gz", "g"] {
        refused(&plain, &folder.path().join(name), &["NAME.properties", ".graph"]);
    }
    let to_stream = write(&plain, Vec::new(), "g.graph", &to_webgraph()).unwrap_err();
    says(&to_stream.to_string(), &["NAME.properties"]);
}

#[test]
fn both_directions_are_written_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let report =
        save(&list(&[(0, 1), (2, 2)], 3).undirected(), folder.path().join("g.graph"), &to_webgraph());
    says(&report.unwrap().notes.join("\n"), &["both directions", "as undirected"]);
}

#[test]
fn what_is_wrong_names_file_and_place() {
    let edges: Vec<(u64, u64)> = (0..200).map(|vertex| (vertex, vertex * 7 % 200)).collect();
    let (folder, path) = written(&list(&edges, 200));
    let options = LoadOptions::default();
    let (bytes, properties) =
        (std::fs::read(&path).unwrap(), std::fs::read_to_string(folder.path().join("g.properties")).unwrap());
    let with = |bytes: &[u8], properties: &str| {
        std::fs::write(&path, bytes).unwrap();
        std::fs::write(folder.path().join("g.properties"), properties).unwrap();
        error(&path, &options)
    };
    let cut = with(&bytes[..bytes.len() / 2], &properties);
    says(&cut, &["g.graph, byte ", "the end of the file", "the row of vertex ", "cut short"]);
    says(&with(b"", &properties), &["g.graph, byte 0", "the row of vertex 0 of 200"]);
    let mut long = bytes.clone();
    long.extend([7; 100]);
    says(&with(&long, &properties), &["more bytes", "200 vertices", "g.properties"]);
    let fewer = properties.replace("arcs=200", "arcs=150");
    says(&with(&bytes, &fewer), &["a row of vertex 150 with 1 edges", "at most 0"]);
    let more = properties.replace("arcs=200", "arcs=250");
    says(&with(&bytes, &more), &["200 edges in all", "expected 250"]);
    let huge = properties.replace("arcs=200", "arcs=18446744073709551615");
    says(&with(&bytes, &huge), &["g.graph: 18446744073709551615 bytes of memory"]);
    let few = properties.replace("nodes=200", "nodes=100");
    says(&with(&bytes, &few), &["g.graph, byte "]);
    says(&with(&[0xff; 200], &properties), &["200 edges in all"][..0]);
    says(&with(&[0; 2000], &properties), &["g.graph, byte "]);
    says(&with(&bytes, "nodes=200"), &["g.properties, arcs: found nothing"]);
}

#[test]
fn a_kept_graph_depends_on_the_properties_too() {
    let (folder, path) = written(&list(&[(0, 1), (1, 2)], 3));
    let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
    let is_cached = || {
        let graph = LayeredGraph::open_with(&path, &options).unwrap();
        matches!(graph.opened_from(), Origin::Cache(_))
    };
    assert!(!is_cached());
    assert!(is_cached());
    let properties = path.with_extension("properties");
    let text = std::fs::read_to_string(&properties).unwrap();
    std::fs::write(&properties, format!("{text}# a comment\n")).unwrap();
    assert!(!is_cached());
    // Writing the same text again changes only the times of the file, so the graph is not built again.
    std::fs::write(&properties, format!("{text}# a comment\n")).unwrap();
    assert!(is_cached());
}
