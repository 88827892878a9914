//! Atomic replacement of files: a file is written under a temporary name in the same folder, then renamed. Graphs, edge
//! lists, answers and all kept files are written this way.
//!
//! A killed program cannot remove its temporary file, so the next writer in that folder removes it. But it must not
//! remove the file of a program that is still writing. Every writer therefore holds an exclusive lock on its temporary
//! file, and the system releases the lock when the process ends for any reason. A process that succeeds in locking a
//! temporary file may remove it. Between creating and locking its file, a writer is unprotected. After locking, it
//! therefore checks that the file still exists, and creates another one if it does not. On file systems without locks,
//! abandoned files remain until someone removes them by hand.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Prefix and suffix of the names of temporary files. Temporary files of other modules have other prefixes, because
/// they are not locked and must not be removed here.
#[doc(hidden)]
pub const TEMPORARY: &str = ".wolfpath-part-";
const SUFFIX: &str = ".tmp";

/// The users who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The same users who may read any other new file of this user (as the umask says). If the path is a symbolic link,
    /// the file that it leads to is replaced.
    Usual,
    /// Only the user. If the path is a symbolic link, the link itself is replaced.
    User,
}

impl Readers {
    /// Returns the file to replace.
    fn target(self, path: &Path) -> io::Result<PathBuf> {
        match self {
            Readers::Usual => target_of(path),
            Readers::User => Ok(path.to_owned()),
        }
    }
}

/// A file under its temporary name. Removed when dropped.
#[derive(Debug)]
pub struct Replacement {
    file: NamedTempFile,
    target: PathBuf,
}

impl Replacement {
    /// Creates an empty file that will be renamed to `path`.
    ///
    /// # Errors
    /// Returns the system's error, or an error if `path` is a folder, device or pipe.
    pub fn begin(path: &Path, readers: Readers) -> io::Result<Replacement> {
        let target = readers.target(path)?;
        locks::remove_abandoned(folder_of(&target));
        Replacement::of(target, readers)
    }

    fn of(target: PathBuf, readers: Readers) -> io::Result<Replacement> {
        let folder = folder_of(&target);
        let file = create(folder, readers).map_err(|error| without_temporary_name(folder, error))?;
        Ok(Replacement { file, target })
    }

    /// Returns the file to write to.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Renames the file, and replaces any existing file of that name.
    ///
    /// # Errors
    /// Returns the system's error. In this case, the existing file is unchanged.
    pub fn finish(self) -> io::Result<()> {
        self.file.persist(self.target).map_err(|failure| failure.error)?;
        Ok(())
    }
}

/// Lets `write` fill a new file, then renames it to `path`, replacing any existing file.
///
/// # Errors
/// Returns the errors from `write` and from [`Replacement::begin`]. In these cases, the existing file is unchanged, and
/// no temporary file is left behind.
pub fn replace(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut replacement = Replacement::begin(path, readers)?;
    write(replacement.file())?;
    replacement.finish()
}

/// Replaces one of many files in a folder, like [`replace()`]. Does not look for abandoned files, so that the folder is not listed
/// once per file.
///
/// # Errors
/// Returns the same errors as [`replace()`].
#[doc(hidden)]
pub fn replace_one_of_many(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut replacement = Replacement::of(readers.target(path)?, readers)?;
    write(replacement.file())?;
    replacement.finish()
}

/// Brings the names in the folder of a file to the disk, where the system supports it.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder_of(path))?.sync_all(),
        false => Ok(()),
    }
}

/// Writes to `path`. A file is [replaced](replace()). A device, a pipe or an open stream such as `/dev/stdout` is
/// written to directly, because renaming a file to its name would replace the device itself. If an open stream leads to
/// a file, the file is appended to.
///
/// # Errors
/// Returns the same errors as [`replace()`].
pub fn replace_or_write(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if is_special(path) {
        return write(&mut File::options().append(true).open(path)?);
    }
    replace(path, Readers::Usual, write)
}

/// Returns `true` if `path` is a device, a pipe or an open stream, which must be written to instead of being replaced.
pub fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_dir() && (!metadata.is_file() || is_stream(path)))
}

/// Returns `true` for the names of streams that a process has open. Such a stream may lead to a file that another
/// program is still writing to: for example, a shell that redirected its output to the file.
fn is_stream(path: &Path) -> bool {
    const STREAMS: [&str; 3] = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    cfg!(unix)
        && (STREAMS.iter().any(|stream| path == Path::new(stream))
            || path.starts_with("/dev/fd")
            || path.starts_with("/proc"))
}

/// Removes temporary files in a folder whose writers have ended.
pub(crate) fn remove_abandoned(folder: &Path) {
    locks::remove_abandoned(folder);
}

/// Returns the file to replace for this name. Follows links.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let refused = |kind, what: &str| Err(io::Error::new(kind, what));
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => refused(io::ErrorKind::IsADirectory, "it is a folder"),
        Ok(metadata) if !metadata.is_file() || is_stream(path) => {
            refused(io::ErrorKind::InvalidInput, "it is a device or a pipe, expected a file")
        }
        Ok(_) if path.is_symlink() => path.canonicalize(),
        _ => Ok(path.to_owned()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Rewrites an error so that it does not mention the temporary file, whose name the user does not know.
fn without_temporary_name(folder: &Path, error: io::Error) -> io::Error {
    let said = match error.kind() {
        io::ErrorKind::NotFound if !folder.is_dir() => format!("there is no folder {}", folder.display()),
        io::ErrorKind::NotFound => format!("no files can be created in the folder {}", folder.display()),
        kind => kind.to_string(),
    };
    io::Error::new(error.kind(), said)
}

/// Creates and locks a temporary file. It is removed when it is dropped.
fn create(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    loop {
        let file = create_unlocked(folder, readers)?;
        if locks::take(file.as_file()) {
            return Ok(file);
        }
    }
}

/// Creates the file without locking it. `tempfile` makes it private by default.
fn create_unlocked(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).suffix(SUFFIX).rand_bytes(12);
    #[cfg(unix)]
    if readers == Readers::Usual {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
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

    use super::{SUFFIX, TEMPORARY};

    /// Locks a new file. Returns `false` if another program removed it as abandoned before it was locked.
    pub(super) fn take(file: &File) -> bool {
        // On a file system without locks, no program removes temporary files, so the file is safe.
        let locked = retry_on_intr(|| flock(file, FlockOperation::LockExclusive)).is_ok();
        !locked || file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
    }

    /// Removes temporary files whose writers have ended. Errors are ignored: another writer will try again.
    pub(super) fn remove_abandoned(folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        names.filter(|name| is_temporary(name)).for_each(|name| remove_if_abandoned(&folder.join(name)));
    }

    fn is_temporary(name: &OsStr) -> bool {
        let name = name.as_bytes();
        name.starts_with(TEMPORARY.as_bytes()) && name.ends_with(SUFFIX.as_bytes())
    }

    fn remove_if_abandoned(path: &Path) {
        // The flags prevent following a link and blocking on a pipe of that name.
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = open(path, flags, Mode::empty()).map(File::from) else {
            return;
        };
        if file.metadata().is_ok_and(|metadata| metadata.is_file())
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            // If its writer has renamed it in the meantime, no file has this name any more.
            let _ = fs::remove_file(path);
        }
    }
}

/// On other systems, temporary files are neither locked nor removed.
#[cfg(not(unix))]
mod locks {
    use std::fs::File;
    use std::path::Path;

    pub(super) fn take(_: &File) -> bool {
        true
    }

    pub(super) fn remove_abandoned(_: &Path) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn abandoned_files_are_removed_once_for_many_files() {
        let folder = tempfile::tempdir().unwrap();
        let abandoned = folder.path().join(format!("{TEMPORARY}abandoned{SUFFIX}"));
        fs::write(&abandoned, "half").unwrap();
        let write = |file: &mut File| file.write_all(b"whole");
        for name in ["1", "2"] {
            replace_one_of_many(&folder.path().join(name), Readers::Usual, write).unwrap();
            assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), "whole");
            assert!(abandoned.exists());
        }
        replace(&folder.path().join("3"), Readers::Usual, write).unwrap();
        assert!(!abandoned.exists());
    }

    /// A shell that redirected its output to a file keeps writing to it, so the file and its content must stay.
    #[test]
    fn an_open_stream_is_written_to_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "old\n").unwrap();
        let mut open = File::options().append(true).open(&path).unwrap();
        for folder in ["/proc/self/fd", "/dev/fd"] {
            let stream = Path::new(folder).join(open.as_raw_fd().to_string());
            assert!(is_special(&stream) && !is_special(&path));
            assert!(Replacement::begin(&stream, Readers::Usual).is_err());
            replace_or_write(&stream, |file| file.write_all(b"new\n")).unwrap();
            open.write_all(b"bye\n").unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\nnew\nbye\nnew\nbye\n");
    }
}
