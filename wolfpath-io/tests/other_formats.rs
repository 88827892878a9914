//! Tests of METIS, GAP's serialized graphs, binary edge lists and Parquet: valid files, and every kind of invalid file.

#[path = "other_formats/binary.rs"]
mod binary;
#[path = "other_formats/metis.rs"]
mod metis;
#[path = "other_formats/mutated.rs"]
mod mutated;
#[cfg(feature = "parquet")]
#[path = "other_formats/parquet.rs"]
mod parquet;
#[path = "other_formats/serialized.rs"]
mod serialized;

use wolfpath_core::edge_list::{EdgeList, Symmetry};
use wolfpath_io::load::{LoadOptions, read};

/// Reads bytes as if they were in a file with this name.
#[track_caller]
fn good(name: &str, bytes: impl AsRef<[u8]>) -> EdgeList {
    read(bytes.as_ref(), name, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that reading the bytes fails with an error that contains all of `parts`.
#[track_caller]
fn bad(name: &str, bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let error = read(bytes.as_ref(), name, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with(name), "{error}");
    for part in parts {
        assert!(error.contains(part), "{part:?}: {error}");
    }
}

/// Returns the edges as (source id, target id, weight), sorted. If the list stores both directions of each edge, only
/// the direction from the smaller id is returned.
fn edges(list: &EdgeList) -> Vec<(u64, u64, f64)> {
    let implied = list.symmetry() == Symmetry::Doubled;
    let mut edges = Vec::new();
    for (line, (&source, &target)) in list.sources().iter().zip(list.targets()).enumerate() {
        if list.is_symmetric() && !implied && source > target {
            continue;
        }
        let (source, target) = (list.ids().id(source), list.ids().id(target));
        edges.push((source, target, list.weights().map_or(1.0, |weights| weights.get(line))));
    }
    edges.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    edges
}
