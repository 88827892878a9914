//! The `.wolf` file: a layered graph in the layout that engines read, memory-mapped.
//!
//! `docs/file-format.md` describes the format. Opening a file maps it and verifies the checksum and structure of every
//! section, in one pass on all threads. A damaged file is rejected, so later reads cannot fail.

mod column;
#[doc(hidden)]
pub mod container;
mod content;
mod contents;
mod error;
mod format;
#[doc(hidden)]
pub mod graph_header;
mod key;
#[cfg(all(test, unix))]
pub(crate) mod many_edges_tests;
mod open;
mod packed;
mod pass;
mod paths;
mod stored_bytes;
mod table;
mod table_columns;
mod verify;
mod write;

pub(crate) use column::{Column, WeightColumn};
pub(crate) use container::{Section, hash};
pub(crate) use content::content_hash;
pub(crate) use contents::{Contents, InRows, SymmetryFlags};
pub use error::StoreError;
pub(crate) use key::{Key, Relation, State, escaped, key_of};
pub use open::is_wolf;
pub(crate) use open::{Stored, Unverified, map, map_file, open};
pub(crate) use packed::{PackedColumns, may_save_a_quarter, saves_a_quarter};
pub(crate) use paths::PathColumns;
pub use stored_bytes::StoredBytes;
pub(crate) use write::{write, write_private};
