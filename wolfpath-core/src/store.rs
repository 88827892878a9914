//! The `.wolf` file: a layered graph as engines read it, mapped into memory.
//!
//! `docs/file-format.md` describes the bytes. Opening maps the file and verifies every section, checksum and structure, in
//! one pass on all threads; a damaged file is refused then, so nothing that reads a graph can fail for it later.

mod cache;
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

pub(crate) use cache::{Cache, Found, Kept, NotKept, folder_or_user, key_of};
pub(crate) use column::{Column, Section, WeightColumn};
pub(crate) use contents::{Contents, InRows, SymmetryFlags};
pub use error::StoreError;
pub use open::is_wolf;
pub(crate) use open::{Stored, map, open};
pub(crate) use write::write;
