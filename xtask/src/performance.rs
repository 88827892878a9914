//! docs/performance.md: what each line of the benchmark took on a GPU, what it must reach and how far it is from its
//! floor; with every schedule, and without each technique. Made of what the section `performance` of a bundle's run.sh
//! printed and nothing else.

mod page;
mod steps;
mod variants;

use std::path::PathBuf;

use crate::Result;
use crate::record::{read, write_page};

/// The page.
const PAGE: &str = "docs/performance.md";

/// Writes the page from the folders that run.sh wrote; where the section ran more than once, the last folder counts.
pub(crate) fn write(folders: Vec<PathBuf>) -> Result<()> {
    let output = read(folders)?;
    if !output.performance.iter().any(|object| object["kind"] == "line") {
        return Err(
            "no folder has a performance.jsonl with lines in it; the section `performance` of the bundle's \
                    run.sh writes it"
                .to_owned(),
        );
    }
    write_page(PAGE, &page::text(&output))
}
