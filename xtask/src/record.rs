//! docs/gpu-verification.md: what ran on a GPU, with which sources, and what came of it; made from the output of a
//! bundle's run.sh and nothing else.

pub(crate) mod output;
pub(crate) mod page;
mod suite;

use std::path::{Path, PathBuf};

use crate::Result;
use crate::sources;
use crate::workspace::{failed, root, shown};

use output::Output;

/// The record.
const PAGE: &str = "docs/gpu-verification.md";

/// How the page gives the hash of the sources.
const HASH_ROW: &str = "| sources | `";

/// Writes the page from the folders that run.sh wrote; where a section ran more than once, the last folder counts.
pub(crate) fn write(folders: Vec<PathBuf>) -> Result<()> {
    let output = read(folders)?;
    write_page(PAGE, &page::text(&output))?;
    match check() {
        Ok(words) => println!("{words}"),
        Err(stale) => eprintln!("warning: {stale}"),
    }
    Ok(())
}

/// What the folders hold, or the one that run.sh writes when it is told nothing.
pub(crate) fn read(folders: Vec<PathBuf>) -> Result<Output> {
    let folders = if folders.is_empty() { vec![root().join("gpu-bundle/out")] } else { folders };
    Output::read(&folders)
}

/// Writes a page of the documents.
pub(crate) fn write_page(name: &str, text: &str) -> Result<()> {
    let page = root().join(name);
    if let Some(folder) = page.parent() {
        std::fs::create_dir_all(folder).map_err(failed("make", folder))?;
    }
    std::fs::write(&page, text).map_err(failed("write", &page))?;
    println!("{} written", shown(&page));
    Ok(())
}

/// Whether the record speaks of today's sources: words for either case.
pub(crate) fn check() -> Result<String> {
    check_page(&root().join(PAGE), &sources::hash()?)
}

fn check_page(page: &Path, now: &str) -> Result<String> {
    let text = std::fs::read_to_string(page).map_err(|error| {
        format!("{PAGE}: {error}; run the folder of `cargo xtask gpu-bundle` on a GPU, then `cargo xtask gpu-record`")
    })?;
    let recorded = text.lines().find_map(|line| line.strip_prefix(HASH_ROW)?.split('`').next());
    match recorded {
        Some(recorded) if recorded == now => Ok(format!("{PAGE} is of today's sources ({now})")),
        Some(recorded) => Err(format!(
            "{PAGE} is stale: it was run with sources {recorded}, and today's are {now}; run the folder of \
             `cargo xtask gpu-bundle` on a GPU again, then `cargo xtask gpu-record`"
        )),
        None => Err(format!("{PAGE} names no sources; `cargo xtask gpu-record` writes it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a warning: most machines cannot make the record anew.
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
