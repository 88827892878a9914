//! A column of numbers, in memory or in a mapped file.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;

use super::error::StoreError;
use super::format::{SectionKind, checksum, padded};
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
pub(super) struct Section {
    pub(super) mapping: Arc<Mapping>,
    pub(super) kind: SectionKind,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) checksum: u64,
}

impl Section {
    /// The section's bytes, not yet verified.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.mapping.bytes[self.offset as usize..(self.offset + self.length) as usize]
    }

    /// Compares the checksum.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        let end = self.offset + padded(self.length);
        let found = checksum(&self.mapping.bytes[self.offset as usize..end as usize]);
        if found == self.checksum {
            return Ok(());
        }
        Err(StoreError::broken(
            &self.mapping.path,
            self.offset,
            format!("section \"{}\" (up to byte {end}) has checksum {found:016x}", self.kind.name()),
            format!("{:016x}", self.checksum),
        ))
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

    /// The error for what stands at `index`; only mapped columns are ever checked.
    pub(super) fn broken(
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
    section: Section,
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

    /// Compares the checksum of a mapped column, and looks for weights that are no numbers.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        let WeightColumn::Mapped(MappedWeights { section, kind }) = self else {
            return Ok(());
        };
        section.verify()?;
        let nan = match self.slice() {
            WeightSlice::F32(weights) => weights.par_iter().position_first(|weight| weight.is_nan()),
            WeightSlice::F64(weights) => weights.par_iter().position_first(|weight| weight.is_nan()),
            _ => None,
        };
        nan.map_or(Ok(()), |edge| {
            let byte = section.offset + (edge * kind.size()) as u64;
            Err(StoreError::broken(&section.mapping.path, byte, "a weight that is not a number", "a number"))
        })
    }
}
