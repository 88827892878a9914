//! Tests of loading through the public API: every format, every kind of invalid file, and arbitrary bytes.

#[path = "load/bad_input.rs"]
mod bad_input;
#[path = "load/conventions.rs"]
mod conventions;
#[path = "load/formats.rs"]
mod formats;
#[path = "load/headers.rs"]
mod headers;
#[path = "load/mutated.rs"]
mod mutated;
#[path = "load/packed.rs"]
mod packed;

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::resources::Resources;
use wolfpath_io::load::{LoadError, LoadOptions, LoadReport, read, read_reported};

/// Reads text as if it were in a file with this name.
fn load_text(name: &str, text: impl AsRef<[u8]>) -> Result<EdgeList, LoadError> {
    read(text.as_ref(), name, &LoadOptions::default())
}

/// Returns the report of reading this text in a file with this name.
fn report_of(name: &str, text: impl AsRef<[u8]>) -> LoadReport {
    let loaded = read_reported(text.as_ref(), name, &LoadOptions::default(), &Resources::default());
    loaded.unwrap().report
}

/// Returns the edges as pairs of ids, in order.
fn edges(list: &EdgeList) -> Vec<(u64, u64)> {
    list.edges().map(|(source, target, _)| (list.ids().id(source), list.ids().id(target))).collect()
}
