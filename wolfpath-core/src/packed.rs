//! Packed rows: the ends of every row as differences of few bits, for graphs that are larger than a device.
//!
//! The ends of a row ascend, so most differences between them are small. `docs/file-format.md` specifies the layout bit
//! by bit. In short:
//!
//! - A *block* is 32 consecutive ends of a row, or the rest of the row: the first end in full, then the differences, all
//!   in as many bits as the largest of them needs.
//! - A *segment* is up to 8 blocks (256 ends): the width of each block in one byte, then the blocks. All positions in it
//!   follow from the widths, so a warp finds and unpacks any block without reading those before it.
//! - A *band* is 64 consecutive rows. Positions of rows are stored in 16 bits, relative to their band. A row of more than
//!   256 ends is *long*: its place in the band leads to an index of its segments, behind the band's other rows.
//!
//! The layout of given rows is unique. [`check`] therefore packs the rows again and compares, so that packed rows from a
//! file are never interpreted before they are known to be right.

pub(crate) mod check;
mod layout;
mod pack;
mod rows;
mod target;
mod write;

pub(crate) use layout::BAND;
pub use pack::Packed;
pub(crate) use pack::{bands_of, measure};
pub use rows::{PackedEnds, PackedRows};

#[cfg(test)]
mod tests;
