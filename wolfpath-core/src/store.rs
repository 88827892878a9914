//! The `.wolf` file: a layered graph as engines read it, mapped into memory.
//!
//! `docs/file-format.md` describes the bytes. Opening maps the file and verifies every section, checksum and structure, in
//! one pass on all threads; a damaged file is refused then, so nothing that reads a graph can fail for it later.

mod column;
mod content;
mod contents;
mod error;
mod format;
mod key;
#[cfg(all(test, unix))]
pub(crate) mod many_edges_tests;
mod open;
mod pass;
mod table;
mod table_columns;
mod verify;
mod write;

pub(crate) use column::{Column, Section, WeightColumn};
pub(crate) use content::content_hash;
pub(crate) use contents::{Contents, InRows, SymmetryFlags};
pub use error::StoreError;
pub(crate) use format::hash;
pub(crate) use key::{Key, Relation, State, escaped, key_of};
pub use open::is_wolf;
pub(crate) use open::{Stored, Unverified, map, map_file, open};
pub(crate) use write::{write, write_private};
