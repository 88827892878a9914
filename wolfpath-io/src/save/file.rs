//! The file itself: written under a temporary name beside its place, compressed as its ending says, and renamed when
//! everything is in it.

use super::job::Writer;
use crate::compression::Encode;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use wolfpath_core::progress::Progress;

/// How much is written at once.
const BUFFER: usize = 1 << 20;
/// A file, and who is told how many bytes were written to it.
pub(super) struct Counted<'a> {
    pub(super) file: &'a mut File,
    pub(super) progress: &'a Progress,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.progress.advance(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Lets `writer` write through the compressor.
pub(super) fn encoded(file: Counted<'_>, encode: Encode, writer: Writer<'_>) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, file);
    encode(&mut file, writer)?;
    file.flush()
}

/// Writes a file that appears whole or not at all. Devices and pipes are written to: to rename a file over one would
/// destroy it.
pub(super) fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return write(&mut File::options().write(true).open(path)?);
    }
    let (mut file, target) = temporary(path)?;
    write(file.as_file_mut())?;
    file.persist(target).map_err(|failure| failure.error)?;
    Ok(())
}

/// A file beside the one that is named, and where it shall go: through a link, not over it.
fn temporary(path: &Path) -> io::Result<(NamedTempFile, PathBuf)> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wolfpath-").suffix(".tmp");
    // Temporary files are their owner's alone by default; this one becomes a file like any other.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The library's own message would name the temporary file, which means nothing to anybody.
    let named = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            io::Error::new(error.kind(), format!("there is no folder {}", folder.display()))
        }
        kind => io::Error::new(kind, kind.to_string()),
    };
    Ok((builder.tempfile_in(folder).map_err(named)?, target))
}
