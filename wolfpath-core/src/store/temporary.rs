//! Files that appear whole or not at all: written under a temporary name in the same folder, then renamed.
//!
//! A program that is killed cannot remove its temporary file, so the next writer in that folder does. It must not take
//! the file of a program that is still writing, so a writer holds an exclusive lock on its own, which ends with the
//! process however that ends; whoever can lock a temporary file may remove it. Between making its file and locking it
//! a writer is without protection: it looks afterwards whether the file is still there, and makes another if not.
//! File systems without locks keep such files until someone removes them by hand.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// How names of temporary files begin and end. Other temporary files of wolfpath begin otherwise: nobody locks them, and
/// none of them may be taken for one of these.
const PREFIX: &str = ".wolfpath-graph-";
const SUFFIX: &str = ".tmp";

/// The users who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// Those who may read other new files of the user.
    Usual,
    /// Only the user. A symbolic link is then replaced, not followed.
    User,
}

/// Lets `write` fill a new file and gives it the name `path`, replacing what was there. When anything fails, nothing
/// is changed and nothing is left behind.
pub(super) fn replace(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let path = &match readers {
        Readers::Usual => target_of(path)?,
        Readers::User => path.to_owned(),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    locks::remove_abandoned(folder);
    let file = create(folder, readers)?;
    write(file.as_file())?;
    file.persist(path).map_err(|failure| failure.error)?;
    Ok(())
}

/// What is replaced when this name is written to: through links, not over them.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let refused = |kind, what: &str| Err(io::Error::new(kind, what));
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => refused(io::ErrorKind::IsADirectory, "it is a folder"),
        // To rename a file over one would destroy it, and the header, which is written last, cannot go there first.
        Ok(metadata) if !metadata.is_file() => {
            refused(io::ErrorKind::InvalidInput, "it is a device or a pipe, a graph needs a file")
        }
        Ok(_) if path.is_symlink() => path.canonicalize(),
        _ => Ok(path.to_owned()),
    }
}

/// Removes temporary files in a folder whose writers are gone.
pub(crate) fn remove_abandoned(folder: &Path) {
    locks::remove_abandoned(folder);
}

/// A file of this process alone. Removed when dropped.
fn create(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    loop {
        let file = create_unlocked(folder, readers)?;
        if locks::take(file.as_file()) {
            return Ok(file);
        }
    }
}

/// Creates the file; `tempfile` makes it private by default.
fn create_unlocked(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(12);
    #[cfg(unix)]
    if readers == Readers::Usual {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Gives a new file its length, filled with zeros, and where the platform can, the space too: a full disk shows now,
/// not after minutes of writing.
pub(super) fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            // Some file systems cannot; a full disk shows later there.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    file.set_len(bytes)
}

/// Writes all bytes to their place. Threads may do this at the same time.
#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Writes all bytes to their place. Threads may do this at the same time.
#[cfg(windows)]
pub(super) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
mod locks {
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
    use rustix::io::retry_on_intr;

    use super::{PREFIX, SUFFIX};

    /// Locks a new file. False when another program took it for an abandoned one before that.
    pub(super) fn take(file: &File) -> bool {
        // Where there are no locks, nobody can take the file for an abandoned one.
        let locked = retry_on_intr(|| flock(file, FlockOperation::LockExclusive)).is_ok();
        !locked || file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
    }

    /// Removes temporary files whose writers are gone. What fails is left to another writer.
    pub(super) fn remove_abandoned(folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        names.filter(|name| is_temporary(name)).for_each(|name| remove_if_abandoned(&folder.join(name)));
    }

    fn is_temporary(name: &OsStr) -> bool {
        let name = name.as_bytes();
        name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes())
    }

    fn remove_if_abandoned(path: &Path) {
        // Neither follows a link nor waits for a pipe of that name.
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = open(path, flags, Mode::empty()).map(File::from) else {
            return;
        };
        if file.metadata().is_ok_and(|metadata| metadata.is_file())
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            // When its writer has renamed it meanwhile there is nothing of that name any more.
            let _ = fs::remove_file(path);
        }
    }
}

/// Elsewhere nothing is removed.
#[cfg(not(unix))]
mod locks {
    use std::fs::File;
    use std::path::Path;

    pub(super) fn take(_: &File) -> bool {
        true
    }

    pub(super) fn remove_abandoned(_: &Path) {}
}
