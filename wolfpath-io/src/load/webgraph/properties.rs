//! Properties of a WebGraph graph from `NAME.properties`: lines of the form `key=value`, in the format of Java
//! properties.

use crate::load::error::LoadError;
use crate::load::format::webgraph_properties;
use dsi_bitstream::traits::{BE, Endianness, LE};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use webgraph::prelude::CompFlags;
use wolfpath_core::edge_list::MAX_VERTICES;

/// The only supported value of `graphclass`: the Java class that stores a graph as rows.
const CLASS: &str = "it.unimi.dsi.webgraph.BVGraph";
/// Maximum window size: how many rows back a row may be copied from. Writers use 7. The limit exists because all rows
/// of the window are held in memory.
const WIDEST_WINDOW: usize = 1 << 16;

/// Properties of a graph.
#[derive(Debug)]
pub(super) struct Properties {
    path: PathBuf,
    pub(super) vertices: u64,
    pub(super) edges: u64,
    pub(super) little_endian: bool,
    pub(super) flags: CompFlags,
}

impl Properties {
    /// Reads the properties of a graph.
    pub(super) fn beside(graph: &Path) -> Result<Properties, LoadError> {
        let path = webgraph_properties(graph);
        let text = match std::fs::read(&path) {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(LoadError::NoProperties { path: graph.to_owned(), properties: path });
            }
            Err(source) => return Err(LoadError::Io { path, source }),
        };
        Properties::of_text(path, &text)
    }

    fn of_text(path: PathBuf, text: &str) -> Result<Properties, LoadError> {
        let map = parse(&path, text)?;
        let class = map.get("graphclass").map(|class| class.trim_start_matches("class "));
        if let Some(class) = class.filter(|&class| class != CLASS) {
            let expected = format!("{CLASS}; convert the graph to this class with WebGraph");
            return Err(wrong(&path, "graphclass", class, expected));
        }
        let vertices = number(&path, &map, "nodes", MAX_VERTICES)?;
        let edges = number(&path, &map, "arcs", u64::MAX)?;
        let (little_endian, flags) = match map.get("endianness").map(String::as_str) {
            None => (false, CompFlags::from_properties::<BE>(&map)),
            Some(name) if name == BE::NAME => (false, CompFlags::from_properties::<BE>(&map)),
            Some(name) if name == LE::NAME => (true, CompFlags::from_properties::<LE>(&map)),
            Some(other) => return Err(wrong(&path, "endianness", other, "big or little")),
        };
        let flags = flags.map_err(|error| {
            wrong(&path, "the file", format!("{error:#}"), "properties that WebGraph writes")
        })?;
        if flags.compression_window > WIDEST_WINDOW {
            let found = flags.compression_window.to_string();
            return Err(wrong(&path, "windowsize", found, format!("at most {WIDEST_WINDOW}")));
        }
        Ok(Properties { path, vertices, edges, little_endian, flags })
    }

    /// Returns the path of the file, for messages.
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns a description of a valid row, for messages.
    pub(super) fn codes(&self) -> String {
        format!(
            "a row encoded as {} says: one of the files is damaged, or belongs to another graph",
            self.name()
        )
    }
}

/// Parses lines of the form `key=value` or `key: value`. Comments start with `#` or `!`.
fn parse(path: &Path, text: &str) -> Result<HashMap<String, String>, LoadError> {
    let mut map = HashMap::new();
    for (index, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let Some((key, value)) = line.split_once(['=', ':']) else {
            let found: String = line.chars().take(40).collect();
            let place = format!("line {}", index + 1);
            return Err(wrong(path, place, format!("`{}`", found.escape_debug()), "key=value"));
        };
        map.insert(key.trim_end().to_owned(), value.trim_start().to_owned());
    }
    Ok(map)
}

fn number<N: FromStr + PartialOrd + std::fmt::Display>(
    path: &Path,
    map: &HashMap<String, String>,
    key: &'static str,
    most: N,
) -> Result<N, LoadError> {
    let expected = || format!("a whole number from 0 to {most}");
    let Some(text) = map.get(key) else {
        return Err(wrong(path, key, "nothing", expected()));
    };
    match text.parse() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(wrong(path, key, format!("`{text}`"), expected())),
    }
}

fn wrong(
    path: &Path,
    place: impl Into<String>,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> LoadError {
    let (place, found, expected) = (place.into(), found.into(), expected.into());
    LoadError::Table { path: path.to_owned(), place, found, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Properties, String> {
        Properties::of_text(PathBuf::from("g.properties"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_java_writes() {
        let properties = of("#BVGraph properties\n#Thu Jan 01\nnodes=7\narcs = 12\nzetak=3\nwindowsize=2\n\
                             graphclass=class it.unimi.dsi.webgraph.BVGraph\ncompressionflags=\n")
        .unwrap();
        assert_eq!((properties.vertices, properties.edges, properties.little_endian), (7, 12, false));
        assert_eq!(properties.flags.compression_window, 2);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, parts) in [
            ("", ["g.properties, nodes: found nothing", "whole number"]),
            ("nodes=7", ["arcs: found nothing", ""]),
            ("nodes=-1\narcs=1", ["nodes: found `-1`", "4294967295"]),
            ("nodes=5000000000\narcs=1", ["nodes: found `5000000000`", "4294967295"]),
            ("nodes", ["line 1: found `nodes`", "key=value"]),
            ("nodes=1\narcs=1\ngraphclass=EFGraph", ["graphclass: found EFGraph", CLASS]),
            ("nodes=1\narcs=1\nendianness=middle", ["endianness: found middle", "big"]),
            ("nodes=1\narcs=1\nendianness=little", ["version", "WebGraph"]),
            ("nodes=1\narcs=1\nzetak=9", ["ζ", "WebGraph"]),
            ("nodes=1\narcs=1\ncompressionflags=BLOCKS_MORSE", ["BLOCKS_MORSE", "WebGraph"]),
            ("nodes=1\narcs=1\nwindowsize=9999999999", ["windowsize", "65536"]),
        ] {
            let error = of(text).unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
        }
    }
}
