//! Shards as files: what is written is what the graph contains, and what is wrong is refused.

mod graphs;
#[path = "../../wolfpath-core/tests/seal/mod.rs"]
mod seal;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use rayon::ThreadPoolBuilder;
use wolfpath::cluster::{Deal, Shard, ShardError, ShardRow, Shards};
use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{Direction, LayerOptions, LayeredGraph, WeightChoice};
use wolfpath::progress::Progress;
use wolfpath::store::StoreError;
use wolfpath::weights::WeightSlice;

use graphs::{DIRECTIONS, graphs, layered, number, rows};

/// Writes the shards of a graph to a folder.
fn write(graph: &LayeredGraph, shards: u16, folder: &Path) -> Shards {
    let deal = Deal::new(graph, number(shards)).expect("there is memory");
    Shards::write(graph, &deal, folder).expect("the folder is writable")
}

/// Returns graphs whose edges have numbers.
fn weighted() -> Vec<(&'static str, LayeredGraph)> {
    let parallel = (0..40_000u64).map(|edge| (edge * edge % 977, edge % 5000, edge % 300));
    let directed = LayeredGraph::from_weighted_edges(parallel.clone()).expect("a valid graph");
    // Edges are symmetric, but parallel edges are in the opposite order in the other direction.
    let there = (0..40_000u64).map(|edge| (edge % 97, 100 + edge % 89, edge % 300));
    let back = there.clone().rev().map(|(a, b, weight)| (b, a, weight));
    let symmetric = LayeredGraph::from_weighted_edges(there.chain(back)).expect("a valid graph");
    assert!(symmetric.is_symmetric());
    let hub = (1..60_000u64).map(|leaf| (leaf, 0, leaf as f64 / 2.0));
    let hub = LayeredGraph::from_weighted_edges(hub).expect("a valid graph");
    let edges = EdgeList::from_edges([(17, 5), (5, 6), (6, 17), (17, 6)]).expect("a valid list");
    let columns = edges
        .with_column("length", &[3u64, 1 << 40, 5, 7])
        .and_then(|edges| edges.with_column("speed", &[0.5f32, 1.5, -2.0, 3.0]))
        .expect("valid columns");
    let signed = (0..5000i64).map(|edge| (edge as u64 % 700, edge as u64 % 611, edge % 9 - 4));
    let signed = LayeredGraph::from_weighted_edges(signed).expect("a valid graph");
    let columns = layered(columns);
    vec![
        ("directed", directed),
        ("symmetric", symmetric),
        ("in-hub", hub),
        ("two columns", columns),
        ("signed", signed),
    ]
}

/// Returns the graph of this name.
fn named(name: &str) -> LayeredGraph {
    let all = graphs().into_iter().chain(weighted());
    all.into_iter().find(|(known, _)| *known == name).expect("a graph has the name").1
}

/// Returns the columns of a graph in the order of the rows of a direction, as text.
fn columns(graph: &LayeredGraph, direction: Direction) -> Vec<Vec<String>> {
    let text = |column: WeightSlice<'_>, position: usize| column.text(position);
    let positions = |direction| -> Vec<usize> {
        let edges = 0..graph.num_edges() as usize;
        if direction == Direction::Out {
            return edges.collect();
        }
        // The in-edges of a vertex are those of its sources, in their order.
        let mut positions = vec![Vec::new(); graph.num_vertices() as usize];
        let out = graph.out_edges();
        edges.for_each(|edge| positions[out.ends[edge] as usize].push(edge));
        positions.concat()
    };
    let column = |name: &&str| {
        let column = graph.column(name).expect("the graph has its columns");
        positions(direction).into_iter().map(|position| text(column, position)).collect()
    };
    graph.column_names().iter().map(column).collect()
}

#[test]
fn every_edge_is_in_one_shard_with_its_numbers() {
    for (name, graph) in graphs().into_iter().chain(weighted()) {
        for count in [1, 2, 3, 8] {
            let folder = tempfile::tempdir().expect("a folder");
            let shards = write(&graph, count, folder.path());
            let deal = Deal::new(&graph, number(count)).expect("there is memory");
            assert_eq!((shards.num_shards(), shards.num_vertices()), (count, graph.num_vertices()), "{name}");
            assert_eq!(shards.owners(), deal.owners(), "{name}");
            assert_eq!(shards.layer_offsets(), graph.layer_offsets(), "{name}");
            assert_eq!((shards.root(), shards.root_reason()), (graph.root(), graph.root_reason()), "{name}");
            let names: Vec<&str> = shards.columns().map(|(_, name)| name).collect();
            assert_eq!(names, graph.column_names(), "{name}");
            let opened: Vec<Shard> =
                (0..count).map(|shard| shards.open_shard(shard).expect("the shard is whole")).collect();
            let own: usize = opened.iter().map(|shard| shard.vertices().count()).sum();
            assert_eq!(own, graph.num_vertices() as usize, "{name}");
            for shard in &opened {
                for (position, v) in (0..).zip(shard.vertices()) {
                    assert_eq!(deal.owner_of(v), shard.number(), "{name}");
                    assert_eq!(shard.ranks()[position as usize], graph.rank_of(v), "{name}");
                    assert_eq!(shard.id_of(position), graph.id_of(v), "{name}");
                }
            }
            for direction in DIRECTIONS {
                let (all, columns) = (rows(&graph, direction), columns(&graph, direction));
                let mut parts: BTreeMap<(u32, u64), (&Shard, ShardRow)> = BTreeMap::new();
                for shard in &opened {
                    let edges = shard.ends(direction).len() as u64;
                    assert_eq!(edges, deal.edges(direction)[usize::from(shard.number())], "{name}");
                    assert_eq!(edges, shards.edges_of(shard.number(), direction), "{name}");
                    for row in shard.rows(direction) {
                        assert!(parts.insert((row.vertex, row.first), (shard, row)).is_none(), "{name}");
                    }
                }
                let mut position = 0;
                for ((vertex, first), (shard, row)) in parts {
                    assert_eq!(all.offsets[vertex as usize] + first, position as u64, "{name}: no gap");
                    let end = position + row.edges.len();
                    assert_eq!(shard.ends(direction)[row.edges.clone()], all.ends[position..end], "{name}");
                    for (at, column) in columns.iter().enumerate() {
                        let numbers = shard.column(direction, at);
                        let found: Vec<String> = row.edges.clone().map(|edge| numbers.text(edge)).collect();
                        assert_eq!(found, column[position..end], "{name}, column {at}");
                    }
                    position = end;
                }
                assert_eq!(position, all.ends.len(), "{name}: all edges");
            }
            shards.verify(&Progress::NONE).expect("all shards are whole");
        }
    }
}

/// Returns the name and the bytes of every file in a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("the folder can be read");
        let name = entry.file_name().into_string().expect("names are text");
        (name, fs::read(entry.path()).expect("files can be read"))
    };
    fs::read_dir(folder).expect("the folder exists").map(read).collect()
}

#[test]
fn shards_depend_on_the_graph_and_their_number_alone() {
    let graph = named("in-hub");
    let folder = tempfile::tempdir().expect("a folder");
    let mut written = Vec::new();
    for threads in [1, 3] {
        let path = folder.path().join(threads.to_string());
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| write(&graph, 4, &path));
        written.push(files(&path));
    }
    assert_eq!(written[0], written[1]);
    let names: Vec<&str> = written[0].keys().map(String::as_str).collect();
    assert_eq!(names, ["0000.shard", "0001.shard", "0002.shard", "0003.shard", "manifest"]);
}

#[test]
fn shards_replace_others_but_no_other_files() {
    let graph = named("grid");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.shards");
    write(&graph, 5, &path);
    write(&graph, 2, &path);
    assert_eq!(files(&path).keys().collect::<Vec<_>>(), ["0000.shard", "0001.shard", "manifest"]);
    fs::write(path.join("notes.txt"), "mine").expect("the folder is writable");
    let deal = Deal::new(&graph, number(2)).expect("there is memory");
    let error = Shards::write(&graph, &deal, &path).expect_err("another file is there");
    assert!(matches!(&error, ShardError::NotEmpty { found, .. } if found == "notes.txt"), "{error}");
    Shards::open(&path).expect("the shards are still there");
    let error = Shards::write(&graph, &deal, path.join("notes.txt")).expect_err("a file is not a folder");
    assert!(error.to_string().contains("notes.txt: "), "{error}");
    let error =
        Shards::write(&graph, &deal, folder.path().join("a/b")).expect_err("the folder a does not exist");
    assert!(error.to_string().contains("a/b"), "{error}");
}

#[test]
fn other_folders_are_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(Shards::open(folder.path()), Err(ShardError::NoManifest { .. })));
    let error = Shards::open(folder.path().join("nothing")).expect_err("nothing is there");
    assert!(error.to_string().starts_with("cannot read the folder"), "{error}");
    fs::write(folder.path().join("manifest"), "not a manifest").expect("the folder is writable");
    let error = Shards::open(folder.path()).expect_err("it is a text");
    assert!(matches!(error, ShardError::Store(StoreError::Foreign { .. })), "{error}");
}

#[test]
fn shards_that_are_missing_or_of_another_build_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mine, other) = (folder.path().join("mine"), folder.path().join("other"));
    let graph = named("R-MAT");
    let shards = write(&graph, 3, &mine);
    let another = named("directed R-MAT");
    write(&another, 3, &other);
    let refused = |found: &str| {
        let error = shards.open_shard(1).expect_err("the shard is not the right one");
        assert!(error.to_string().contains("0001.shard") && error.to_string().contains(found), "{error}");
        error
    };
    fs::copy(other.join("0001.shard"), mine.join("0001.shard")).expect("the folder is writable");
    let error = refused("a table with checksum");
    assert!(matches!(error, ShardError::OtherBuild { shard: 1, .. }));
    fs::copy(mine.join("0002.shard"), mine.join("0001.shard")).expect("the folder is writable");
    refused("shard 2 of 3, expected shard 1 of 3");
    write(&graph, 4, &other);
    fs::copy(other.join("0001.shard"), mine.join("0001.shard")).expect("the folder is writable");
    refused("shard 1 of 4, expected shard 1 of 3");
    fs::remove_file(mine.join("0001.shard")).expect("the folder is writable");
    let error = refused("shard 1 of 3 is missing");
    assert!(matches!(error, ShardError::Missing { shard: 1, shards: 3, .. }));
    assert_eq!(shards.verify(&Progress::NONE).expect_err("one is missing").to_string(), error.to_string());
    shards.open_shard(0).expect("the others are whole");
}

#[test]
fn damaged_bytes_are_detected() {
    let graph = named("in-hub");
    let folder = tempfile::tempdir().expect("a folder");
    write(&graph, 2, folder.path());
    for name in ["manifest", "0000.shard", "0001.shard"] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).expect("the file is there");
        let step = whole.len() / 97;
        for at in (0..whole.len()).step_by(step.max(1)).chain([8, whole.len() - 1]) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).expect("the file is writable");
            let read = Shards::open(folder.path()).and_then(|shards| shards.verify(&Progress::NONE));
            let error = read.expect_err("a byte is damaged").to_string();
            assert!(error.contains(name), "byte {at}: {error}");
            // Advice for other files says to build them again from their input, which a shard need not have.
            assert!(!error.contains("input"), "byte {at}: {error}");
        }
        for length in [0, 8, 4095, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..length]).expect("the file is writable");
            let read = Shards::open(folder.path()).and_then(|shards| shards.verify(&Progress::NONE));
            let error = read.expect_err("the file is cut short").to_string();
            assert!(error.contains(name) && !error.contains("input"), "{length} bytes: {error}");
        }
        fs::write(&path, &whole).expect("the file is writable");
    }
    Shards::open(folder.path())
        .and_then(|shards| shards.verify(&Progress::NONE))
        .expect("all is whole again");
}

#[test]
fn graphs_with_many_columns_have_shards() {
    let numbers = [1.5f64, 2.5, -1.0];
    let edges = EdgeList::from_edges([(17, 5), (5, 6), (6, 17)]).expect("a valid list");
    let with = |edges: EdgeList, column: usize| {
        edges.with_column(&format!("column_{column}"), &numbers).expect("a valid column")
    };
    let graph = layered((0..64).fold(edges, with));
    let folder = tempfile::tempdir().expect("a folder");
    let shards = write(&graph, 1, folder.path());
    let shard = shards.open_shard(0).expect("the shard is whole");
    assert_eq!((shards.columns().len(), shard.column(Direction::In, 63).len()), (64, 3));
}

#[test]
fn files_of_users_are_not_replaced() {
    let graph = named("grid");
    let deal = Deal::new(&graph, number(2)).expect("there is memory");
    for (name, text) in
        [("manifest", "of a ship"), ("0001.shard", "of glass"), ("1.shard", ""), ("00001.shard", "")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder is writable");
        let error = Shards::write(&graph, &deal, folder.path()).expect_err("the file is not ours");
        assert!(matches!(&error, ShardError::NotEmpty { found, .. } if found == name), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("it is still there"), text);
        assert!(!Shards::are_in(folder.path()), "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("0000.shard")).expect("the folder is writable");
    assert!(Shards::write(&graph, &deal, folder.path()).is_err(), "a folder is not a shard");
}

/// Returns the position of a section in a file, by its kind.
fn section(bytes: &[u8], kind: u32) -> usize {
    section_range(bytes, kind).start
}

/// Returns the positions of a section's bytes, without padding.
fn section_range(bytes: &[u8], kind: u32) -> Range<usize> {
    let entry = |at: usize| &bytes[128 + 32 * at..160 + 32 * at];
    let found = (0..200).map(entry).find(|entry| entry[..4] == kind.to_le_bytes()).expect("a section");
    let number = |at: usize| u64::from_le_bytes(found[at..at + 8].try_into().expect("8 bytes")) as usize;
    number(8)..number(8) + number(16)
}

fn put<const N: usize>(bytes: &mut [u8], at: usize, number: [u8; N]) {
    bytes[at..at + N].copy_from_slice(&number);
}

/// Checks what is said of shards with valid checksums in which one number is wrong.
#[test]
fn forged_shards_are_rejected() {
    let (graph, folder) = (named("in-hub"), tempfile::tempdir().expect("a folder"));
    write(&graph, 2, folder.path());
    let shards = Shards::open(folder.path()).expect("it is whole");
    let hub = shards.owners()[graph.vertex_of(0).expect("the hub") as usize / Deal::BLOCK];
    let [owner, other] = [hub, 1 - hub].map(|shard| format!("{shard:04}.shard"));
    type Edit = fn(&mut [u8]);
    let cases: [(&str, Edit, &str); 9] = [
        (&owner, |bytes| put(bytes, section(bytes, 1), [255; 4]), "rank 4294967295, expected one below"),
        (&owner, |bytes| put(bytes, section(bytes, 3) + 8, [255; 8]), "expected no smaller offset"),
        (&owner, |bytes| put(bytes, section(bytes, 3), [1; 8]), "expected 0 to"),
        (&owner, |bytes| put(bytes, section(bytes, 4), [255; 4]), "whose ends do not ascend"),
        (
            &other,
            |bytes| put(bytes, section(bytes, 9) + 16, 7u64.to_le_bytes()),
            "pieces of rows of other shards",
        ),
        (&owner, |bytes| put(bytes, section(bytes, 10) + 16, [255; 8]), "pieces of rows of this shard"),
        (&owner, |bytes| put(bytes, section(bytes, 10), [255; 4]), "pieces of rows of this shard"),
        (
            &owner,
            |bytes| bytes.copy_within(section(bytes, 1) + 4..section(bytes, 1) + 8, section(bytes, 1)),
            "of a second vertex",
        ),
        (&owner, |bytes| put(bytes, section(bytes, 1024), [0, 0, 0, 0, 0, 0, 248, 127]), "NaN"),
    ];
    for (name, edit, said) in cases {
        let error = forged(folder.path(), name, edit);
        assert!(error.contains(said) && error.contains(name), "{said}: {error}");
    }
    // This shard is valid by itself, but its last lent piece has an edge less than the guest of the other one.
    let error = forged(folder.path(), &owner, |bytes| {
        let Range { end, .. } = section_range(bytes, 10);
        let length = u64::from_le_bytes(bytes[end - 8..end].try_into().expect("8 bytes"));
        put(bytes, end - 8, (length - 1).to_le_bytes());
    });
    assert!(error.contains(&other), "{error}");
    assert!(error.contains("a guest of ") && error.contains("expected a lent piece of "), "{error}");
}

/// Edits a shard and lists its new checksum in the manifest, and returns the error of verifying all shards. Afterwards, the files
/// are as before.
fn forged(folder: &Path, name: &str, edit: impl Fn(&mut [u8])) -> String {
    let (path, manifest) = (folder.join(name), folder.join("manifest"));
    let (whole, whole_manifest) =
        (fs::read(&path).expect("a shard"), fs::read(&manifest).expect("a manifest"));
    let mut forged = whole.clone();
    edit(&mut forged);
    seal::seal(&mut forged);
    let mut listed = whole_manifest.clone();
    let shard: usize = name[..4].parse().expect("a number");
    let entry = section(&listed, 5) + 40 * shard;
    put::<8>(&mut listed, entry + 32, forged[72..80].try_into().expect("8 bytes"));
    seal::seal(&mut listed);
    fs::write(&path, forged).expect("the file is writable");
    fs::write(&manifest, listed).expect("the file is writable");
    let read = Shards::open(folder).and_then(|shards| shards.verify(&Progress::NONE));
    fs::write(&path, whole).expect("the file is writable");
    fs::write(&manifest, whole_manifest).expect("the file is writable");
    read.expect_err("a number is wrong").to_string()
}

/// Checks what is said of manifests with valid checksums in which one number is wrong.
#[test]
fn forged_manifests_are_rejected() {
    let (graph, folder) = (named("in-hub"), tempfile::tempdir().expect("a folder"));
    write(&graph, 2, folder.path());
    let path = folder.path().join("manifest");
    let whole = fs::read(&path).expect("it is there");
    type Edit = fn(&mut [u8]);
    let cases: [(Edit, &str); 13] = [
        (|bytes| put(bytes, 56, [0; 4]), "0 shards, expected 1 to 65535"),
        (|bytes| put(bytes, 40, [255; 8]), "a first id of 18446744073709551615"),
        (|bytes| put(bytes, 48, [255; 4]), "4294967295 layers of the root"),
        (|bytes| put(bytes, 52, [4, 0, 0, 0]), "flags 0x4, expected"),
        (|bytes| put(bytes, 52, [0; 4]), "flags 0x0, expected"),
        (|bytes| put(bytes, 52, [8, 0, 0, 128]), "flags 0x80000008, expected"),
        (|bytes| put(bytes, section(bytes, 2) + 4, [0; 4]), "expected a larger number"),
        (|bytes| put(bytes, section(bytes, 2), [0, 0, 0, 9]), "expected a larger number"),
        (|bytes| put(bytes, section(bytes, 3), [9, 0]), "in shard 9, expected one of 2 shards"),
        (|bytes| put(bytes, section(bytes, 4), *b"x64"), "a type and a valid name"),
        (|bytes| put(bytes, section(bytes, 5), [1; 8]), "as in its blocks"),
        (|bytes| put(bytes, section(bytes, 5) + 8, [1; 8]), "edges in all shards"),
        (|bytes| put(bytes, section(bytes, 5) + 24, [1; 8]), "a file of"),
    ];
    for (edit, said) in cases {
        let mut forged = whole.clone();
        edit(&mut forged);
        seal::seal(&mut forged);
        fs::write(&path, forged).expect("the file is writable");
        let read = Shards::open(folder.path()).and_then(|shards| shards.verify(&Progress::NONE));
        let error = read.expect_err(said).to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn shards_are_converted_back() {
    for (name, graph) in graphs().into_iter().chain(weighted()) {
        for count in [1, 3] {
            let folder = tempfile::tempdir().expect("a folder");
            let shards = write(&graph, count, folder.path());
            let list = shards.to_edge_list().expect("all shards are there");
            let options = LayerOptions::new().root(graph.root());
            let again = LayeredGraph::from_edge_list(list, &options).expect("the edges form a graph");
            assert!(again.to_edge_list() == graph.to_edge_list(), "{name}");
            assert!(again.by_rank() == graph.by_rank(), "{name}");
            let several = graph.column_names().len() > 1;
            for most in [0, 300, 1 << 20, 1 << 32, u64::MAX].into_iter().filter(|_| !several) {
                let bound = shards.length_bound(WeightChoice::Input, 7, most).expect("all shards are there");
                assert_eq!(bound, graph.length_bound(7, most), "{name} within {most}");
            }
            let negative = shards.negative_weight().expect("all shards are there");
            assert_eq!(negative.is_some(), graph.first_negative_weight().is_some(), "{name}");
        }
    }
}
