//! Where the large arrays of a build lie: in memory, or, when memory is short, in files that nobody else sees.
//!
//! A file of this kind has no name any more when it is first used, so that nothing is left behind whatever happens, and
//! its bytes are reserved on the disk before they are mapped, so that a full disk is an error and not a crash. What
//! lies in it is written and read bucket by bucket; the system keeps in memory as much of it as there is room for.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;
use memmap2::MmapMut;

use crate::memory;

/// Why there is no room for an array.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// Memory is used up. [`Resources::memory`](crate::resources::Resources::memory) may allow more.
    #[error(
        "{needed} bytes of memory are needed, {available} are available; free some, use a larger machine, or allow more"
    )]
    Memory {
        /// How many bytes.
        needed: u64,
        /// How many there are, or may be used.
        available: u64,
    },
    /// The system refused memory that seemed to be there: a limit of the process, most likely. With less memory allowed
    /// ([`Resources::memory`](crate::resources::Resources::memory)), large arrays go to working files.
    #[error(
        "{needed} bytes of memory were refused by the system; raise the limit of the process, or allow less memory, so \
         that large arrays go to working files"
    )]
    Refused {
        /// How many bytes.
        needed: u64,
    },
    /// The disk is full, or cannot be written. [`Resources::scratch`](crate::resources::Resources::scratch) names another
    /// folder.
    #[error(
        "{}: {bytes} bytes of working space cannot be had there: {error}; name a folder with the space",
        folder.display()
    )]
    Disk {
        /// The folder for working files.
        folder: PathBuf,
        /// How many bytes.
        bytes: u64,
        /// What the system said.
        error: io::Error,
    },
}

/// Where large arrays are made.
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
    /// An array of zeros.
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

/// Smaller arrays are in memory anyway.
const SMALL: usize = 1 << 16;

fn zeroed_file(folder: &Path, bytes: u64) -> io::Result<MmapMut> {
    let file = tempfile::tempfile_in(folder)?;
    reserve(&file, bytes)?;
    // SAFETY: the file has no name, so that nobody else can open it, change it or cut it; it is as long as was asked
    // for, and its blocks are reserved.
    unsafe { MmapMut::map_mut(&file) }
}

/// Makes a file so long, with room on the disk for every byte.
#[cfg(target_os = "linux")]
fn reserve(file: &std::fs::File, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        // A file system without the notion: writing is the only way.
        Err(rustix::io::Errno::OPNOTSUPP) => fill(file, bytes),
        reserved => Ok(reserved?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(file: &std::fs::File, bytes: u64) -> io::Result<()> {
    fill(file, bytes)
}

/// Writes so many zeros.
fn fill(mut file: &std::fs::File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut file).map(drop)
}

/// A large array: in memory, or in a file of its own.
pub struct Array<T>(Held<T>);

enum Held<T> {
    Memory(Vec<T>),
    File(FileArray<T>),
}

/// Elements in a mapped file; any bytes are such an element.
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
            // SAFETY: the map holds `len` elements that began as zeros, which `Space::zeroed` took only for types
            // that zeros are values of, and were since changed as `T` only; it is aligned to a page.
            Held::File(array) => unsafe { std::slice::from_raw_parts(array.map.as_ptr().cast(), array.len) },
        }
    }
}

impl<T> DerefMut for Array<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Held::Memory(vector) => vector,
            // SAFETY: as in `deref`, and the array is borrowed mutably, so that nobody else looks at the map.
            Held::File(array) => unsafe {
                std::slice::from_raw_parts_mut(array.map.as_mut_ptr().cast(), array.len)
            },
        }
    }
}

impl<T: Clone> Clone for Array<T> {
    /// A copy in memory.
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
