//! Loading, seen from outside: every format, every way in which a file can be wrong, and bytes that are no file at
//! all.

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

/// Reads text as if it stood in a file of this name.
fn load_text(name: &str, text: impl AsRef<[u8]>) -> Result<EdgeList, LoadError> {
    read(text.as_ref(), name, &LoadOptions::default())
}

/// The properties of a file of this name with this text.
fn report_of(name: &str, text: impl AsRef<[u8]>) -> LoadReport {
    let loaded = read_reported(text.as_ref(), name, &LoadOptions::default(), &Resources::default());
    loaded.unwrap().report
}

/// The edges by id, in order.
fn edges(list: &EdgeList) -> Vec<(u64, u64)> {
    list.edges().map(|(source, target, _)| (list.ids().id(source), list.ids().id(target))).collect()
}
