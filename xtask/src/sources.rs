//! Hash of the sources that determine the code that a GPU runs. It shows whether a recorded run used the current
//! sources.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use crate::Result;
use crate::workspace::{failed, root};

/// Hashed folders: the kernels, the macro and the CUDA engine.
const FOLDERS: [&str; 3] = ["kernels", "wolfpath-macros/src", "wolfpath-runtime/src/cuda"];

/// Returns the hash of the current sources, as 32 hexadecimal digits.
pub(crate) fn hash() -> Result<String> {
    hash_of(&root())
}

fn hash_of(root: &Path) -> Result<String> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut files)?;
    }
    let mut named: Vec<(String, PathBuf)> =
        files.into_iter().map(|file| (relative(root, &file), file)).collect();
    named.sort();
    let mut hash = XxHash3_128::new();
    for (name, file) in named {
        let contents = std::fs::read(&file).map_err(failed("read", &file))?;
        // The lengths separate names from contents.
        for part in [name.as_bytes(), &contents] {
            hash.write(&(part.len() as u64).to_le_bytes());
            hash.write(part);
        }
    }
    Ok(format!("{:032x}", hash.finish_128()))
}

/// Returns the path relative to the root, with `/` as separator on every platform.
fn relative(root: &Path, file: &Path) -> String {
    let parts = file.strip_prefix(root).unwrap_or(file).components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Adds all files below a folder to `files`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(failed("read", folder))? {
        let path = entry.map_err(failed("read", folder))?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_count() {
        let folder = std::env::temp_dir().join(format!("wolfpath-xtask-{}", std::process::id()));
        for part in FOLDERS {
            std::fs::create_dir_all(folder.join(part)).expect("a folder");
        }
        let kernel = folder.join("kernels/a.cuh");
        std::fs::write(&kernel, "one").expect("a file");
        let first = hash_of(&folder).expect("a hash");
        assert_eq!(first, hash_of(&folder).expect("a hash"));
        std::fs::write(&kernel, "two").expect("a file");
        let second = hash_of(&folder).expect("a hash");
        std::fs::rename(&kernel, folder.join("kernels/b.cuh")).expect("renamed");
        let third = hash_of(&folder).expect("a hash");
        assert!(first != second && second != third);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
