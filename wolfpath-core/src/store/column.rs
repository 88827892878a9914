//! A column of numbers, in memory or in a mapped file.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

use super::error::StoreError;
use super::format::{padded, section_name};
use crate::program::DatumKind;
use crate::space::Array;
use crate::weights::{WeightBits, WeightSlice};

/// A mapped file and its name.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) path: PathBuf,
    pub(super) bytes: Mmap,
}

/// One section of a mapped file. Opening checked that it lies inside the file, on a page border, and holds whole
/// elements.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(super) mapping: Arc<Mapping>,
    /// Its number in the file: a [`SectionKind`](super::format::SectionKind), a column's, or one that this program
    /// does not know.
    pub(super) kind: u32,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) checksum: u64,
}

impl Section {
    /// The section's bytes, not yet verified.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.mapping.bytes[self.offset as usize..(self.offset + self.length) as usize]
    }

    /// Where the next section begins.
    pub(super) fn end(&self) -> u64 {
        self.offset + padded(self.length)
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> String {
        section_name(self.kind)
    }

    /// Compares the checksum.
    pub(crate) fn verify(&self) -> Result<(), StoreError> {
        self.pass(1, |_| true).map(drop)
    }
}

/// Numbers in memory, or a section of a mapped file.
#[derive(Debug)]
pub(crate) enum Column<T> {
    /// Made by this process.
    Owned(Array<T>),
    /// In a file.
    Mapped(MappedColumn<T>),
}

/// A section seen as numbers.
#[derive(Debug)]
pub(crate) struct MappedColumn<T> {
    pub(super) section: Section,
    numbers: PhantomData<T>,
}

impl<T> MappedColumn<T> {
    /// How long the whole file is.
    pub(super) fn file_length(&self) -> u64 {
        self.section.mapping.bytes.len() as u64
    }
}

impl<T: Pod> Column<T> {
    pub(super) fn mapped(section: Section) -> Column<T> {
        Column::Mapped(MappedColumn { section, numbers: PhantomData })
    }

    /// The numbers; of a mapped column they may be anything until it was verified.
    pub(crate) fn values(&self) -> &[T] {
        match self {
            Column::Owned(values) => values,
            Column::Mapped(mapped) => bytemuck::cast_slice(mapped.section.bytes()),
        }
    }

    /// Compares the checksum of a mapped column.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        match self {
            Column::Owned(_) => Ok(()),
            Column::Mapped(mapped) => mapped.section.verify(),
        }
    }

    /// The error for what stands at `index`.
    pub(crate) fn broken(
        &self,
        index: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> StoreError {
        let (path, offset) = match self {
            Column::Owned(_) => (Path::new("(in memory)"), 0),
            Column::Mapped(mapped) => (mapped.section.mapping.path.as_path(), mapped.section.offset),
        };
        StoreError::broken(path, offset + (index * size_of::<T>()) as u64, found, expected)
    }
}

/// A column of weights in any of the types that graphs store.
#[derive(Debug)]
pub(crate) enum WeightColumn {
    /// Made by this process: their type, and their bits.
    Owned(DatumKind, WeightBits),
    /// In a file.
    Mapped(MappedWeights),
}

/// A section seen as weights.
#[derive(Debug)]
pub(crate) struct MappedWeights {
    pub(super) section: Section,
    kind: DatumKind,
}

impl WeightColumn {
    /// A section as weights of one of the six numbers. Opening checked that it holds whole elements.
    pub(super) fn mapped(section: Section, kind: DatumKind) -> WeightColumn {
        WeightColumn::Mapped(MappedWeights { section, kind })
    }

    /// The weights; of a mapped column they may be anything until it was verified.
    pub(crate) fn slice(&self) -> WeightSlice<'_> {
        match self {
            WeightColumn::Owned(kind, bits) => bits.slice(*kind),
            WeightColumn::Mapped(mapped) => {
                WeightSlice::from_bytes(mapped.kind, mapped.section.bytes()).unwrap_or(WeightSlice::U32(&[]))
            }
        }
    }

    /// How many bytes they have.
    pub(crate) fn bytes(&self) -> u64 {
        self.slice().bytes().len() as u64
    }

    /// Compares the checksum of a mapped column, and looks for weights that are no numbers.
    pub(crate) fn verify(&self) -> Result<(), StoreError> {
        let WeightColumn::Mapped(MappedWeights { section, kind }) = self else {
            return Ok(());
        };
        let no_nan = match self.slice() {
            WeightSlice::F32(weights) => section.pass(4, |places| no_nan(&weights[places]))?,
            WeightSlice::F64(weights) => section.pass(8, |places| no_nan(&weights[places]))?,
            _ => section.pass(kind.size(), |_| true)?,
        };
        if no_nan {
            return Ok(());
        }
        let edge = match self.slice() {
            WeightSlice::F32(weights) => weights.iter().position(|weight| weight.is_nan()),
            WeightSlice::F64(weights) => weights.iter().position(|weight| weight.is_nan()),
            _ => None,
        };
        let byte = section.offset + (edge.unwrap_or(0) * kind.size()) as u64;
        Err(StoreError::broken(&section.mapping.path, byte, "a weight that is not a number", "a number"))
    }
}

/// Whether all are numbers; without a branch an element.
// Only what is not a number differs from itself.
#[allow(clippy::eq_op)]
fn no_nan<T: PartialEq>(weights: &[T]) -> bool {
    weights.iter().fold(true, |right, weight| right & (weight == weight))
}
