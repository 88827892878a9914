//! docs/gpu-verification.md: a record of the tests and benchmarks that were run on a GPU, of the sources that they were
//! built from, and of the results. It is written from the output of a bundle's run.sh, and from nothing else.

pub(crate) mod output;
pub(crate) mod page;
mod several;
mod suite;

use std::path::{Path, PathBuf};

use crate::Result;
use crate::sources;
use crate::workspace::{failed, root, shown};

use output::Output;

/// File of the record.
const PAGE: &str = "docs/gpu-verification.md";

/// Beginning of the line that contains the hash of the sources.
const HASH_ROW: &str = "| sources | `";

/// Writes the page from the folders that run.sh wrote. If a section was run more than once, the last folder is used.
pub(crate) fn write(folders: Vec<PathBuf>) -> Result<()> {
    let output = Output::read(&or_default(folders))?;
    let earlier = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    write_page(PAGE, &page::text(&output, &earlier))?;
    match check() {
        Ok(words) => println!("{words}"),
        Err(stale) => eprintln!("warning: {stale}"),
    }
    Ok(())
}

/// Returns the folders, or the default folder of run.sh if the list is empty.
pub(crate) fn or_default(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    if folders.is_empty() { vec![root().join("gpu-bundle/out")] } else { folders }
}

/// Writes a document, named relative to the root.
pub(crate) fn write_page(name: &str, text: &str) -> Result<()> {
    let page = root().join(name);
    if let Some(folder) = page.parent() {
        std::fs::create_dir_all(folder).map_err(failed("make", folder))?;
    }
    std::fs::write(&page, text).map_err(failed("write", &page))?;
    println!("{} written", shown(&page));
    Ok(())
}

/// Returns a message that the record was made with the current sources, or an error if it was not.
pub(crate) fn check() -> Result<String> {
    check_page(&root().join(PAGE), &sources::hash()?)
}

fn check_page(page: &Path, now: &str) -> Result<String> {
    let text = std::fs::read_to_string(page).map_err(|error| {
        format!("{PAGE}: {error}; run the folder of `cargo xtask gpu-bundle` on a GPU, then `cargo xtask gpu-record`")
    })?;
    let recorded = text.lines().find_map(|line| line.strip_prefix(HASH_ROW)?.split('`').next());
    match recorded {
        Some(recorded) if recorded == now => {
            Ok(format!("{PAGE} was recorded with the current sources ({now})"))
        }
        Some(recorded) => Err(format!(
            "{PAGE} is stale: it was recorded with sources {recorded}, but the current sources are {now}; run the folder of \
             `cargo xtask gpu-bundle` on a GPU again, then `cargo xtask gpu-record`"
        )),
        None => Err(format!(
            "{PAGE} does not contain the hash of its sources; write it with `cargo xtask gpu-record`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints only a warning, because most machines cannot repeat the record.
    #[test]
    fn the_record_is_of_todays_sources() {
        if let Err(stale) = check() {
            println!("warning: {stale}");
        }
    }

    #[test]
    fn a_stale_record_is_an_error() {
        let page = std::env::temp_dir().join(format!("wolfpath-record-{}.md", std::process::id()));
        std::fs::write(&page, format!("# x\n\n{HASH_ROW}abc`, of kernels |\n")).expect("a page");
        assert!(check_page(&page, "abc").is_ok());
        assert!(check_page(&page, "abd").is_err_and(|words| words.contains("stale")));
        std::fs::remove_file(&page).expect("removed");
        assert!(check_page(&page, "abc").is_err_and(|words| words.contains("gpu-bundle")));
    }
}
