//! Files of checksummed sections: one or more pages with a header and a table, page-aligned sections, and a key at the end.
//! `.wolf` files and the shards of a graph are such files. `docs/file-format.md` describes their bytes.

mod format;
mod open;
mod section;
mod write;

pub use super::column::{Column, WeightColumn};
pub(crate) use format::hash;
pub use format::{FileType, OPTIONAL, REQUIRED, TypeFields};
#[cfg(all(test, unix))]
pub(super) use format::{Header, header_checksum};
pub(super) use format::{PAGE, PIECE, TABLE_AT, checksum_of, padded, piece_checksum};
pub use open::Container;
pub(super) use section::Mapping;
pub use section::Section;
#[cfg(all(test, unix))]
pub(super) use section::Stamp;
pub use write::{NewSection, Written, write, write_durably, write_one_of_many};
#[cfg(all(test, unix))]
pub(super) use write::{head_bytes, key_bytes, placed};
