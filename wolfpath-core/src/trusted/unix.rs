//! Access to folders and files by descriptor, and the rule for which of them are trusted.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;

use super::{Listed, TrustError};

pub(super) type Handle = OwnedFd;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Flags for opening files. If the file is a pipe, opening it would wait for a writer; `NONBLOCK` prevents that.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Permissions of new folders.
const PRIVATE: u32 = 0o700;

pub(super) fn open_folder(path: &Path) -> Result<Handle, TrustError> {
    let handle = openat(CWD, path, FOLDER, Mode::empty()).map_err(folder_error(path))?;
    trusted(&handle, path)?;
    Ok(handle)
}

pub(super) fn open_subfolder(folder: &Handle, name: &str, path: &Path) -> Result<Handle, TrustError> {
    let opened = openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    let handle = opened.map_err(folder_error(path))?;
    trusted(&handle, path)?;
    Ok(handle)
}

pub(super) fn create_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE).create(path)
}

pub(super) fn create_subfolder(folder: &Handle, name: &str, _: &Path) -> io::Result<()> {
    match mkdirat(folder, name, Mode::from_raw_mode(PRIVATE as _)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn open_file(folder: &Handle, name: &OsStr, path: &Path) -> Result<File, TrustError> {
    let expected = "a regular file";
    let handle = openat(folder, name, FILE, Mode::empty()).map_err(|error| match error {
        // With `NOFOLLOW`, opening a link fails with `LOOP`, or on FreeBSD with `MLINK`.
        Errno::LOOP | Errno::MLINK => TrustError::Kind { path: path.to_owned(), expected },
        error => TrustError::io(path)(error.into()),
    })?;
    let stat = trusted(&handle, path)?;
    match kind(&stat) {
        FileType::RegularFile => Ok(File::from(handle)),
        _ => Err(TrustError::Kind { path: path.to_owned(), expected }),
    }
}

pub(super) fn files(folder: &Handle, _: &Path) -> io::Result<Vec<Listed>> {
    let mut files = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        // A file that was removed in the meantime is skipped.
        let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        if kind(&stat) == FileType::RegularFile {
            let (name, bytes) = (name.to_owned(), stat.st_size as u64);
            files.push(Listed { name, bytes, modified: modified(&stat) });
        }
    }
    Ok(files)
}

pub(super) fn remove(folder: &Handle, name: &str, _: &Path) -> io::Result<()> {
    Ok(unlinkat(folder, name, AtFlags::empty())?)
}

fn folder_error(path: &Path) -> impl FnOnce(Errno) -> TrustError {
    move |error| match error {
        Errno::NOTDIR | Errno::LOOP => TrustError::Kind { path: path.to_owned(), expected: "a folder" },
        error => TrustError::io(path)(error.into()),
    }
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode as _)
}

// The types of the fields differ between systems.
#[allow(clippy::unnecessary_cast)]
fn modified(stat: &Stat) -> SystemTime {
    let (seconds, nanoseconds) = (stat.st_mtime as i64, stat.st_mtime_nsec as u64);
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let begin = SystemTime::UNIX_EPOCH;
    let time = if seconds >= 0 { begin.checked_add(whole) } else { begin.checked_sub(whole) };
    time.unwrap_or(begin) + Duration::from_nanos(nanoseconds)
}

/// Checks that an open folder or file is trusted.
fn trusted(handle: &OwnedFd, path: &Path) -> Result<Stat, TrustError> {
    let stat = fstat(handle).map_err(|error| TrustError::io(path)(error.into()))?;
    let user = rustix::process::geteuid().as_raw();
    judge(path, stat.st_uid, stat.st_mode as u32, user)?;
    Ok(stat)
}

/// Checks whether a folder or file with this owner and mode is trusted by `user`.
pub(super) fn judge(path: &Path, owner: u32, mode: u32, user: u32) -> Result<(), TrustError> {
    const ROOT: u32 = 0;
    const OTHERS_WRITE: u32 = 0o022;
    let path = || path.to_owned();
    if owner != user && owner != ROOT {
        return Err(TrustError::Owner { path: path(), owner, user });
    }
    if mode & OTHERS_WRITE != 0 {
        return Err(TrustError::Writable { path: path(), mode: mode & 0o7777 });
    }
    Ok(())
}
