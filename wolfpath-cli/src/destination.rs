//! Destinations of results: standard output, or a file that appears complete or not at all.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use wolfpath_core::replace::{Readers, Replacement, is_special, replace_or_write};

use crate::console;
use crate::error::Error;

/// Destination of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Standard output, given as `-`.
    Stdout,
    /// File at this path.
    File(PathBuf),
}

impl From<OsString> for Destination {
    fn from(text: OsString) -> Destination {
        if text == "-" { Destination::Stdout } else { Destination::File(text.into()) }
    }
}

impl Destination {
    pub(crate) fn is_stdout(&self) -> bool {
        *self == Destination::Stdout
    }

    /// Returns the path; `None` for standard output.
    #[cfg(feature = "cluster")]
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Destination::Stdout => None,
            Destination::File(path) => Some(path),
        }
    }

    /// Returns the name for reports.
    pub(crate) fn name(&self) -> String {
        match self {
            Destination::Stdout => "-".to_owned(),
            Destination::File(path) => path.display().to_string(),
        }
    }

    /// Does the same as [`check`](Self::check), and also returns an error if the destination is the file `input`. The
    /// message calls this file `what`.
    pub(crate) fn check_beside(&self, input: &Path, what: &'static str) -> Result<(), Error> {
        self.refuse_input(input, what)?;
        self.check()
    }

    /// Returns an error if the destination is the file `input`, which the message calls `what`.
    pub(crate) fn refuse_input(&self, input: &Path, what: &'static str) -> Result<(), Error> {
        if let Destination::File(path) = self
            && let (Ok(path), Ok(input)) = (path.canonicalize(), input.canonicalize())
            && path == input
        {
            return Err(Error::OntoInput { path, what });
        }
        Ok(())
    }

    /// Returns `true` if both paths name the same regular file. Devices and pipes can receive several results, one
    /// after the other, so they never count as the same.
    pub(crate) fn is_same_file(&self, other: &Destination) -> bool {
        match (self, other) {
            (Destination::File(one), Destination::File(other)) => {
                !is_special(one) && place_of(one) == place_of(other)
            }
            _ => false,
        }
    }

    /// Returns an error if the destination cannot be written. Called before a long run, so that its results are not
    /// lost.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            Destination::File(path) if !is_special(path) => {
                let begun = Replacement::begin(path, Readers::Usual);
                begun.map(drop).map_err(|source| Error::Write { path: path.clone(), source })
            }
            _ => Ok(()),
        }
    }

    /// Writes through a buffer to a temporary file beside the named one, and renames it when it is complete. If
    /// anything fails, the temporary file is deleted and an existing file stays unchanged.
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        match self {
            Destination::Stdout => console::stdout(write),
            Destination::File(path) => {
                let written = replace_or_write(path, |file| buffered(file, write));
                written.map_err(|source| Error::Write { path: path.clone(), source })
            }
        }
    }
}

/// Returns `true` if a file, which may not exist, is in a folder.
#[cfg(feature = "cluster")]
pub(crate) fn is_in(path: &Path, folder: &Path) -> bool {
    let folder = folder.canonicalize();
    folder.is_ok_and(|folder| place_of(path).parent() == Some(&*folder))
}

/// Returns a file's path without links and `..`, even if the file does not exist yet.
fn place_of(path: &Path) -> PathBuf {
    let through_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(through_folder).unwrap_or_else(|| path.to_owned())
}

/// Writes through a buffer.
fn buffered(file: &mut File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let written = write(&mut out).and_then(|()| out.flush());
    drop(out.into_parts());
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        std::fs::read_dir(folder).expect("the folder is readable").count()
    }

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out");
        std::fs::write(&path, "before").expect("the file is writable");
        let to = Destination::File(path.clone());
        let failed = to.write(|out| {
            out.write_all(b"half of it")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert!(matches!(failed, Err(Error::Write { .. })));
        assert_eq!(std::fs::read(&path).expect("the file exists"), b"before");
        to.write(|out| out.write_all(b"after")).expect("the file is writable");
        assert_eq!(std::fs::read(&path).expect("the file exists"), b"after");
        assert_eq!(entries(folder.path()), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "before").expect("the file is writable");
        std::os::unix::fs::symlink(&file, &link).expect("links can be created");
        Destination::File(link.clone()).write(|out| out.write_all(b"after")).expect("the file is writable");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).expect("the file exists"), b"after");
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for wrong in [folder.path().to_owned(), folder.path().join("no/such/folder")] {
            assert!(matches!(Destination::File(wrong).check(), Err(Error::Write { .. })));
        }
        Destination::File(folder.path().join("new")).check().expect("the file is writable");
        assert_eq!(entries(folder.path()), 0);
    }
}
