//! Values in a folder: a file for the vertices of each process, and a manifest, which is written last.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use wolfpath::program::Datum;
use wolfpath_core::replace::TEMPORARY;

use super::runner::write_pairs;
use crate::arguments::Program;
use crate::destination::Destination;
use crate::error::Error;

/// Name of the manifest in its folder.
const MANIFEST: &str = "manifest";

/// Ending of the names of parts.
const ENDING: &str = ".values";

/// The folder, as a process sees it that writes its part. Processes may see the same folder or folders of different machines.
pub(super) struct Parts {
    folder: PathBuf,
    process: usize,
    processes: usize,
}

/// Returns `true` if a path names a folder, which may not exist yet.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Returns the name of a process's part.
fn part(process: usize) -> String {
    format!("{process:04}{ENDING}")
}

/// Returns the process whose part has this name, if it is the name of a part.
fn process_of(name: &str) -> Option<usize> {
    let process = name.strip_suffix(ENDING)?.parse().ok()?;
    (part(process) == name).then_some(process)
}

impl Parts {
    pub(super) fn new(folder: &Path, process: usize, processes: usize) -> Parts {
        Parts { folder: folder.to_owned(), process, processes }
    }

    /// Checks that the part can be written, and that the folder contains nothing but earlier parts. Creates the folder, but
    /// changes nothing in it.
    pub(super) fn check(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => self.failed(io::Error::other("it is a file, expected a folder")),
            _ => self.failed(source),
        })?;
        // Another process may be checking, too, and one that was killed may have left a file.
        let is_own =
            |name: &str| name == MANIFEST || process_of(name).is_some() || name.starts_with(TEMPORARY);
        if let Some(found) = self.names()?.into_iter().find(|name| !is_own(name)) {
            return Err(Error::NotParts { path: self.folder.clone(), found });
        }
        self.at(&part(self.process)).check()
    }

    /// Removes the manifest of earlier parts, if there is one.
    pub(super) fn remove_manifest(&self) -> Result<(), Error> {
        self.remove(MANIFEST)
    }

    /// Writes the part of this process.
    pub(super) fn write<V: Datum>(&self, values: Vec<(u64, Option<V>)>) -> Result<(), Error> {
        write_pairs(&self.at(&part(self.process)), &values)
    }

    /// Removes earlier parts of processes that do not exist any more. Process 0 then writes the manifest: the program, and the
    /// name of each part.
    pub(super) fn finish(&self, program: Program) -> Result<(), Error> {
        let is_left = |name: &&String| process_of(name).is_some_and(|process| process >= self.processes);
        self.names()?.iter().filter(is_left).try_for_each(|name| self.remove(name))?;
        if self.process > 0 {
            return Ok(());
        }
        let parts: String = (0..self.processes).map(|process| part(process) + "\n").collect();
        let text = format!("# values of {}, in {} files\n{parts}", program.name(), self.processes);
        self.at(MANIFEST).write(|out| out.write_all(text.as_bytes()))
    }

    /// Returns the names of the files in the folder.
    fn names(&self) -> Result<Vec<String>, Error> {
        let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
        let names = fs::read_dir(&self.folder).and_then(|entries| entries.map(name).collect());
        names.map_err(|source| self.failed(source))
    }

    /// Removes a file, unless another process has done so.
    fn remove(&self, name: &str) -> Result<(), Error> {
        match fs::remove_file(self.folder.join(name)) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(self.failed(source)),
            _ => Ok(()),
        }
    }

    fn at(&self, name: &str) -> Destination {
        Destination::File(self.folder.join(name))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.folder.clone(), source }
    }
}
