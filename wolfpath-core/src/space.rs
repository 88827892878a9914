//! Large arrays of a build, in memory or, if memory is short, in private files.
//!
//! Such a file loses its name before it is first used, so nothing is left behind if the process is killed. Its blocks
//! are reserved on disk before it is mapped, so a full disk causes an error and not a crash. Data is written and read
//! bucket by bucket, so that it is accessed locally. The system caches as much of the file in memory as fits.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;
use memmap2::MmapMut;

use crate::memory;

/// Error from allocating space for an array.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// There is not enough memory. [`Resources::memory`](crate::resources::Resources::memory) may allow more.
    #[error(
        "{needed} bytes of memory are needed, but only {available} are available; free some memory, use a larger \
         machine, or allow more"
    )]
    Memory {
        /// Number of bytes needed.
        needed: u64,
        /// Number of bytes that are available, or allowed.
        available: u64,
    },
    /// The system did not provide memory that it had reported as available, probably because a limit applies to the
    /// process. If a lower limit is set with [`Resources::memory`](crate::resources::Resources::memory), large arrays
    /// are stored in working files instead.
    #[error(
        "{needed} bytes of memory could not be allocated; raise the limit of the process, or allow less memory, so that \
         large arrays go to working files"
    )]
    Refused {
        /// Number of bytes needed.
        needed: u64,
    },
    /// The disk is full, or cannot be written to. [`Resources::scratch`](crate::resources::Resources::scratch) selects
    /// another folder.
    #[error(
        "{}: cannot reserve {bytes} bytes of working space: {error}; name a folder with enough space",
        folder.display()
    )]
    Disk {
        /// The folder for working files.
        folder: PathBuf,
        /// Number of bytes needed.
        bytes: u64,
        /// The system's error.
        error: io::Error,
    },
}

/// The location of large arrays.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub enum Space {
    /// In memory.
    #[default]
    Memory,
    /// In files in this folder.
    Disk(PathBuf),
}

impl Space {
    /// Returns an array of zeros.
    pub(crate) fn zeroed<T: Zeroable>(&self, len: usize) -> Result<Array<T>, SpaceError> {
        let bytes = len.saturating_mul(size_of::<T>());
        match self {
            Space::Disk(folder) if bytes >= SMALL => {
                let map = zeroed_file(folder, bytes as u64).map_err(|error| SpaceError::Disk {
                    folder: folder.clone(),
                    bytes: bytes as u64,
                    error,
                })?;
                Ok(Array(Held::File(FileArray { map, len, element: std::marker::PhantomData })))
            }
            _ => memory::try_zeroed(len).map(Array::from).ok_or(SpaceError::Refused { needed: bytes as u64 }),
        }
    }
}

/// Arrays of fewer bytes than this are always in memory.
const SMALL: usize = 1 << 16;

fn zeroed_file(folder: &Path, bytes: u64) -> io::Result<MmapMut> {
    let file = tempfile::tempfile_in(folder)?;
    reserve(&file, bytes)?;
    // SAFETY: the file has no name, so no other process can open, modify or truncate it. It has the requested length,
    // and its blocks are reserved.
    unsafe { MmapMut::map_mut(&file) }
}

/// Sets the length of a file, and reserves disk blocks for all of it.
#[cfg(target_os = "linux")]
fn reserve(file: &std::fs::File, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        // The file system cannot reserve blocks without writing them, so zeros are written.
        Err(rustix::io::Errno::OPNOTSUPP) => fill(file, bytes),
        reserved => Ok(reserved?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(file: &std::fs::File, bytes: u64) -> io::Result<()> {
    fill(file, bytes)
}

/// Writes `bytes` zeros.
fn fill(mut file: &std::fs::File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut file).map(drop)
}

/// A large array, in memory or in its own file.
pub struct Array<T>(Held<T>);

enum Held<T> {
    Memory(Vec<T>),
    File(FileArray<T>),
}

/// Elements in a mapped file. Zeroed bytes must be valid elements.
struct FileArray<T> {
    map: MmapMut,
    len: usize,
    element: std::marker::PhantomData<T>,
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(vector: Vec<T>) -> Array<T> {
        Array(Held::Memory(vector))
    }
}

impl<T> Default for Array<T> {
    fn default() -> Array<T> {
        Vec::new().into()
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Held::Memory(vector) => vector,
            // SAFETY: the map contains `len` elements. They started as zeros, which are valid values because
            // `Space::zeroed` requires `Zeroable`, and have been changed only as `T`. The map is page-aligned.
            Held::File(array) => unsafe { std::slice::from_raw_parts(array.map.as_ptr().cast(), array.len) },
        }
    }
}

impl<T> DerefMut for Array<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Held::Memory(vector) => vector,
            // SAFETY: as in `deref`. The array is borrowed mutably, so no other reference to the map exists.
            Held::File(array) => unsafe {
                std::slice::from_raw_parts_mut(array.map.as_mut_ptr().cast(), array.len)
            },
        }
    }
}

impl<T: Clone> Clone for Array<T> {
    /// Returns a copy in memory.
    fn clone(&self) -> Array<T> {
        self.to_vec().into()
    }
}

impl<T: fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Array<T>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_like_memory() {
        let folder = tempfile::tempdir().unwrap();
        for space in [Space::Memory, Space::Disk(folder.path().to_owned())] {
            let mut array: Array<u32> = space.zeroed(100_000).unwrap();
            assert!(array.iter().all(|&number| number == 0));
            array.iter_mut().enumerate().for_each(|(index, number)| *number = index as u32);
            assert_eq!(array.clone(), array);
            assert_eq!(array[99_999], 99_999);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn no_room_is_an_error() {
        let error = Space::Memory.zeroed::<u64>(usize::MAX / 64).unwrap_err();
        assert!(matches!(error, SpaceError::Refused { .. }), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let error = Space::Disk(folder.path().to_owned()).zeroed::<u64>(1 << 57).unwrap_err();
        assert!(matches!(error, SpaceError::Disk { .. }), "{error}");
        let gone = Space::Disk(folder.path().join("gone")).zeroed::<u64>(1 << 20).unwrap_err();
        assert!(gone.to_string().contains("gone"), "{gone}");
    }
}
