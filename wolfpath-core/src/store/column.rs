//! A column of numbers, in memory or in a memory-mapped file.

use std::marker::PhantomData;
use std::path::Path;

use bytemuck::Pod;

use super::container::Section;
use super::error::StoreError;
use crate::program::DatumKind;
use crate::space::Array;
use crate::weights::{WeightBits, WeightSlice};

/// Numbers in memory, or a section of a mapped file.
#[derive(Debug)]
#[doc(hidden)]
pub enum Column<T> {
    /// Numbers that this process computed.
    Owned(Array<T>),
    /// Numbers in a file.
    Mapped(MappedColumn<T>),
}

/// A section viewed as numbers.
#[derive(Debug)]
#[doc(hidden)]
pub struct MappedColumn<T> {
    pub(super) section: Section,
    numbers: PhantomData<T>,
}

impl<T> MappedColumn<T> {
    /// Returns the length of the whole file.
    pub(super) fn file_length(&self) -> u64 {
        self.section.mapping.bytes.len() as u64
    }
}

impl<T: Pod> Column<T> {
    pub(super) fn mapped(section: Section) -> Column<T> {
        Column::Mapped(MappedColumn { section, numbers: PhantomData })
    }

    /// Returns the numbers. They may have any value until the file is verified.
    #[inline]
    pub fn values(&self) -> &[T] {
        match self {
            Column::Owned(values) => values,
            Column::Mapped(mapped) => bytemuck::cast_slice(mapped.section.bytes()),
        }
    }

    /// Verifies the checksum of a mapped column.
    pub fn verify(&self) -> Result<(), StoreError> {
        match self {
            Column::Owned(_) => Ok(()),
            Column::Mapped(mapped) => mapped.section.verify(),
        }
    }

    /// Returns an error if the file of a mapped column has changed since it was mapped.
    pub(crate) fn check_unchanged(&self) -> Result<(), StoreError> {
        match self {
            Column::Owned(_) => Ok(()),
            Column::Mapped(mapped) => mapped.section.mapping.check_unchanged(),
        }
    }

    /// Returns the error for numbers that changed between two reads: the first read found a fault, but the second did
    /// not.
    pub(super) fn changed(&self) -> StoreError {
        match self {
            Column::Owned(_) => self.broken(0, "numbers that change while they are read", "constant numbers"),
            Column::Mapped(mapped) => mapped.section.changed(),
        }
    }

    /// Returns the error for a fault in the number at `index`.
    pub fn broken(&self, index: usize, found: impl Into<String>, expected: impl Into<String>) -> StoreError {
        let (path, offset) = match self {
            Column::Owned(_) => (Path::new("(in memory)"), 0),
            Column::Mapped(mapped) => (mapped.section.mapping.path.as_path(), mapped.section.offset),
        };
        StoreError::broken(path, offset + (index * size_of::<T>()) as u64, found, expected)
    }
}

/// A column of weights in any of the types that graphs store.
#[derive(Debug)]
#[doc(hidden)]
pub enum WeightColumn {
    /// Weights in memory: their type and their bits.
    Owned(DatumKind, WeightBits),
    /// Weights in a file.
    Mapped(MappedWeights),
}

/// A section viewed as weights.
#[derive(Debug)]
#[doc(hidden)]
pub struct MappedWeights {
    pub(super) section: Section,
    kind: DatumKind,
}

impl WeightColumn {
    /// Views a section as weights of one of the six number types. The section was checked to consist of whole elements.
    pub(super) fn mapped(section: Section, kind: DatumKind) -> WeightColumn {
        WeightColumn::Mapped(MappedWeights { section, kind })
    }

    /// Returns the weights. They may have any value until the file is verified.
    pub fn slice(&self) -> WeightSlice<'_> {
        match self {
            WeightColumn::Owned(kind, bits) => bits.slice(*kind),
            WeightColumn::Mapped(MappedWeights { section, kind }) => {
                WeightSlice::from_bytes(*kind, section.bytes())
                    .expect("a section of weights starts at a page and consists of whole numbers of its type")
            }
        }
    }

    /// Returns the size of the weights in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slice().bytes().len() as u64
    }

    /// Verifies the checksum of a mapped column, and that it contains no NaN.
    pub fn verify(&self) -> Result<(), StoreError> {
        let WeightColumn::Mapped(MappedWeights { section, kind }) = self else {
            return Ok(());
        };
        match self.slice() {
            WeightSlice::F32(weights) => refuse_nan(section, weights, |weight| weight.is_nan()),
            WeightSlice::F64(weights) => refuse_nan(section, weights, |weight| weight.is_nan()),
            _ => section.pass(kind.size(), |_| true).map(drop),
        }
    }
}

/// Verifies the checksum of a section of floats, and returns an error for the first NaN in it.
fn refuse_nan<T: PartialEq + Sync>(
    section: &Section,
    weights: &[T],
    is_nan: impl Fn(&T) -> bool,
) -> Result<(), StoreError> {
    if section.pass(size_of::<T>(), |places| no_nan(&weights[places]))? {
        return Ok(());
    }
    let Some(edge) = weights.iter().position(is_nan) else {
        return Err(section.changed());
    };
    let byte = section.offset + (edge * size_of::<T>()) as u64;
    Err(StoreError::broken(&section.mapping.path, byte, "a weight that is NaN", "a number"))
}

/// Returns `true` if no element is NaN, without a branch per element.
// NaN is the only value that differs from itself.
#[allow(clippy::eq_op)]
fn no_nan<T: PartialEq>(weights: &[T]) -> bool {
    weights.iter().fold(true, |right, weight| right & (weight == weight))
}
