//! The documentation as a book: builds it with mdBook, and checks its links.
//!
//! The chapters are the Markdown files of the repository, where they are: some of them (README.md, the notes for
//! maintainers) are outside `docs/`. mdBook reads a single folder, so the chapters and the files that they link to are
//! copied to `target/book/src` first, under the same relative paths.

mod links;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use pulldown_cmark::{Event, Parser, Tag};

use crate::Result;
use crate::workspace::{cargo, failed, output_of, root, shown};

/// Version of mdBook that builds the book. It is pinned because another version may generate other anchors, so that links
/// that are valid here would be reported as broken.
const VERSION: &str = "0.5.4";

/// Table of contents: the chapters, as links relative to its own folder.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Builds the book and returns the path of its first page.
///
/// # Errors
/// Returns an error if mdBook cannot be installed or fails, a chapter or a linked file is missing, a Markdown file of
/// the repository is not a chapter, or a link of the book is broken.
pub(crate) fn build() -> Result<PathBuf> {
    let chapters = chapters()?;
    every_page_is_a_chapter(&chapters)?;
    let mdbook = mdbook()?;
    let folder = root().join("target").join("book");
    stage(&chapters, &folder)?;
    output_of(
        Command::new(mdbook).arg("build").arg(&folder).env("MDBOOK_LOG", "warn").env("RUST_LOG", "warn"),
    )?;
    let html = folder.join("html");
    links::check(&html)?;
    Ok(html.join("index.html"))
}

/// Returns the chapters in the order of the table of contents, as paths relative to the root.
fn chapters() -> Result<Vec<PathBuf>> {
    let summary = Path::new(SUMMARY);
    let text = read(summary)?;
    Ok(linked_files(&text, summary))
}

/// Returns the files of the repository that a Markdown text in `page` links to, as paths relative to the root.
fn linked_files(text: &str, page: &Path) -> Vec<PathBuf> {
    let folder = page.parent().unwrap_or(Path::new(""));
    Parser::new(text)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url),
            _ => None,
        })
        .filter_map(|link| {
            let path = link.split('#').next().unwrap_or_default();
            (!path.is_empty() && !path.contains(':')).then(|| normal(&folder.join(path)))
        })
        .collect()
}

/// Returns the path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// Checks that the table of contents lists every Markdown file under version control.
fn every_page_is_a_chapter(chapters: &[PathBuf]) -> Result<()> {
    let listed = Command::new("git").args(["ls-files", "*.md"]).current_dir(root()).output();
    // A source archive has no version control, so there is nothing to compare with.
    let Ok(listed) = listed else { return Ok(()) };
    let missing: Vec<String> = String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter(|page| *page != SUMMARY && !chapters.contains(&PathBuf::from(page)))
        .map(str::to_owned)
        .collect();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(format!("{SUMMARY} does not list these pages: {}", missing.join(", "))),
    }
}

/// Returns the path of mdBook [`VERSION`]. If it is not installed, installs it into `target/mdbook`.
fn mdbook() -> Result<PathBuf> {
    let own = root().join("target").join("mdbook");
    let built = own.join("bin").join("mdbook").with_extension(std::env::consts::EXE_EXTENSION);
    for candidate in [PathBuf::from("mdbook"), built.clone()] {
        let version = Command::new(&candidate).arg("--version").stderr(Stdio::null()).output();
        if version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with(VERSION)) {
            return Ok(candidate);
        }
    }
    eprintln!("installing mdBook {VERSION} into {} (about a minute)", shown(&own));
    let mut install = cargo();
    // An optimized mdBook takes over twice as long to install, and saves only a second when it builds the book.
    install.args(["install", "mdbook", "--version", VERSION, "--locked", "--quiet", "--debug"]);
    install.args(["--no-default-features", "--features", "search", "--root"]).arg(&own);
    install.env("CARGO_PROFILE_DEV_DEBUG", "0");
    output_of(&mut install)?;
    Ok(built)
}

/// Copies the chapters, the files that they link to and the configuration into an empty folder.
fn stage(chapters: &[PathBuf], folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed("remove", folder))?;
    }
    let source = folder.join("src");
    let mut files: BTreeSet<PathBuf> = chapters.iter().cloned().collect();
    for chapter in chapters {
        files.extend(linked_files(&read(chapter)?, chapter));
    }
    for file in &files {
        copy(&root().join(file), &source.join(file))?;
    }
    copy(&root().join("docs/book.toml"), &folder.join("book.toml"))?;
    let summary = source.join("SUMMARY.md");
    std::fs::write(&summary, rooted(&read(Path::new(SUMMARY))?)).map_err(failed("write", &summary))
}

/// Returns the table of contents with links relative to the root instead of `docs/`.
fn rooted(summary: &str) -> String {
    summary.replace("](", "](docs/").replace("](docs/../", "](")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(failed("make", folder))?;
    }
    std::fs::copy(from, to).map_err(failed("copy", from))?;
    Ok(())
}

/// Reads a file named relative to the root.
fn read(file: &Path) -> Result<String> {
    let path = root().join(file);
    std::fs::read_to_string(&path).map_err(failed("read", &path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_their_page() {
        let text = "[a](../README.md#top) [b](x.md) ![c](images/c.svg) [d](https://e.org/f) [g](#h)";
        let files = linked_files(text, Path::new("docs/page.md"));
        assert_eq!(files, ["README.md", "docs/x.md", "docs/images/c.svg"].map(PathBuf::from));
    }

    #[test]
    fn the_table_of_contents_moves_to_the_root() {
        assert_eq!(rooted("[a](../README.md)\n- [b](b.md)\n"), "[a](README.md)\n- [b](docs/b.md)\n");
    }
}
