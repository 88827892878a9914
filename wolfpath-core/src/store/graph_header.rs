//! The parts that `.wolf` files and manifests of shards have in common: fields of the header, layers, lines that name columns,
//! and notes.

use bytemuck::{Pod, Zeroable};

use super::container::{Column, Container, Section, TypeFields};
use super::contents::{Contents, SymmetryFlags};
use super::error::StoreError;
use crate::program::DatumKind;
use crate::weights::check_names;

/// The fields of the header of a file that describes a graph, from byte 16 on.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed(4))]
#[doc(hidden)]
pub struct GraphHeader {
    pub vertices: u32,
    pub layers: u32,
    pub edges: u64,
    /// The root's id; 0 in a graph without vertices.
    pub root: u64,
    /// The id of rank 0 if ids are consecutive and are not stored; otherwise 0.
    pub first_id: u64,
    pub root_layers: u32,
    /// [`SYMMETRIC`] and the others, and further ones of each type of file.
    pub flags: u32,
    /// A number that has another meaning in each type of file.
    pub own: u32,
}

const _: () = assert!(size_of::<GraphHeader>() == size_of::<TypeFields>());

/// [`GraphHeader::flags`]: edges are symmetric, regardless of their columns.
#[doc(hidden)]
pub const SYMMETRIC: u32 = 1;
/// [`GraphHeader::flags`]: edges are symmetric, including their columns.
#[doc(hidden)]
pub const SYMMETRIC_COLUMNS: u32 = 2;
/// [`GraphHeader::flags`]: parallel edges are in the same order in both directions, so that the columns of out-rows serve
/// in-rows.
#[doc(hidden)]
pub const SYMMETRIC_ORDER: u32 = 4;

impl GraphHeader {
    /// Positions of the fields in the file.
    const ROOT_AT: u64 = 32;
    const FIRST_ID_AT: u64 = 40;
    /// Position of [`flags`](Self::flags) in the file.
    pub const FLAGS_AT: u64 = 52;
    /// Position of [`own`](Self::own) in the file.
    pub const OWN_AT: u64 = 56;

    /// Returns the header of a graph.
    pub(crate) fn of(contents: &Contents, own: u32) -> GraphHeader {
        let SymmetryFlags { edges, weights, order } = contents.symmetry;
        let flag = |set, bit| if set { bit } else { 0 };
        GraphHeader {
            vertices: contents.vertices,
            layers: contents.layers.values().len() as u32 - 1,
            edges: contents.edges,
            root: contents.root.unwrap_or(0),
            first_id: contents.first_id,
            root_layers: contents.root_layers,
            flags: flag(edges, SYMMETRIC) | flag(weights, SYMMETRIC_COLUMNS) | flag(order, SYMMETRIC_ORDER),
            own,
        }
    }

    /// Returns `true` if a flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Checks that, if ids are consecutive, they are all below 2^64, that a graph without vertices has no root, and that each
    /// symmetry implies the previous one. `has_ids` is `true` if ids are stored.
    pub fn check(&self, file: &Container, has_ids: bool) -> Result<(), StoreError> {
        let GraphHeader { vertices, root, first_id, flags, .. } = *self;
        let last = first_id.checked_add(u64::from(vertices).saturating_sub(1));
        if last.is_none() || (has_ids && first_id != 0) {
            let expected = "0 if ids are stored, else a first id for which all ids fit in 64 bits";
            return Err(file.broken(Self::FIRST_ID_AT, format!("a first id of {first_id}"), expected));
        }
        if vertices == 0 && root != 0 {
            let found = format!("the root {root} in a graph without vertices");
            return Err(file.broken(Self::ROOT_AT, found, "0"));
        }
        let has = |flag| self.has(flag);
        if has(SYMMETRIC_COLUMNS) && !has(SYMMETRIC) || has(SYMMETRIC_ORDER) && !has(SYMMETRIC_COLUMNS) {
            let expected = "flag 1 if 2 is set, and 2 if 4 is set";
            return Err(file.broken(Self::FLAGS_AT, format!("flags {flags:#x}"), expected));
        }
        Ok(())
    }

    /// Returns the symmetry of the graph.
    pub(super) fn symmetry(&self) -> SymmetryFlags {
        SymmetryFlags {
            edges: self.has(SYMMETRIC),
            weights: self.has(SYMMETRIC_COLUMNS),
            order: self.has(SYMMETRIC_ORDER),
        }
    }
}

/// Verifies layers: they ascend from 0 to the number of vertices, and the number of layers of the root's tree is in range.
#[doc(hidden)]
pub fn check_layers(column: &Column<u32>, vertices: u32, root_layers: u32) -> Result<(), StoreError> {
    column.verify()?;
    let layers = column.values();
    let last = layers.len() - 1;
    let unsorted = (1..layers.len()).find(|&index| layers[index - 1] >= layers[index]);
    if let Some(index) = unsorted {
        let found = format!("{} after {}", layers[index], layers[index - 1]);
        return Err(column.broken(index, found, "a larger number"));
    }
    if layers[0] != 0 || layers[last] != vertices {
        let found = format!("layers from {} to {}", layers[0], layers[last]);
        return Err(column.broken(0, found, format!("0 to {vertices}")));
    }
    if root_layers as usize > last || (root_layers == 0) != (vertices == 0) {
        let found = format!("{root_layers} layers of the root");
        return Err(column.broken(0, found, format!("1 to {last}")));
    }
    Ok(())
}

/// The types of columns, in the order of their numbers.
pub(super) const COLUMN_KINDS: [DatumKind; 8] = [
    DatumKind::U32,
    DatumKind::I32,
    DatumKind::U64,
    DatumKind::I64,
    DatumKind::F32,
    DatumKind::F64,
    DatumKind::U8,
    DatumKind::U16,
];

/// Returns a line `TYPE NAME` for each column.
#[doc(hidden)]
pub fn column_lines<'a>(columns: impl IntoIterator<Item = (DatumKind, &'a str)>) -> String {
    columns.into_iter().map(|(kind, name)| format!("{} {name}\n", kind.name())).collect()
}

/// Reads a section of such lines.
#[doc(hidden)]
pub fn read_column_lines(section: &Section) -> Result<Vec<(DatumKind, String)>, StoreError> {
    let column = |line: &str| {
        let (kind, name) = line.split_once(' ')?;
        let kind = COLUMN_KINDS.into_iter().find(|known| known.name() == kind)?;
        Some((kind, name.to_owned()))
    };
    let wrong =
        |line: &str| section.broken(format!("the line {line:?}"), "a type and a valid name of each column");
    let text = section.text()?;
    let columns: Result<Vec<_>, StoreError> =
        text.lines().map(|line| column(line).ok_or_else(|| wrong(line))).collect();
    let columns = columns?;
    let names: Vec<&str> = columns.iter().map(|(_, name)| name.as_str()).collect();
    check_names(&names).map_err(|error| section.broken(error.to_string(), "distinct, valid names"))?;
    Ok(columns)
}

/// Prefix of the lines of a key that contain notes.
const NOTE: &str = "note ";

/// Returns the text of a key: whole lines, and notes to the user.
#[doc(hidden)]
pub fn key_with_notes(key: &str, notes: &[String]) -> String {
    let notes = notes.iter().map(|note| format!("{NOTE}{}\n", note.replace('\n', " ")));
    [key.to_owned()].into_iter().chain(notes).collect()
}

/// Splits the text of a key into its other lines and the notes.
#[doc(hidden)]
pub fn split_key(text: &str) -> (String, Vec<String>) {
    let (notes, key): (Vec<&str>, Vec<&str>) =
        text.split_inclusive('\n').partition(|line| line.starts_with(NOTE));
    let note = |line: &str| line[NOTE.len()..].trim_end().to_owned();
    (key.concat(), notes.into_iter().map(note).collect())
}
