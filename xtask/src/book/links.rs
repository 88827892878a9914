//! Checks links within a folder of HTML pages.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::normal;
use crate::Result;
use crate::workspace::failed;

/// Checks every link and image of the pages in a folder. The file must exist. If the link has a fragment, the page must
/// contain an element with this id.
///
/// # Errors
/// Returns an error if a page cannot be read, or if links are broken. The message lists all broken links.
pub(super) fn check(folder: &Path) -> Result<()> {
    let pages = pages(folder)?;
    let ids: HashMap<&Path, HashSet<&str>> =
        pages.iter().map(|(path, text)| (path.as_path(), attributes(text, "id").collect())).collect();
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            if let Some(reason) = fault(page, link, &ids) {
                let page = page.strip_prefix(folder).unwrap_or(page);
                broken.push(format!("{}: {link}: {reason}", page.display()));
            }
        }
    }
    broken.sort();
    broken.dedup();
    match broken.len() {
        0 => Ok(()),
        count => Err(format!("{count} links of the book are broken:\n{}", broken.join("\n"))),
    }
}

/// Returns the problem with a link, or `None` if the link is valid or leaves the book.
fn fault(page: &Path, link: &str, ids: &HashMap<&Path, HashSet<&str>>) -> Option<&'static str> {
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    if path.contains(':') || path.starts_with("//") {
        return None;
    }
    let target = if path.is_empty() { page.to_owned() } else { normal(&page.parent()?.join(path)) };
    match ids.get(target.as_path()) {
        None if target.is_file() => None,
        None => Some("there is no such file"),
        Some(known) if fragment.is_empty() || known.contains(fragment) => None,
        Some(_) => Some("the page has no such heading"),
    }
}

/// Returns the pages in a folder and its subfolders, with their texts. Omits `toc.html`, mdBook's list of chapters for
/// readers without JavaScript. It is shown inside other pages, and its links are relative to those pages.
fn pages(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut pages = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(failed("list", &folder))? {
            let path = entry.map_err(failed("list", &folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html")
                && !path.ends_with("toc.html")
            {
                let text = std::fs::read_to_string(&path).map_err(failed("read", &path))?;
                pages.push((path, text));
            }
        }
    }
    Ok(pages)
}

/// Returns the values of an attribute in an HTML text, in order.
fn attributes<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    text.split(&format!(" {name}=\""))
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect::<Vec<_>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write(
            "a.html",
            r##"<h1 id="top"></h1><a href="b.html#here">b</a><a href="#top">up</a><img src="c.svg">"##,
        );
        write("b.html", r#"<p id="here"></p><a class="x" href="https://example.org/#y">away</a>"#);
        write("c.svg", "<svg/>");
        assert_eq!(check(folder.path()), Ok(()));

        write("b.html", r##"<a href="a.html#nowhere">a</a><a href="d.html">d</a><a href="../e.md">e</a>"##);
        let message = check(folder.path()).unwrap_err();
        for broken in [
            "a.html: b.html#here: the page has no such heading",
            "b.html: a.html#nowhere: the page has no such heading",
            "b.html: d.html: there is no such file",
            "b.html: ../e.md: there is no such file",
        ] {
            assert!(message.contains(broken), "{broken} in:\n{message}");
        }
        assert!(message.starts_with("4 links"));
    }
}
