//! Access to folders and files by path, without checks.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::{Listed, TrustError};

/// Stands for an open folder on Unix. It is empty here, because folders are accessed by their paths.
pub(super) type Handle = ();

pub(super) fn open_folder(path: &Path) -> Result<Handle, TrustError> {
    match fs::metadata(path).map_err(TrustError::io(path))?.is_dir() {
        true => Ok(()),
        false => Err(TrustError::Kind { path: path.to_owned(), expected: "a folder" }),
    }
}

pub(super) fn open_subfolder(_: &Handle, _: &str, path: &Path) -> Result<Handle, TrustError> {
    match fs::symlink_metadata(path).map_err(TrustError::io(path))?.is_dir() {
        true => Ok(()),
        false => Err(TrustError::Kind { path: path.to_owned(), expected: "a folder" }),
    }
}

pub(super) fn create_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

pub(super) fn create_subfolder(_: &Handle, _: &str, path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

pub(super) fn open_file(_: &Handle, _: &OsStr, path: &Path) -> Result<File, TrustError> {
    if !fs::symlink_metadata(path).map_err(TrustError::io(path))?.is_file() {
        return Err(TrustError::Kind { path: path.to_owned(), expected: "a regular file" });
    }
    File::open(path).map_err(TrustError::io(path))
}

pub(super) fn files(_: &Handle, path: &Path) -> io::Result<Vec<Listed>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let (Ok(name), Ok(metadata)) = (entry.file_name().into_string(), entry.metadata()) else {
            continue;
        };
        if metadata.is_file() {
            files.push(Listed { name, bytes: metadata.len(), modified: metadata.modified()? });
        }
    }
    Ok(files)
}

pub(super) fn remove(_: &Handle, _: &str, path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}
