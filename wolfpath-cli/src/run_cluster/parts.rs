//! Values in a folder: a file for the vertices of each process, and a manifest, which is written last.

use std::fs;
use std::path::{Path, PathBuf};

use wolfpath::program::Datum;

use super::write_pairs;
use crate::arguments::Program;
use crate::destination::Destination;
use crate::error::Error;

/// Name of the manifest in its folder.
const MANIFEST: &str = "manifest";

/// Ending of the names of parts.
const ENDING: &str = ".values";

/// The folder, as a process sees it that writes its part.
pub(super) struct Parts {
    folder: PathBuf,
    process: usize,
}

/// Returns `true` if a path is one of a folder, which may not exist yet.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Returns the name of a process's part.
fn part(process: usize) -> String {
    format!("{process:04}{ENDING}")
}

/// Returns `true` if a file of the folder is a part or the manifest.
fn is_own(name: &str) -> bool {
    let number = name.strip_suffix(ENDING);
    name == MANIFEST
        || number.is_some_and(|number| number.len() >= 4 && number.bytes().all(|c| c.is_ascii_digit()))
}

impl Parts {
    pub(super) fn new(folder: &Path, process: usize) -> Parts {
        Parts { folder: folder.to_owned(), process }
    }

    /// Creates the folder. If it contains earlier parts, removes them, the manifest first.
    pub(super) fn prepare(&self) -> Result<(), Error> {
        self.create()?;
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|source| self.failed(source))? {
            let name = entry.map_err(|source| self.failed(source))?.file_name();
            match name.to_str().filter(|name| is_own(name)) {
                Some(name) => old.push(name.to_owned()),
                None => {
                    let found = name.to_string_lossy().into_owned();
                    return Err(Error::NotParts { path: self.folder.clone(), found });
                }
            }
        }
        old.sort_by_key(|name| name != MANIFEST);
        let remove = |name: &String| fs::remove_file(self.folder.join(name));
        old.iter().try_for_each(remove).map_err(|source| self.failed(source))
    }

    /// Creates the folder, if it does not exist.
    pub(super) fn create(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|source| self.failed(source))
    }

    /// Writes the part of this process.
    pub(super) fn write<V: Datum>(&self, values: Vec<(u64, Option<V>)>) -> Result<(), Error> {
        write_pairs(&self.at(&part(self.process)), &values)
    }

    /// Writes the manifest: the program, and the name of each part.
    pub(super) fn write_manifest(&self, program: Program, processes: usize) -> Result<(), Error> {
        let parts: String = (0..processes).map(|process| part(process) + "\n").collect();
        let text = format!("# values of {}, in {processes} files\n{parts}", program.name());
        self.at(MANIFEST).write(|out| out.write_all(text.as_bytes()))
    }

    fn at(&self, name: &str) -> Destination {
        Destination::File(self.folder.join(name))
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Write { path: self.folder.clone(), source }
    }
}
