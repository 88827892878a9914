//! The hash of a file's content. By this hash, the input of a kept graph is recognized after it was copied or touched.
//!
//! All threads read and hash blocks of fixed size, and the result is the hash of the blocks' hashes. The result
//! therefore does not depend on the number of threads. Files are read, not mapped, because truncating a mapped file
//! would kill the process.

use std::fs::File;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::container::hash;
use super::key::State;
use crate::progress::Progress;

/// Number of bytes per block. A block is small enough to stay in the core's private cache between reading and hashing.
const BLOCK: u64 = 1 << 18;

/// Returns the hash of a file's content. Returns `None` if the file's state differs from `expected` before or after
/// hashing.
pub(crate) fn content_hash(path: &Path, expected: State, progress: &Progress) -> io::Result<Option<u64>> {
    let file = File::open(path)?;
    let state = || State::from(&file.metadata()?);
    if state()? != expected {
        return Ok(None);
    }
    let length = file.metadata()?.len();
    let hashes = (0..length.div_ceil(BLOCK)).into_par_iter();
    let hashes = hashes.map_init(Vec::new, |memory, block| {
        let offset = block * BLOCK;
        memory.resize(BLOCK.min(length - offset) as usize, 0);
        read_at(&file, memory, offset)?;
        progress.advance(memory.len() as u64);
        Ok(hash(memory).to_le_bytes())
    });
    let hashes: io::Result<Vec<[u8; 8]>> = hashes.collect();
    let hashes = match hashes {
        Ok(hashes) => hashes,
        // The file was truncated.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok((state()? == expected).then(|| hash(hashes.as_flattened())))
}

/// Fills `bytes` from the file at `offset`. Several threads may do this at the same time.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills `bytes` from the file at `offset`. Several threads may do this at the same time.
#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn hash_of(path: &Path) -> Option<u64> {
        let state = State::from(&fs::metadata(path).unwrap()).unwrap();
        content_hash(path, state, &Progress::NONE).unwrap()
    }

    #[test]
    fn every_byte_counts_and_threads_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut bytes: Vec<u8> = (0..3 * BLOCK as u32 + 5).map(|index| ((index * 7) >> 3) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let whole = hash_of(&path).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| hash_of(&path)), Some(whole));
        for index in [0, BLOCK as usize, bytes.len() - 1] {
            bytes[index] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert_ne!(hash_of(&path).unwrap(), whole, "byte {index}");
            bytes[index] ^= 1;
        }
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_ne!(hash_of(&path).unwrap(), whole);
        fs::write(&path, "").unwrap();
        assert!(hash_of(&path).is_some());
    }

    #[test]
    fn a_file_in_another_state_has_no_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "before").unwrap();
        let state = State::from(&fs::metadata(&path).unwrap()).unwrap();
        fs::write(&path, "longer").unwrap();
        fs::File::options().append(true).open(&path).unwrap().set_len(3).unwrap();
        assert_eq!(content_hash(&path, state, &Progress::NONE).unwrap(), None);
    }
}
